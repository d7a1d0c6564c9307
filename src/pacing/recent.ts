import { createBoundedMap } from './bounded-map.ts';

/**
 * Whether less than `ms` milliseconds have passed since a time. A time in the future isn't recent: the clock was ahead when
 * the time was stored, so a pause that began then could last for years.
 * @param now the current time, by the clock of `at`
 */
export const isRecent = (at: number, ms: number, now: number = Date.now()): boolean =>
  at <= now && now - at < ms;

export interface RecentDeps {
  /** The limit applies to any period of `withinMs` milliseconds. */
  readonly maxUses: number;
  readonly withinMs: number;
  /** Returns the current time in milliseconds, by any clock. */
  readonly now: () => number;
}

const MAX_USERS_OR_GUILDS = 10_000;

/**
 * Creates a rate limit for each user or guild. A restart resets the limits, but users can't cause a restart.
 * @returns a function that counts one use and returns `undefined` or, if the limit has been reached, when the next use is
 * allowed, by the same clock as `now`
 */
export function createRecent({ maxUses, withinMs, now }: RecentDeps): (who: string) => number | undefined {
  const recentUsesOf = createBoundedMap<readonly number[]>(MAX_USERS_OR_GUILDS);
  return (who) => {
    const recent = (recentUsesOf.get(who) ?? []).filter((at) => isRecent(at, withinMs, now()));
    const [first] = recent;
    if (first !== undefined && recent.length >= maxUses) return first + withinMs;
    recentUsesOf.set(who, [...recent, now()]);
    return undefined;
  };
}
