import type { Logger } from '../logger.ts';
import { createRecent } from '../pacing/recent.ts';

/** How long a block lasts if Discord doesn't specify a duration, in milliseconds. */
const BLOCK_MS = 60_000;
/** Maximum number of first responses per second during a block. Discord allows 10,000 rejected requests in ten minutes. */
const RESPONSES_A_SECOND = 5;

/**
 * Creates a tracker for blocks of this bot's IP address. A block starts with a 429 response from Discord's edge, affects
 * the whole process and usually has no stated duration (discord-api-docs#5810). During a block, the bot only sends first
 * responses to interactions, because those can't wait.
 */
export function createBlock(logger: Pick<Logger, 'error'>) {
  let until = 0;
  const tooManyResponses = createRecent({
    most: RESPONSES_A_SECOND,
    withinMs: 1_000,
    now: () => performance.now(),
  });

  /** Returns how much longer the block lasts, in milliseconds, or 0 if there is no block. */
  const leftMs = () => Math.max(0, until - performance.now());

  return {
    leftMs,
    /** Returns a sentence that describes the block, or `undefined` if there is no block. */
    trouble: (): string | undefined =>
      leftMs() === 0
        ? undefined
        : `Discord's edge blocks this bot for another ${Math.ceil(leftMs() / 1000)} seconds`,
    /** @param ms how long the block lasts, in milliseconds; 0 for the default of 60 seconds */
    begin(ms = 0): void {
      const lastsMs = ms > 0 ? ms : BLOCK_MS;
      if (leftMs() === 0) {
        logger.error(
          { seconds: Math.ceil(lastsMs / 1000) },
          "Discord's edge blocks this bot; pausing requests. Wait. If this continues, look for another program on " +
            'the same address, or another bot with the same token',
        );
      }
      until = Math.max(until, performance.now() + lastsMs);
    },
    mayRespond: (): boolean => leftMs() === 0 || tooManyResponses('all') === undefined,
  };
}
