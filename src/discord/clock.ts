import type { Logger } from '../logger.ts';
import { DAY_MS, MINUTE_MS } from '../pacing/durations.ts';
import type { DiscordApi } from './api.ts';

const MAX_UNREPORTED_ERROR_MS = 5 * MINUTE_MS;
const MAX_ERROR_FOR_DELETION_MS = DAY_MS;

export interface ClockCheckDeps {
  readonly api: Pick<DiscordApi, 'clockAheadMs'>;
  readonly logger: Pick<Logger, 'error' | 'warn' | 'info'>;
}

/** Compares this machine's clock with Discord's. If the clock were a year ahead, the bot would delete its whole history. */
export function createClockCheck({ api, logger }: ClockCheckDeps) {
  return {
    async logTrouble(): Promise<void> {
      const trouble = clockTrouble(await api.clockAheadMs());
      if (trouble) logger.warn({}, `this machine's clock ${trouble.text}: ${trouble.fix}`);
    },

    /** Returns false if Discord doesn't respond. */
    async isRight(): Promise<boolean> {
      const aheadMs = await api.clockAheadMs();
      if (aheadMs === undefined) {
        logger.info({}, 'could not get the time from Discord; will not delete old data until it can');
        return false;
      }
      const trouble = clockTrouble(aheadMs, MAX_ERROR_FOR_DELETION_MS);
      if (trouble) {
        const { text, fix } = trouble;
        logger.error({}, `this machine's clock ${text}, so old data is not deleted: ${fix}`);
      }
      return trouble === undefined;
    },
  };
}

/**
 * Returns `undefined` if the clock is accurate enough or its error is unknown.
 * @param aheadMs how far the clock is ahead of Discord's, in milliseconds
 */
export function clockTrouble(aheadMs = 0, maxErrorMs = MAX_UNREPORTED_ERROR_MS) {
  if (Math.abs(aheadMs) <= maxErrorMs) return undefined;
  const minutes = Math.round(Math.abs(aheadMs) / MINUTE_MS);
  const howFar = minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`;
  return {
    text: `is ${howFar} ${aheadMs > 0 ? 'ahead of' : 'behind'} Discord's`,
    fix: 'synchronise it over the network: timedatectl set-ntp true',
  };
}
