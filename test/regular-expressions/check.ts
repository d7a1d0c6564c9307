import { check, type Diagnostics } from 'recheck';
import { expressionsIn } from './find.ts';

/**
 * The time limit for a single expression, in milliseconds. Even the slowest one on a busy machine takes far less. If it is
 * exceeded, the result is uncertain.
 */
const TIMEOUT_MS = 60_000;
/**
 * Expressions with a lookahead can't be proved, so they are tested. The tests depend on how many characters are read and
 * not on the clock, so every run finds the same problems.
 */
const ALWAYS_THE_SAME = {
  randomSeed: 1,
  seedingTimeout: null,
  incubationTimeout: null,
  attackTimeout: null,
};

/**
 * Returns the errors in a source file's regular expressions, one per line. An error is an expression whose time grows
 * faster than the length of its input, such as `[a-z]+$`, or one that is only known at run time.
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
