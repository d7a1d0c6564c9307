import type { Config } from './config.ts';
import type { ApiKeys } from './guilds/api-keys.ts';
import { createKeyTrials } from './guilds/key-trials.ts';
import { createBreaker } from './listing/breaker.ts';
import { createListingApi } from './listing/client.ts';
import { createScheduledListing } from './listing/scheduled.ts';
import { createScheduler } from './listing/scheduler.ts';
import type { Logger } from './logger.ts';

export interface AppListingDeps {
  readonly config: Config;
  readonly keys: Pick<ApiKeys, 'guildOf'>;
  readonly logger: Logger;
}

/** The part of the app that every request to the listing service passes: the turns of the guilds, the breaker, HTTP. */
export function createAppListing({ config, keys, logger }: AppListingDeps) {
  const { guildOf } = keys;
  const {
    listingApiTimeoutMs: timeoutMs,
    listingRequestsAtOnce: atOnce,
    listingApiKey: operatorKey,
  } = config;
  const listing = createBreaker({
    listing: createListingApi({
      baseUrl: config.listingApiUrl,
      timeoutMs,
      arrayFormat: config.listingApiArrayFormat,
      requestsAtOnce: atOnce,
      logger,
    }),
    guildOf,
    ...(operatorKey && { operatorKey }),
    logger,
  });
  const scheduler = createScheduler({ atOnce });
  const reading = createScheduledListing({ listing, scheduler, guildOf });
  // All tries of one request together take no longer (see createListingApi).
  const keyTrials = createKeyTrials({ listing: reading, longestMs: 2 * timeoutMs });
  return { listing, scheduler, reading, keyTrials };
}
