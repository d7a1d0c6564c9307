import type { Clock } from '../world/clock.ts';

// Discord docs: Gateway, Identifying and Rate Limiting; Sharding, Max Concurrency.
const IDENTIFY_WINDOW_MS = 5_000;
const IDENTIFIES_A_DAY = 1000;
const DAY_MS = 24 * 60 * 60_000;

export interface IdentifyLimitOptions {
  /** The number of shards that may identify every 5 seconds; by default 1, as for every new bot. */
  readonly maxConcurrency?: number;
  /** How many of the day's 1,000 IDENTIFYs are already used; by default 0. */
  readonly identifiesUsed?: number;
}

export type IdentifyLimit = ReturnType<typeof createIdentifyLimit>;

/** Creates the limit on IDENTIFYs. */
export function createIdentifyLimit(
  clock: Pick<Clock, 'now'>,
  { maxConcurrency = 1, identifiesUsed = 0 }: IdentifyLimitOptions,
) {
  /** Times by `shard % maxConcurrency`. */
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
    /** Counts an IDENTIFY. `throttled` means a response of op 9; for `exhausted`, Discord resets the token. */
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
