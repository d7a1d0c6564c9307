import { DatabaseSync } from 'node:sqlite';
import type { DatabaseConnection, Dialect, DialectAdapter, Kysely, QueryResult } from 'kysely';
import type { Part } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import { cannotWrite, checkFile, prepareFile } from './database-file.ts';
import { kysely } from './kysely.ts';
import { MIGRATIONS, migrate, removeCopies } from './migrations.ts';
import {
  createStatements,
  type StatementResult,
  type Statements,
  type StatementsOptions,
  type TransactionOptions,
} from './statements.ts';
import { openValues, reason, StoreError, storePath, type Values } from './store.ts';
import type { Tables } from './tables.ts';

/**
 * How long a statement waits for a lock of another process. `node:sqlite` is synchronous: the whole bot stands
 * still meanwhile, and Discord waits 3 seconds for an acknowledgement.
 */
const BUSY_TIMEOUT_MS = 1_000;
/** How often values past their time are removed, and an unfinished {@link Database.erase} is tried again. */
const SWEEP_MS = 600_000;
/** Says over restarts that traces of something deleted may be left in the file. */
const TRACES = 'storage:traces';

export interface DatabaseDeps {
  /** `STORE_URL`, e.g. `sqlite://data/bot.sqlite`. */
  readonly url: string;
  readonly logger: Logger;
  /** Whether the file is rewritten at start and stop where traces may be left in it; not beside a running bot. */
  readonly rewrites?: boolean;
  /** Called after each commit that has written something. */
  readonly onCommit?: StatementsOptions['onCommit'];
  /** Called after each statement and transaction. */
  readonly onStatement?: StatementsOptions['onEnd'];
}

/** The store over one file of SQLite. Every method throws a {@link StoreError} when the database fails. */
export interface Database extends Omit<Values, 'clearExpired' | 'tryAgain'>, Part {
  /** The file, as `STORE_URL` names it. */
  readonly path: string;
  /** What is searched, counted or claimed. The first use loads Kysely, in some 60 ms. */
  readonly tables: Kysely<Tables>;
  /** One statement in SQL, for what is asked of the tables at the start. */
  execute(sql: string, parameters?: readonly unknown[]): Promise<StatementResult>;
  start(): Promise<void>;
  stop(): Promise<void>;
  /**
   * Changes what is kept of a guild: everything that `change` writes, to tables and under keys, is written as a
   * whole, or nothing when it throws. It holds up everybody, so it may wait for statements only.
   */
  inGuild<Result>(
    guildId: string,
    change: () => Promise<Result>,
    options?: TransactionOptions,
  ): Promise<Result>;
  /**
   * Deletes or replaces, as a whole, what must leave the disk. SQLite overwrites it, its log is cut off, and copies
   * from before migrations go. Pages that were split may still hold traces; they go when the file is rewritten at
   * the next stop or start. (Rewriting stops everybody for 8 ms a megabyte, measured.)
   */
  erase<Result>(change: () => Promise<Result>): Promise<Result>;
}

interface Opened {
  readonly statements: Statements;
  readonly values: Values;
}

/** @throws StoreError when the URL is not SQLite's */
export function createDatabase(deps: DatabaseDeps): Database {
  const { logger } = deps;
  const path = storePath(deps.url);
  let opened: Opened | undefined;
  let timer: NodeJS.Timeout | undefined;

  const needed = () => {
    if (opened === undefined) throw new StoreError(`the database ${path} is not open`);
    return opened;
  };
  const traces = createTraceRemoval({ ...deps, path, needed });
  const execute: Database['execute'] = (sql, parameters) =>
    loud(path, 'a statement failed', async () => needed().statements.execute(sql, parameters));

  async function sweep(): Promise<void> {
    try {
      await needed().values.clearExpired();
      await removeCopies(path, 'old');
    } catch (error) {
      logger.warn({ err: error }, 'what is past its time could not be removed; will try again');
    }
    await traces.cutLogIfLeft();
  }

  return {
    name: 'store',
    path,
    execute,
    tables: createTables({ execute }),
    async start() {
      await prepareFile(path);
      await checkFile(path, BUSY_TIMEOUT_MS);
      opened = await open(path, deps);
      await writeTest(path, opened);
      await opened.values.tryAgain();
      await traces.rewrite();
      await sweep();
      timer = setInterval(() => void sweep(), SWEEP_MS).unref();
    },
    async stop() {
      clearInterval(timer);
      if (opened === undefined) return;
      await traces.rewrite();
      await opened.statements.alone((database) => database.close());
      opened = undefined;
    },
    get: async (key) => needed().values.get(key),
    set: async (key, value, ttlMs) => needed().values.set(key, value, ttlMs),
    delete: async (key) => needed().values.delete(key),
    replace: async (key, previous, value) => needed().values.replace(key, previous, value),
    setAside: async (key, read, why) => needed().values.setAside(key, read, why),
    entries: (prefix) => needed().values.entries(prefix),
    keys: (prefix) => needed().values.keys(prefix),
    inGuild: async (guildId, change, options) =>
      loud(path, `cannot change the data of guild ${guildId}`, () =>
        needed().statements.transaction(change, options),
      ),
    erase: traces.erase,
  };
}

/** What the caller threw is its own; what SQLite throws is told with the file. */
async function loud<Result>(path: string, what: string, run: () => Promise<Result>): Promise<Result> {
  return run().catch((error: unknown) => {
    if (!(error instanceof Error) || !('errcode' in error)) throw error;
    throw new StoreError(`${what} in ${path}: ${reason(error)}`, { cause: error });
  });
}

async function open(path: string, { logger, onCommit, onStatement }: DatabaseDeps): Promise<Opened> {
  const connection = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    connection.exec('PRAGMA journal_mode = WAL');
    connection.exec('PRAGMA secure_delete = ON');
    // Otherwise VACUUM puts a copy of everything into a temporary file elsewhere.
    connection.exec('PRAGMA temp_store = MEMORY');
    const statements = createStatements(connection, { onCommit, onEnd: onStatement });
    await migrate({ path, tables: createTables(statements), statements, migrations: MIGRATIONS });
    return { statements, values: await openValues({ path, statements, logger }) };
  } catch (cause) {
    connection.close();
    throw cause instanceof StoreError ? cause : await cannotWrite(path, cause);
  }
}

/** In one transaction: other processes may start on the same file at the same time. */
async function writeTest(path: string, { statements, values }: Opened): Promise<void> {
  const key = 'boot:write-test';
  const value = new Date().toISOString();
  try {
    await statements.transaction(async () => {
      await values.set(key, value);
      if ((await values.get(key)) !== value) throw new StoreError('what was written reads back differently');
      await values.delete(key);
    });
  } catch (error) {
    throw await cannotWrite(path, error instanceof StoreError && error.cause ? error.cause : error);
  }
}

const none = async () => undefined;

/** Our statements pass a queue of their own; Kysely's would wait for it, and it for Kysely's. */
const ADAPTER: DialectAdapter = {
  supportsCreateIfNotExists: true,
  supportsMultipleConnections: true,
  supportsTransactionalDdl: false,
  supportsReturning: true,
  acquireMigrationLock: none,
  releaseMigrationLock: none,
};

/** Kysely over our {@link Statements}, made when it is first used. Transactions are made there, not with Kysely's `transaction()`. */
export function createTables(statements: Pick<Statements, 'execute'>): Kysely<Tables> {
  const connection: DatabaseConnection = {
    async executeQuery<R>({ sql, parameters }: { sql: string; parameters: readonly unknown[] }) {
      const { rows, changes } = await statements.execute(sql, parameters);
      return { rows, numAffectedRows: BigInt(changes) } as QueryResult<R>;
    },
    streamQuery() {
      throw new Error('queries are not streamed: a stream would hold up every other statement');
    },
  };
  const ours = async () => {
    throw new Error('transactions are made with inGuild()');
  };
  const dialect: Dialect = {
    createAdapter: () => ADAPTER,
    createDriver: () => ({
      init: none,
      acquireConnection: async () => connection,
      beginTransaction: ours,
      commitTransaction: ours,
      rollbackTransaction: ours,
      releaseConnection: none,
      destroy: none,
    }),
    createIntrospector: (db) => new (kysely().SqliteIntrospector)(db),
    createQueryCompiler: () => new (kysely().SqliteQueryCompiler)(),
  };
  let made: Kysely<Tables> | undefined;
  return new Proxy({} as Kysely<Tables>, {
    get(_, name) {
      made ??= new (kysely().Kysely)<Tables>({ dialect });
      const value: unknown = Reflect.get(made, name);
      return typeof value === 'function' ? value.bind(made) : value;
    },
  });
}

interface TraceRemovalDeps extends Pick<DatabaseDeps, 'logger' | 'rewrites'> {
  readonly path: string;
  readonly needed: () => Opened;
}

/** Sees to it that what is deleted leaves the log, copies of the file, and the file itself. */
function createTraceRemoval({ path, needed, logger, rewrites = true }: TraceRemovalDeps) {
  let isLogCut = true;

  async function cutLog(): Promise<void> {
    isLogCut = false;
    try {
      await needed().statements.alone((database) => {
        // A backup may read it for seconds: everybody would stand still meanwhile.
        database.exec('PRAGMA busy_timeout = 0');
        try {
          const busy = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy;
          if (busy !== 0) throw new Error('another process is reading it');
        } finally {
          database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
        }
      });
      isLogCut = true;
      await removeCopies(path, 'all');
    } catch (error) {
      logger.warn({ err: error }, 'deleted values may still be in the log of the database; will try again');
    }
  }

  return {
    async cutLogIfLeft(): Promise<void> {
      if (!isLogCut) await cutLog();
    },
    /** Pages that were split keep old copies whatever secure_delete does: 6 of 12,000 values were found. */
    async rewrite(): Promise<void> {
      if (!rewrites) return;
      try {
        const { statements, values } = needed();
        if ((await values.get(TRACES)) === undefined) return;
        await statements.alone((database) => database.exec('VACUUM'));
        await cutLog();
        if (isLogCut) await values.delete(TRACES);
      } catch (error) {
        logger.warn({ err: error }, 'deleted values may still be in the database file; will try again');
      }
    },
    async erase<Result>(change: () => Promise<Result>): Promise<Result> {
      const { statements, values } = needed();
      const result = await loud(path, 'cannot delete', () =>
        statements.transaction(async () => {
          await values.set(TRACES, true);
          return change();
        }),
      );
      await cutLog();
      return result;
    },
  };
}
