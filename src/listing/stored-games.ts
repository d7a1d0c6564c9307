import { z } from 'zod';
import type { Store } from '../storage/store.ts';
import { type Game, gameSchema, type ListingLogger } from './contract.ts';

const KEY = 'games:list';

const recordSchema = z.object({
  version: z.literal(1),
  fetchedAt: z.number().int().nonnegative(),
  games: z.array(gameSchema).min(1),
});

/** A list as it came from the service, and when, in ms since 1970. */
export interface FetchedGames {
  readonly games: readonly Game[];
  readonly fetchedAt: number;
}

/** The list of the last run; `undefined` when there is none or it cannot be read. The log says why; it is no failure. */
export async function loadGames(store: Store, logger: ListingLogger): Promise<FetchedGames | undefined> {
  try {
    const value = await store.get(KEY);
    if (value === undefined) return undefined;
    const record = recordSchema.safeParse(value);
    if (record.success) return record.data;
    logger.warn({}, 'the stored games list is not readable and will be fetched anew');
  } catch (error) {
    logger.warn({ err: error }, 'the games list could not be loaded from the store');
  }
  return undefined;
}

/** Keeps the list for the next run. A store that fails costs a warm start, nothing else. */
export async function saveGames(store: Store, list: FetchedGames, logger: ListingLogger): Promise<void> {
  try {
    await store.set(KEY, { version: 1, ...list });
  } catch (error) {
    logger.warn({ err: error }, 'the games list could not be saved');
  }
}
