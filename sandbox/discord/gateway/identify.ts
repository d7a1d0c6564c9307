import type { Clock } from '../world/clock.ts';

// Discord docs: Gateway, Identifying and Rate Limiting; Sharding, Max Concurrency.
const IDENTIFY_WINDOW_MS = 5_000;
const IDENTIFIES_A_DAY = 1000;
const DAY_MS = 24 * 60 * 60_000;

export interface IdentifyLimitOptions {
  /** How many shards may identify every 5 seconds; 1, as for every new bot. */
  readonly maxConcurrency?: number;
  /** How many of the 1,000 IDENTIFYs of the day are used already; 0. */
  readonly identifiesUsed?: number;
}

export type IdentifyLimit = ReturnType<typeof createIdentifyLimit>;

/** How often bots may identify. */
export function createIdentifyLimit(
  clock: Pick<Clock, 'now'>,
  { maxConcurrency = 1, identifiesUsed = 0 }: IdentifyLimitOptions,
) {
  /** By `shard % maxConcurrency`. */
  const lastByKey = new Map<number, number>();
  let dayEndsAt = clock.now() + DAY_MS;
  let used = identifiesUsed;

  function today(): void {
    if (clock.now() < dayEndsAt) return;
    dayEndsAt = clock.now() + DAY_MS;
    used = 0;
  }

  return {
    /** For `GET /gateway/bot`. */
    status() {
      today();
      return {
        total: IDENTIFIES_A_DAY,
        remaining: Math.max(IDENTIFIES_A_DAY - used, 0),
        reset_after: dayEndsAt - clock.now(),
        max_concurrency: maxConcurrency,
      };
    },
    /** Counts one; `throttled` is answered with op 9. `exhausted` costs the token at Discord. */
    take(shardId: number): 'ok' | 'throttled' | 'exhausted' {
      today();
      used += 1;
      if (used > IDENTIFIES_A_DAY) return 'exhausted';
      const key = shardId % maxConcurrency;
      const last = lastByKey.get(key) ?? Number.NEGATIVE_INFINITY;
      if (clock.now() - last < IDENTIFY_WINDOW_MS) return 'throttled';
      lastByKey.set(key, clock.now());
      return 'ok';
    },
    /** Every shard may identify at once. */
    waive: () => lastByKey.clear(),
  };
}
