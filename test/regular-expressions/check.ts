import { check, type Diagnostics } from 'recheck';
import { expressionsIn } from './find.ts';

/**
 * The time limit for a single expression, in milliseconds. Even on a busy machine, every expression takes far less. A
 * timeout makes the result uncertain.
 */
const TIMEOUT_MS = 60_000;
/**
 * Expressions with a lookahead are tested, because they can't be proved linear. The tests count characters instead of time,
 * so every run finds the same problems.
 */
const ALWAYS_THE_SAME = {
  randomSeed: 1,
  seedingTimeout: null,
  incubationTimeout: null,
  attackTimeout: null,
};

/**
 * Returns a line for each regular expression in a source file that takes more than linear time, such as `[a-z]+$`, or that
 * is only known at run time.
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
