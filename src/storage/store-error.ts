import type { StoreUrl } from '../store-url.ts';
import { codeOf } from '../text/error-code.ts';

/** Thrown if the store can't be read or written. Callers must not mistake this for a missing value. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}

/**
 * Thrown if the bot can't use the data until the operator acts, because a restart would fail in the same way. Other errors,
 * such as a lock, a full disk or a folder that isn't mounted yet, can end without the operator.
 */
export class UnusableStoreError extends StoreError {}

export class LockedGuildError extends StoreError {}

/** Returns the database's or system's error message on one line. It may name files, hosts and keys, but never values. */
export function reason(error: unknown): string {
  // If all addresses of a host refuse the connection, Node's error has an empty message.
  const text = error instanceof Error ? error.message || codeOf(error) : String(error);
  return text.replace(/\s+/g, ' ').trim();
}

export const cannotUsePostgres = (name: string, cause: unknown): StoreError =>
  new StoreError(
    `cannot use the database ${name}: ${reason(cause)}; check that the server is running, and that the user, password, ` +
      'host and database in STORE_URL are correct',
    { cause },
  );

/** @throws StoreError with the advice for the operator if the data is in PostgreSQL */
export function sqlitePathOf(url: StoreUrl, advice: string): string {
  if (url.kind === 'sqlite') return url.path;
  throw new StoreError(`the data is in PostgreSQL (${url.name}): ${advice}`);
}
