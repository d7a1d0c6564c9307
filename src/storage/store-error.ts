import { codeOf } from '../error-code.ts';
import type { StoreUrl } from '../store-url.ts';

/** The store could not read or write. Never to be mistaken for "nothing is stored". */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}

/** Another transaction of the guild is under way. */
export class GuildLocked extends StoreError {}

/** What the database or the system says of a failure, on one line; they name files, hosts and keys, never values. */
export function reason(error: unknown): string {
  // Node has no words for a host of which every address refuses.
  const text = error instanceof Error ? error.message || codeOf(error) : String(error);
  return text.replace(/\s+/g, ' ').trim();
}

/** A database of PostgreSQL does not answer, or not to this user. */
export const cannotUse = (name: string, cause: unknown): StoreError =>
  new StoreError(
    `cannot use the database ${name}: ${reason(cause)}; look whether the server runs, and at user, password, host and ` +
      'database in STORE_URL',
    { cause },
  );

/**
 * The file of SQLite, for what only a file has.
 * @param instead what to do with PostgreSQL
 * @throws StoreError saying that, if the data is there
 */
export function fileOf(url: StoreUrl, instead: string): string {
  if (url.kind === 'sqlite') return url.path;
  throw new StoreError(`the data is in PostgreSQL (${url.name}): ${instead}`);
}
