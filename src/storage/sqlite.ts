import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import {
  type Dialect,
  type Driver,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  type SqliteDialectConfig,
  SqliteDriver,
  type SqliteStatement,
} from 'kysely';
import { createBoundedMap } from '../pacing/bounded-map.ts';
import { reason, StoreError } from './store-error.ts';

/**
 * How long a statement waits for another process's lock. `node:sqlite` is synchronous, so waiting blocks the whole bot.
 * Discord only waits 3 seconds for an acknowledgement.
 */
export const BUSY_TIMEOUT_MS = 1_000;

/** Matches statements that can be cached. Pragmas can't, because some run when they are compiled (SQLite docs: PRAGMA). */
const CACHEABLE = /^\s*(?:select|insert|update|delete)\b/i;
const MAX_CACHED_STATEMENTS = 300;
/**
 * Longer statements aren't cached. A statement for 1,000 servers takes up 0.9 MB, and each number of servers needs its own
 * statement.
 */
const MAX_CACHED_STATEMENT_LENGTH = 4_000;

/** @throws SQLite's own error */
export function openFile(path: string, busyTimeoutMs = BUSY_TIMEOUT_MS): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs });
  try {
    database.exec('PRAGMA journal_mode = WAL');
    database.exec('PRAGMA synchronous = FULL');
    database.exec('PRAGMA secure_delete = ON');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * How long one turn of the event loop can last before the next transaction or single statement waits for another turn.
 * SQLite is synchronous, so all waiting statements would otherwise run in the same turn. In the hostile tests, 600
 * statements took 425 ms. A transaction about a list of 1,000 servers takes about 13 ms on its own.
 */
const MAX_TURN_MS = 20;

/** Creates a Kysely dialect on top of `node:sqlite`. Every SQLite error is turned into a {@link StoreError}. */
export function sqliteDialect(database: DatabaseSync): Dialect {
  const adapter = new SqliteAdapter();
  // By default, Kysely would run each statement of a migration in a separate transaction.
  Object.defineProperty(adapter, 'supportsTransactionalDdl', { value: true });
  const config = { database: adapterOf(database) };
  const createDriver = () => driverYieldingToEventLoop(config);
  return Object.assign(new SqliteDialect(config), { createAdapter: () => adapter, createDriver });
}

function driverYieldingToEventLoop(config: SqliteDialectConfig): Driver {
  const driver = new SqliteDriver(config);
  const acquire = driver.acquireConnection.bind(driver);
  let firstUsedInTurnAt: number | undefined;
  driver.acquireConnection = async () => {
    if (firstUsedInTurnAt !== undefined && performance.now() - firstUsedInTurnAt > MAX_TURN_MS)
      await setImmediate();
    if (firstUsedInTurnAt === undefined) {
      firstUsedInTurnAt = performance.now();
      void setImmediate().then(() => {
        firstUsedInTurnAt = undefined;
      });
    }
    return acquire();
  };
  return driver;
}

function adapterOf(database: DatabaseSync): SqliteDatabase {
  const compiled = createBoundedMap<SqliteStatement>(MAX_CACHED_STATEMENTS);

  function compile(sql: string): SqliteStatement {
    const known = compiled.get(sql);
    if (known) return known;
    const statement = statementOf(orStoreError(() => database.prepare(sql)));
    if (CACHEABLE.test(sql) && sql.length <= MAX_CACHED_STATEMENT_LENGTH) compiled.set(sql, statement);
    return statement;
  }

  return {
    prepare(sql) {
      // Takes the write lock immediately. If a transaction began with a read, its first write could fail without waiting.
      if (sql === 'begin') return commandOf(() => database.exec('BEGIN IMMEDIATE'));
      // If the disk is full, SQLite has already rolled back the transaction (SQLite docs: Transactions, 3.1).
      if (sql === 'rollback') return commandOf(() => database.isTransaction && database.exec('ROLLBACK'));
      return compile(sql);
    },
    close: () => database.close(),
  };
}

function statementOf(statement: StatementSync): SqliteStatement {
  const values = (parameters: readonly unknown[]) => parameters as SQLInputValue[];
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => orStoreError(() => statement.all(...values(parameters))),
    run: (parameters) => orStoreError(() => statement.run(...values(parameters))),
    iterate: notStreamed,
  };
}

function commandOf(run: () => unknown): SqliteStatement {
  return {
    reader: false,
    all: () => [],
    run() {
      orStoreError(run);
      return { changes: 0, lastInsertRowid: 0 };
    },
    iterate: notStreamed,
  };
}

function notStreamed(): never {
  throw new Error('queries are not streamed: a stream would block every other statement');
}

function orStoreError<Result>(run: () => Result): Result {
  try {
    return run();
  } catch (cause) {
    throw new StoreError(`the database failed: ${reason(cause)}`, { cause });
  }
}
