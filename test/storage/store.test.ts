import { existsSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { CompiledQuery } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Store, StuckTransactionError } from '../../src/storage/store.ts';
import { bytesOnDisk, type FileStore, openStore } from '../support/database.ts';
import { recorder } from '../support/machine.ts';
import { recordWrites } from '../support/writes.ts';

const pragma = (store: Store, text: string) =>
  store.tables().executeQuery(CompiledQuery.raw(`pragma ${text}`));

/** Opens the file the way another process would, and runs a statement that keeps it locked. */
function holder(store: FileStore, sql: string): DatabaseSync {
  const other = new DatabaseSync(store.path);
  onTestFinished(() => {
    if (other.isOpen) other.close();
  });
  other.exec('BEGIN');
  other.exec(sql);
  return other;
}

it("a store's files are only accessible to their owner", async () => {
  const { path } = await openStore();
  for (const suffix of ['', '-wal', '-shm']) expect(statSync(path + suffix).mode & 0o777).toBe(0o600);
});

it("the event loop isn't blocked while many transactions wait for SQLite", async () => {
  const store = await openStore();
  let open = 1_000;
  const write = async () => {
    await store.inGuild('1', () => store.values.set('n', 1));
    open -= 1;
  };
  const all = Promise.all(Array.from({ length: open }, write));
  await setImmediate();
  expect(open).toBeGreaterThan(0);
  await all;
});

describe('a transaction', () => {
  it("blocks other processes' writes as soon as it begins", async () => {
    const store = await openStore();
    await store.inGuild('1', async () => {
      expect(await store.values.get('n')).toBeUndefined();
      expect(() => holder(store, 'DELETE FROM keyv')).toThrow('database is locked');
      await store.values.set('n', 1);
    });
    expect(await store.values.get('n')).toBe(1);
  });

  it('is synced to disk unless it opts out', async () => {
    const writes = recordWrites();
    const store = await openStore();
    const write = () => store.values.set('a:1', 1);
    const kindOf = async (run: () => Promise<unknown>) => {
      await run().catch(() => undefined);
      return writes.at(-1)?.kind;
    };
    expect(await kindOf(write)).toBe('synced');
    expect(await kindOf(() => store.inGuild('1', write))).toBe('synced');
    expect(await kindOf(() => store.unsynced('job claim', write))).toBe('job claim');
    expect(await kindOf(() => store.inGuild('1', write, { unsynced: 'reservation' }))).toBe('reservation');
    // Inside a transaction, the transaction's own setting counts.
    expect(await kindOf(() => store.inGuild('1', () => store.unsynced('job claim', write)))).toBe('synced');
    const failing = async () => {
      await write();
      throw new Error('x');
    };
    expect(await kindOf(() => store.unsynced('pruning', failing))).toBe('pruning');
    expect(await kindOf(write)).toBe('synced');
  });
});

describe('a stuck transaction', () => {
  /** How long the test observes the transaction, in milliseconds. */
  const STUCK_MS = 30;
  async function openWatched() {
    const stuck: StuckTransactionError[] = [];
    const store = await openStore(undefined, { watchdogTickMs: 1, onStuck: (error) => stuck.push(error) });
    return { store, stuck };
  }

  it('is reported with its guild and stack trace', async () => {
    const { store, stuck } = await openWatched();
    const end = Promise.withResolvers<void>();
    const first = store.inGuild('7', () => end.promise);
    const second = store.inGuild('8', async () => undefined);
    await expect.poll(() => stuck).toHaveLength(1);
    end.resolve();
    await Promise.all([first, second]);
    expect(stuck).toMatchObject([{ message: expect.stringContaining('guild 7') }]);
    expect(stuck[0]?.stack).toContain('store.test.ts');
  });

  it("isn't reported if the process was suspended", async () => {
    const { store, stuck } = await openWatched();
    await store.inGuild('7', async () => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * STUCK_MS);
      // Overdue timers run now.
      for (let turn = 0; turn < 3; turn += 1) await setImmediate();
    });
    expect(stuck).toEqual([]);
  });
});

describe("SQLite's write-ahead log", () => {
  it('is truncated to remove deleted values from the disk', async () => {
    const store = await openStore();
    await store.values.set('a:1', 'a value of some length');
    await store.values.delete('a:1');
    expect(bytesOnDisk(store.path)).toContain('a value of some length');
    await store.cutLog();
    expect(bytesOnDisk(store.path)).not.toContain('a value of some length');
    expect(statSync(`${store.path}-wal`).size).toBe(0);
  });

  it("isn't truncated while another process is reading it", async () => {
    const logger = recorder();
    const store = await openStore(undefined, { logger });
    await store.values.set('a:1', 1);
    const reader = holder(store, 'SELECT * FROM keyv');
    await store.values.set('a:1', 2);
    await store.cutLog();
    const warnings = () => logger.lines.filter(({ level }) => level === 'warn');
    expect(warnings()).toHaveLength(1);
    reader.close();
    expect(Object((await pragma(store, 'busy_timeout')).rows[0]).timeout).toBe(1_000);
    await store.cutLog();
    expect(warnings()).toHaveLength(1);
  });

  it('is deleted when the store stops', async () => {
    const store = await openStore();
    await store.stop();
    expect(existsSync(`${store.path}-wal`)).toBe(false);
  });
});

describe('a SQLite store', () => {
  it.each([
    [false, 1_000],
    [true, 10_000],
  ])('limits how long it waits for a lock (in a tool: %s, timeout: %i ms)', async (isUnhurried, timeout) => {
    const store = await openStore(undefined, { isUnhurried });
    expect((await pragma(store, 'busy_timeout')).rows).toEqual([{ timeout }]);
    await store.cutLog();
    expect((await pragma(store, 'busy_timeout')).rows).toEqual([{ timeout }]);
  });

  it('can be read while another process has locked it', async () => {
    const store = await openStore();
    await store.values.set('a', 'before');
    const other = holder(store, "UPDATE keyv SET namespace = ''");
    await expect(store.inGuild('1', () => store.values.set('a', 'after'))).rejects.toThrow(
      /database is locked/,
    );
    expect(await store.values.get('a')).toBe('before');
    other.close();
    await store.inGuild('1', () => store.values.set('a', 'after'));
    expect(await store.values.get('a')).toBe('after');
  });

  it('rolls back a change if the disk is full', async () => {
    const store = await openStore();
    await store.values.set('a:0', 'before');
    const { page_count: pages } = Object((await pragma(store, 'page_count')).rows[0]);
    await pragma(store, `max_page_count = ${pages}`);
    const fill = () =>
      store.inGuild('1', async () => {
        await store.values.set('a:1', 1);
        await store.values.set('a:2', 'x'.repeat(100_000));
      });
    await expect(fill()).rejects.toThrow(/failed: database or disk is full/);
    expect(await store.values.keys('a:')).toEqual(['a:0']);
    await pragma(store, 'max_page_count = 100000');
    await fill();
    expect(await store.values.keys('a:')).toEqual(['a:0', 'a:1', 'a:2']);
  });
});
