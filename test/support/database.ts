import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { Selectable } from 'kysely';
import { Client } from 'pg';
import { inject, onTestFinished } from 'vitest';
import { createStore, type Store, type StoreDeps } from '../../src/storage/store.ts';
import type { Tables } from '../../src/storage/tables.ts';
import { parseStoreUrl, type StoreUrl, sqliteAt } from '../../src/store-url.ts';
import { folder, recorder } from './machine.ts';

export type FileStore = Store & { readonly path: string };

/** An open store over a file, closed after the test. */
export async function openStore(
  path = join(folder(), 'bot.sqlite'),
  deps: Partial<Omit<StoreDeps, 'url'>> = {},
): Promise<FileStore> {
  const store = await openStoreAt(sqliteAt(path), deps);
  return { ...store, path };
}

/** An open store over a database of either kind, closed after the test. */
export async function openStoreAt(url: StoreUrl, deps: Partial<Omit<StoreDeps, 'url'>> = {}): Promise<Store> {
  const store = createStore({ url, logger: recorder(), ...deps });
  await store.start();
  onTestFinished(() => store.stop());
  return store;
}

/** Every row of a table. */
export async function rowsIn<Name extends keyof Tables>(
  { tables }: Pick<Store, 'tables'>,
  table: Name,
): Promise<readonly Selectable<Tables[Name]>[]> {
  const rows: readonly object[] = await tables().selectFrom<keyof Tables>(table).selectAll().execute();
  return rows as readonly Selectable<Tables[Name]>[];
}

/** Every byte that the store has on the disk, as text of one character a byte. */
export function bytesOnDisk(path: string): string {
  return ['', '-wal', '-journal']
    .map((suffix) => path + suffix)
    .filter(existsSync)
    .map((file) => readFileSync(file, 'latin1'))
    .join('\n');
}

type Row = Readonly<Record<string, unknown>>;

/** Whether the bots of this run have PostgreSQL for a store (`STORE=postgres`), each a database of its own. */
export const isOnPostgres = process.env.STORE === 'postgres';

/** The bot's database, as another process reads and changes it. */
export interface BotStore {
  readonly url: StoreUrl;
  /** `STORE_URL`. */
  readonly address: string;
  /** Runs a statement, with `?` for each value. */
  rows(sql: string, ...values: readonly SQLInputValue[]): Promise<readonly Row[]>;
  /** Everything that can be found: on the disk with SQLite, in the tables with PostgreSQL, which clears its disk itself. */
  content(): Promise<string>;
  close(): Promise<void>;
}

/** What a bot needs to know of a new database; nothing where it makes a file of SQLite. */
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

/** @param data the folder of the bot's file, if it has no database of its own */
export function botStore(database: TestDatabase | undefined, data: string): BotStore {
  return database ? ofDatabase(database) : ofFile(join(data, 'bot.sqlite'));
}

function ofFile(path: string): BotStore {
  const url = sqliteAt(path);
  return {
    url,
    address: url.name,
    async rows(sql, ...values) {
      const database = new DatabaseSync(path, { timeout: 5_000 });
      try {
        return database.prepare(sql).all(...values);
      } finally {
        database.close();
      }
    },
    content: async () => bytesOnDisk(path),
    close: async () => undefined,
  };
}

function ofDatabase({ url, storeUrl, query, drop }: TestDatabase): BotStore {
  async function content(): Promise<string> {
    const tables = await query(
      "select tablename as name from pg_tables where schemaname = 'public' order by 1",
    );
    const texts: string[] = [];
    for (const { name } of tables) {
      const rows = await query(`select * from ${String(name)}`);
      // As SQLite has them on its disk: texts as they are, one after the other.
      texts.push(...rows.map((row) => Object.values(row).join(' ')));
    }
    return texts.join('\n');
  }
  return {
    url: storeUrl,
    address: url,
    rows(sql, ...values) {
      let count = 0;
      return query(
        sql.replaceAll('?', () => {
          count += 1;
          return `$${count}`;
        }),
        values,
      );
    },
    content,
    close: drop,
  };
}

/** What has not come to its end: interactions that were not answered, and submissions that were begun. */
export async function unfinishedIn(store: Pick<BotStore, 'rows'>): Promise<readonly string[]> {
  const rows = await store.rows(`SELECT 'interaction' AS kind, id FROM interactions WHERE sealed IS NOT NULL
    UNION ALL SELECT 'submission' AS kind, id FROM submissions WHERE state = 'running'`);
  return rows.map(({ kind, id }) => `${kind} ${id}`);
}

/** How a server ended by the guild's history, the newest entry first; empty when it is not in there. */
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

/** Whether this run of the tests has a server of PostgreSQL. */
export const hasPostgres = (): boolean => Boolean(inject('postgres'));

export type Kind = 'sqlite' | 'postgres';
/** The kinds of database that are here, for tests of what each of them does. */
export const kinds = (): readonly Kind[] => (hasPostgres() ? ['sqlite', 'postgres'] : ['sqlite']);

async function serverUrl(): Promise<string> {
  const response = await fetch(inject('postgres'));
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}

export type TestDatabase = Awaited<ReturnType<typeof newDatabase>>;

/**
 * A database of its own on the server of this run.
 * @param options of `create database`
 */
export async function newDatabase(options = '') {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const server = await serverUrl();
  const address = new URL(server);
  address.pathname = `/${name}`;
  const url = address.href;
  const storeUrl = parseStoreUrl(url);
  if (storeUrl === undefined) throw new Error('the URL of the database of a test cannot be used');
  await run(server, `create database ${name} ${options}`);
  const endSessions = async () =>
    void (await run(server, 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
      name,
    ]));

  return {
    /** As `STORE_URL` names it. */
    url,
    storeUrl,
    /** Runs a statement as another process does. */
    query: (sql: string, values?: readonly unknown[]) => run(url, sql, values),
    /** Ends all connections and lets in no more, as a server that restarts. */
    async leave() {
      await run(server, `alter database ${name} with allow_connections false`);
      await endSessions();
    },
    comeBack: async () => void (await run(server, `alter database ${name} with allow_connections true`)),
    /** A default of the sessions that begin from now on. */
    setDefault: async (setting: string, value: string) =>
      void (await run(server, `alter database ${name} set ${setting} = '${value}'`)),
    endSessions,
    drop: async () => void (await run(server, `drop database ${name} with (force)`)),
  };
}

async function run(url: string, sql: string, values: readonly unknown[] = []) {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql, [...values])).rows as readonly Readonly<Record<string, unknown>>[];
  } finally {
    await client.end();
  }
}

/** A database that is there for one test. */
export interface Place {
  readonly url: StoreUrl;
  /** A store that nobody has started; closed after the test. */
  store(deps?: Partial<Omit<StoreDeps, 'url'>>): Store;
  open(deps?: Partial<Omit<StoreDeps, 'url'>>): Promise<Store>;
  /** Runs a statement as another process does. */
  change(sql: string): Promise<void>;
}

export async function newPlace(kind: StoreUrl['kind']): Promise<Place> {
  const { url, change } = kind === 'sqlite' ? newFile() : await newPostgres();
  const store: Place['store'] = (deps) => {
    const made = createStore({ url, logger: recorder(), ...deps });
    onTestFinished(() => made.stop());
    return made;
  };
  return {
    url,
    store,
    async open(deps) {
      const opened = store(deps);
      await opened.start();
      return opened;
    },
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

/** What a server of PostgreSQL says when it waits for the next statement of a transaction (docs: ReadyForQuery). */
const IN_TRANSACTION = Buffer.from('Z\0\0\0\x05T');
/** A transaction of a guild begins with it. */
const LOCK = 'pg_advisory_xact_lock';

export type Wire = Awaited<ReturnType<typeof openWire>>;

/**
 * A way to a server of PostgreSQL that can fall silent, as when a machine vanishes: neither side hears that it did. It can also
 * break where the server has done a COMMIT, and nobody hears of that.
 */
export async function openWire(url: string) {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  /** Called when the server has said something to what it was asked since it last did. */
  let onSaid: (asked: Buffer, said: Buffer) => void = () => undefined;
  /** What the transaction contains whose COMMIT gets no answer. */
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

  /** Nothing arrives any more over the connections that there are, not even that they were closed. */
  function freeze(): void {
    for (const socket of sockets) socket.unpipe().removeAllListeners('close');
  }

  return {
    url: address.href,
    freeze,
    /** The same as soon as a transaction has locked a guild, whose id is among what was asked, or any. */
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
    /** Cuts off the answer to the COMMIT of the next transaction that contains this. */
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
