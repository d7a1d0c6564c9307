import { createBoundedMap } from '../bounded-map.ts';

/** The maximum number of entries; the oldest entry is removed first. Some 2 MB. */
const MOST_ENTRIES = 10_000;

/**
 * Creates a record of channels and people whose last message Discord rejected, because Discord blocks a bot for 10,000
 * rejected requests in ten minutes. Uses a clock that can't be set.
 */
export function createRejections() {
  const rejectedAt = createBoundedMap<number>(MOST_ENTRIES);
  return {
    note: (id: string): void => rejectedAt.set(id, performance.now()),
    delete: (id: string): void => rejectedAt.delete(id),
    /** Whether the last message was rejected less than `ms` milliseconds ago. */
    wasRejected: (id: string, ms: number): boolean =>
      performance.now() - (rejectedAt.get(id) ?? Number.NEGATIVE_INFINITY) < ms,
  };
}
