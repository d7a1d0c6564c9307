import { z } from 'zod';
import type { Secret } from '../secret.ts';
import { createCollection } from '../storage/collection.ts';
import type { Values } from '../storage/store.ts';
import { type Game, type GamesOutcome, gamesSchema, KNOWN_GAMES, type ListingLogger } from './contract.ts';
import { type GameIndex, indexGames } from './game-search.ts';

export interface GameList {
  readonly games: readonly Game[];
  /** Milliseconds since 1970; absent: nothing was ever fetched, these are the twelve that come with the bot. */
  readonly fetchedAt?: number;
  readonly fresh: boolean;
}

/** A key to fetch the list with, and the guild whose it is. */
export interface ReadingKey {
  readonly guildId: string;
  readonly key: Secret;
}

/** The one games list of the process. Only `start` and the refreshing touch the network or the store. */
export interface Games extends Pick<GameIndex, 'search' | 'find'> {
  /** Loads the list of the last run, and fetches a new one in the background if that is old and the operator has a key. */
  start(): Promise<void>;
  /** From now on no list is fetched or taken. */
  stop(): Promise<void>;
  list(): GameList;
  /**
   * Fetches in the background when the list is stale, no refresh runs and none has failed within half a minute.
   * @param reading of the guild whose member asks
   */
  refreshSoon(reading?: ReadingKey): void;
  /**
   * Fetches now, with the operator's key, or with the guild's when there is none or it is rejected.
   * @returns `undefined`: there is no key to do it with
   */
  refresh(reading?: ReadingKey): Promise<GamesOutcome | undefined>;
  /** The service does not know an alias of ours: the list is stale from now on. */
  invalidate(): void;
  /** A list that somebody else just fetched. It is saved when the promise resolves. */
  accept(games: readonly Game[]): Promise<void>;
}

export interface GamesDeps {
  readonly fetch: (reading: ReadingKey) => Promise<GamesOutcome>;
  readonly operatorKey?: Secret;
  /** Told what the service answered to a guild's key. */
  readonly onAnswer: (reading: ReadingKey, outcome: GamesOutcome) => Promise<void>;
  readonly values: Values;
  /** Milliseconds for which a list is fresh. */
  readonly ttlMs: number;
  readonly logger: ListingLogger & { error(details: object, message: string): void };
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** In place of a guild's id: the operator's key is of none. */
const OPERATOR = 'operator';
/** How long nothing is fetched in the background after a failure, in milliseconds. */
const PAUSE_MS = 30_000;

/** The list of the last run. */
const listSchema = z.object({
  fetchedAt: z.number().int().nonnegative(),
  games: gamesSchema.refine((games) => games.length > 0),
});
const LIST = 'list';

export function createGames(deps: GamesDeps): Games {
  const { operatorKey, fetch, onAnswer, values, ttlMs, logger, now = Date.now } = deps;
  const records = createCollection({ values, name: 'games', schema: listSchema, logger });
  const operator = operatorKey && { guildId: OPERATOR, key: operatorKey };
  /** By guild, so that nobody waits for the answer to another guild's key. */
  const running = new Map<string, Promise<GamesOutcome>>();
  let index = indexGames(KNOWN_GAMES);
  let fetchedAt: number | undefined;
  let isInvalidated = false;
  let failedAt = Number.NEGATIVE_INFINITY;
  let isStopped = false;

  /** A list of the future is stale: the clock was set back, and how old the list is cannot be known. */
  const isFresh = () => fetchedAt !== undefined && !isInvalidated && isWithin(fetchedAt, ttlMs);

  function isWithin(since: number, ms: number): boolean {
    const age = now() - since;
    return age >= 0 && age < ms;
  }

  async function accept(games: readonly Game[]): Promise<void> {
    if (games.length === 0) {
      logger.warn({}, 'the listing service sent an empty games list: the one before stays');
      failedAt = now();
      return;
    }
    index = indexGames(withoutDuplicates(games));
    fetchedAt = now();
    isInvalidated = false;
    await records.set(LIST, { fetchedAt, games: [...index.games] }).catch((error: unknown) => {
      logger.warn({ err: error }, 'the games list could not be saved');
    });
  }

  async function fetchWith(reading: ReadingKey): Promise<GamesOutcome> {
    const outcome = await fetch(reading);
    if (isStopped) return outcome;
    if (reading.guildId !== OPERATOR) await onAnswer(reading, outcome);
    if (outcome.kind === 'games') await accept(outcome.games);
    else failedAt = now();
    return outcome;
  }

  /** Waits for the fetch that runs with the same guild's key, if there is one. */
  function fetchOnce(reading: ReadingKey): Promise<GamesOutcome> {
    const { guildId } = reading;
    const fetched = running.get(guildId) ?? fetchWith(reading).finally(() => running.delete(guildId));
    running.set(guildId, fetched);
    return fetched;
  }

  async function refresh(reading?: ReadingKey): Promise<GamesOutcome | undefined> {
    if (isStopped) return undefined;
    const outcome = operator && (await fetchOnce(operator));
    const isOperatorEnough = outcome !== undefined && outcome.kind !== 'rejected';
    return isOperatorEnough || reading === undefined ? outcome : fetchOnce(reading);
  }

  function refreshSoon(reading?: ReadingKey): void {
    if (isFresh() || running.size > 0 || isWithin(failedAt, PAUSE_MS)) return;
    refresh(reading).catch((error: unknown) =>
      logger.warn({ err: error }, 'the games list could not be refreshed'),
    );
  }

  return {
    async start() {
      const stored = await records.get(LIST);
      if (stored !== undefined && stored !== 'unreadable') {
        index = indexGames(stored.games);
        fetchedAt = stored.fetchedAt;
      }
      refreshSoon();
    },
    async stop() {
      isStopped = true;
    },
    list: () => ({
      games: index.games,
      ...(fetchedAt !== undefined && { fetchedAt }),
      fresh: isFresh(),
    }),
    search: (text, limit) => index.search(text, limit),
    find: (text) => index.find(text),
    refreshSoon,
    refresh,
    invalidate() {
      isInvalidated = true;
    },
    accept,
  };
}

/** The first of each alias: the later ones could not be told from it in a submission. */
function withoutDuplicates(games: readonly Game[]): readonly Game[] {
  const first = new Map<string, Game>();
  for (const game of games) if (!first.has(game.alias)) first.set(game.alias, game);
  return [...first.values()];
}
