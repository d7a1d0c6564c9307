import { z } from 'zod';
import type { Secret } from '../secret.ts';
import { createCollection } from '../storage/collection.ts';
import type { Database } from '../storage/database.ts';
import type { Store } from '../storage/store.ts';
import { type Game, gamesSchema, type ListingLogger } from './contract.ts';
import { isKeyInGames } from './key-in-text.ts';

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
