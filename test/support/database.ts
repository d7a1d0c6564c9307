import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { Selectable } from 'kysely';
import { Client, Pool } from 'pg';
import { inject, onTestFinished } from 'vitest';
import { createStore, type Store, type StoreDeps } from '../../src/storage/store.ts';
import type { Tables } from '../../src/storage/tables.ts';
import { parseStoreUrl, type StoreUrl, sqliteAt } from '../../src/store-url.ts';
import { folder, recorder } from './machine.ts';

type OpenDeps = Partial<Omit<StoreDeps, 'url'>>;

export type FileStore = Store & { readonly path: string };

let newDatabaseFile: Promise<Buffer> | undefined;

/** Creates a SQLite file with all tables. Copies one, because the migrations would take five times as long. */
export async function createDatabaseFile(path: string): Promise<void> {
  newDatabaseFile ??= migratedFile();
  writeFileSync(path, await newDatabaseFile, { mode: 0o600 });
}

async function migratedFile(): Promise<Buffer> {
  const temporary = mkdtempSync(join(tmpdir(), 'bot-store-'));
  const path = join(temporary, 'bot.sqlite');
  const store = createStore({ url: sqliteAt(path), logger: recorder() });
  try {
    await store.start();
    await store.stop();
    return readFileSync(path);
  } finally {
    rmSync(temporary, { recursive: true });
  }
}

/** Opens a SQLite store, and closes it after the test. */
export async function openStore(path?: string, deps: OpenDeps = {}): Promise<FileStore> {
  const file = path ?? join(folder(), 'bot.sqlite');
  if (path === undefined) await createDatabaseFile(file);
  const store = await openStoreAt(sqliteAt(file), deps);
  return { ...store, path: file };
}

/** Opens a SQLite or PostgreSQL store, and closes it after the test. */
export async function openStoreAt(url: StoreUrl, deps: OpenDeps = {}): Promise<Store> {
  const store = storeAt(url, deps);
  await store.start();
  return store;
}

/** Creates a store without starting it, and closes it after the test. */
function storeAt(url: StoreUrl, deps: OpenDeps = {}): Store {
  const store = createStore({ url, logger: recorder(), ...deps });
  onTestFinished(() => store.stop());
  return store;
}

/** Returns every row in a table. */
export async function rowsIn<Name extends keyof Tables>(
  { tables }: Pick<Store, 'tables'>,
  table: Name,
): Promise<readonly Selectable<Tables[Name]>[]> {
  const rows: readonly object[] = await tables().selectFrom<keyof Tables>(table).selectAll().execute();
  return rows as readonly Selectable<Tables[Name]>[];
}

/** Returns every byte that the store has written to disk, as a string with one character per byte. */
export function bytesOnDisk(path: string): string {
  return ['', '-wal', '-journal']
    .map((suffix) => path + suffix)
    .filter(existsSync)
    .map((file) => readFileSync(file, 'latin1'))
    .join('\n');
}

type Row = Readonly<Record<string, unknown>>;

/** Whether the bots in this test run use PostgreSQL (`STORE=postgres`). Each bot has its own database. */
export const isOnPostgres = process.env.STORE === 'postgres';

/** The bot's database, which tests can read and change from outside the bot. */
export interface BotStore {
  readonly url: StoreUrl;
  /** The value of `STORE_URL`. */
  readonly address: string;
  /** Runs a statement with a `?` placeholder for each value. */
  rows(sql: string, ...values: readonly SQLInputValue[]): Promise<readonly Row[]>;
  /**
   * Returns all stored data. With SQLite, this includes deleted data that is still in the file. PostgreSQL erases deleted
   * data itself.
   */
  content(): Promise<string>;
  close(): Promise<void>;
}

/** Creates a PostgreSQL database for a bot. Returns `undefined` if the bot uses SQLite or already has a database. */
export async function newBotDatabase(given: Readonly<Record<string, string>>) {
  if (!isOnPostgres || given.STORE_URL !== undefined) return undefined;
  const database = await newDatabase();
  const hasKey = given.ENCRYPTION_KEY !== undefined || given.ENCRYPTION_KEY_FILE !== undefined;
  return {
    database,
    env: {
      STORE_URL: database.url,
      ...(!hasKey && { ENCRYPTION_KEY: randomBytes(32).toString('base64') }),
    },
  };
}

/** @param data the folder with the bot's SQLite file, which is used if there is no `database` */
export function botStore(database: TestDatabase | undefined, data: string): BotStore {
  return database ? ofDatabase(database) : ofFile(join(data, 'bot.sqlite'));
}

function ofFile(path: string): BotStore {
  const url = sqliteAt(path);
  let opened: DatabaseSync | undefined;
  /** Opens a connection for the current turn of the event loop, because opening one takes longer than most statements. */
  function open(): DatabaseSync {
    const database = new DatabaseSync(path, { timeout: 5_000 });
    setImmediate(() => {
      opened = undefined;
      database.close();
    });
    return database;
  }
  return {
    url,
    address: url.name,
    async rows(sql, ...values) {
      opened ??= open();
      return opened.prepare(sql).all(...values);
    },
    content: async () => bytesOnDisk(path),
    close: async () => undefined,
  };
}

function ofDatabase({ url, storeUrl, query, drop }: TestDatabase): BotStore {
  // Some tests read the store hundreds of times, and opening a connection takes longer than reading.
  const pool = new Pool({ connectionString: url, max: 1 });
  // A test that closes all connections also closes this one. The pool opens another one when it is needed.
  pool.on('error', () => undefined);
  async function content(): Promise<string> {
    const tables = await query(
      "select tablename as name from pg_tables where schemaname = 'public' order by 1",
    );
    const texts: string[] = [];
    for (const { name } of tables) {
      const rows = await query(`select * from ${String(name)}`);
      // Joins a row's values without quotes, as in a SQLite file.
      texts.push(...rows.map((row) => Object.values(row).join(' ')));
    }
    return texts.join('\n');
  }
  return {
    url: storeUrl,
    address: url,
    async rows(sql, ...values) {
      let count = 0;
      const numbered = sql.replaceAll('?', () => {
        count += 1;
        return `$${count}`;
      });
      return (await pool.query(numbered, [...values])).rows;
    },
    content,
    async close() {
      await pool.end();
      await drop();
    },
  };
}

/** Returns all unfinished records: interactions that have no reply, and submissions that are still running. */
export async function unfinishedIn(store: Pick<BotStore, 'rows'>): Promise<readonly string[]> {
  const rows =
    await store.rows(`SELECT 'interaction' AS kind, id FROM interactions WHERE encrypted IS NOT NULL
    UNION ALL SELECT 'submission' AS kind, id FROM submissions WHERE state = 'running'`);
  return rows.map(({ kind, id }) => `${kind} ${id}`);
}

/**
 * Returns a server's outcomes from the guild's history, newest first. Returns an empty list if the server isn't in the
 * history.
 */
export async function outcomesIn(
  store: Pick<BotStore, 'rows'>,
  guildId: string,
  host: string,
): Promise<readonly unknown[]> {
  const rows = await store.rows(
    `SELECT outcome FROM servers WHERE guild_id = ? AND host = ? AND outcome IS NOT NULL
      ORDER BY ended_at DESC, submission_id DESC`,
    guildId,
    host,
  );
  return rows.map(({ outcome }) => outcome);
}

/** Whether a PostgreSQL server is available in this test run. */
export const hasPostgres = (): boolean => Boolean(inject('postgres'));

export type Kind = 'sqlite' | 'postgres';
/** Returns the kinds of database that are available, for tests that cover every kind. */
export const kinds = (): readonly Kind[] => (hasPostgres() ? ['sqlite', 'postgres'] : ['sqlite']);

async function serverUrl(): Promise<string> {
  const response = await fetch(inject('postgres'));
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}

export type TestDatabase = Awaited<ReturnType<typeof newDatabase>>;

/**
 * Creates a new database on this test run's PostgreSQL server.
 * @param options the options for `create database`
 */
export async function newDatabase(options = '') {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const server = await serverUrl();
  const address = new URL(server);
  address.pathname = `/${name}`;
  const url = address.href;
  const storeUrl = parseStoreUrl(url);
  if (storeUrl === undefined) throw new Error('the URL of the database of a test cannot be used');
  await runSql(server, `create database ${name} ${options}`);
  const endSessions = async () =>
    void (await runSql(server, 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
      name,
    ]));

  return {
    /** The value for `STORE_URL`. */
    url,
    storeUrl,
    /** Runs a statement over a separate connection. */
    query: (sql: string, values?: readonly unknown[]) => runSql(url, sql, values),
    /** Closes all connections and rejects new ones, like a server that is restarting. */
    async leave() {
      await runSql(server, `alter database ${name} with allow_connections false`);
      await endSessions();
    },
    comeBack: async () => void (await runSql(server, `alter database ${name} with allow_connections true`)),
    /** Sets a default for later sessions. */
    setDefault: async (setting: string, value: string) =>
      void (await runSql(server, `alter database ${name} set ${setting} = '${value}'`)),
    endSessions,
    drop: async () => void (await runSql(server, `drop database ${name} with (force)`)),
  };
}

/** Runs SQL over a new connection to PostgreSQL. Without values, the SQL can contain several statements. */
export async function runSql(url: string, sql: string, values: readonly unknown[] = []) {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql, [...values])).rows as readonly Readonly<Record<string, unknown>>[];
  } finally {
    await client.end();
  }
}

/** A database for a single test. */
export interface Place {
  readonly url: StoreUrl;
  /** Creates a store without starting it. The store stops after the test. */
  store(deps?: OpenDeps): Store;
  open(deps?: OpenDeps): Promise<Store>;
  /** Runs a statement over a separate connection. */
  change(sql: string): Promise<void>;
}

export async function newPlace(kind: StoreUrl['kind']): Promise<Place> {
  const { url, change } = kind === 'sqlite' ? newFile() : await newPostgres();
  return {
    url,
    store: (deps) => storeAt(url, deps),
    open: (deps) => openStoreAt(url, deps),
    change,
  };
}

function newFile(): Pick<Place, 'url' | 'change'> {
  const path = join(folder(), 'bot.sqlite');
  return {
    url: sqliteAt(path),
    async change(sql) {
      const other = new DatabaseSync(path);
      try {
        other.exec(sql);
      } finally {
        other.close();
      }
    },
  };
}

async function newPostgres(): Promise<Pick<Place, 'url' | 'change'>> {
  const { storeUrl, query, drop } = await newDatabase();
  onTestFinished(drop);
  return { url: storeUrl, change: async (sql) => void (await query(sql)) };
}

/** PostgreSQL sends this message when it is ready for the next statement in a transaction (docs: ReadyForQuery). */
const IN_TRANSACTION = Buffer.from('Z\0\0\0\x05T');
/** The first statement in a guild's transaction contains this string. */
const LOCK = 'pg_advisory_xact_lock';

export type Wire = Awaited<ReturnType<typeof openWire>>;

/**
 * Opens a proxy to a PostgreSQL server. The proxy can freeze connections, as if a machine had vanished. It can also close a
 * connection before the client receives the response to a COMMIT.
 */
export async function openWire(url: string) {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  /** Called for each chunk from the server, with the data that the client has sent since the previous chunk. */
  let onSaid: (asked: Buffer, said: Buffer) => void = () => undefined;
  /** If a transaction contains this string, the response to its COMMIT is cut off. */
  let lost: string | undefined;
  let onCut: () => void = () => undefined;

  const wire = createServer((near) => {
    const far = connect(Number(port), hostname);
    let asked = Buffer.alloc(0);
    let transaction = '';
    near.on('data', (chunk: Buffer) => {
      asked = Buffer.concat([asked, chunk]);
    });
    far.on('data', (chunk: Buffer) => {
      const text = asked.toString('latin1');
      transaction = text.includes('begin') ? text : transaction + text;
      if (lost !== undefined && text.includes('commit') && transaction.includes(lost)) {
        lost = undefined;
        near.destroy();
        onCut();
      }
      onSaid(asked, chunk);
      asked = Buffer.alloc(0);
    });
    near.pipe(far).pipe(near);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
  });
  wire.listen(0, '127.0.0.1');
  await once(wire, 'listening');
  const address = new URL(url);
  address.port = String(Object(wire.address()).port);

  /** Stops all traffic on the current connections. Neither side notices if the other side hangs up. */
  function freeze(): void {
    for (const socket of sockets) socket.unpipe().removeAllListeners('close');
  }

  return {
    url: address.href,
    freeze,
    /** Freezes all connections when a transaction locks this guild, or any guild if the id is empty. */
    async freezeInTransaction(guildId = ''): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      onSaid = (asked, said) => {
        if (!asked.includes(LOCK) || !asked.includes(guildId) || !said.includes(IN_TRANSACTION)) return;
        onSaid = () => undefined;
        freeze();
        resolve();
      };
      await promise;
    },
    /** Cuts off the response to the COMMIT of the next transaction that contains this string. */
    async cutCommitOf(words: string): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      onCut = resolve;
      lost = words;
      await promise;
    },
    close(): void {
      for (const socket of sockets) socket.destroy();
      wire.close();
    },
  };
}
