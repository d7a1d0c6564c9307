import { createBoundedMap } from './bounded-map.ts';

export interface RecentDeps {
  /** Maximum number of uses within `withinMs` milliseconds. */
  readonly most: number;
  readonly withinMs: number;
  readonly now: () => number;
}

/** Maximum number of users or guilds to remember. The one that has been inactive the longest is dropped first. */
const MOST_REMEMBERED = 10_000;

/**
 * Creates a rate limit for each user or guild. It's only kept in memory, so it's reset by a restart, but users can't cause
 * one.
 * @returns a function that counts one use and returns `undefined`. If the limit has been reached, it instead returns when
 * the next use is allowed, in milliseconds since 1970.
 */
export function createRecent({ most, withinMs, now }: RecentDeps): (who: string) => number | undefined {
  /** The times of each user's or guild's recent uses, oldest first. */
  const timesOf = createBoundedMap<readonly number[]>(MOST_REMEMBERED);
  return (who) => {
    // A time in the future means that the clock has been set back.
    const recent = (timesOf.get(who) ?? []).filter((at) => now() - at < withinMs && at <= now());
    const [first] = recent;
    if (first !== undefined && recent.length >= most) return first + withinMs;
    timesOf.set(who, [...recent, now()]);
    return undefined;
  };
}
