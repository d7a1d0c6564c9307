import { createBoundedMap } from '../pacing/bounded-map.ts';
import type { Secret } from '../text/secret.ts';

/** `failed`: no connection, an incomplete or unreadable response, or a 5xx. */
export type RequestHealth = 'answered' | 'failed';

interface GuildHealth {
  readonly guildId: string;
  readonly health: RequestHealth;
  /** Why the response was unusable. The service itself may still work. */
  readonly trouble: string | undefined;
}

export type Breaker = ReturnType<typeof createBreaker>;

const CONSECUTIVE_FAILURES_TO_PAUSE_GUILD = 3;
const CONSECUTIVE_FAILURES_TO_PAUSE_ALL = 10;
const MIN_GUILDS_TO_PAUSE_ALL = 3;
const HELD_BACK_MS = 30_000;
/** Applies to a key after a 429 response without `Retry-After`. */
export const DEFAULT_PAUSE_MS = 1_000;
/** Members are waiting, and a longer `Retry-After` may be the service's mistake. */
const MAX_PAUSE_MS = 10 * 60_000;
const MAX_GUILDS_OR_KEYS = 10_000;

/**
 * Creates the circuit breaker, which decides whether a guild can send requests now. Guilds are tracked separately, so that
 * one guild's bad key doesn't block the others. Submissions are paused as long as the listing service keeps failing. After
 * a 429, only the guild's key in that request is paused, for as long as the service requests, but at most ten minutes.
 * @param now returns the time of a monotonic clock, in milliseconds
 */
export function createBreaker(now: () => number = () => performance.now()) {
  const failuresOf = createBoundedMap<number>(MAX_GUILDS_OR_KEYS);
  const nextTryOf = createBoundedMap<number>(MAX_GUILDS_OR_KEYS);
  const pausedUntil = createBoundedMap<number>(MAX_GUILDS_OR_KEYS);
  let outcomes: GuildHealth[] = [];
  let nextTryOfAll = 0;

  const isOpenFor = (guildId: string) =>
    (failuresOf.get(guildId) ?? 0) >= CONSECUTIVE_FAILURES_TO_PAUSE_GUILD;

  function isOpenForAll(): boolean {
    if (outcomes.length < CONSECUTIVE_FAILURES_TO_PAUSE_ALL) return false;
    if (outcomes.some(({ health }) => health === 'answered')) return false;
    return new Set(outcomes.map(({ guildId }) => guildId)).size >= MIN_GUILDS_TO_PAUSE_ALL;
  }

  function submissionsHeldBackMs(guildId: string): number {
    if (isOpenFor(guildId)) return leftUntil(nextTryOf.get(guildId) ?? 0);
    return isOpenForAll() ? leftUntil(nextTryOfAll) : 0;
  }

  const leftUntil = (at: number): number => Math.max(0, Math.ceil(at - now()));

  return {
    submissionsHeldBackMs,
    /**
     * Whether this guild can submit now. During a pause, one submission every 30 seconds tests the service: the one for which
     * this function returns true.
     */
    maySend(guildId: string): boolean {
      if (submissionsHeldBackMs(guildId) > 0) return false;
      if (isOpenFor(guildId)) nextTryOf.set(guildId, now() + HELD_BACK_MS);
      else if (isOpenForAll()) nextTryOfAll = now() + HELD_BACK_MS;
      return true;
    },
    note(guildId: string, health: RequestHealth, trouble?: string): void {
      outcomes = [...outcomes, { guildId, health, trouble }].slice(-CONSECUTIVE_FAILURES_TO_PAUSE_ALL);
      if (health === 'answered') {
        failuresOf.delete(guildId);
        nextTryOf.delete(guildId);
        return;
      }
      failuresOf.set(guildId, (failuresOf.get(guildId) ?? 0) + 1);
      nextTryOf.set(guildId, now() + HELD_BACK_MS);
      if (isOpenForAll()) nextTryOfAll = now() + HELD_BACK_MS;
    },
    /** @param ms the length of the pause, if the service sent `Retry-After` */
    pause(guildId: string, key: Secret, ms = DEFAULT_PAUSE_MS): void {
      pausedUntil.set(pauseOf(guildId, key), now() + Math.min(ms, MAX_PAUSE_MS));
    },
    keyPausedMs: (guildId: string, key: Secret): number =>
      leftUntil(pausedUntil.get(pauseOf(guildId, key)) ?? 0),
    isDownFor: (guildId: string): boolean => isOpenFor(guildId) || isOpenForAll(),
    /** Returns `some` if guilds are only paused because of their own failures. */
    pausedGuilds(): 'none' | 'some' | 'all' {
      if (isOpenForAll()) return 'all';
      return [...failuresOf.keys()].some(isOpenFor) ? 'some' : 'none';
    },
    latest: (): Omit<GuildHealth, 'guildId'> | undefined => outcomes.at(-1),
  };
}

/** Identifies a pause without keeping the key in memory. If guilds share a key, each guild has its own pause. */
const pauseOf = (guildId: string, key: Secret): string => `${guildId} ${key.hash()}`;
