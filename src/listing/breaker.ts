import { createBoundedMap } from '../bounded-map.ts';

/** How a request to the listing service ended: with a response, or with none (5xx, timeout, no connection). */
export type Health = 'answered' | 'failed';

/** For whom submissions are held back: for nobody, for guilds whose own requests failed, for everybody. */
export const HELD_BACK_FOR = ['none', 'some', 'all'] as const;
export type HeldBackFor = (typeof HELD_BACK_FOR)[number];

interface HeardOutcome {
  readonly guildId: string;
  readonly health: Health;
  /** Why the response was of no use, also where the service itself works. */
  readonly trouble: string | undefined;
}

export type Breaker = ReturnType<typeof createBreaker>;

/** Failures in a row after which a guild's submissions are held back. */
const MOST_FAILURES = 3;
/** The last outcomes of all guilds that are looked at; if all of them failed, everybody is held back. */
const OUTCOMES_OF_ALL = 10;
/** Outcomes of fewer guilds say nothing about the service as a whole. */
const FEWEST_GUILDS = 3;
const HELD_BACK_MS = 30_000;
/** Milliseconds that a key is paused after a 429 that names no time. */
const USUAL_PAUSE_MS = 1_000;
/** The longest pause, whatever the service asks for: it may be wrong, and the guild's members wait. */
const LONGEST_PAUSE_MS = 10 * 60_000;
/** How many guilds with failures or a pause are remembered; the oldest is forgotten first. */
const MOST_GUILDS = 10_000;

/**
 * Says whether a guild may send now, by guild: one guild's bad key stops nobody else. Submissions are held back while the
 * listing service fails; a key is paused for as long as the service asks with a 429.
 * @param now milliseconds of a clock that nobody sets
 */
export function createBreaker(now: () => number = () => performance.now()) {
  const failuresOf = createBoundedMap<number>(MOST_GUILDS);
  const nextTryOf = createBoundedMap<number>(MOST_GUILDS);
  const pausedUntil = createBoundedMap<number>(MOST_GUILDS);
  let outcomes: HeardOutcome[] = [];
  let nextTryOfAll = 0;

  const isOpenFor = (guildId: string) => (failuresOf.get(guildId) ?? 0) >= MOST_FAILURES;

  function isOpenForAll(): boolean {
    if (outcomes.length < OUTCOMES_OF_ALL) return false;
    if (outcomes.some(({ health }) => health === 'answered')) return false;
    return new Set(outcomes.map(({ guildId }) => guildId)).size >= FEWEST_GUILDS;
  }

  return {
    /** Whether a submission of this guild may be sent now. While the breaker is open, one may be every 30 seconds. */
    maySend(guildId: string): boolean {
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
    /** Takes note of how a request of this guild ended. */
    note(guildId: string, health: Health, trouble?: string): void {
      outcomes = [...outcomes, { guildId, health, trouble }].slice(-OUTCOMES_OF_ALL);
      if (health === 'answered') {
        failuresOf.delete(guildId);
        nextTryOf.delete(guildId);
        return;
      }
      failuresOf.set(guildId, (failuresOf.get(guildId) ?? 0) + 1);
      nextTryOf.set(guildId, now() + HELD_BACK_MS);
      if (isOpenForAll()) nextTryOfAll = now() + HELD_BACK_MS;
    },
    /** @param ms what the service asked for (`Retry-After`), if it named a time */
    pause(guildId: string, ms = USUAL_PAUSE_MS): void {
      pausedUntil.set(guildId, now() + Math.min(ms, LONGEST_PAUSE_MS));
    },
    /** For how many milliseconds more the guild's key is paused; 0 where it is not. */
    pausedMs(guildId: string): number {
      const ms = (pausedUntil.get(guildId) ?? 0) - now();
      if (ms <= 0) pausedUntil.delete(guildId);
      return Math.max(0, Math.ceil(ms));
    },
    /** The guild has another key. */
    endPause: (guildId: string) => pausedUntil.delete(guildId),
    heldBackFor(): HeldBackFor {
      if (isOpenForAll()) return 'all';
      return [...failuresOf.keys()].some(isOpenFor) ? 'some' : 'none';
    },
    /** How the latest request of any guild ended; `undefined` before the first request. */
    latest: (): Omit<HeardOutcome, 'guildId'> | undefined => outcomes.at(-1),
  };
}
