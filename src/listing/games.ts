import { z } from 'zod';
import type { Logger } from '../logger.ts';
import { isRecent } from '../pacing/recent.ts';
import type { ClaimJob } from '../storage/claim-job.ts';
import { createCollection } from '../storage/collection.ts';
import type { Values } from '../storage/values.ts';
import { type Game, type GamesOutcome, gamesSchema, KNOWN_GAMES } from './contract.ts';
import { indexGames } from './game-search.ts';

export type Games = ReturnType<typeof createGames>;

export interface GamesDeps {
  readonly fetchAsOperator?: () => Promise<GamesOutcome>;
  /** Fetches the games with a guild's key. Returns `undefined` without an accepted key. */
  readonly fetchFor: (guildId: string) => Promise<GamesOutcome | undefined>;
  readonly values: Values;
  readonly claimJob: ClaimJob;
  readonly ttlMs: number;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
  readonly now?: () => number;
}

/** Identifies fetches with the operator's key. Fetches with a guild's key use the guild's id. */
const OPERATOR = 'operator';
const SHORT_LIST_TTL_MS = 60_000;
const PAUSE_AFTER_FAILURE_MS = 30_000;

type Fetch = () => Promise<GamesOutcome | undefined>;

const listSchema = z.object({
  fetchedAt: z.number().int().nonnegative(),
  games: gamesSchema.transform(({ games }) => games).refine((games) => games.length > 0),
  /** Fewer than half as many games as in the previous list. */
  isShort: z.exactOptional(z.boolean()),
});
const LIST = 'list';

/** Creates this process's games list. Only `start` and refreshes use the network and the store. */
export function createGames(deps: GamesDeps) {
  const { fetchAsOperator, fetchFor, values, claimJob, ttlMs, logger, now = () => Date.now() } = deps;
  const records = createCollection({ values, name: 'games', schema: listSchema, logger });
  /** Fetches in progress, by guild. A guild never waits for a fetch with another guild's key. */
  const running = new Map<string, Promise<GamesOutcome | undefined>>();
  let index = indexGames(KNOWN_GAMES);
  let fetchedAt: number | undefined;
  let isShort = false;
  let isInvalidated = false;
  let failedAt = Number.NEGATIVE_INFINITY;
  let isRefreshing = false;

  const isFresh = () =>
    fetchedAt !== undefined &&
    !isInvalidated &&
    isRecent(fetchedAt, isShort ? Math.min(SHORT_LIST_TTL_MS, ttlMs) : ttlMs, now());

  /** Resolves once the games have been stored, or storing them has failed. */
  async function accept(games: readonly Game[]): Promise<void> {
    if (games.length === 0) {
      logger.warn({}, 'the listing service sent an empty games list; keeping the previous one');
      failedAt = now();
      return;
    }
    const before = index.all.length;
    index = indexGames(games);
    isShort = fetchedAt !== undefined && index.all.length < before / 2;
    fetchedAt = now();
    isInvalidated = false;
    try {
      const { save } = await records.open(LIST);
      await save({ fetchedAt, games: [...index.all], isShort });
    } catch (error) {
      logger.warn({ err: error }, 'could not save the games list; keeping it in memory');
    }
  }

  function fetchOnce(whose: string, fetch: Fetch): ReturnType<Fetch> {
    const fetched = running.get(whose) ?? fetchAndAccept(fetch).finally(() => running.delete(whose));
    running.set(whose, fetched);
    return fetched;
  }

  async function fetchAndAccept(fetch: Fetch): ReturnType<Fetch> {
    const outcome = await fetch();
    if (outcome?.kind === 'games') await accept(outcome.games);
    else if (outcome) failedAt = now();
    return outcome;
  }

  /**
   * Fetches the list with the operator's key. Without one, or if the service rejects it, uses the guild's key.
   * @returns `undefined` if neither key can be used
   */
  async function refresh(guildId?: string): Promise<GamesOutcome | undefined> {
    const outcome = fetchAsOperator && (await fetchOnce(OPERATOR, fetchAsOperator));
    const isOperatorEnough = outcome !== undefined && outcome.kind !== 'rejected';
    if (isOperatorEnough || guildId === undefined) return outcome;
    return (await fetchOnce(guildId, () => fetchFor(guildId))) ?? outcome;
  }

  /**
   * Refreshes the list in the background if it is stale. Returns immediately while a fetch is running, or within half a
   * minute of a failure. If a newer list has been stored in the meantime, uses the stored list.
   * @param guildId the guild of the member who needs the list
   */
  function refreshSoon(guildId?: string): void {
    if (isFresh() || isRefreshing || running.size > 0 || isRecent(failedAt, PAUSE_AFTER_FAILURE_MS, now()))
      return;
    isRefreshing = true;
    refreshOnce(guildId)
      .catch((error: unknown) => logger.warn({ err: error }, 'could not refresh the games list; will retry'))
      .finally(() => {
        isRefreshing = false;
      });
  }

  async function refreshOnce(guildId?: string): Promise<void> {
    await useStored();
    if (!isFresh()) await claimJob('games', PAUSE_AFTER_FAILURE_MS, () => refresh(guildId));
  }

  async function useStored(): Promise<void> {
    const { value: stored } = await records.open(LIST);
    if (stored === undefined) return;
    if (fetchedAt !== undefined && stored.fetchedAt <= fetchedAt) return;
    index = indexGames(stored.games);
    fetchedAt = stored.fetchedAt;
    isShort = stored.isShort === true;
    isInvalidated = false;
  }

  return {
    /** Loads the stored list. If it is stale and the operator has a key, also fetches a new list in the background. */
    async start(): Promise<void> {
      await useStored();
      refreshSoon();
    },
    get all() {
      return index.all;
    },
    get usualFirst() {
      return index.usualFirst;
    },
    search: (text: string, limit?: number, among?: ReadonlySet<string>) => index.search(text, limit, among),
    find: (text: string) => index.find(text),
    isFresh,
    /** Returns when the list was fetched (milliseconds since 1970), or `undefined` if only the built-in games are known. */
    fetchedAt: () => fetchedAt,
    refreshSoon,
    refresh,
    /** Called when the service has rejected an alias from the list. */
    invalidate(): void {
      isInvalidated = true;
    },
    accept,
  };
}
