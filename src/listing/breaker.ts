import { dropOldest } from '../drop-oldest.ts';

/** How a request to the listing service ended: with an answer, or with none (5xx, timeout, no connection). */
export type Health = 'answered' | 'failed';

/** For whom submissions are held back: for nobody, for guilds whose own requests failed, for everybody. */
export const EXTENTS = ['none', 'some', 'all'] as const;
export type Extent = (typeof EXTENTS)[number];

/** Holds submissions back while the listing service fails, by guild: one guild's bad key stops nobody else. */
export interface Breaker {
  /** Whether a submission of this guild may leave now. While the breaker is open, one may leave every 30 seconds. */
  mayLeave(guildId: string): boolean;
  /** Takes note of how a request of this guild ended. */
  note(guildId: string, health: Health): void;
  /** For whom submissions are held back. */
  extent(): Extent;
  /** How the latest request of all ended; `undefined` before the first. */
  latest(): Health | undefined;
}

/** Failures in a row after which a guild's submissions are held back. */
const MOST_FAILURES = 3;
/** The last outcomes of all guilds that are looked at; if all of them failed, everybody is held back. */
const OUTCOMES_OF_ALL = 10;
/** Fewer guilds than this say nothing about the service as a whole. */
const FEWEST_GUILDS = 3;
const HELD_BACK_MS = 30_000;
/** Guilds with failures that are remembered; the oldest goes. */
const MOST_GUILDS = 10_000;

/** @param now milliseconds of a clock that nobody sets */
export function createBreaker(now: () => number = () => performance.now()): Breaker {
  const failuresOf = new Map<string, number>();
  const nextTryOf = new Map<string, number>();
  let outcomes: { readonly guildId: string; readonly health: Health }[] = [];
  let nextTryOfAll = 0;

  const isOpenFor = (guildId: string) => (failuresOf.get(guildId) ?? 0) >= MOST_FAILURES;

  function isOpenForAll(): boolean {
    if (outcomes.length < OUTCOMES_OF_ALL) return false;
    if (outcomes.some(({ health }) => health === 'answered')) return false;
    return new Set(outcomes.map(({ guildId }) => guildId)).size >= FEWEST_GUILDS;
  }

  return {
    mayLeave(guildId) {
      if (isOpenFor(guildId)) {
        if (now() < (nextTryOf.get(guildId) ?? 0)) return false;
        nextTryOf.set(guildId, now() + HELD_BACK_MS);
        return true;
      }
      if (isOpenForAll()) {
        if (now() < nextTryOfAll) return false;
        nextTryOfAll = now() + HELD_BACK_MS;
      }
      return true;
    },
    note(guildId, health) {
      outcomes = [...outcomes, { guildId, health }].slice(-OUTCOMES_OF_ALL);
      if (health === 'answered') {
        failuresOf.delete(guildId);
        nextTryOf.delete(guildId);
        return;
      }
      failuresOf.set(guildId, (failuresOf.get(guildId) ?? 0) + 1);
      nextTryOf.set(guildId, now() + HELD_BACK_MS);
      dropOldest(failuresOf, MOST_GUILDS);
      dropOldest(nextTryOf, MOST_GUILDS);
      if (isOpenForAll()) nextTryOfAll = now() + HELD_BACK_MS;
    },
    extent() {
      if (isOpenForAll()) return 'all';
      return [...failuresOf.keys()].some(isOpenFor) ? 'some' : 'none';
    },
    latest: () => outcomes.at(-1)?.health,
  };
}
