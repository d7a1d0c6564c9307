import { createBoundedMap } from './bounded-map.ts';

export interface RecentDeps {
  /** How often something is allowed within `withinMs` milliseconds. */
  readonly most: number;
  readonly withinMs: number;
  readonly now: () => number;
}

/** How many users or guilds are remembered. The one whose last use is the oldest is dropped first. */
const MOST_REMEMBERED = 10_000;

/**
 * Creates a rate limit for each user or guild. It is kept in memory, so a restart resets it, but users can't cause one.
 * @returns a function that counts one use and returns `undefined`. If the limit is reached, it instead returns when the
 * next use is allowed, in milliseconds since 1970.
 */
export function createRecent({ most, withinMs, now }: RecentDeps): (who: string) => number | undefined {
  /** The times of recent uses, oldest first. */
  const timesOf = createBoundedMap<readonly number[]>(MOST_REMEMBERED);
  return (who) => {
    // A time in the future means that the clock was set back.
    const recent = (timesOf.get(who) ?? []).filter((at) => now() - at < withinMs && at <= now());
    const [first] = recent;
    if (first !== undefined && recent.length >= most) return first + withinMs;
    timesOf.set(who, [...recent, now()]);
    return undefined;
  };
}
