import type { Logger } from '../logger.ts';

/** How long a 429 that names neither a time nor a scope counts for the whole process, in milliseconds. */
const BLOCK_MS = 60_000;
/** First responses that are tried meanwhile, in a second: each that is turned away counts towards the block's 10,000 in ten minutes. */
const RESPONSES_A_SECOND = 5;

/**
 * Discord's block by address: a static 429 without `Retry-After` or a rate-limit header (discord-api-docs#5810). While
 * it lasts, only first responses to interactions are tried, since these cannot wait.
 */
export interface Block {
  begin(): void;
  /** Milliseconds for which nothing is sent; 0 without a block. */
  leftMs(): number;
  /** Whether a first response may be tried now. */
  mayRespond(): boolean;
}

export interface BlockDeps {
  readonly logger: Pick<Logger, 'error'>;
  /** Milliseconds of a clock that nobody sets. */
  readonly now?: () => number;
}

export function createBlock({ logger, now = () => performance.now() }: BlockDeps): Block {
  let until = 0;
  let second = 0;
  let responses = 0;

  const leftMs = () => Math.max(0, until - now());

  return {
    leftMs,
    begin() {
      if (leftMs() === 0) {
        logger.error(
          { seconds: BLOCK_MS / 1000 },
          'Discord blocks this bot (429 without a time): nothing is sent for a minute. Wait; if it goes on, look for ' +
            'another program on the same address, or another bot with the same token',
        );
      }
      until = now() + BLOCK_MS;
    },
    mayRespond() {
      if (leftMs() === 0) return true;
      const present = Math.floor(now() / 1000);
      responses = present === second ? responses + 1 : 1;
      second = present;
      return responses <= RESPONSES_A_SECOND;
    },
  };
}
