import { randomBytes } from 'node:crypto';
import type { Clock } from './clock.ts';

/** The first millisecond of 2015, from which Discord counts (Discord docs: Reference, Snowflakes). */
const DISCORD_EPOCH = 1_420_070_400_000;

export type Snowflakes = ReturnType<typeof createSnowflakes>;

/** Ids that carry the moment they were made. */
export function createSnowflakes(clock: Pick<Clock, 'now'>) {
  let last = 0n;
  return {
    /** An id that nobody had before, made now. */
    next(): string {
      const soonest = snowflakeAt(clock.now());
      last = soonest > last ? soonest : last + 1n;
      return String(last);
    },
  };
}

/** The lowest id of a millisecond. */
export const snowflakeAt = (ms: number): bigint => BigInt(Math.floor(ms) - DISCORD_EPOCH) << 22n;

/** Which shard hears of a guild. */
export const shardOf = (guildId: string, shards: number): number =>
  Number((BigInt(guildId) >> 22n) % BigInt(shards));

/** Like a real one: base64url of `interaction:<id>:<random>`, about 200 characters. */
export const interactionToken = (interactionId: string): string =>
  Buffer.from(`interaction:${interactionId}:${randomBytes(60).toString('hex')}`).toString('base64url');

/** The id that a token of an interaction carries; anything for what is no such token. */
export const interactionIdOf = (token: string): string =>
  Buffer.from(token, 'base64url').toString('latin1').split(':')[1] ?? '';
