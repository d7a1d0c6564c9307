import type { Logger } from '../logger.ts';
import { DAY_MS } from '../numbers.ts';
import type { DiscordApi } from './api.ts';

const HOUR_MS = 3_600_000;
/** If the clock is wrong by more than this, in milliseconds, nothing is deleted for its age. */
const MOST_WRONG_MS = DAY_MS;

export interface ClockCheckDeps {
  readonly api: Pick<DiscordApi, 'hearTime' | 'clockAheadMs'>;
  readonly logger: Pick<Logger, 'error' | 'info'>;
}

/** Whether this machine's clock is right enough to delete by it: one that is a year ahead would end all history at once. */
export function createClockCheck({ api, logger }: ClockCheckDeps): () => Promise<boolean> {
  return async () => {
    await api.hearTime();
    const aheadMs = api.clockAheadMs();
    if (aheadMs === undefined) {
      logger.info({}, 'Discord has not said what time it is: nothing is deleted for its age until it has');
      return false;
    }
    if (Math.abs(aheadMs) <= MOST_WRONG_MS) return true;
    logger.error(
      { aheadHours: Math.round(aheadMs / HOUR_MS) },
      "the clock of this machine differs from Discord's by more than a day: nothing is deleted for its age. Let the " +
        'clock be set over the network: timedatectl set-ntp true',
    );
    return false;
  };
}
