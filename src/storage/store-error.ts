import { codeOf } from '../error-code.ts';
import type { StoreUrl } from '../store-url.ts';

/** The store could not read or write. Never to be mistaken for "nothing is stored". */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}

/** Another transaction of the guild is under way. */
export class GuildLocked extends StoreError {}

/** The words of the database or the system about a failure, on one line. They name files, hosts and keys, never values. */
export function reason(error: unknown): string {
  // If every address of a host refuses, Node's error has no message.
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
 * The path of SQLite's file.
 * @param instead what to do with PostgreSQL
 * @throws StoreError saying `instead`, if the data is in PostgreSQL
 */
export function fileOf(url: StoreUrl, instead: string): string {
  if (url.kind === 'sqlite') return url.path;
  throw new StoreError(`the data is in PostgreSQL (${url.name}): ${instead}`);
}
