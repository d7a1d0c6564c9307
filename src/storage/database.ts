import type { Keyv } from 'keyv';
import type { Kysely, RawBuilder } from 'kysely';
import type { StoreError } from './store-error.ts';
import type { Tables } from './tables.ts';

/** What SQLite and PostgreSQL each do in their own way. Only the store uses it. */
export interface Database {
  /** The file of SQLite; PostgreSQL has none. */
  readonly path: string | undefined;
  /** What messages call it. */
  readonly name: string;
  /** The time by its clock, as a part of a statement: milliseconds since 1970. */
  readonly clock: RawBuilder<number>;
  /**
   * Looks whether this version can use what is there.
   * @param mayMigrate otherwise tables that are not in their present shape are refused
   * @throws StoreError saying what to do; nothing was changed then
   */
  prepare(mayMigrate: boolean): Promise<void>;
  /** Opens it, with its tables in their present shape. */
  open(): Promise<Kysely<Tables>>;
  /** The tables over a connection of their own. SQLite has one connection for all, so it gives `db` itself. */
  openApart(db: Kysely<Tables>): Promise<Kysely<Tables>>;
  /**
   * Opens it as it is, beside a bot that may run; `undefined` where there are no tables yet.
   * @param isWritten otherwise a file is opened for reading only
   */
  openBeside(isWritten: boolean): Promise<Kysely<Tables> | undefined>;
  /**
   * Values under keys, read and written by `tables()`: a transaction has them too. They are plain JSON: Keyv's own serializer
   * looks for binary data in each string, which takes longer than to read it.
   */
  openKeyv(tables: () => Kysely<Tables>): Promise<Keyv>;
  /** @param db asked for when the transaction begins, which may be after a wait */
  transaction<Result>(
    db: () => Kysely<Tables>,
    options: TransactionOptions,
    change: (own: Kysely<Tables>) => Promise<Result>,
  ): Promise<Result>;
  /** Deletes from the disk what was deleted from the tables, where that takes a step of its own. */
  cutLog(db: Kysely<Tables>): Promise<void>;
  /** Why it cannot be opened, and what to do about it. */
  cannotOpen(cause: unknown): Promise<StoreError>;
}

export interface TransactionOptions {
  readonly guildId: string;
  /** Throws GuildLocked in place of waiting for another transaction of the guild. SQLite waits all the same. */
  readonly ifFree: boolean;
  /** Whether the change has to survive a loss of power: 0.43 ms in place of 0.025 with SQLite (measured). */
  readonly synced: boolean;
}

/**
 * What was under way when the backup was made went on afterwards. Marked as sent, the next start ends it as unknown, and sends
 * nothing a second time. The interactions of that time are not answered any more, and its processes are dead.
 */
export const AFTER_A_RESTORE: readonly string[] = [
  'UPDATE servers SET sent_at = reserved_at WHERE outcome IS NULL',
  'UPDATE interactions SET sealed = NULL',
  'DELETE FROM leases',
];
