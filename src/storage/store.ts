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

/** After so many seconds a transaction is logged, since others wait for it. */
const LONG_SECONDS = 1;
/** After so many seconds a transaction of SQLite counts as endless; everybody waits for its connection. */
const STUCK_SECONDS = 30;

/** The key of a value that is written to see whether anything can be. */
export const WRITE_TEST = 'health:write-test';

/** A transaction does not end. Over SQLite nothing but the end of the process frees its connection. */
export class StuckTransaction extends Error {
  override readonly name = 'StuckTransaction';
}

export type Store = ReturnType<typeof createStore>;

export interface TransactionEnd {
  /** How long it took, waiting for others included. */
  readonly ms: number;
  /** Whether the database failed. */
  readonly isFailure: boolean;
}

export interface StoreDeps {
  readonly url: StoreUrl;
  readonly logger: Logger;
  readonly onTransaction?: ((end: TransactionEnd) => void) | undefined;
  /** Called when a transaction of SQLite does not end: the process has to end at once. PostgreSQL ends it by itself. */
  readonly onStuck?: ((error: StuckTransaction) => void) | undefined;
  /** Lets every statement take as long as it needs: for tools, where nobody waits for an answer. */
  readonly isUnhurried?: boolean;
  /** Whether the start may bring the tables to their present shape; otherwise it fails where they have another. */
  readonly mayMigrate?: boolean;
  /** A second, in milliseconds. */
  readonly secondMs?: number | undefined;
}

/** What the bot keeps, in tables and as values under keys. Every method throws a {@link StoreError} when it fails. */
export function createStore(deps: StoreDeps) {
  const { url, logger, onTransaction, onStuck, secondMs = 1_000 } = deps;
  const { isUnhurried = false, mayMigrate = true } = deps;
  const database = databaseAt(url, logger, isUnhurried);
  /** The transaction of the code that runs; this code may use nothing else. */
  const inside = new AsyncLocalStorage<Kysely<Tables>>();
  let opened: Kysely<Tables> | undefined;
  let openedApart: Kysely<Tables> | undefined;
  let keyv: Keyv | undefined;

  function needed<Opened>(part: Opened | undefined): Opened {
    if (part === undefined) throw new StoreError(`the database ${database.name} is not open`);
    return part;
  }
  /** What is searched, counted or claimed; inside of {@link Store.inGuild} in its transaction. */
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

  /** @param begun an error made by the caller, for its stack */
  async function watched<Result>(
    guildId: string,
    begun: StuckTransaction,
    run: () => Promise<Result>,
  ): Promise<Result> {
    let seconds = 0;
    // The seconds are counted one by one, so that the time in which the process or the machine slept does not count.
    const watchdog = setInterval(() => {
      seconds += 1;
      if (seconds === LONG_SECONDS) {
        const { stack } = begun;
        logger.warn({ guildId, stack }, 'a transaction takes longer than a second; others wait for it');
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
    /** The file of SQLite, as `STORE_URL` names it; PostgreSQL has none. */
    path: database.path,
    /** The time by the clock of the database, as a part of a statement: milliseconds since 1970, the same for all processes. */
    clock: database.clock,
    tables,
    /** The same tables over a connection of their own, in no transaction. */
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
      // From here on whatever still asks fails with a StoreError: Kysely would throw an Error of its own.
      openedApart = undefined;
      opened = undefined;
      keyv = undefined;
      for (const each of closing) await each?.destroy();
    },
    /**
     * Changes what is kept of a guild, in one transaction: everything that `change` writes, to tables and under keys, is kept, or
     * nothing if `change` throws. A change inside another one is a part of that. Other changes of the guild wait until this one
     * ends; with SQLite those of all guilds do. So `change` awaits nothing but the store, and nothing of the store that began
     * outside: that may wait for the connection. `change` catches no SQL error, since PostgreSQL does not go on after one.
     */
    async inGuild<Result>(
      guildId: string,
      change: () => Promise<Result>,
      { synced = true, ifFree = false }: Partial<Omit<TransactionOptions, 'guildId'>> = {},
    ): Promise<Result> {
      if (inside.getStore()) return change();
      const begun = new StuckTransaction(`a transaction of guild ${guildId} does not end`);
      return measured(() =>
        database.transaction(
          () => needed(opened),
          { guildId, synced, ifFree },
          (own) => inside.run(own, () => watched(guildId, begun, change)),
        ),
      );
    },
    /** Writes a value by one statement. In a transaction it could wait for another process. */
    testWriting: (): Promise<void> => measured(() => values.set(WRITE_TEST, Date.now())),
    /**
     * Cuts off the log of SQLite's file, in which deleted values may still stand. Never throws. Inside
     * {@link Store.inGuild} it does nothing: whoever began the transaction cuts the log after its end.
     */
    async cutLog(): Promise<void> {
      if (inside.getStore()) return;
      try {
        await database.cutLog(needed(opened));
      } catch (error) {
        logger.warn({ err: error }, 'deleted values stay in the log of the database until the next hour');
      }
    },
  };
}

function databaseAt(url: StoreUrl, logger: Pick<Logger, 'warn'>, isUnhurried: boolean): Database {
  switch (url.kind) {
    case 'sqlite':
      return createSqliteDatabase(url.path);
    case 'postgres':
      return createPostgresDatabase({ ...url, logger, isUnhurried });
  }
}

/**
 * Uses the values of a database beside a bot that may run on it; the tables stay as they are.
 * @param isWritten otherwise a file is opened for reading only
 * @returns `undefined` where there are no tables yet
 * @throws StoreError where it cannot be used; the error of SQLite
 */
export async function useValues<Result>(
  url: StoreUrl,
  use: (values: Values) => Promise<Result>,
  isWritten = false,
): Promise<Result | undefined> {
  const database = databaseAt(url, { warn: () => undefined }, false);
  const db = await database.openBeside(isWritten);
  if (db === undefined) return undefined;
  try {
    const keyv = await database.openKeyv(() => db);
    return await use(
      createValues(
        () => keyv,
        () => db,
      ),
    );
  } finally {
    await db.destroy();
  }
}

/**
 * The migrations that a newer version has made, beside which this one works.
 * @throws StoreError where the database cannot be used; the error of SQLite
 */
export async function migrationsOfNewer(url: StoreUrl): Promise<readonly string[]> {
  const db = await databaseAt(url, { warn: () => undefined }, false).openBeside(false);
  if (db === undefined) return [];
  try {
    const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
    return rows.map(({ name }) => name).filter((name) => !(name in MIGRATIONS));
  } finally {
    await db.destroy();
  }
}
