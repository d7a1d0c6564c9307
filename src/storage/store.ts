import { AsyncLocalStorage } from 'node:async_hooks';
import type { Keyv } from 'keyv';
import { type Kysely, sql } from 'kysely';
import type { Logger } from '../logger.ts';
import type { StoreUrl } from '../store-url.ts';
import type { Database, TransactionOptions } from './database.ts';
import { MIGRATIONS } from './migrations.ts';
import { createPostgresDatabase } from './postgres-database.ts';
import { createSqliteDatabase } from './sqlite-database.ts';
import { StoreError } from './store-error.ts';
import type { Tables } from './tables.ts';
import { createValues, type Values } from './values.ts';

/** The duration after which a transaction is logged, in seconds. Other transactions wait for it. */
const LONG_SECONDS = 1;
/** The duration after which a SQLite transaction counts as stuck, in seconds. The whole bot waits for its connection. */
const STUCK_SECONDS = 30;

/** The key of a value that is written to test whether writing works. */
export const WRITE_TEST = 'health:write-test';

/** A transaction is stuck. With SQLite, its connection is only released when the process exits. */
export class StuckTransactionError extends Error {
  override readonly name = 'StuckTransactionError';
}

export type Store = ReturnType<typeof createStore>;

export interface TransactionEnd {
  /** The duration, including waits for other transactions. */
  readonly ms: number;
  /** Whether the database failed. */
  readonly isFailure: boolean;
}

export interface StoreDeps {
  readonly url: StoreUrl;
  readonly logger: Logger;
  readonly onTransaction?: ((end: TransactionEnd) => void) | undefined;
  /**
   * Called when a SQLite transaction doesn't end. The process must then exit immediately. PostgreSQL ends such transactions
   * itself.
   */
  readonly onStuck?: ((error: StuckTransactionError) => void) | undefined;
  /** Removes the time limit for statements. Tools use this, because no member is waiting for a reply. */
  readonly isUnhurried?: boolean;
  /** Whether the start may migrate the tables. If false, it fails when they need a migration. */
  readonly mayMigrate?: boolean;
  /** The length of a second, in milliseconds; shorter in tests. */
  readonly secondMs?: number | undefined;
}

/**
 * Creates the bot's storage, which has tables and a key-value store. Every method throws a {@link StoreError} if it fails.
 */
export function createStore(deps: StoreDeps) {
  const { url, logger, onTransaction, onStuck, secondMs = 1_000 } = deps;
  const { isUnhurried = false, mayMigrate = true } = deps;
  const database = databaseAt(url, logger, isUnhurried);
  /** The transaction that the current code runs in. That code must not use any other connection. */
  const inside = new AsyncLocalStorage<Kysely<Tables>>();
  let opened: Kysely<Tables> | undefined;
  let openedApart: Kysely<Tables> | undefined;
  let keyv: Keyv | undefined;

  function needed<Opened>(part: Opened | undefined): Opened {
    if (part === undefined) throw new StoreError(`the database ${database.name} is not open`);
    return part;
  }
  /** Returns the tables. Inside {@link Store.inGuild}, returns those of its transaction. */
  const tables = () => inside.getStore() ?? needed(opened);

  async function measured<Result>(run: () => Promise<Result>): Promise<Result> {
    const since = performance.now();
    let isFailure = false;
    try {
      return await run();
    } catch (error) {
      isFailure = error instanceof StoreError;
      throw error;
    } finally {
      onTransaction?.({ ms: performance.now() - since, isFailure });
    }
  }

  /** @param begun an error that the caller creates, for its stack trace */
  async function watched<Result>(
    guildId: string,
    begun: StuckTransactionError,
    run: () => Promise<Result>,
  ): Promise<Result> {
    let seconds = 0;
    // Counts seconds one by one, to exclude time in which the process or the machine was suspended.
    const watchdog = setInterval(() => {
      seconds += 1;
      if (seconds === LONG_SECONDS) {
        const { stack } = begun;
        logger.warn(
          { guildId, stack },
          'a transaction has taken longer than a second; others are waiting for it',
        );
      }
      if (seconds === STUCK_SECONDS && url.kind === 'sqlite') onStuck?.(begun);
    }, secondMs);
    try {
      return await run();
    } finally {
      clearInterval(watchdog);
    }
  }

  const values = createValues(() => needed(keyv), tables);

  return {
    name: 'store',
    /** The path of the SQLite file as given in `STORE_URL`; `undefined` for PostgreSQL. */
    path: database.path,
    /** An SQL expression for the current time in milliseconds since 1970, which is the same for all processes. */
    clock: database.clock,
    tables,
    /** Returns the same tables on a separate connection, outside any transaction. */
    apart: (): Kysely<Tables> => needed(openedApart),
    values,
    async start(): Promise<void> {
      await database.prepare(mayMigrate);
      try {
        opened = await database.open();
        openedApart = await database.openApart(opened);
        // Never add an `error` listener: Keyv would turn failures into `false` and `undefined`.
        keyv = await database.openKeyv(tables);
        await values.set(WRITE_TEST, Date.now());
      } catch (cause) {
        await this.stop();
        throw await database.cannotOpen(cause);
      }
    },
    async stop(): Promise<void> {
      const closing = [openedApart, opened];
      // After this, calls fail with a StoreError instead of one of Kysely's own errors.
      openedApart = undefined;
      opened = undefined;
      keyv = undefined;
      for (const each of closing) await each?.destroy();
    },
    /**
     * Changes a guild's data in one transaction. If `change` throws, everything that it wrote to tables and keys is rolled
     * back. A nested call joins the outer transaction. Other changes of the guild wait until this one ends; with SQLite,
     * changes of all guilds do. `change` must only await the store, and no store call that began outside, because that call
     * may be waiting for the connection. It must not catch SQL errors, because PostgreSQL can't continue a transaction
     * after one.
     */
    async inGuild<Result>(
      guildId: string,
      change: () => Promise<Result>,
      { synced = true, ifFree = false }: Partial<Omit<TransactionOptions, 'guildId'>> = {},
    ): Promise<Result> {
      if (inside.getStore()) return change();
      const begun = new StuckTransactionError(`a transaction of guild ${guildId} does not finish`);
      return measured(() =>
        database.transaction(
          () => needed(opened),
          { guildId, synced, ifFree },
          (own) => inside.run(own, () => watched(guildId, begun, change)),
        ),
      );
    },
    /** Writes a value with one statement. A transaction could have to wait for another process. */
    testWriting: (): Promise<void> => measured(() => values.set(WRITE_TEST, Date.now())),
    /**
     * Truncates SQLite's log, which may still contain deleted values. Never throws. Does nothing inside {@link
     * Store.inGuild}, so code that begins a transaction must call it afterwards.
     */
    async cutLog(): Promise<void> {
      if (inside.getStore()) return;
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

const databaseAt = (url: StoreUrl, logger: Pick<Logger, 'warn'>, isUnhurried: boolean): Database =>
  url.kind === 'sqlite'
    ? createSqliteDatabase(url.path)
    : createPostgresDatabase({ ...url, logger, isUnhurried });

/**
 * Uses the values of a database while a bot may be using it. Doesn't migrate the tables.
 * @param isWritten if false, a SQLite file is opened read-only
 * @returns `undefined` if there are no tables yet
 * @throws StoreError if the database can't be used; SQLite's own error
 */
export async function useValues<Result>(
  url: StoreUrl,
  use: (values: Values) => Promise<Result>,
  isWritten = false,
): Promise<Result | undefined> {
  const database = databaseAt(url, { warn: () => undefined }, false);
  await using db = await database.openBeside(isWritten);
  if (db === undefined) return undefined;
  const tables = () => db;
  const keyv = await database.openKeyv(tables);
  return await use(createValues(() => keyv, tables));
}

/**
 * Returns the applied migrations that only a newer version knows, but that this version can work with.
 * @throws StoreError if the database can't be used; SQLite's own error
 */
export async function migrationsOfNewer(url: StoreUrl): Promise<readonly string[]> {
  await using db = await databaseAt(url, { warn: () => undefined }, false).openBeside(false);
  if (db === undefined) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  return rows.map(({ name }) => name).filter((name) => !(name in MIGRATIONS));
}
