import type { Clock } from '../world/clock.ts';
import type { Guilds } from '../world/guilds.ts';
import { shardOf } from '../world/snowflakes.ts';
import { type Closing, closing, type Identify, KNOWN_INTENTS, PRIVILEGED, shardSchema } from './protocol.ts';
import type { Shard } from './sessions.ts';

// Rule 47 (Discord docs: Gateway, Sharding).
const MOST_GUILDS_A_SHARD = 2500;
// Rule 48 (Discord docs: Gateway, Identifying and Rate Limiting).
const IDENTIFY_WINDOW_MS = 5_000;
const IDENTIFIES_A_DAY = 1000;
const DAY_MS = 24 * 60 * 60_000;

/** Rule 47: what is wrong with an IDENTIFY whose token is right, or the shard and intents it asks for. */
export function readIdentify(
  { intents, shard }: Identify,
  about: { readonly guilds: Guilds; readonly grantedIntents: number },
): { readonly shard: Shard; readonly intents: number } | Closing {
  if (typeof intents !== 'number' || !Number.isInteger(intents) || (intents & ~KNOWN_INTENTS) !== 0)
    return closing.invalidIntents;
  if ((intents & PRIVILEGED & ~about.grantedIntents) !== 0) return closing.disallowedIntents;
  const asked = shardSchema.safeParse(shard ?? [0, 1]);
  if (!asked.success) return closing.invalidShard;
  const [id, count] = asked.data;
  const guilds = about.guilds.joined().filter((guild) => shardOf(guild.id, count) === id);
  if (guilds.length > MOST_GUILDS_A_SHARD) return closing.shardingRequired;
  return { shard: [id, count], intents };
}

/** Rule 48: how often bots may identify. */
export interface IdentifyLimit {
  /** For `GET /gateway/bot`. */
  status(): { total: number; remaining: number; reset_after: number; max_concurrency: number };
  /** Counts one; `throttled` is answered with op 9, `exhausted` costs the token. */
  take(shardId: number): 'ok' | 'throttled' | 'exhausted';
}

export function createIdentifyLimit(deps: {
  readonly clock: Pick<Clock, 'now'>;
  readonly maxConcurrency: number;
  /** Of the first day, before the stand-in was there. */
  readonly used?: number | undefined;
}): IdentifyLimit {
  const { clock, maxConcurrency } = deps;
  const lastByKey = new Map<number, number>();
  let dayEndsAt = clock.now() + DAY_MS;
  let { used = 0 } = deps;

  function today(): void {
    if (clock.now() < dayEndsAt) return;
    dayEndsAt = clock.now() + DAY_MS;
    used = 0;
  }

  return {
    status() {
      today();
      return {
        total: IDENTIFIES_A_DAY,
        remaining: Math.max(IDENTIFIES_A_DAY - used, 0),
        reset_after: dayEndsAt - clock.now(),
        max_concurrency: maxConcurrency,
      };
    },
    take(shardId) {
      today();
      used += 1;
      if (used > IDENTIFIES_A_DAY) return 'exhausted';
      const key = shardId % maxConcurrency;
      const last = lastByKey.get(key);
      if (last !== undefined && clock.now() - last < IDENTIFY_WINDOW_MS) return 'throttled';
      lastByKey.set(key, clock.now());
      return 'ok';
    },
  };
}
