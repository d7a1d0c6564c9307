import { createBoundedMap } from '../bounded-map.ts';

/** How a request to the listing service ended: with a response, or without one (5xx, timeout, no connection). */
export type RequestHealth = 'answered' | 'failed';

interface GuildHealth {
  readonly guildId: string;
  readonly health: RequestHealth;
  /** Why the response was unusable, even if the service itself works. */
  readonly trouble: string | undefined;
}

export type Breaker = ReturnType<typeof createBreaker>;

/** Consecutive failures after which a guild's submissions are paused. */
const MOST_FAILURES = 3;
/** How many of the latest outcomes of all guilds are considered. If all of them are failures, every guild is paused. */
const OUTCOMES_OF_ALL = 10;
/** The outcomes must come from at least this many guilds before all guilds are paused. */
const FEWEST_GUILDS = 3;
const HELD_BACK_MS = 30_000;
/** How long a key is paused after a 429 that doesn't specify a time, in milliseconds. */
const USUAL_PAUSE_MS = 1_000;
/**
 * The longest pause, even if the service requests a longer one. The request may be a mistake, and the guild's members are
 * waiting.
 */
const LONGEST_PAUSE_MS = 10 * 60_000;
/** The maximum number of guilds with failures or a pause that are tracked. The oldest is dropped first. */
const MOST_GUILDS = 10_000;

/**
 * Decides whether a guild can send now. Each guild is tracked separately, so one guild's bad key doesn't block the others.
 * Submissions are paused while the listing service fails. After a 429, a key is paused for as long as the service requests.
 * @param now the time of a monotonic clock, in milliseconds
 */
export function createBreaker(now: () => number = () => performance.now()) {
  const failuresOf = createBoundedMap<number>(MOST_GUILDS);
  const nextTryOf = createBoundedMap<number>(MOST_GUILDS);
  const pausedUntil = createBoundedMap<number>(MOST_GUILDS);
  let outcomes: GuildHealth[] = [];
  let nextTryOfAll = 0;

  const isOpenFor = (guildId: string) => (failuresOf.get(guildId) ?? 0) >= MOST_FAILURES;

  function isOpenForAll(): boolean {
    if (outcomes.length < OUTCOMES_OF_ALL) return false;
    if (outcomes.some(({ health }) => health === 'answered')) return false;
    return new Set(outcomes.map(({ guildId }) => guildId)).size >= FEWEST_GUILDS;
  }

  return {
    /**
     * Whether a submission of this guild can be sent now. During a pause, one is let through every 30 seconds to test the
     * service.
     */
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
    /** Records how a request of this guild ended. */
    note(guildId: string, health: RequestHealth, trouble?: string): void {
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
    /** @param ms the time that the service requested with `Retry-After`, if any */
    pause(guildId: string, ms = USUAL_PAUSE_MS): void {
      pausedUntil.set(guildId, now() + Math.min(ms, LONGEST_PAUSE_MS));
    },
    /** Returns how long the guild's key stays paused, in milliseconds; 0 if it isn't paused. */
    pausedMs(guildId: string): number {
      const ms = (pausedUntil.get(guildId) ?? 0) - now();
      if (ms <= 0) pausedUntil.delete(guildId);
      return Math.max(0, Math.ceil(ms));
    },
    /** Ends the pause because the guild has a new key. */
    endPause: (guildId: string) => pausedUntil.delete(guildId),
    /** Returns which guilds' submissions are paused: none, those whose own requests failed, or all. */
    pausedGuilds(): 'none' | 'some' | 'all' {
      if (isOpenForAll()) return 'all';
      return [...failuresOf.keys()].some(isOpenFor) ? 'some' : 'none';
    },
    /** Returns how the latest request of any guild ended; `undefined` before the first request. */
    latest: (): Omit<GuildHealth, 'guildId'> | undefined => outcomes.at(-1),
  };
}
