import type { Logger } from '../logger.ts';
import { createRecent } from '../recent.ts';

/** How long a block counts that names no time, in milliseconds. */
const BLOCK_MS = 60_000;
/** First responses that are tried in a second of a block: each refused one counts towards Discord's 10,000 in ten minutes. */
const RESPONSES_A_SECOND = 5;

export type Block = ReturnType<typeof createBlock>;

/**
 * Discord's block by address: a 429 of Discord's edge, which concerns the whole process, and mostly does not say for how
 * long (discord-api-docs#5810). While it lasts, only first responses to interactions are tried, since these cannot wait.
 */
export function createBlock(logger: Pick<Logger, 'error'>) {
  let until = 0;
  const tooManyResponses = createRecent({
    most: RESPONSES_A_SECOND,
    withinMs: 1_000,
    now: () => performance.now(),
  });

  /** Milliseconds for which nothing is sent; 0 without a block. */
  const leftMs = () => Math.max(0, until - performance.now());

  return {
    leftMs,
    /** @param ms how long it lasts, in milliseconds; 60 seconds where that is no time */
    begin(ms = 0): void {
      const lastsMs = ms > 0 ? ms : BLOCK_MS;
      if (leftMs() === 0) {
        logger.error(
          { seconds: Math.ceil(lastsMs / 1000) },
          "Discord's edge blocks this bot: nothing is sent for so long. Wait; if it goes on, look for another program on " +
            'the same address, or another bot with the same token',
        );
      }
      until = Math.max(until, performance.now() + lastsMs);
    },
    mayRespond: (): boolean => leftMs() === 0 || tooManyResponses('all') === undefined,
  };
}
