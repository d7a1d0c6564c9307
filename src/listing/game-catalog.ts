import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Secret } from '../secret.ts';
import {
  type Game,
  type GamesOutcome,
  KNOWN_GAMES,
  type ListingApi,
  type ListingLogger,
} from './contract.ts';
import { findGame, indexGames, indexLongList, searchGames } from './game-search.ts';
import { type ErasingStore, type FetchedGames, loadGames, saveGames, usableGames } from './stored-games.ts';

interface GameList {
  readonly games: readonly Game[];
  /** Milliseconds since 1970; absent: nothing was ever fetched, these are the twelve that come with the bot. */
  readonly fetchedAt?: number;
  readonly fresh: boolean;
}

/** The one games list of the process. Only `start`, `stop` and `refresh` touch the network or the store. */
export interface GameCatalog {
  /** Loads the list of the last run, and fetches a new one in the background if that is old and there is a key. */
  start(): Promise<void>;
  /** Aborts a running refresh. */
  stop(): Promise<void>;
  list(): GameList;
  /** The games that fit best to what was typed; see {@link searchGames}. At most 25 without a `limit`. */
  search(text: string, limit?: number): readonly Game[];
  /** The game with exactly this alias or name; case and accents do not matter. */
  find(text: string): Game | undefined;
  /**
   * Fetches in the background when the list is stale, no refresh runs and the last failure is long enough ago.
   * @param key of the guild whose member asks; used when the operator has none, or one that is rejected
   */
  refreshSoon(key?: Secret): void;
  /** Fetches now, or joins a refresh that runs, with another guild's key only for a second. `undefined`: there is no key to do it with. */
  refresh(key?: Secret): Promise<GamesOutcome | undefined>;
  /** The service does not know an alias of ours: the list is stale from now on. */
  invalidate(): void;
  /** A list that somebody else just fetched. It is there when the promise resolves. */
  accept(games: readonly Game[]): Promise<void>;
}

export interface GameCatalogDeps {
  readonly listing: Pick<ListingApi, 'games'>;
  readonly store: ErasingStore;
  /** Milliseconds for which a list is fresh. */
  readonly ttlMs: number;
  readonly operatorKey?: Secret;
  /** Every guild's key: a list of the last run that holds one of them is not used. */
  readonly heldKeys?: () => AsyncIterable<Secret>;
  /** Told what the service answered to each key. */
  readonly onAnswer?: (key: Secret, outcome: GamesOutcome) => Promise<void>;
  readonly logger: ListingLogger;
  readonly now?: () => number;
}

/** How long a refresh with another guild's key, and at the start the list of the last run, is waited for, in milliseconds. */
const PATIENCE_MS = 1_000;

export function createGameCatalog(deps: GameCatalogDeps): GameCatalog {
  const { operatorKey, heldKeys, store, logger, now = Date.now } = deps;
  const stopping = new AbortController();
  const backoff = createRefreshBackoff(now);
  const held = createHeldList({ ...deps, now });
  const refreshes = createRefreshes({ ...deps, backoff, accept, signal: stopping.signal });
  let loading: Promise<void> = Promise.resolve();

  async function accept(games: readonly Game[]): Promise<void> {
    if (await held.accept(games)) backoff.reset();
  }

  function refreshSoon(key?: Secret): void {
    if (!held.list().fresh && backoff.isOver()) refreshes.beginInBackground(key);
  }

  /** Takes the list of the last run, unless it holds a key. */
  async function load(): Promise<void> {
    const stored = await loadGames(store, { operatorKey, heldKeys, signal: stopping.signal }, logger);
    // Something newer may have come in meanwhile, from /setkey.
    if (stored !== undefined && held.list().fetchedAt === undefined) await held.adopt(stored);
    refreshSoon();
  }

  return {
    async start() {
      loading = load();
      loading.catch((error: unknown) =>
        logger.warn({ err: error }, 'the games list of the last run could not be used'),
      );
      // Looking for every guild's key takes seconds where there are ten thousand; members must not wait for that.
      await Promise.race([loading, sleep(PATIENCE_MS, undefined, { ref: false })]);
    },
    async stop() {
      stopping.abort();
      await Promise.allSettled([loading, refreshes.ended()]);
      await held.saved();
    },
    list: held.list,
    search: (text, limit) => searchGames(held.index(), text, limit),
    find: (text) => findGame(held.index(), text),
    refreshSoon,
    refresh: refreshes.refresh,
    invalidate: held.invalidate,
    accept,
  };
}

/** The list that is used: indexed for searching, saved for the next run, fresh for a while. */
function createHeldList({
  store,
  ttlMs,
  logger,
  now,
}: Pick<GameCatalogDeps, 'store' | 'ttlMs' | 'logger'> & { readonly now: () => number }) {
  let fetched: FetchedGames | undefined;
  let index = indexGames(KNOWN_GAMES);
  let invalidated = false;
  let saving: Promise<void> = Promise.resolve();

  function isFresh(): boolean {
    if (fetched === undefined || invalidated) return false;
    const age = now() - fetched.fetchedAt;
    // A negative age: the clock was set back, and how old the list is cannot be known.
    return age >= 0 && age < ttlMs;
  }

  async function adopt(list: FetchedGames): Promise<void> {
    const made = await indexLongList(list.games);
    // A list that came meanwhile may have been made ready sooner.
    if (fetched !== undefined && fetched.fetchedAt > list.fetchedAt) return;
    fetched = list;
    index = made;
    invalidated = false;
  }

  return {
    index: () => index,
    list: (): GameList => ({
      games: index.games,
      ...(fetched === undefined ? {} : { fetchedAt: fetched.fetchedAt }),
      fresh: isFresh(),
    }),
    adopt,
    /** @returns whether the list can be used */
    async accept(games: readonly Game[]): Promise<boolean> {
      const unique = usableGames(games, logger);
      if (unique === undefined) return false;
      const list = { games: unique, fetchedAt: now() };
      await adopt(list);
      // One after the other, so that the newest list is the one that stays.
      saving = saving.then(() => saveGames(store, list, logger));
      return true;
    },
    invalidate(): void {
      invalidated = true;
    },
    saved: () => saving,
  };
}

interface Refresh {
  readonly keys: readonly Secret[];
  readonly outcome: Promise<GamesOutcome | undefined>;
}

interface RefreshesDeps extends Pick<GameCatalogDeps, 'listing' | 'operatorKey' | 'onAnswer' | 'logger'> {
  readonly backoff: RefreshBackoff;
  readonly accept: (games: readonly Game[]) => Promise<void>;
  readonly signal: AbortSignal;
}

/** The fetching of lists: with which keys, and one for all who ask at the same time. */
function createRefreshes(deps: RefreshesDeps) {
  const { listing, operatorKey, onAnswer, backoff, accept, signal, logger } = deps;
  const running = new Set<Refresh>();

  /** The operator's key first; a guild's when that is missing or rejected. */
  const keysFor = (key: Secret | undefined) =>
    [operatorKey, key].filter((candidate) => candidate !== undefined);

  async function fetchWith(keys: readonly Secret[]): Promise<GamesOutcome | undefined> {
    let outcome: GamesOutcome | undefined;
    for (const key of keys) {
      outcome = await listing.games(key, { signal });
      if (signal.aborted) break;
      backoff.take(outcome, key);
      await onAnswer?.(key, outcome);
      if (outcome.kind !== 'rejected') break;
    }
    if (outcome?.kind === 'games') await accept(outcome.games);
    return outcome;
  }

  function begin(keys: readonly Secret[]): Promise<GamesOutcome | undefined> {
    const outcome = fetchWith(keys).finally(() => running.delete(refreshing));
    const refreshing: Refresh = { keys, outcome };
    running.add(refreshing);
    return outcome;
  }

  return {
    /** Unless one runs, or every key was rejected a short while ago. */
    beginInBackground(key: Secret | undefined): void {
      if (running.size > 0 || signal.aborted) return;
      const keys = keysFor(key).filter((candidate) => !backoff.isRejected(candidate));
      if (keys.length === 0) return;
      begin(keys).catch((error: unknown) =>
        logger.warn({ err: error }, 'the games list could not be refreshed'),
      );
    },
    async refresh(key?: Secret): Promise<GamesOutcome | undefined> {
      const all = keysFor(key);
      const isOurs = ({ keys }: Refresh) => key === undefined || all.some((each) => isIn(keys, each));
      const joinable = () => [...running].find(isOurs) ?? [...running][0];
      for (let next = joinable(); next !== undefined; next = joinable()) {
        // Another guild's key may be answered late, or never.
        const late = isOurs(next) ? [] : [sleep(PATIENCE_MS, 'late' as const, { ref: false })];
        const joined = await Promise.race([next.outcome, ...late]);
        if (joined === 'late') break;
        // A rejection of other keys says nothing about this one.
        if (joined?.kind !== 'rejected' || key === undefined || isIn(next.keys, key)) return joined;
      }
      const untried = all.filter((candidate) => !backoff.isRejected(candidate));
      const keys = untried.length > 0 ? untried : all;
      return keys.length === 0 || signal.aborted ? undefined : begin(keys);
    },
    /** Those that run are over. */
    ended: () => Promise.allSettled([...running].map(({ outcome }) => outcome)),
  };
}

const isIn = (keys: readonly Secret[], one: Secret) => keys.some((other) => other.reveal() === one.reveal());

/** Milliseconds after the first failure; doubled with each further one. */
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 10 * 60_000;
/** How long a rejected key is left alone. */
const REJECTED_KEY_PAUSE_MS = 10 * 60_000;
/** Rejected keys that are remembered; the oldest goes. */
const MAX_REJECTED_KEYS = 1_000;

/** When the games list may be asked for again after a failure. */
interface RefreshBackoff {
  /** Whether the service has had its rest. */
  isOver(): boolean;
  /** Whether this key was rejected a short while ago. Other keys are not concerned. */
  isRejected(key: Secret): boolean;
  /** A rejection counts against its key, every other failure against the service; a list ends the pause. */
  take(outcome: GamesOutcome, key: Secret): void;
  reset(): void;
}

function createRefreshBackoff(now: () => number): RefreshBackoff {
  let failures = 0;
  let failedAt = 0;
  let pause = 0;
  const rejected = new Map<string, number>();
  // Kept as a hash: this map lives as long as the process, and a key should not.
  const fingerprint = (key: Secret) => createHash('sha256').update(key.reveal()).digest('base64');

  const isWithin = (since: number, ms: number) => {
    const age = now() - since;
    // A negative age: the clock was set back. Better to ask once too often than to wait for years.
    return age >= 0 && age < ms;
  };

  function reset(): void {
    failures = 0;
    pause = 0;
  }

  return {
    isOver: () => !isWithin(failedAt, pause),
    isRejected(key) {
      const since = rejected.get(fingerprint(key));
      return since !== undefined && isWithin(since, REJECTED_KEY_PAUSE_MS);
    },
    take(outcome, key) {
      if (outcome.kind === 'rejected') {
        const print = fingerprint(key);
        rejected.delete(print);
        rejected.set(print, now());
        const [oldest] = rejected.keys();
        if (rejected.size > MAX_REJECTED_KEYS && oldest !== undefined) rejected.delete(oldest);
        return;
      }
      rejected.delete(fingerprint(key));
      if (outcome.kind === 'games' && outcome.games.length > 0) return reset();
      const asked = 'retryAfterMs' in outcome ? (outcome.retryAfterMs ?? 0) : 0;
      failedAt = now();
      pause = Math.min(LONGEST_PAUSE_MS, Math.max(asked, FIRST_PAUSE_MS * 2 ** Math.min(failures, 20)));
      failures += 1;
    },
    reset,
  };
}
