import { AsyncLocalStorage } from 'node:async_hooks';
import type { Keyv } from 'keyv';
import { type Kysely, sql } from 'kysely';
import { type Logger, SILENT } from '../logger.ts';
import type { StoreUrl } from '../store-url.ts';
import type { Database, TransactionOptions } from './database.ts';
import { MIGRATIONS } from './migrations.ts';
import { createPostgresDatabase } from './postgres-database.ts';
import { createSqliteDatabase } from './sqlite-database.ts';
import { StoreError } from './store-error.ts';
import type { Tables } from './tables.ts';
import type { UnsyncedWrite } from './unsynced.ts';
import { createValues, type Values } from './values.ts';

/** A longer transaction is logged, because other transactions have to wait for it. */
const LONG_TRANSACTION_SECONDS = 1;
/** A longer SQLite transaction counts as stuck. It blocks the whole bot. */
const STUCK_TRANSACTION_SECONDS = 30;

export const WRITE_TEST_KEY = 'health:write-test';

/** With SQLite, the connection of a stuck transaction is only released when the process exits. */
export class StuckTransactionError extends Error {
  override readonly name = 'StuckTransactionError';
}

export type Store = ReturnType<typeof createStore>;

export interface TransactionEnd {
  /** Duration in milliseconds, including time spent waiting for other transactions. */
  readonly ms: number;
  readonly isStoreError: boolean;
}

export interface StoreDeps {
  readonly url: StoreUrl;
  readonly logger: Logger;
  readonly onTransaction?: ((end: TransactionEnd) => void) | undefined;
  /** Called if a SQLite transaction is stuck. The process must then exit. PostgreSQL ends such a transaction itself. */
  readonly onStuck?: ((error: StuckTransactionError) => void) | undefined;
  /**
   * Whether PostgreSQL runs statements without a time limit, and SQLite waits longer for another process's lock. Used by
   * tools, because no member is waiting for them.
   */
  readonly isUnhurried?: boolean;
  /** If false, startup fails unless the tables have exactly the migrations of this version. */
  readonly mayMigrate?: boolean;
  /** One second, which tests shorten. */
  readonly watchdogTickMs?: number | undefined;
}

/** Creates the bot's store: tables and key-value pairs. Every method throws a {@link StoreError} when the store fails. */
export function createStore(deps: StoreDeps) {
  const { url, logger, onTransaction, onStuck, watchdogTickMs = 1_000 } = deps;
  const { isUnhurried = false, mayMigrate = true } = deps;
  const database = databaseAt(url, logger, isUnhurried);
  /** Code in a transaction must not use any other connection. */
  const currentTransaction = new AsyncLocalStorage<Kysely<Tables>>();
  let opened: Kysely<Tables> | undefined;
  let openedApart: Kysely<Tables> | undefined;
  let keyv: Keyv | undefined;

  function needed<Opened>(part: Opened | undefined): Opened {
    if (part === undefined) throw new StoreError(`the database ${database.name} is not open`);
    return part;
  }
  /** Returns the tables. Inside {@link Store.inGuild}, queries on them are part of its transaction. */
  const tables = () => currentTransaction.getStore() ?? needed(opened);

  async function measured<Result>(run: () => Promise<Result>): Promise<Result> {
    const since = performance.now();
    let isStoreError = false;
    try {
      return await run();
    } catch (error) {
      isStoreError = error instanceof StoreError;
      throw error;
    } finally {
      onTransaction?.({ ms: performance.now() - since, isStoreError });
    }
  }

  /** @param begun an error created by the caller, used for its stack trace */
  async function watched<Result>(
    guildId: string,
    begun: StuckTransactionError,
    run: () => Promise<Result>,
  ): Promise<Result> {
    let seconds = 0;
    // Counts timer ticks, which excludes time when the process or machine is suspended.
    const watchdog = setInterval(() => {
      seconds += 1;
      if (seconds === LONG_TRANSACTION_SECONDS) {
        const { stack } = begun;
        logger.warn(
          { guildId, stack },
          'a transaction has taken longer than a second; others are waiting for it',
        );
      }
      if (seconds === STUCK_TRANSACTION_SECONDS && url.kind === 'sqlite') onStuck?.(begun);
    }, watchdogTickMs);
    try {
      return await run();
    } finally {
      clearInterval(watchdog);
    }
  }

  const values = createValues(() => needed(keyv), tables);
  const testWrite = () => values.set(WRITE_TEST_KEY, Date.now());

  /**
   * Runs a single statement that doesn't have to survive a power failure.
   * @param write must build the statement itself, because it has the only connection to SQLite
   */
  async function unsynced<Result>(name: UnsyncedWrite, write: () => Promise<Result>): Promise<Result> {
    if (currentTransaction.getStore()) return write();
    return database.unsynced(
      () => needed(opened),
      name,
      (own) => currentTransaction.run(own, write),
    );
  }

  return {
    name: 'store',
    /** The path of the SQLite file as given in `STORE_URL`; `undefined` for PostgreSQL. */
    path: database.path,
    /** SQL expression for the current time in milliseconds since 1970. All processes get the same time. */
    clock: database.clock,
    tables,
    /** Queries on these tables are outside any transaction. */
    apart: (): Kysely<Tables> => needed(openedApart),
    values,
    async start(): Promise<void> {
      await database.prepare(mayMigrate);
      try {
        opened = await database.open();
        openedApart = await database.openApart(opened);
        // Never add an `error` listener, because Keyv would then return `false` or `undefined` instead of throwing.
        keyv = await database.openKeyv(tables);
        await testWrite();
      } catch (cause) {
        await this.stop();
        throw await database.cannotOpen(cause);
      }
    },
    async stop(): Promise<void> {
      const closing = [openedApart, opened];
      // From now on, calls fail with a StoreError, not with Kysely's own error.
      openedApart = undefined;
      opened = undefined;
      keyv = undefined;
      for (const each of closing) await each?.destroy();
    },
    /**
     * Changes a guild's data in a single transaction. If `change` throws, everything that it wrote to tables and key-value
     * pairs is rolled back. A nested call joins the outer transaction. Other changes to the guild wait until this one has
     * ended. With SQLite, changes to other guilds wait too.
     *
     * Rules for `change`:
     * - It must only await calls to the store that it makes itself. A call made elsewhere may be waiting for this
     *   transaction's connection.
     * - It must not catch SQL errors, because PostgreSQL can't continue a transaction after one.
     */
    async inGuild<Result>(
      guildId: string,
      change: () => Promise<Result>,
      { unsynced, ifFree = false }: Partial<Omit<TransactionOptions, 'guildId'>> = {},
    ): Promise<Result> {
      if (currentTransaction.getStore()) return change();
      const begun = new StuckTransactionError(`a transaction for guild ${guildId} is not finishing`);
      return measured(() =>
        database.transaction(
          () => needed(opened),
          { guildId, unsynced, ifFree },
          (own) => currentTransaction.run(own, () => watched(guildId, begun, change)),
        ),
      );
    },
    unsynced,
    /** Syncs all earlier writes to disk, because a synced write does. */
    sync: testWrite,
    /** Writes a value with a single statement, because a transaction might have to wait for another process. */
    testWriting: (): Promise<void> => measured(() => unsynced('health check', testWrite)),
    /**
     * Truncates SQLite's write-ahead log, which may still contain deleted values. Must be called after a transaction,
     * because it is ignored inside {@link Store.inGuild}. Never throws.
     */
    async cutLog(): Promise<void> {
      if (currentTransaction.getStore()) return;
      try {
        await database.cutLog(needed(opened));
      } catch (error) {
        logger.warn(
          { err: error },
          'could not remove deleted values from the database log; will retry within an hour',
        );
      }
    },
  };
}

const databaseAt = (url: StoreUrl, logger: Pick<Logger, 'info' | 'warn'>, isUnhurried: boolean): Database =>
  url.kind === 'sqlite'
    ? createSqliteDatabase({ path: url.path, logger, isUnhurried })
    : createPostgresDatabase({ ...url, logger, isUnhurried });

/**
 * Gives access to a database's values without migrating its tables. A bot may be using the database at the same time.
 * @returns the result of `use`, or `undefined` before the tables exist
 * @throws StoreError if the database can't be used, or SQLite's own error
 */
export async function useValues<Result>(
  url: StoreUrl,
  use: (values: Values) => Promise<Result>,
): Promise<Result | undefined> {
  const database = databaseAt(url, SILENT, false);
  await using db = await database.openBeside();
  if (db === undefined) return undefined;
  const tables = () => db;
  const keyv = await database.openKeyv(tables);
  return await use(createValues(() => keyv, tables));
}

/** @throws StoreError if the database can't be used, or SQLite's own error */
export async function migrationsOfNewerVersion(url: StoreUrl): Promise<readonly string[]> {
  await using db = await databaseAt(url, SILENT, false).openBeside();
  if (db === undefined) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  return rows.map(({ name }) => name).filter((name) => !(name in MIGRATIONS));
}
