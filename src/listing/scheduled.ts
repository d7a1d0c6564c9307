import type { Secret } from '../secret.ts';
import type { GuardedListing } from './breaker.ts';
import type { GamesOutcome, ListingApi, Scheduler } from './contract.ts';
import { OPERATOR } from './outage.ts';

/** What is read from the service in the turns of the guilds. `add` is not here: its record is written in its turn. */
export interface ScheduledListing extends Pick<ListingApi, 'games'> {
  /** Tries a key for a guild; see {@link GuardedListing.tryKey}. */
  tryKey(key: Secret, guildId: string): Promise<GamesOutcome>;
}

export function createScheduledListing(deps: {
  readonly listing: Pick<GuardedListing, 'games' | 'tryKey'>;
  readonly scheduler: Scheduler;
  readonly guildOf: (key: Secret) => string | undefined;
}): ScheduledListing {
  const { listing, scheduler, guildOf } = deps;
  return {
    games: (key, options) =>
      scheduler.run({ guildId: guildOf(key) ?? OPERATOR, kind: 'reading', key }, () =>
        listing.games(key, options),
      ),
    tryKey: (key, guildId) => scheduler.run({ guildId, kind: 'reading', key }, () => listing.tryKey(key)),
  };
}
