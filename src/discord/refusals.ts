import { createBoundedMap } from '../bounded-map.ts';

/** The maximum number of entries; the oldest refusal is removed first. Some 2 MB. */
const MOST_REFUSING = 10_000;

/**
 * Creates a record of channels or people that refused a message: Discord blocks a bot for 10,000 refusals in ten
 * minutes. Uses a clock that can't be set.
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
