import { setImmediate } from 'node:timers/promises';
import { KeyvSqlite } from '@keyv/sqlite';
import { Keyv } from 'keyv';
import type { Logger } from '../logger.ts';
import { reason } from './database-file.ts';
import { readKeys, readRow, replaceRow } from './database-rows.ts';
import { setAside, tryAgain } from './set-aside.ts';
import type { Statements } from './statements.ts';
import { type Store, StoreError } from './store.ts';

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
    replace: (key, former, value) =>
      attempt(`cannot write ${key}`, () => replaceRow(adapter, { key, former, value })),
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
