import { check, type Diagnostics } from 'recheck';
import { expressionsIn } from './find.ts';

/** Milliseconds for one expression. By far more than the slowest takes on a busy machine: past it nothing is certain. */
const TIMEOUT_MS = 60_000;
/**
 * Expressions with a look-ahead are tried and not proved: always in the same way, by the characters that are read and
 * never by the clock, so that no run finds what others did not.
 */
const ALWAYS_THE_SAME = {
  randomSeed: 1,
  seedingTimeout: null,
  incubationTimeout: null,
  attackTimeout: null,
};

/**
 * What is wrong with the regular expressions of a source file, a line for each: those whose time grows faster than
 * the text they are used on, `[a-z]+$` among them, and those that nobody can know before the program runs.
 */
export async function faultsIn(source: string): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const { line, pattern, flags } of expressionsIn(source)) {
    const isKnown = pattern !== undefined && flags !== undefined;
    const fault = isKnown ? await faultOf(pattern, flags) : 'the pattern is not a constant';
    if (fault !== undefined) faults.push(`${line}: ${fault}`);
  }
  return faults;
}

async function faultOf(pattern: string, flags: string): Promise<string | undefined> {
  const found: Diagnostics = await check(pattern, flags, { timeout: TIMEOUT_MS, ...ALWAYS_THE_SAME });
  switch (found.status) {
    case 'safe':
      return undefined;
    case 'vulnerable':
      return `${found.complexity.summary}: /${pattern}/${flags}, on ${found.attack.pattern}`;
    case 'unknown':
      return `not certain to be linear (${found.error.kind}): /${pattern}/${flags}`;
  }
}
