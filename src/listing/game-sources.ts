import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Secret } from '../secret.ts';
import { createCollection } from '../storage/collection.ts';
import type { Database } from '../storage/database.ts';
import type { Store } from '../storage/store.ts';
import {
  type Game,
  type GamesOutcome,
  gamesSchema,
  type ListingApi,
  type ListingLogger,
} from './contract.ts';
import { isKeyInGames } from './key-in-text.ts';
import { createKeyTimes } from './scheduler.ts';

/** How long a refresh with another guild's key, and at the start the list of the last run, is waited for, in milliseconds. */
export const PATIENCE_MS = 1_000;

interface Refresh {
  readonly keys: readonly Secret[];
  readonly outcome: Promise<GamesOutcome | undefined>;
}

/** What a list is fetched with. */
export interface FetchingDeps {
  readonly listing: Pick<ListingApi, 'games'>;
  readonly operatorKey?: Secret;
  /** Told what the service answered to each key. */
  readonly onAnswer?: (key: Secret, outcome: GamesOutcome) => Promise<void>;
  readonly logger: ListingLogger;
}

interface RefreshesDeps extends FetchingDeps {
  readonly accept: (games: readonly Game[]) => Promise<void>;
  readonly signal: AbortSignal;
  readonly now: () => number;
}

/** The fetching of lists: with which keys, and one for all who ask at the same time. */
export function createRefreshes(deps: RefreshesDeps) {
  const { listing, operatorKey, onAnswer, accept, signal, now, logger } = deps;
  const backoff = createRefreshBackoff(now);
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
    /** Unless one runs, the last one failed or every key was rejected a short while ago. */
    beginInBackground(key: Secret | undefined): void {
      if (running.size > 0 || signal.aborted || !backoff.isOver()) return;
      const keys = keysFor(key).filter((candidate) => !backoff.isKeyRefused(candidate));
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
      const untried = all.filter((candidate) => !backoff.isKeyRefused(candidate));
      const keys = untried.length > 0 ? untried : all;
      return keys.length === 0 || signal.aborted ? undefined : begin(keys);
    },
    /** There is a new list: what failed before counts no more. */
    forgetFailures: backoff.reset,
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

/** When the games list may be asked for again after a failure. */
interface RefreshBackoff {
  /** Whether the service has had its rest. */
  isOver(): boolean;
  /** Whether this key was rejected a short while ago. Other keys are not concerned. */
  isKeyRefused(key: Secret): boolean;
  /** A rejection counts against its key, every other failure against the service; a list ends the pause. */
  take(outcome: GamesOutcome, key: Secret): void;
  reset(): void;
}

function createRefreshBackoff(now: () => number): RefreshBackoff {
  let failures = 0;
  let failedAt = 0;
  let pause = 0;
  const rejected = createKeyTimes();

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
    isKeyRefused(key) {
      const since = rejected.get(key);
      return since !== undefined && isWithin(since, REJECTED_KEY_PAUSE_MS);
    },
    take(outcome, key) {
      if (outcome.kind === 'rejected') {
        rejected.set(key, now());
        return;
      }
      rejected.delete(key);
      if (outcome.kind === 'games' && outcome.games.length > 0) return reset();
      const asked = 'retryAfterMs' in outcome ? (outcome.retryAfterMs ?? 0) : 0;
      failedAt = now();
      pause = Math.min(LONGEST_PAUSE_MS, Math.max(asked, FIRST_PAUSE_MS * 2 ** Math.min(failures, 20)));
      failures += 1;
    },
    reset,
  };
}

const ID = 'list';

const schema = z.object({
  fetchedAt: z.number().int().nonnegative(),
  games: gamesSchema.refine((games) => games.length > 0),
});
/** Written before the number of every record was called `v`. */
const first = schema
  .extend({ version: z.literal(1) })
  .transform(({ version: _, ...list }): FetchedGames => list);

const records = (store: Store) =>
  createCollection<FetchedGames>({ store, name: 'games', version: 2, schema, previous: [first] });

/** A list as it came from the service, and when, in ms since 1970. */
export interface FetchedGames {
  readonly games: readonly Game[];
  readonly fetchedAt: number;
}

/** The keys that no list may hold. */
interface AllKeys {
  readonly operatorKey: Secret | undefined;
  readonly heldKeys: (() => AsyncIterable<Secret>) | undefined;
  /** Ends the search. */
  readonly signal: AbortSignal;
}

async function* everyKey({ operatorKey, heldKeys, signal }: AllKeys): AsyncGenerator<Secret> {
  if (operatorKey !== undefined) yield operatorKey;
  for await (const key of heldKeys?.() ?? []) {
    if (signal.aborted) return;
    yield key;
  }
}

/**
 * The list of the last run; `undefined` when there is none, it cannot be read, or it holds one of the keys, in which
 * case it is deleted. The log says why.
 * @throws StoreError when the keys cannot be read
 */
export async function loadGames(
  store: ErasingStore,
  keys: AllKeys,
  logger: ListingLogger,
): Promise<FetchedGames | undefined> {
  const stored = await readGames(store, logger);
  if (stored === undefined) return undefined;
  if (await isKeyInGames(stored.games, everyKey(keys))) {
    logger.warn({}, 'the stored games list held an API key; it was deleted and will be fetched anew');
    await deleteGames(store, logger);
    return undefined;
  }
  // Otherwise not every key was looked for.
  return keys.signal.aborted ? undefined : stored;
}

async function readGames(store: Store, logger: ListingLogger): Promise<FetchedGames | undefined> {
  try {
    return await records(store).get(ID);
  } catch (error) {
    logger.warn({ err: error }, 'the games list could not be loaded from the store');
  }
  return undefined;
}

/** Keeps the list for the next run. A store that fails costs a warm start, nothing else. */
export async function saveGames(store: Store, list: FetchedGames, logger: ListingLogger): Promise<void> {
  try {
    await records(store).set(ID, list);
  } catch (error) {
    logger.warn({ err: error }, 'the games list could not be saved');
  }
}

/** A store that can also overwrite in its file what it deletes. */
export type ErasingStore = Store & Partial<Pick<Database, 'erase'>>;

/** Forgets a list that must not be kept; on the disk too, where the store can do that. */
async function deleteGames(store: ErasingStore, logger: ListingLogger): Promise<void> {
  const forget = () => records(store).delete(ID);
  try {
    await (store.erase === undefined ? forget() : store.erase(forget));
  } catch (error) {
    logger.warn({ err: error }, 'the games list could not be deleted');
  }
}

/** The first of each alias: the later ones could not be told from it in a submission. */
function withoutDuplicates(games: readonly Game[]): readonly Game[] {
  const seen = new Set<string>();
  return games.filter(({ alias }) => !seen.has(alias) && seen.add(alias));
}

/** What can be kept of a list that the service sent; `undefined`: nothing. The log says what is wrong with it. */
export function usableGames(games: readonly Game[], logger: ListingLogger): readonly Game[] | undefined {
  const unique = withoutDuplicates(games);
  if (unique.length < games.length) {
    logger.warn(
      { repeated: games.length - unique.length },
      'the listing service names an alias more than once',
    );
  }
  if (unique.length === 0) {
    logger.warn({}, 'the listing service sent an empty games list: the one before stays');
    return undefined;
  }
  return unique;
}
