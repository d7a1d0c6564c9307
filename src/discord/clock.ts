import type { Logger } from '../logger.ts';
import { DAY_MS } from '../numbers.ts';
import type { DiscordApi } from './api.ts';

const MINUTE_MS = 60_000;
/** If the clock is wrong by more than this, in milliseconds, the log and the doctor say so. */
const MOST_UNTOLD_MS = 5 * MINUTE_MS;
/** If the clock is wrong by more than this, in milliseconds, nothing is deleted for its age. */
const MOST_WRONG_MS = DAY_MS;

export interface ClockCheckDeps {
  readonly api: Pick<DiscordApi, 'clockAheadMs'>;
  readonly logger: Pick<Logger, 'error' | 'warn' | 'info'>;
}

/**
 * Compares this machine's clock with Discord's. The bot goes by its own clock, so a clock that is a year ahead would end
 * all history together.
 */
export function createClockCheck({ api, logger }: ClockCheckDeps) {
  return {
    /** Tells the log of a clock that is wrong. */
    async tell(): Promise<void> {
      const trouble = clockTrouble(await api.clockAheadMs());
      if (trouble) logger.warn({}, `the clock of this machine ${trouble.says}: ${trouble.mend}`);
    },

    /** Whether the clock is right enough to delete by it. */
    async isRight(): Promise<boolean> {
      const aheadMs = await api.clockAheadMs();
      if (aheadMs === undefined) {
        logger.info({}, 'Discord has not said what time it is: nothing is deleted for its age until it has');
        return false;
      }
      const trouble = clockTrouble(aheadMs, MOST_WRONG_MS);
      if (trouble) {
        const { says, mend } = trouble;
        logger.error({}, `the clock of this machine ${says}, so nothing is deleted for its age: ${mend}`);
      }
      return trouble === undefined;
    },
  };
}

/**
 * What is wrong with the clock, and how it is mended; `undefined` if nothing is, or nothing is known.
 * @param aheadMs how far the clock is ahead of Discord's
 */
export function clockTrouble(aheadMs = 0, mostMs = MOST_UNTOLD_MS) {
  if (Math.abs(aheadMs) <= mostMs) return undefined;
  const minutes = Math.round(Math.abs(aheadMs) / MINUTE_MS);
  const howFar = minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`;
  return {
    says: `is ${howFar} ${aheadMs > 0 ? 'ahead of' : 'behind'} Discord's`,
    mend: 'let it be set over the network: timedatectl set-ntp true',
  };
}
