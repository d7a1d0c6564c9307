import type { Logger } from '../logger.ts';
import { createTurns } from '../pacing/turns.ts';
import type { Store } from '../storage/store.ts';
import type { Secret } from '../text/secret.ts';
import { createBreaker } from './breaker.ts';
import { createListingApi, type ListingApiDeps } from './client.ts';
import type { GamesOutcome, KeyChange } from './contract.ts';
import { createGames, type GamesDeps } from './games.ts';
import { createGuard, type GuardDeps, type Requester } from './guard.ts';
import { createKeyTrials } from './key-trials.ts';

export interface ListingDeps
  extends ListingApiDeps,
    Pick<GuardDeps, 'firstWaitMs'>,
    Omit<GamesDeps, 'fetchAsOperator' | 'fetchFor' | 'now'> {
  readonly store: Pick<Store, 'tables' | 'inGuild'>;
  readonly concurrentRequests: number;
  /** The operator's key, which is only used to read the games list. Without it, the guilds' keys are used. */
  readonly operatorKey: Secret | undefined;
  readonly keys: {
    usable(guildId: string): Promise<{ kind: 'usable'; key: Secret; setAt: string } | { kind: 'unusable' }>;
    noteOutcome(guildId: string, setAt: string, outcome: GamesOutcome): Promise<KeyChange | undefined>;
  };
  readonly onKeyChange: (guildId: string, change: KeyChange) => Promise<void>;
  readonly logger: Logger;
}

export type Listing = ReturnType<typeof createListing>;

export function createListing(deps: ListingDeps) {
  const { store, concurrentRequests: maxConcurrent, operatorKey, keys, onKeyChange, firstWaitMs } = deps;
  const api = createListingApi(deps);
  const breaker = createBreaker();
  const guard = createGuard({ turns: createTurns({ maxConcurrent }), breaker, firstWaitMs });
  const readGames = (requester: Requester, key: Secret) =>
    guard.inTurn({ ...requester, kind: 'reading', key: () => key }, () => api.games(key, requester));

  return {
    api,
    guard,
    breaker,
    keyTrials: createKeyTrials({ store, games: readGames }),
    games: createGames({
      ...deps,
      ...(operatorKey && { fetchAsOperator: () => readGames({ guildId: 'operator' }, operatorKey) }),
      async fetchFor(guildId) {
        const usable = await keys.usable(guildId);
        if (usable.kind === 'unusable') return undefined;
        const outcome = await readGames({ guildId }, usable.key);
        const change = await keys.noteOutcome(guildId, usable.setAt, outcome);
        if (change) await onKeyChange(guildId, change);
        return outcome;
      },
    }),
  };
}
