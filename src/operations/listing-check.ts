import type { Config } from '../config/config.ts';
import { createListingApi } from '../listing/client.ts';
import type { GamesOutcome } from '../listing/contract.ts';
import { Secret } from '../text/secret.ts';
import { CheckFailedError } from './finding.ts';

export type ListingConfig = Pick<
  Config,
  'listingApiUrl' | 'listingApiTimeoutMs' | 'listingApiArrayFormat' | 'listingApiKey'
>;

const LISTING_TIMEOUT_MS = 5_000;
/** If the service rejects this key, the service is up and running. */
const UNKNOWN_KEY = new Secret('doctor-asks-without-a-key');

async function askListing(config: ListingConfig, baseUrl: string, key = UNKNOWN_KEY): Promise<GamesOutcome> {
  const api = createListingApi({
    baseUrl,
    timeoutMs: Math.min(config.listingApiTimeoutMs, LISTING_TIMEOUT_MS),
    arrayFormat: config.listingApiArrayFormat,
  });
  return api.games(key);
}

/** Returns the configured URL without `/api` at the end if the service responds there, and otherwise `undefined`. */
export async function listingUrlWithoutApi(config: ListingConfig): Promise<string | undefined> {
  const shorter = /^(.*)\/api$/.exec(config.listingApiUrl)?.[1];
  if (shorter === undefined || 'reason' in (await askListing(config, shorter))) return undefined;
  return shorter;
}

export async function checkListing(config: ListingConfig): Promise<string> {
  const { listingApiKey: key, listingApiUrl: baseUrl } = config;
  const outcome = await askListing(config, baseUrl, key);
  if (outcome.kind === 'games') {
    const { games, leftOut } = outcome;
    const behind = leftOut > 0 ? `; ${leftOut} more are over the limit and cannot be chosen` : '';
    return `responds, with ${games.length} games${behind}`;
  }
  if (outcome.kind === 'rejected') {
    if (key === undefined)
      return 'responds; without LISTING_API_KEY, the bot uses the keys of the Discord servers';
    throw new CheckFailedError(
      `rejects LISTING_API_KEY: ${outcome.message}`,
      'copy the key again from your account at the service, or remove the variable',
    );
  }
  const better = await listingUrlWithoutApi(config);
  throw new CheckFailedError(
    `${baseUrl}/api isn't responding as expected: ${outcome.reason}, ${outcome.detail}`,
    better === undefined
      ? 'check LISTING_API_URL, the network and the service itself'
      : `set LISTING_API_URL=${better}, where the service responds`,
  );
}
