import { AsyncLocalStorage } from 'node:async_hooks';
import { KeyvSqlite } from '@keyv/sqlite';
import { Keyv } from 'keyv';
import { CompiledQuery, Kysely } from 'kysely';
import type { Part } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import { cannotWrite, checkFile, prepareFile } from './database-file.ts';
import { migrate } from './migrations.ts';
import { BUSY_TIMEOUT_MS, openFile, sqliteDialect } from './sqlite.ts';
import { StoreError, storePath } from './store-error.ts';
import type { Tables } from './tables.ts';

/** A transaction that takes longer is logged, in milliseconds: all others wait meanwhile. */
const LONG_TRANSACTION_MS = 1_000;
/** Values under string keys, plain JSON. Keys are `area:id`; where the id is a number it is a guild's. */
export interface Values {
  /** `undefined` if nothing is there, `null` if the row cannot be read. */
  get(key: string): Promise<unknown>;
  set(key: string, value: unknown): Promise<void>;
  /** Whether there was something to delete. */
  delete(key: string): Promise<boolean>;
  /** The keys that begin with this, in order. */
  keys(prefix: string): Promise<readonly string[]>;
}

/** What the bot keeps, in tables and as values under keys. Every method throws a {@link StoreError} when it fails. */
export interface Store extends Part {
  /** The file, as `STORE_URL` names it. */
  readonly path: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** What is searched, counted or claimed; inside of {@link Store.inGuild} in its transaction. */
  tables(): Kysely<Tables>;
  readonly values: Values;
  /**
   * Changes what is kept of a guild. Everything that `change` writes, to tables and under keys, is written as a whole,
   * or nothing if it throws. Inside another change it is a part of that one. All others wait until the change ends, so
   * it must await nothing but the store. It must catch no SQL error: PostgreSQL does not go on after one.
   */
  inGuild<Result>(
    guildId: string,
    change: () => Promise<Result>,
    options?: {
      /** Whether the change has to survive a loss of power: 0.43 ms in place of 0.025 (measured). */
      readonly synced: boolean;
    },
  ): Promise<Result>;
  /** Cuts off the log of the file, in which deleted values may still stand. Never throws. */
  cutLog(): Promise<void>;
}

export interface TransactionEnd {
  /** With the time that it waited for others. */
  readonly ms: number;
  /** Whether the database failed. */
  readonly isFailure: boolean;
}

export interface StoreDeps {
  /** `STORE_URL`, e.g. `sqlite://data/bot.sqlite`. */
  readonly url: string;
  readonly logger: Logger;
  readonly onTransaction?: ((end: TransactionEnd) => void) | undefined;
}

export function createStore({ url, logger, onTransaction }: StoreDeps): Store {
  const path = storePath(url);
  /** The transaction that the present code runs in. Kysely has one connection, so a second one would wait for it. */
  const inside = new AsyncLocalStorage<Kysely<Tables>>();
  let opened: Kysely<Tables> | undefined;
  let keyv: Keyv | undefined;

  function needed<Opened>(part: Opened | undefined): Opened {
    if (part === undefined) throw new StoreError(`the database ${path} is not open`);
    return part;
  }
  const tables = () => inside.getStore() ?? needed(opened);

  async function openKeyv(): Promise<Keyv> {
    const query = async (sql: string, ...parameters: unknown[]) =>
      (await tables().executeQuery(CompiledQuery.raw(sql, parameters))).rows;
    const adapter = new KeyvSqlite({
      driver: { name: 'custom', connect: async () => ({ query, close: async () => undefined }) },
    });
    // Otherwise a set that fails says `false`, and not why.
    adapter.on('error', (error: Error) => {
      throw error;
    });
    // A table that a transaction has made would go when that is rolled back.
    await adapter.ready;
    // With an `error` listener Keyv turns failures into `false` and `undefined`: there must never be one.
    return new Keyv({ store: adapter });
  }

  async function transaction<Result>(change: () => Promise<Result>, synced: boolean): Promise<Result> {
    return needed(opened)
      .connection()
      .execute(async (connection) => {
        // Cannot be changed inside of a transaction (SQLite docs: PRAGMA synchronous).
        const sync = (level: string) =>
          connection.executeQuery(CompiledQuery.raw(`pragma synchronous = ${level}`));
        if (synced) await sync('full');
        try {
          return await connection.transaction().execute((own) => inside.run(own, change));
        } finally {
          if (synced) await sync('normal');
        }
      });
  }

  async function watched<Result>(guildId: string, run: () => Promise<Result>): Promise<Result> {
    const { stack } = new Error('began here');
    const since = performance.now();
    const warn = () =>
      logger.warn({ guildId, stack }, 'a transaction takes longer than a second; all others wait for it');
    const watchdog = setTimeout(warn, LONG_TRANSACTION_MS);
    let isFailure = false;
    try {
      return await run();
    } catch (error) {
      isFailure = error instanceof StoreError;
      throw error;
    } finally {
      clearTimeout(watchdog);
      onTransaction?.({ ms: performance.now() - since, isFailure });
    }
  }

  return {
    name: 'store',
    path,
    tables,
    values: createValues(() => needed(keyv), tables),
    async start() {
      await prepareFile(path);
      await checkFile(path);
      try {
        opened = new Kysely<Tables>({ dialect: sqliteDialect(openFile(path)) });
        await migrate(opened);
        keyv = await openKeyv();
        await keyv.set('boot:write-test', Date.now());
      } catch (cause) {
        await this.stop();
        throw await cannotWrite(path, cause);
      }
    },
    async stop() {
      await opened?.destroy();
      opened = undefined;
      keyv = undefined;
    },
    async inGuild(guildId, change, { synced } = { synced: true }) {
      if (inside.getStore()) return change();
      return watched(guildId, () => transaction(change, synced));
    },
    async cutLog() {
      try {
        const isCut = await needed(opened).connection().execute(cutLogOf);
        if (!isCut) throw new Error('another process is reading it');
      } catch (error) {
        logger.warn({ err: error }, 'deleted values stay in the log of the database until the next hour');
      }
    },
  };
}

/** @returns whether nobody was reading the log */
async function cutLogOf(connection: Kysely<Tables>): Promise<boolean> {
  const pragma = async (text: string) =>
    (await connection.executeQuery(CompiledQuery.raw(`pragma ${text}`))).rows;
  // A backup may read the log for seconds: everybody would stand still meanwhile.
  await pragma('busy_timeout = 0');
  try {
    const [row] = await pragma('wal_checkpoint(truncate)');
    return Object(row).busy === 0;
  } finally {
    await pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }
}

/** Above every key that begins with the prefix it is put after. */
const LAST = '\u{10FFFF}';

function createValues(keyv: () => Keyv, tables: Store['tables']): Values {
  return {
    async get(key) {
      try {
        return await keyv().get(key);
      } catch (error) {
        if (error instanceof SyntaxError) return null;
        throw error;
      }
    },
    async set(key, value) {
      if (!(await keyv().set(key, value))) throw new StoreError(`${key} could not be written`);
    },
    delete: (key) => keyv().delete(key),
    async keys(prefix) {
      const rows = await tables()
        .selectFrom('keyv')
        .select('key')
        .where('key', '>=', prefix)
        .where('key', '<', prefix + LAST)
        .orderBy('key')
        .execute();
      return rows.map(({ key }) => key);
    },
  };
}
