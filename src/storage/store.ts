import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { KeyvSqlite } from '@keyv/sqlite';
import { jsonSerializer, Keyv } from 'keyv';
import type { Logger } from '../logger.ts';
import type { Statements } from './statements.ts';

/** The store could not read or write. Never to be mistaken for "nothing is stored". */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}

/** What a record that could not be read is called from then on: this, and behind it the name that it had. */
const SET_ASIDE = 'set-aside.';

/** What the further ones of one name have behind it: `:~2` and so on, so that whose they are can still be seen. */
const FURTHER = /:~(\d+)$/;

/** What the record of that key is called once it was set aside, the first of that name or a further one. */
export const asideName = (key: string, number: number): string =>
  number === 1 ? SET_ASIDE + key : `${SET_ASIDE}${key}:~${number}`;

/** Whose record it is that is set aside under this name, and which of that key, counted from 1. */
export function asideOf(name: string): { readonly key: string; readonly number: number } {
  const number = Number(FURTHER.exec(name)?.[1] ?? 1);
  return { key: name.slice(SET_ASIDE.length).replace(FURTHER, ''), number };
}

/** What is read where a row holds no value any more: it fits no schema, and its text goes nowhere. */
export const UNREADABLE = Symbol('unreadable');

/**
 * Values under string keys, kept over restarts; values are plain JSON. Keys are `area:guild:…`: where the second
 * part is a number it is a guild's id, and what is there is deleted together with the data of that guild.
 * Every method throws a {@link StoreError} when the database fails; none fails quietly.
 */
export interface Store {
  /** `undefined` when nothing is there, {@link UNREADABLE} when it is damaged. */
  get(key: string): Promise<unknown>;
  /** @param ttlMs milliseconds after which the value is gone; for ever without it */
  set(key: string, value: unknown, ttlMs?: number): Promise<void>;
  /**
   * Puts `value` in place of `previous`, in one step, also when other processes write at the same time.
   * @returns whether it was done: not when something else, or nothing, is stored by now
   */
  replace(key: string, previous: unknown, value: unknown): Promise<boolean>;
  /** Whether there was something to delete. */
  delete(key: string): Promise<boolean>;
  /**
   * Keeps a record that nobody can use under another name, `set-aside.` and its own, and logs it. It is tried
   * again at the next start, since it may be of a newer version of the bot; of several of one name, the first one.
   * @param read what was read of it; when something else is there by now nothing is done
   * @param why without anything of what it holds
   */
  setAside(key: string, read: unknown, why: string): Promise<void>;
  /** All values whose key begins with `prefix`, in key order; complete or an error. */
  entries(prefix: string): AsyncIterable<readonly [key: string, value: unknown]>;
}

/**
 * The file that a `STORE_URL` names: `sqlite://data/bot.sqlite` is relative to the working directory,
 * `sqlite:///var/lib/bot.sqlite` is absolute.
 * @throws StoreError for anything that is not a file of SQLite: a database in memory forgets every key.
 */
export function storePath(url: string): string {
  const path = /^sqlite:\/\/([^?#]+)$/.exec(url)?.[1];
  if (path === undefined || path.endsWith('/') || path.includes(':memory:')) {
    throw new StoreError('STORE_URL must name a file of SQLite, such as sqlite://data/bot.sqlite');
  }
  return path;
}

/** What SQLite or the file system says of a failure, on one line; they name files and keys, never values. */
export function reason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/\s+/g, ' ').trim();
}

/** So many keys are read at once; the event loop gets its turn in between. */
const KEYS_AT_ONCE = 200;

/** What is one value under one key, in the table of Keyv. */
export interface Values extends Store {
  /** All keys that begin with `prefix`, in order; complete or an error. */
  keys(prefix: string): AsyncIterable<string>;
  /** Removes values past their time. */
  clearExpired(): Promise<void>;
  /** Gives what was set aside its name back. */
  tryAgain(): Promise<void>;
}

export interface ValuesDeps {
  /** Of the file, for the texts of errors. */
  readonly path: string;
  readonly statements: Pick<Statements, 'execute'>;
  readonly logger: Logger;
}

/**
 * Keyv over our statements, failing loudly.
 *
 * With an `error` listener Keyv turns failures into `false` and `undefined`, and its iterator ends early.
 * Without one it throws them, so there must never be a listener on `keyv`.
 */
export async function openValues({ path, statements, logger }: ValuesDeps): Promise<Values> {
  const adapter = new KeyvSqlite({
    driver: {
      name: 'custom',
      connect: async () => ({
        query: async (sql, ...parameters) => [...(await statements.execute(sql, parameters)).rows],
        close: async () => undefined,
      }),
    },
  });
  await adapter.ready;
  const keyv = new Keyv({ store: adapter });

  async function attempt<Result>(what: string, run: () => Promise<Result>): Promise<Result> {
    try {
      return await run();
    } catch (cause) {
      throw new StoreError(`${what} in ${path}: ${reason(cause)}`, { cause });
    }
  }

  async function set(key: string, value: unknown, ttlMs?: number): Promise<void> {
    if (value === undefined) throw new StoreError(`cannot write ${key}: undefined is not JSON`);
    // Keyv takes a time of 0 or less, or one that is no number, for "for ever"; here it means "gone at once".
    const ttl = ttlMs === undefined ? undefined : ttlMs > 0 ? ttlMs : 1;
    const saved = await attempt(`cannot write ${key}`, () => keyv.set(key, value, ttl));
    if (!saved) throw new StoreError(`cannot write ${key} in ${path}`);
  }

  async function* keys(prefix: string): AsyncGenerator<string> {
    let from = prefix;
    for (;;) {
      const some = await attempt(`cannot read ${prefix}…`, () =>
        readKeys(adapter, { prefix, from, limit: KEYS_AT_ONCE }),
      );
      yield* some;
      const last = some.at(-1);
      if (last === undefined || some.length < KEYS_AT_ONCE) return;
      from = `${last}\0`;
      await setImmediate();
    }
  }

  const get = (key: string) => attempt(`cannot read ${key}`, () => readRow(adapter, key));

  return {
    get,
    set,
    delete: (key) => attempt(`cannot delete ${key}`, () => keyv.delete(key)),
    replace: (key, previous, value) =>
      attempt(`cannot write ${key}`, () => replaceRow(adapter, { key, previous, value })),
    setAside: (key, read, why) =>
      attempt(`cannot set ${key} aside`, () => setAside(adapter, logger, { key, read, why })),
    async *entries(prefix) {
      for await (const key of keys(prefix)) {
        const value = await get(key);
        // It may have gone between the two statements.
        if (value !== undefined) yield [key, value];
      }
    },
    keys,
    clearExpired: () => attempt('cannot remove old values', () => adapter.clearExpired()),
    tryAgain: () => attempt('cannot read', () => tryAgain(adapter, logger)),
  };
}

/** Above every key that begins with the prefix it is put after. */
const LAST = '\u{10FFFF}';

/**
 * The value of one key that is still in time. Keyv's own reading throws for a row that is no JSON, and takes a row of
 * another shape for "nothing there".
 */
async function readRow(adapter: KeyvSqlite, key: string): Promise<unknown> {
  const [row] = await adapter.query(`SELECT value FROM "keyv" WHERE ${IN_TIME} AND key = ?`, Date.now(), key);
  return row === undefined ? undefined : valueIn(Object(row).value);
}

/**
 * The first keys of a range that are still in time, in order. Keyv's own iterator reads the whole table; this reads one
 * range of the index.
 */
async function readKeys(
  adapter: KeyvSqlite,
  { prefix, from, limit }: { readonly prefix: string; readonly from: string; readonly limit: number },
): Promise<readonly string[]> {
  const select = `SELECT key FROM "keyv" WHERE ${IN_TIME} AND key >= ? AND key < ? ORDER BY key LIMIT ?`;
  return keysOf(await adapter.query(select, Date.now(), from, prefix + LAST, limit));
}

const keysOf = (rows: readonly unknown[]) => rows.map((row) => String(Object(row).key));
const IN_TIME = `namespace = '' AND (expires IS NULL OR expires > ?)`;

/** Keyv keeps a value as `{"value":…,"expires":…}`, in JSON in which texts that begin with a colon mean something. */
function envelopeIn(text: unknown): { readonly value: unknown } | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    const envelope: unknown = jsonSerializer.parse(text);
    return typeof envelope === 'object' && envelope !== null && 'value' in envelope ? envelope : undefined;
  } catch {
    return undefined;
  }
}

function valueIn(text: unknown): unknown {
  const envelope = envelopeIn(text);
  return envelope === undefined ? UNREADABLE : envelope.value;
}

/**
 * Puts a value in place of another in one step, whatever other processes do meanwhile. Keyv has no such thing.
 * @returns whether the previous value was still there
 */
async function replaceRow(
  adapter: KeyvSqlite,
  { key, previous, value }: { readonly key: string; readonly previous: unknown; readonly value: unknown },
): Promise<boolean> {
  const [row] = await adapter.query(`SELECT value FROM "keyv" WHERE namespace = '' AND key = ?`, key);
  const text: unknown = Object(row).value;
  const envelope = envelopeIn(text);
  if (!isDeepStrictEqual(envelope?.value, previous)) return false;
  const replaced = await adapter.query(
    `UPDATE "keyv" SET value = ? WHERE namespace = '' AND key = ? AND value = ? RETURNING key`,
    jsonSerializer.stringify({ ...envelope, value }),
    key,
    text,
  );
  return replaced.length > 0;
}

/** Names of records in one line of the log. */
const MOST_NAMED = 20;

/** See `Store.setAside`. The row stays as it is, byte for byte, behind those of the same name. */
async function setAside(
  adapter: KeyvSqlite,
  logger: Logger,
  { key, read, why }: { readonly key: string; readonly read: unknown; readonly why: string },
): Promise<void> {
  const [row] = await adapter.query(`SELECT value FROM "keyv" WHERE namespace = '' AND key = ?`, key);
  if (row === undefined) return;
  const stored: unknown = Object(row).value;
  if (!isDeepStrictEqual(valueIn(stored), read)) return;
  const before = (await asideNames(adapter, SET_ASIDE + key)).map(asideOf).filter((one) => one.key === key);
  const name = asideName(key, Math.max(0, ...before.map(({ number }) => number)) + 1);
  const renamed = await adapter.query(
    `UPDATE OR IGNORE "keyv" SET key = ? WHERE namespace = '' AND key = ? AND value IS ? RETURNING key`,
    name,
    key,
    stored,
  );
  if (renamed.length === 0) return;
  logger.error({ record: key, setAside: name, why }, 'a record cannot be read and was set aside');
}

async function asideNames(adapter: KeyvSqlite, prefix: string): Promise<readonly string[]> {
  const select = `SELECT key FROM "keyv" WHERE namespace = '' AND key >= ? AND key < ?`;
  return keysOf(await adapter.query(select, prefix, prefix + LAST));
}

/**
 * Gives the records that are set aside their own name back, of each name the one that was set aside first, unless the
 * name is taken by now. Logs how many there were.
 */
async function tryAgain(adapter: KeyvSqlite, logger: Logger): Promise<void> {
  const names = await asideNames(adapter, SET_ASIDE);
  if (names.length === 0) return;
  const byKey = Map.groupBy(names, (name) => asideOf(name).key);
  const number = (name: string) => asideOf(name).number;
  const rename = `UPDATE OR IGNORE "keyv" SET key = ? WHERE namespace = '' AND key = ?`;
  // At the same time, so that all are one commit.
  await Promise.all(
    [...byKey].map(([key, all]) =>
      adapter.query(rename, key, all.toSorted((a, b) => number(a) - number(b))[0]),
    ),
  );
  logger.warn(
    { count: names.length, records: names.slice(0, MOST_NAMED) },
    'records were set aside since they could not be read; they are tried again now',
  );
}
