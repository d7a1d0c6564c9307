import { z } from 'zod';
import type { Logger } from '../logger.ts';
import type { ClaimJob } from '../storage/claim-job.ts';
import { createCollection } from '../storage/collection.ts';
import type { Values } from '../storage/values.ts';
import { type Game, type GamesOutcome, gamesSchema, KNOWN_GAMES } from './contract.ts';
import { indexGames } from './game-search.ts';

export type Games = ReturnType<typeof createGames>;

export interface GamesDeps {
  /** Fetches with the operator's key; absent: the operator has none. */
  readonly fetchAsOperator?: () => Promise<GamesOutcome>;
  /** Fetches with a guild's key; `undefined` where the guild has none that the service takes. */
  readonly fetchFor: (guildId: string) => Promise<GamesOutcome | undefined>;
  readonly values: Values;
  readonly claimJob: ClaimJob;
  /** Milliseconds for which a list is fresh. */
  readonly ttlMs: number;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
  readonly now?: () => number;
}

/** In place of a guild's id where the operator's key is used. */
const OPERATOR = 'operator';
/** For how long a list counts as fresh that is suspiciously short, in milliseconds. */
const SHORT_LIST_MS = 60_000;
/** How long nothing is fetched in the background after a failure, in milliseconds. */
const PAUSE_MS = 30_000;

type Fetch = () => Promise<GamesOutcome | undefined>;

/** The list of the last run. */
const listSchema = z.object({
  fetchedAt: z.number().int().nonnegative(),
  games: gamesSchema.transform(({ games }) => games).refine((games) => games.length > 0),
  /** Whether it has less than half of the games of the list before. */
  isShort: z.exactOptional(z.boolean()),
});
const LIST = 'list';

/** The one games list of the process. Only `start` and the refreshing touch the network or the store. */
export function createGames(deps: GamesDeps) {
  const { fetchAsOperator, fetchFor, values, claimJob, ttlMs, logger, now = () => Date.now() } = deps;
  const records = createCollection({ values, name: 'games', schema: listSchema, logger });
  /** By guild, so that nobody waits for the response to another guild's key. */
  const running = new Map<string, Promise<GamesOutcome | undefined>>();
  let index = indexGames(KNOWN_GAMES);
  let fetchedAt: number | undefined;
  let isShort = false;
  let isInvalidated = false;
  let failedAt = Number.NEGATIVE_INFINITY;
  let isLooking = false;

  /** A list with a time in the future is stale: the clock was set back, so nobody knows how old it is. */
  const isFresh = () =>
    fetchedAt !== undefined &&
    !isInvalidated &&
    isWithin(fetchedAt, isShort ? Math.min(SHORT_LIST_MS, ttlMs) : ttlMs);

  function isWithin(since: number, ms: number): boolean {
    const age = now() - since;
    return age >= 0 && age < ms;
  }

  /** Takes a list that a command has just fetched. The list is saved when the promise resolves. */
  async function accept(games: readonly Game[]): Promise<void> {
    if (games.length === 0) {
      logger.warn({}, 'the listing service sent an empty games list: the one before stays');
      failedAt = now();
      return;
    }
    const before = index.all.length;
    index = indexGames(games);
    isShort = fetchedAt !== undefined && index.all.length < before / 2;
    fetchedAt = now();
    isInvalidated = false;
    await records.set(LIST, { fetchedAt, games: [...index.all], isShort }).catch((error: unknown) => {
      logger.warn({ err: error }, 'the games list could not be saved');
    });
  }

  /** Fetches, or waits for the fetch with the same key that runs already. */
  function fetchOnce(whose: string, fetch: Fetch): ReturnType<Fetch> {
    const fetched = running.get(whose) ?? fetchAndTake(fetch).finally(() => running.delete(whose));
    running.set(whose, fetched);
    return fetched;
  }

  async function fetchAndTake(fetch: Fetch): ReturnType<Fetch> {
    const outcome = await fetch();
    if (outcome?.kind === 'games') await accept(outcome.games);
    else if (outcome) failedAt = now();
    return outcome;
  }

  /**
   * Fetches now, with the operator's key, or with the guild's when there is none or it is rejected.
   * @returns `undefined`: there is no key to do it with
   */
  async function refresh(guildId?: string): Promise<GamesOutcome | undefined> {
    const outcome = fetchAsOperator && (await fetchOnce(OPERATOR, fetchAsOperator));
    const isOperatorEnough = outcome !== undefined && outcome.kind !== 'rejected';
    if (isOperatorEnough || guildId === undefined) return outcome;
    return (await fetchOnce(guildId, () => fetchFor(guildId))) ?? outcome;
  }

  /**
   * Fetches in the background if the list is stale, unless a fetch runs or one failed within half a minute. A newer list that is
   * stored by then is taken instead.
   * @param guildId whose member asks
   */
  function refreshSoon(guildId?: string): void {
    if (isFresh() || isLooking || running.size > 0 || isWithin(failedAt, PAUSE_MS)) return;
    isLooking = true;
    refreshOnce(guildId)
      .catch((error: unknown) => logger.warn({ err: error }, 'the games list could not be refreshed'))
      .finally(() => {
        isLooking = false;
      });
  }

  async function refreshOnce(guildId?: string): Promise<void> {
    await takeStored();
    if (!isFresh()) await claimJob('games', PAUSE_MS, () => refresh(guildId));
  }

  /** Takes the stored list where it is newer than the one in use. */
  async function takeStored(): Promise<void> {
    const stored = await records.get(LIST);
    if (stored === undefined || stored === 'unreadable') return;
    if (fetchedAt !== undefined && stored.fetchedAt <= fetchedAt) return;
    index = indexGames(stored.games);
    fetchedAt = stored.fetchedAt;
    isShort = stored.isShort === true;
    isInvalidated = false;
  }

  return {
    /**
     * Loads the list of the last run, and fetches a new one in the background if that is old and the operator has a key.
     */
    async start(): Promise<void> {
      await takeStored();
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
    /** Milliseconds since 1970; `undefined`: nothing was ever fetched, these are the twelve that come with the bot. */
    fetchedAt: () => fetchedAt,
    refreshSoon,
    refresh,
    /** The service does not know an alias that the list has: the list is stale from now on. */
    invalidate(): void {
      isInvalidated = true;
    },
    accept,
  };
}
