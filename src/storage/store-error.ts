import { codeOf } from '../error-code.ts';
import type { StoreUrl } from '../store-url.ts';

/** The store couldn't read or write. Callers must not treat it as "nothing stored". */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}

/** Another transaction of the guild is still running. */
export class LockedGuildError extends StoreError {}

/** Returns the message of the database or the system on one line. It can name files, hosts and keys, but never values. */
export function reason(error: unknown): string {
  // If every address of a host refuses the connection, Node's error doesn't have a message.
  const text = error instanceof Error ? error.message || codeOf(error) : String(error);
  return text.replace(/\s+/g, ' ').trim();
}

/** Creates the error for a PostgreSQL database that doesn't respond, or rejects this user. */
export const cannotUse = (name: string, cause: unknown): StoreError =>
  new StoreError(
    `cannot use the database ${name}: ${reason(cause)}; check that the server runs, and check user, password, host and ` +
      'database in STORE_URL',
    { cause },
  );

/**
 * Returns the path of the SQLite file.
 * @param advice what to do with PostgreSQL
 * @throws StoreError with the advice if the data is in PostgreSQL
 */
export function fileOf(url: StoreUrl, advice: string): string {
  if (url.kind === 'sqlite') return url.path;
  throw new StoreError(`the data is in PostgreSQL (${url.name}): ${advice}`);
}
