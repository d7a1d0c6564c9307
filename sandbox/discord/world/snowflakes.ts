import { randomBytes } from 'node:crypto';
import type { Clock } from './clock.ts';

/** Discord's epoch: the first millisecond of 2015 (Discord docs: Reference, Snowflakes). */
const DISCORD_EPOCH = 1_420_070_400_000;

export type Snowflakes = ReturnType<typeof createSnowflakes>;

/** Creates ids that contain the time of their creation. */
export function createSnowflakes(clock: Pick<Clock, 'now'>) {
  let last = 0n;
  return {
    /** Returns a new id that contains the current time. */
    next(): string {
      const soonest = snowflakeAt(clock.now());
      last = soonest > last ? soonest : last + 1n;
      return String(last);
    },
  };
}

/** Returns the lowest possible id for a millisecond. */
export const snowflakeAt = (ms: number): bigint => BigInt(Math.floor(ms) - DISCORD_EPOCH) << 22n;

/** Returns the number of the shard that a guild is on. */
export const shardOf = (guildId: string, shards: number): number =>
  Number((BigInt(guildId) >> 22n) % BigInt(shards));

/**
 * Creates an interaction token of about 200 characters that looks like a real one: `interaction:<id>:<random>` in
 * base64url.
 */
export const interactionToken = (interactionId: string): string =>
  Buffer.from(`interaction:${interactionId}:${randomBytes(60).toString('hex')}`).toString('base64url');

/** Returns the id in an interaction token. For other tokens, the result is meaningless. */
export const interactionIdOf = (token: string): string =>
  Buffer.from(token, 'base64url').toString('latin1').split(':')[1] ?? '';
