import { setImmediate } from 'node:timers/promises';
import { KeyvSqlite } from '@keyv/sqlite';
import { Keyv } from 'keyv';
import type { Part } from '../lifecycle.ts';
import type { Logger } from '../observability/logger.ts';
import { cannotWrite, checkFile, fileHolds, prepareFile, reason } from './database-file.ts';
import { readKeys, readRow, replaceRow } from './database-rows.ts';
import { setAside, tryAgain } from './set-aside.ts';
import { type Store, StoreError } from './store.ts';
import { storePath } from './store-url.ts';

/**
 * How long a statement waits for a lock of another process. `node:sqlite` is synchronous: the whole bot stands
 * still meanwhile, and Discord waits 3 seconds for an acknowledgement.
 */
const BUSY_TIMEOUT_MS = 1_000;
/** How often values past their time are removed, and an unfinished {@link Database.scrub} is tried again. */
const SWEEP_MS = 600_000;
/** Rows read at once by `entries`; the event loop gets its turn in between. */
const BATCH = 200;
export interface DatabaseDeps {
  /** `STORE_URL`, e.g. `sqlite://data/bot.sqlite`. */
  readonly url: string;
  readonly logger: Logger;
}

/** The store over one file of SQLite. `start` and `stop` throw a {@link StoreError} too. */
export interface Database extends Store, Part {
  /** The file, as `STORE_URL` names it. */
  readonly path: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** All keys that begin with `prefix`, in order; complete or an error. */
  keys(prefix: string): AsyncIterable<string>;
  /**
   * Makes what was deleted or replaced disappear from the file and its write-ahead log. It rewrites the file:
   * about 10 ms a megabyte (measured), so it is for secrets.
   * @returns whether it is done; when not (another process holds the file), it is tried again later
   */
  scrub(): Promise<boolean>;
  /** Whether any of the texts is anywhere in the file or its logs, also where SQLite would not read it any more. */
  holds(texts: readonly string[]): Promise<boolean>;
}

/**
 * Keyv over SQLite, failing loudly.
 *
 * With an `error` listener Keyv turns failures into `false` and `undefined`, and its iterator ends early.
 * Without one it throws them, so there must never be a listener on `keyv`.
 *
 * @throws StoreError when the URL is not SQLite's
 */
export function createDatabase({ url, logger }: DatabaseDeps): Database {
  const path = storePath(url);
  let adapter: KeyvSqlite | undefined;
  let keyv: Keyv | undefined;
  let timer: NodeJS.Timeout | undefined;
  let scrubbing = false;

  async function attempt<Result>(what: string, run: (keyv: Keyv, adapter: KeyvSqlite) => Promise<Result>) {
    if (keyv === undefined || adapter === undefined) throw new StoreError(`${what}: ${path} is not open`);
    try {
      return await run(keyv, adapter);
    } catch (cause) {
      throw new StoreError(`${what} in ${path}: ${reason(cause)}`, { cause });
    }
  }

  async function set(key: string, value: unknown, ttlMs?: number): Promise<void> {
    if (value === undefined) throw new StoreError(`cannot write ${key}: undefined is not JSON`);
    // Keyv takes a time of 0 or less, or one that is no number, for "for ever"; here it means "gone at once".
    const ttl = ttlMs === undefined ? undefined : ttlMs > 0 ? ttlMs : 1;
    const saved = await attempt(`cannot write ${key}`, (keyv) => keyv.set(key, value, ttl));
    if (!saved) throw new StoreError(`cannot write ${key} in ${path}`);
  }

  async function* keys(prefix: string): AsyncGenerator<string> {
    let from = prefix;
    for (;;) {
      const batch = await attempt(`cannot read ${prefix}…`, (_, adapter) =>
        readKeys(adapter, { prefix, from, limit: BATCH }),
      );
      yield* batch;
      const last = batch.at(-1);
      if (last === undefined || batch.length < BATCH) return;
      from = `${last}\0`;
      await setImmediate();
    }
  }

  const get = (key: string) => attempt(`cannot read ${key}`, (_, adapter) => readRow(adapter, key));

  async function* entries(prefix: string): AsyncGenerator<readonly [string, unknown]> {
    for await (const key of keys(prefix)) {
      const value = await get(key);
      // It may have gone between the two statements.
      if (value !== undefined) yield [key, value];
    }
  }

  async function writeTest(): Promise<void> {
    const key = 'boot:write-test';
    const value = new Date().toISOString();
    try {
      await set(key, value);
      if ((await keyv?.get(key)) !== value) throw new StoreError('what was written reads back differently');
      await keyv?.delete(key);
    } catch (error) {
      throw cannotWrite(path, error instanceof StoreError && error.cause ? error.cause : error);
    }
  }

  async function scrub(): Promise<boolean> {
    scrubbing = true;
    try {
      await attempt('cannot clean up', async (_, adapter) => {
        // secure_delete alone is not enough: pages that were split keep old copies (6 of 12,000 were found).
        await adapter.query('VACUUM');
        const [result] = await adapter.query('PRAGMA wal_checkpoint(TRUNCATE)');
        if (Object(result).busy !== 0) throw new Error('another process is reading it');
      });
      scrubbing = false;
      return true;
    } catch (error) {
      logger.warn({ err: error }, 'deleted values may still be in the database file; will try again');
      return false;
    }
  }

  async function sweep(): Promise<void> {
    try {
      await attempt('cannot remove old values', (_, adapter) => adapter.clearExpired());
    } catch (error) {
      logger.warn({ err: error }, 'values past their time could not be removed; will try again');
    }
    if (scrubbing) await scrub();
  }

  async function start(): Promise<void> {
    await prepareFile(path);
    await checkFile(path, BUSY_TIMEOUT_MS);
    const opened = new KeyvSqlite({
      uri: `sqlite://${path}`,
      driver: 'node:sqlite',
      wal: true,
      busyTimeout: BUSY_TIMEOUT_MS,
    });
    try {
      await opened.ready;
      await opened.query('PRAGMA secure_delete = ON');
      // Otherwise VACUUM puts a copy of everything into a temporary file elsewhere.
      await opened.query('PRAGMA temp_store = MEMORY');
    } catch (cause) {
      throw cannotWrite(path, cause);
    }
    adapter = opened;
    keyv = new Keyv({ store: opened });
    await writeTest();
    await attempt('cannot read', (_, adapter) => tryAgain(adapter, logger));
    await sweep();
    timer = setInterval(() => void sweep(), SWEEP_MS).unref();
  }

  async function stop(): Promise<void> {
    clearInterval(timer);
    if (keyv === undefined) return;
    if (scrubbing) await scrub();
    await attempt('cannot close', (keyv) => keyv.disconnect());
    keyv = undefined;
    adapter = undefined;
  }

  return {
    name: 'store',
    path,
    start,
    stop,
    get,
    set,
    delete: async (key) => attempt(`cannot delete ${key}`, (keyv) => keyv.delete(key)),
    replace: async (key, former, value) =>
      attempt(`cannot write ${key}`, (_, adapter) => replaceRow(adapter, { key, former, value })),
    setAside: async (key, read, why) =>
      attempt(`cannot set ${key} aside`, (_, adapter) => setAside(adapter, logger, { key, read, why })),
    entries,
    keys,
    scrub,
    holds: (texts) => attempt('cannot look for deleted values', () => fileHolds(path, texts)),
  };
}
