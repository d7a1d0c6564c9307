import { createBoundedMap } from '../bounded-map.ts';

/** How many are remembered; the one that refused longest ago is forgotten first. Some 2 MB. */
const MOST_REFUSING = 10_000;

/**
 * Remembers which channels or people have refused a message: Discord blocks a bot for 10,000 refusals in ten minutes. By a clock
 * that nobody sets.
 */
export function createRefusals() {
  const refusedAt = createBoundedMap<number>(MOST_REFUSING);
  return {
    note: (id: string): void => refusedAt.set(id, performance.now()),
    forget: (id: string): void => refusedAt.delete(id),
    /** Whether the last message was refused less than `ms` milliseconds ago. */
    hasRefused: (id: string, ms: number): boolean =>
      performance.now() - (refusedAt.get(id) ?? Number.NEGATIVE_INFINITY) < ms,
  };
}
