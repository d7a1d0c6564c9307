import type { Stall } from '../support/machine.ts';

/** Kinds of harm that must never happen, in the order in which they are printed. */
export const HARMS = [
  'crashes',
  'unanswered',
  // Harm to users who aren't part of an attack.
  'others refused',
  'secrets found',
  'rules of Discord broken',
  // A member will never learn of a submission: the reply doesn't give its outcome, or the service holds the server but the
  // history doesn't have it.
  'lost',
  // The service received a server more often than members requested, not counting requests it rejected.
  'sent twice',
  // The service received a server without an approval, although the guild requires one.
  'sent without approval',
  // A member got more direct messages than decisions.
  'notified twice',
  // A reply about a server contradicts the requests that the service received and the servers it holds.
  'false reply',
  // A reply still shows "thinking…" long after everything was repaired.
  'left thinking',
  'other harm',
] as const;
export type Harm = (typeof HARMS)[number];

/** Cases shown per kind of harm; one failing list alone is a hundred similar cases. */
const SHOWN_CASES = 20;
const SHOWN_STALLS = 5;
const LONGEST_CASE = 5_000;

export type Verdict = ReturnType<typeof createVerdict>;

/**
 * Creates the result of a run, for every mix.
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
    /** @param during the others' actions when the stall ended, to help find its cause */
    stalled(more: readonly Stall[], during: (stall: Stall) => string): void {
      stalls.push(...more.map((stall) => ({ ...stall, during: during(stall) })));
    },
    /** Records the longest waits of normal users for a first response and for a reply, in milliseconds. */
    othersWaited(responseMs: number, answerMs: number): void {
      slowestResponse = Math.max(slowestResponse, responseMs);
      slowestAnswer = Math.max(slowestAnswer, answerMs);
    },
    /**
     * Adds to a figure that shows how much was tested. A figure that stays 0 is harm, because the run then missed its
     * purpose.
     */
    count(what: string, more: number): void {
      counts.set(what, (counts.get(what) ?? 0) + more);
    },
    /** Prints all figures, and every case of harm on standard error. @returns the exit status */
    print(say: (line: string) => void): 0 | 1 {
      const longest = stalls.toSorted((one, other) => other.ownMs - one.ownMs);
      const [worst] = longest;
      if (worst && worst.ownMs > longestStall) {
        harm('other harm', `the bot stalled for ${worst.ownMs} ms`);
      }
      for (const [what, count] of counts) {
        say(`${what}: ${count}`);
        if (count === 0) harm('other harm', `there were no ${what}`);
      }
      say(`slowest first response to others: ${slowestResponse} ms`);
      say(`slowest reply to others: ${slowestAnswer} ms`);
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
