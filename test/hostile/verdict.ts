import type { Stall } from '../support/machine.ts';

/** Kinds of harm that must never happen. They are printed in this order. */
const HARMS = [
  'crashes',
  'unanswered',
  // Users who aren't part of an attack were harmed.
  'others refused',
  'secrets found',
  'rules of Discord broken',
  // A member will never find out about a submission. Either the reply doesn't mention its outcome, or the service has
  // stored a server that isn't in the history.
  'lost',
  // The service received a server more often than members requested it. Requests that the service rejected don't count.
  'sent twice',
  // The service received a server that nobody had approved, although the guild requires approval.
  'sent without approval',
  // A member got more direct messages than there were decisions.
  'notified twice',
  // A reply about a server contradicts what the service received and stored.
  'false reply',
  // A reply still says "thinking…" long after all faults have ended.
  'left thinking',
  'other harm',
] as const;
export type Harm = (typeof HARMS)[number];

/** The maximum number of cases to print for each kind of harm. A single failed list produces a hundred similar cases. */
const SHOWN_CASES = 20;
const SHOWN_STALLS = 5;
const LONGEST_CASE = 5_000;

export type Verdict = ReturnType<typeof createVerdict>;

/**
 * Collects the results of a run.
 * @param longestStall the bot's maximum processor time during a stall, in milliseconds
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
    /** @param during describes the actions before a stall, to help find the cause */
    stalled(more: readonly Stall[], during: (stall: Stall) => string): void {
      stalls.push(...more.map((stall) => ({ ...stall, during: during(stall) })));
    },
    /** Records normal users' longest waits for a first response and for a reply, in milliseconds. */
    othersWaited(responseMs: number, answerMs: number): void {
      slowestResponse = Math.max(slowestResponse, responseMs);
      slowestAnswer = Math.max(slowestAnswer, answerMs);
    },
    /** Adds to a count of tested cases. A count that is still 0 at the end counts as harm. */
    count(what: string, more: number): void {
      counts.set(what, (counts.get(what) ?? 0) + more);
    },
    /** Prints all counts to standard output, and each case of harm to standard error. @returns the exit status */
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
