import type { Stall } from '../support/machine.ts';

/** What must not happen to anybody, in the order in which it is printed. */
export const HARMS = [
  'crashes',
  'unanswered',
  // People who have nothing to do with an attack.
  'others refused',
  'secrets found',
  'rules of Discord broken',
  // Nobody will ever hear of a submission: the answer does not say what became of it, or the service holds the server
  // and the history knows nothing of it.
  'lost',
  // The service got a server more often than members asked for it, not counting what it turned down.
  'sent twice',
  // The service got a server of a guild whose moderators had not approved it.
  'sent without approval',
  // More direct messages than decisions to be told.
  'told twice',
  // What members were told of a server cannot be true of what the service got and holds.
  'told wrongly',
  // An answer still says "thinking…" long after everything went well again.
  'left thinking',
  'other harm',
] as const;
export type Harm = (typeof HARMS)[number];

/** Of each harm: a list that goes wrong is a hundred cases of the same. */
const SHOWN_CASES = 20;
const SHOWN_STALLS = 5;
const LONGEST_CASE = 5_000;

export type Verdict = ReturnType<typeof createVerdict>;

/**
 * What came of a run, the same for every mix.
 * @param longestStall milliseconds of the bot's own processor time; a longer stall is harm
 */
export function createVerdict(longestStall: number) {
  const harms = new Map<Harm, string[]>(HARMS.map((kind) => [kind, []]));
  const counts = new Map<string, number>();
  const stalls: (Stall & { readonly during: string })[] = [];
  let slowestResponse = 0;
  let slowestAnswer = 0;

  function harm(kind: Harm, about: string): void {
    harms.get(kind)?.push(about.slice(0, LONGEST_CASE));
  }

  return {
    harm,
    /** @param during what others did when it ended, for whoever looks for the cause */
    stalled(more: readonly Stall[], during: (stall: Stall) => string): void {
      stalls.push(...more.map((stall) => ({ ...stall, during: during(stall) })));
    },
    /** How long those who only work have waited for a first response and for an answer, in milliseconds. */
    othersWaited(responseMs: number, answerMs: number): void {
      slowestResponse = Math.max(slowestResponse, responseMs);
      slowestAnswer = Math.max(slowestAnswer, answerMs);
    },
    /** A figure that shows what was tried. One that stays 0 is harm: the run was about something else. */
    count(what: string, more: number): void {
      counts.set(what, (counts.get(what) ?? 0) + more);
    },
    /** Prints all figures, and every case of harm on standard error. @returns the status to exit with */
    print(say: (line: string) => void): 0 | 1 {
      const longest = stalls.toSorted((one, other) => other.ownMs - one.ownMs);
      const [worst] = longest;
      if (worst && worst.ownMs > longestStall) {
        harm('other harm', `the bot stood still for ${worst.ownMs} ms`);
      }
      for (const [what, count] of counts) {
        say(`${what}: ${count}`);
        if (count === 0) harm('other harm', `there were no ${what}`);
      }
      say(`others' slowest first response: ${slowestResponse} ms`);
      say(`others' slowest answer: ${slowestAnswer} ms`);
      say(`longest stall: ${worst?.ownMs ?? 0} ms of the bot's processor time`);
      say(`longest stall by the clock: ${Math.max(0, ...stalls.map(({ ms }) => ms))} ms`);
      for (const [kind, cases] of harms) say(`${kind}: ${cases.length}`);
      for (const { ownMs, ms, during } of longest.slice(0, SHOWN_STALLS)) {
        process.stderr.write(`stall of ${ownMs} ms (${ms} by the clock) during ${during}\n`);
      }
      for (const [kind, cases] of harms) {
        for (const about of cases.slice(0, SHOWN_CASES)) process.stderr.write(`${kind}: ${about}\n`);
      }
      return [...harms.values()].every((cases) => cases.length === 0) ? 0 : 1;
    },
  };
}
