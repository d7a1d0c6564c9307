import { createBoundedMap } from './bounded-map.ts';

export interface RecentDeps {
  /** How often something may be done within so many milliseconds. */
  readonly most: number;
  readonly withinMs: number;
  readonly now: () => number;
}

/** Who is remembered; then whoever did it last longest ago is forgotten. */
const MOST_REMEMBERED = 10_000;

/**
 * Counts what each has done lately. It is kept in memory: a restart, which nobody can cause from outside, begins anew.
 * @returns a function that counts once more, and returns `undefined`; or else when it may be done next, in milliseconds since
 * 1970
 */
export function createRecent({ most, withinMs, now }: RecentDeps): (who: string) => number | undefined {
  /** When each has done it lately, oldest first. */
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
