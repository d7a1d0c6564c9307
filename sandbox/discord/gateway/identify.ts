import type { Clock } from '../world/clock.ts';

// Only one shard per rate limit key may identify in this period (Discord docs: Gateway, Identifying and Rate Limiting;
// Sharding, Max Concurrency).
const IDENTIFY_WINDOW_MS = 5_000;
const IDENTIFIES_A_DAY = 1000;
const DAY_MS = 24 * 60 * 60_000;

export interface IdentifyLimitOptions {
  /** How many shards may identify every 5 seconds. The default is 1, as for every new bot. */
  readonly maxConcurrency?: number;
  /** How many of the 1,000 daily IDENTIFYs have already been used. The default is 0. */
  readonly identifiesUsed?: number;
}

export type IdentifyLimit = ReturnType<typeof createIdentifyLimit>;

/** Limits how often bots may send IDENTIFY. */
export function createIdentifyLimit(
  clock: Pick<Clock, 'now'>,
  { maxConcurrency = 1, identifiesUsed = 0 }: IdentifyLimitOptions,
) {
  /** The time of the last IDENTIFY, by `shard % maxConcurrency`. */
  const lastByKey = new Map<number, number>();
  let dayEndsAt = clock.now() + DAY_MS;
  let used = identifiesUsed;

  function today(): void {
    if (clock.now() < dayEndsAt) return;
    dayEndsAt = clock.now() + DAY_MS;
    used = 0;
  }

  return {
    /** Returns `session_start_limit` for `GET /gateway/bot`. */
    status() {
      today();
      return {
        total: IDENTIFIES_A_DAY,
        remaining: Math.max(IDENTIFIES_A_DAY - used, 0),
        reset_after: dayEndsAt - clock.now(),
        max_concurrency: maxConcurrency,
      };
    },
    /**
     * Counts an IDENTIFY. If the result is `throttled`, Discord responds with op 9; if it is `exhausted`, Discord resets
     * the token.
     */
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
    /** Lets every shard identify immediately. */
    waive: () => lastByKey.clear(),
  };
}
