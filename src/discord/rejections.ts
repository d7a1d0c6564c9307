import { createBoundedMap } from '../pacing/bounded-map.ts';

/** About 2 MB in total. */
const MAX_ENTRIES = 10_000;

/**
 * Records the channels and users whose latest message was rejected by Discord. The bot stops sending to them for a while,
 * because Discord blocks a bot after 10,000 rejected requests in ten minutes. Uses a monotonic clock.
 */
export function createRejections() {
  const rejectedAt = createBoundedMap<number>(MAX_ENTRIES);
  return {
    note: (id: string): void => rejectedAt.set(id, performance.now()),
    delete: (id: string): void => rejectedAt.delete(id),
    wasRejected: (id: string, withinMs: number): boolean =>
      performance.now() - (rejectedAt.get(id) ?? Number.NEGATIVE_INFINITY) < withinMs,
  };
}
