import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { KeyvSqlite } from '@keyv/sqlite';
import { jsonSerializer, Keyv } from 'keyv';
import type { Logger } from '../logger.ts';
import { reason } from './database-file.ts';
import type { Statements } from './statements.ts';
import { asideName, asideOf, SET_ASIDE, type Store, StoreError, UNREADABLE } from './store.ts';

/** Keys read at once; the event loop gets its turn in between. */
const BATCH = 200;

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
      const batch = await attempt(`cannot read ${prefix}…`, () =>
        readKeys(adapter, { prefix, from, limit: BATCH }),
      );
      yield* batch;
      const last = batch.at(-1);
      if (last === undefined || batch.length < BATCH) return;
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
