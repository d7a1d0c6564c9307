import type { Logger } from '../logger.ts';
import { createRecent } from '../pacing/recent.ts';

const DEFAULT_BLOCK_MS = 60_000;
/** The limit during a block. Discord allows 10,000 rejected requests in ten minutes. */
const MAX_RESPONSES_PER_SECOND = 5;

/**
 * Creates a tracker for blocks of this bot's IP address. A block starts with a 429 response from Discord's edge, affects
 * the whole process and usually doesn't have a stated duration (discord-api-docs#5810). During a block, the bot only sends
 * first responses to interactions, because those can't wait.
 */
export function createBlock(logger: Pick<Logger, 'error'>) {
  let until = 0;
  const tooManyResponses = createRecent({
    maxUses: MAX_RESPONSES_PER_SECOND,
    withinMs: 1_000,
    now: () => performance.now(),
  });

  const leftMs = () => Math.max(0, until - performance.now());

  return {
    leftMs,
    trouble: (): string | undefined =>
      leftMs() === 0
        ? undefined
        : `Discord's edge blocks this bot for another ${Math.ceil(leftMs() / 1000)} seconds`,
    /** @param ms how long the block lasts, in milliseconds; 0 for the default of 60 seconds */
    begin(ms = 0): void {
      const lastsMs = ms > 0 ? ms : DEFAULT_BLOCK_MS;
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
