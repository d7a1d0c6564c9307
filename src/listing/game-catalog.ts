import { setTimeout as sleep } from 'node:timers/promises';
import type { Secret } from '../secret.ts';
import { type Game, type GamesOutcome, KNOWN_GAMES, type Outcome } from './contract.ts';
import {
  fold,
  type GameIndex,
  gamesAmong,
  indexGames,
  indexLongList,
  LONGEST_FOLDED,
  MAX_CHOICES,
  searchGames,
} from './game-search.ts';
import {
  createRefreshes,
  type ErasingStore,
  type FetchedGames,
  type FetchingDeps,
  loadGames,
  PATIENCE_MS,
  saveGames,
  usableGames,
} from './game-sources.ts';

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

export interface GameCatalogDeps extends FetchingDeps {
  readonly store: ErasingStore;
  /** Milliseconds for which a list is fresh. */
  readonly ttlMs: number;
  /** Every guild's key: a list of the last run that holds one of them is not used. */
  readonly heldKeys?: () => AsyncIterable<Secret>;
  readonly now?: () => number;
}

export function createGameCatalog(deps: GameCatalogDeps): GameCatalog {
  const { operatorKey, heldKeys, store, logger, now = Date.now } = deps;
  const stopping = new AbortController();
  const held = createHeldList({ ...deps, now });
  const refreshes = createRefreshes({ ...deps, now, accept, signal: stopping.signal });
  let loading: Promise<void> = Promise.resolve();

  async function accept(games: readonly Game[]): Promise<void> {
    if (await held.accept(games)) refreshes.forgetFailures();
  }

  function refreshSoon(key?: Secret): void {
    if (!held.list().fresh) refreshes.beginInBackground(key);
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
    find: held.find,
    refreshSoon,
    refresh: refreshes.refresh,
    invalidate: held.invalidate,
    accept,
  };
}

/** The list that is used: indexed for searching, saved for the next run, fresh for a while. */
function createHeldList(deps: Pick<Required<GameCatalogDeps>, 'store' | 'ttlMs' | 'logger' | 'now'>) {
  const { store, ttlMs, logger, now } = deps;
  let fetched: FetchedGames | undefined;
  let index = indexGames(KNOWN_GAMES);
  let findIn = findingIn(index);
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
    findIn = findingIn(made);
    invalidated = false;
  }

  return {
    index: () => index,
    find: (text: string) => findIn(text),
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

/** Finds the one game with an alias or else a name; case, accents and punctuation do not matter. */
export function findingIn({ entries }: GameIndex): (text: string) => Game | undefined {
  // Backwards, so that the first of several stays.
  const last = entries.toReversed();
  const byAlias = new Map(last.map(({ game }) => [game.alias, game]));
  const byFoldedAlias = new Map(last.map(({ alias, game }) => [alias, game]));
  const byFoldedName = new Map(last.map(({ name, game }) => [name, game]));
  return (text) => {
    const typed = text.trim();
    const exact = byAlias.get(typed);
    // No name is as long, and cut it could be another's.
    if (exact !== undefined || typed.length > LONGEST_FOLDED) return exact;
    const folded = fold(text);
    return folded === '' ? undefined : (byFoldedAlias.get(folded) ?? byFoldedName.get(folded));
  };
}

/** What was submitted, what came of each server, and the key that it was sent with, if any was. */
interface Submitted {
  readonly servers: readonly { readonly game: string }[];
  readonly outcomes: readonly Outcome[];
  readonly key: Secret | undefined;
}

/** Keeps the games list fresh with the keys that are in use, and asks for it anew when the service knows another. */
export const gamesObserver = (games: Pick<GameCatalog, 'invalidate' | 'refreshSoon'>) => ({
  async ended(_: unknown, { outcomes, key }: Submitted): Promise<void> {
    const isKnown = (error: string) => outcomes.some((end) => end.kind === 'rejected' && end.known === error);
    if (isKnown('gameInvalid')) games.invalidate();
    if (!isKnown('invalidKey')) games.refreshSoon(key);
  },
});

/** Guilds whose counts are remembered. With the games below that is 10 MiB at the very most. */
const MOST_GUILDS = 1_000;
/** Games of a guild that are counted: some may not be allowed, or be on the list no more. */
const MOST_GAMES = 100;

export interface SuggestionsDeps {
  /** The aliases of the games, one for each server, that the guild has submitted last before a time. */
  readonly history: { latestGames(guildId: string, before: number): Promise<readonly string[]> };
  readonly games: Pick<GameCatalog, 'list' | 'search'>;
  readonly settings: {
    /** The aliases of the games that may be submitted; `undefined`: all of them. From memory. */
    allowedGames(guildId: string): ReadonlySet<string> | undefined;
  };
  readonly logger: { warn(details: object, message: string): void };
  readonly now?: () => number;
  /** When a guild's games are read after its interaction came: the answer is on its way by then. 100 milliseconds. */
  readonly readAfterMs?: number;
}

/** The games that a guild is offered while a member types. */
export interface Suggestions {
  /**
   * At most 25: the allowed games that fit to what was typed, those that fit best first. With nothing typed, those first that the
   * guild submits most. As Discord waits for them, all of this is in memory.
   */
  games(guildId: string, typed: string): readonly Game[];
  /** The guild uses the bot: what it has submitted is read in the background, unless it is remembered. */
  used(guildId: string): void;
  /** Counts what has been submitted. */
  ended(by: { readonly guildId: string }, end: Submitted): Promise<void>;
  /** Forgets what the guild has submitted. */
  delete(guildId: string): Promise<void>;
  /** Reads no more of the history, which is about to be closed. */
  stop(): Promise<void>;
}

/** How often each game was submitted, by its alias. */
type Counts = Map<string, number>;

export function createSuggestions(deps: SuggestionsDeps): Suggestions {
  const { history, games, settings, logger, now = Date.now, readAfterMs = 100 } = deps;
  const stopping = new AbortController();
  /** The guild that was used longest ago is first. */
  const guilds = new Map<string, Counts>();

  function remember(guildId: string, counts: Counts): void {
    guilds.delete(guildId);
    guilds.set(guildId, counts);
    const [oldest] = guilds.keys();
    if (guilds.size > MOST_GUILDS && oldest !== undefined) guilds.delete(oldest);
  }

  /** What has ended before; what ends later is counted as it ends. */
  async function read(guildId: string, counts: Counts, before: number): Promise<void> {
    try {
      await sleep(readAfterMs, undefined, { ref: false, signal: stopping.signal });
      for (const game of await history.latestGames(guildId, before)) count(counts, game);
    } catch (err) {
      if (stopping.signal.aborted) return;
      // With the next interaction it is tried again.
      if (guilds.get(guildId) === counts) guilds.delete(guildId);
      logger.warn({ err, guildId }, 'the games that a server submits most could not be read');
    }
  }

  return {
    games(guildId, typed) {
      const { search, all: offered } = gamesAmong(games, settings.allowedGames(guildId));
      if (typed.trim() !== '') return search(typed);
      const counts = guilds.get(guildId);
      if (!counts) return offered.slice(0, MAX_CHOICES);
      const submitted = offered.filter(({ alias }) => counts.has(alias));
      const others = offered.filter(({ alias }) => !counts.has(alias));
      // What was submitted equally often stays in the order of the list.
      submitted.sort((one, other) => (counts.get(other.alias) ?? 0) - (counts.get(one.alias) ?? 0));
      return [...submitted, ...others].slice(0, MAX_CHOICES);
    },
    used(guildId) {
      const known = guilds.get(guildId);
      const counts = known ?? new Map<string, number>();
      remember(guildId, counts);
      if (!known) void read(guildId, counts, now());
    },
    async ended({ guildId }, { servers, outcomes }) {
      // Of a guild that is not remembered everything is read when it uses the bot again.
      const counts = guilds.get(guildId);
      if (!counts) return;
      for (const [index, { game }] of servers.entries()) {
        const kind = outcomes[index]?.kind;
        if (kind === 'accepted' || kind === 'unknown') count(counts, game);
      }
    },
    delete: async (guildId) => void guilds.delete(guildId),
    stop: async () => stopping.abort(),
  };
}

/** Counts a game once more. Where there are too many games, the rarest of the others makes room. */
function count(counts: Counts, game: string): void {
  counts.set(game, (counts.get(game) ?? 0) + 1);
  if (counts.size <= MOST_GAMES) return;
  const [rarest] = [...counts].filter(([alias]) => alias !== game).sort(([, one], [, other]) => one - other);
  if (rarest) counts.delete(rarest[0]);
}
