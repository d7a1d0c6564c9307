import { check, type Diagnostics } from 'recheck';
import { expressionsIn } from './find.ts';

/**
 * The time limit for one expression, in milliseconds. Far above the slowest on a busy machine; beyond it the result is
 * uncertain.
 */
const TIMEOUT_MS = 60_000;
/**
 * Expressions with a lookahead are tested rather than proved. The tests depend on the characters read instead of the clock,
 * so every run finds the same.
 */
const ALWAYS_THE_SAME = {
  randomSeed: 1,
  seedingTimeout: null,
  incubationTimeout: null,
  attackTimeout: null,
};

/**
 * Returns the errors in a source file's regular expressions, one per line. These are expressions whose time grows faster than
 * their text, such as `[a-z]+$`, and those known only at run time.
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
