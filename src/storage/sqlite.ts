import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import {
  type Dialect,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  type SqliteStatement,
} from 'kysely';
import { createBoundedMap } from '../bounded-map.ts';
import { reason, StoreError } from './store-error.ts';

/**
 * How long a statement waits for a lock of another process, in milliseconds. `node:sqlite` is synchronous: the whole
 * bot stands still meanwhile, and Discord waits 3 seconds for an acknowledgement.
 */
export const BUSY_TIMEOUT_MS = 1_000;

/** Statements that are compiled once. To compile some pragmas is to run them (SQLite docs: PRAGMA). */
const CACHEABLE = /^\s*(?:select|insert|update|delete)\b/i;
/** Compiled statements that are kept; then the oldest goes. */
const MOST_COMPILED = 300;
/** UTF-16 units of a statement that is kept: each length of a list makes another one, and one of 1,000 servers takes 0.9 MB. */
const LONGEST_KEPT = 4_000;

/** Opens a file of SQLite for reading and writing. @throws the error of SQLite */
export function openFile(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    database.exec('PRAGMA journal_mode = WAL');
    database.exec('PRAGMA synchronous = NORMAL');
    database.exec('PRAGMA secure_delete = ON');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Kysely's own dialect over `node:sqlite`. Whatever SQLite throws becomes a {@link StoreError}. */
export function sqliteDialect(database: DatabaseSync): Dialect {
  const adapter = new SqliteAdapter();
  // Kysely says false, and each statement of a migration would be a transaction of its own.
  Object.defineProperty(adapter, 'supportsTransactionalDdl', { value: true });
  const dialect = new SqliteDialect({ database: adapterOf(database) });
  return Object.assign(dialect, { createAdapter: () => adapter });
}

function adapterOf(database: DatabaseSync): SqliteDatabase {
  const compiled = createBoundedMap<SqliteStatement>(MOST_COMPILED);

  function compile(sql: string): SqliteStatement {
    const known = compiled.get(sql);
    if (known) return known;
    const statement = statementOf(orStoreError(() => database.prepare(sql)));
    if (CACHEABLE.test(sql) && sql.length <= LONGEST_KEPT) compiled.set(sql, statement);
    return statement;
  }

  return {
    prepare(sql) {
      // A transaction that begins by reading fails at once beside a second writer, whatever the busy timeout is.
      if (sql === 'begin') return commandOf(() => database.exec('BEGIN IMMEDIATE'));
      // SQLite has ended the transaction by itself if the disk is full (SQLite docs: Transactions, 3.1).
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

/** A statement without parameters and rows. */
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
  throw new Error('queries are not streamed: a stream would hold up every other statement');
}

function orStoreError<Result>(run: () => Result): Result {
  try {
    return run();
  } catch (cause) {
    throw new StoreError(`the database failed: ${reason(cause)}`, { cause });
  }
}
