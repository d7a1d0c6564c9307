import { randomBytes } from 'node:crypto';
import type { Clock } from './clock.ts';

/** The first millisecond of 2015, from which Discord counts (Discord docs: Reference, Snowflakes). */
const DISCORD_EPOCH = 1_420_070_400_000;

export type Snowflakes = ReturnType<typeof createSnowflakes>;

/** Creates ids that contain their time of creation. */
export function createSnowflakes(clock: Pick<Clock, 'now'>) {
  let last = 0n;
  return {
    /** Returns a new id for the present time. */
    next(): string {
      const soonest = snowflakeAt(clock.now());
      last = soonest > last ? soonest : last + 1n;
      return String(last);
    },
  };
}

/** Returns the lowest id of a millisecond. */
export const snowflakeAt = (ms: number): bigint => BigInt(Math.floor(ms) - DISCORD_EPOCH) << 22n;

/** Returns the number of the guild's shard. */
export const shardOf = (guildId: string, shards: number): number =>
  Number((BigInt(guildId) >> 22n) % BigInt(shards));

/** Creates a token like a real one: base64url of `interaction:<id>:<random>`, about 200 characters. */
export const interactionToken = (interactionId: string): string =>
  Buffer.from(`interaction:${interactionId}:${randomBytes(60).toString('hex')}`).toString('base64url');

/** Returns the id in an interaction token; any text for other tokens. */
export const interactionIdOf = (token: string): string =>
  Buffer.from(token, 'base64url').toString('latin1').split(':')[1] ?? '';
