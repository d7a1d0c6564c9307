import { existsSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { CompiledQuery } from 'kysely';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Store, TransactionEnd } from '../../src/storage/store.ts';
import { StoreError } from '../../src/storage/store-error.ts';
import { bytesOnDisk, openStore, recorder } from './temporary.ts';

const addGuild = (store: Store, guildId: string) =>
  store
    .tables()
    .insertInto('presence')
    .values({ guild_id: guildId, used_at: 1, absent_since: null })
    .execute();

async function guildsIn(store: Store): Promise<readonly string[]> {
  const rows = await store.tables().selectFrom('presence').select('guild_id').orderBy('guild_id').execute();
  return rows.map(({ guild_id }) => guild_id);
}

const pragma = (store: Store, text: string) =>
  store.tables().executeQuery(CompiledQuery.raw(`pragma ${text}`));

/** Runs a statement on the file as another process does. */
function change(store: Store, sql: string, ...values: readonly string[]): void {
  const other = new DatabaseSync(store.path);
  try {
    other.prepare(sql).run(...values);
  } finally {
    other.close();
  }
}

/** Somebody else who holds the file after this statement. */
function holder(store: Store, sql: string): DatabaseSync {
  const other = new DatabaseSync(store.path);
  onTestFinished(() => {
    if (other.isOpen) other.close();
  });
  other.exec('BEGIN');
  other.exec(sql);
  return other;
}

describe('a store', () => {
  it('keeps rows and values over a restart, in files for its owner alone', async () => {
    const store = await openStore();
    await addGuild(store, '1');
    await store.values.set('a:1', { deep: ['ä', null, 1.5] });
    for (const suffix of ['', '-wal', '-shm']) expect(statSync(store.path + suffix).mode & 0o777).toBe(0o600);
    await store.stop();
    const again = await openStore(store.path);
    expect(await guildsIn(again)).toEqual(['1']);
    expect(await again.values.get('a:1')).toEqual({ deep: ['ä', null, 1.5] });
  });

  it('deletes a value once, and lists the keys of a prefix alone, in order', async () => {
    const { values } = await openStore();
    for (const key of ['a:2', 'a:10', 'a:ü', 'b:1', 'a', 'A:1']) await values.set(key, 1);
    expect(await values.keys('a:')).toEqual(['a:10', 'a:2', 'a:ü']);
    expect(await values.delete('a:2')).toBe(true);
    expect(await values.delete('a:2')).toBe(false);
    expect(await values.get('a:2')).toBeUndefined();
  });

  it('cannot be used once it is stopped', async () => {
    const store = await openStore();
    await store.stop();
    await expect(store.values.get('a:1')).rejects.toThrow(/is not open/);
    await expect(store.inGuild('1', async () => undefined)).rejects.toThrow(StoreError);
  });
});

describe('a transaction', () => {
  it('writes to tables and under keys as a whole, or nothing when it throws', async () => {
    const store = await openStore();
    const write = async () => {
      await addGuild(store, '1');
      await store.values.set('a:1', 1);
      await store.values.delete('a:0');
    };
    await store.values.set('a:0', 0);
    const failed = store.inGuild('1', async () => {
      await write();
      expect(await store.values.get('a:1')).toBe(1);
      throw new Error('changed my mind');
    });
    await expect(failed).rejects.toThrow('changed my mind');
    expect(await guildsIn(store)).toEqual([]);
    expect(await store.values.keys('a:')).toEqual(['a:0']);

    expect(await store.inGuild('1', write)).toBeUndefined();
    expect(await guildsIn(store)).toEqual(['1']);
    expect(await store.values.keys('a:')).toEqual(['a:1']);
  });

  it('takes nothing along that is written beside it', async () => {
    const store = await openStore();
    const inside = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const failed = store.inGuild('1', async () => {
      await store.values.set('a:inside', 1);
      inside.resolve();
      await goOn.promise;
      throw new Error('changed my mind');
    });
    await inside.promise;
    const beside = [store.values.set('a:beside', 1), addGuild(store, 'beside')];
    goOn.resolve();
    await expect(failed).rejects.toThrow('changed my mind');
    await Promise.all(beside);
    expect(await store.values.keys('a:')).toEqual(['a:beside']);
    expect(await guildsIn(store)).toEqual(['beside']);
  });

  it('loses nothing of 50 that read and write the same value at once', async () => {
    const store = await openStore();
    const add = () =>
      store.inGuild('1', async () => store.values.set('n', Number((await store.values.get('n')) ?? 0) + 1));
    await Promise.all(Array.from({ length: 50 }, add));
    expect(await store.values.get('n')).toBe(50);
  });

  it('keeps other processes from writing, from its beginning on', async () => {
    const store = await openStore();
    await store.inGuild('1', async () => {
      expect(await store.values.get('n')).toBeUndefined();
      expect(() => change(store, "DELETE FROM keyv WHERE key = 'n'")).toThrow('database is locked');
      await store.values.set('n', 1);
    });
    expect(await store.values.get('n')).toBe(1);
  });

  it('is part of the one that it is begun in', async () => {
    const store = await openStore();
    const failed = store.inGuild('1', async () => {
      await store.inGuild('1', () => store.values.set('a:1', 1));
      throw new Error('changed my mind');
    });
    await expect(failed).rejects.toThrow('changed my mind');
    expect(await store.values.get('a:1')).toBeUndefined();
  });

  it('is synced unless told otherwise, and what is written alone is not', async () => {
    const store = await openStore();
    const level = async () => Object((await pragma(store, 'synchronous')).rows[0]).synchronous;
    const [NORMAL, FULL] = [1, 2];
    expect(await store.inGuild('1', level)).toBe(FULL);
    expect(await store.inGuild('1', level, { synced: false })).toBe(NORMAL);
    await store.inGuild('1', () => Promise.reject(new Error('x'))).catch(() => undefined);
    expect(await level()).toBe(NORMAL);
  });

  it('is told with its time, and as a failure where the database failed', async () => {
    const ends: TransactionEnd[] = [];
    const store = await openStore(undefined, { onTransaction: (end) => ends.push(end) });
    await store.inGuild('1', async () => undefined);
    await store.inGuild('1', () => Promise.reject(new Error('not of the database'))).catch(() => undefined);
    await store.inGuild('1', () => pragma(store, 'no such pragma (')).catch(() => undefined);
    expect(ends.map(({ isFailure }) => isFailure)).toEqual([false, false, true]);
    expect(ends.every(({ ms }) => ms >= 0)).toBe(true);
  });

  it('is logged with its guild when it takes longer than a second, once', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const logger = recorder();
    const store = await openStore(undefined, { logger });
    await store.inGuild('7', async () => void vi.advanceTimersByTime(999));
    vi.advanceTimersByTime(10_000);
    expect(logger.lines).toEqual([]);
    await store.inGuild('7', async () => void vi.advanceTimersByTime(10_000));
    expect(logger.lines).toMatchObject([
      { level: 'warn', details: { guildId: '7', stack: expect.stringContaining('store.test.ts') } },
    ]);
  });
});

describe('the log of the file', () => {
  it('is cut off, so that deleted values leave the disk', async () => {
    const store = await openStore();
    await store.values.set('a:1', 'a value of some length');
    await store.values.delete('a:1');
    expect(bytesOnDisk(store.path)).toContain('a value of some length');
    await store.cutLog();
    expect(bytesOnDisk(store.path)).not.toContain('a value of some length');
    expect(statSync(`${store.path}-wal`).size).toBe(0);
  });

  it('stays where another process reads it, which holds up nobody and is logged', async () => {
    const logger = recorder();
    const store = await openStore(undefined, { logger });
    await store.values.set('a:1', 1);
    const reader = holder(store, 'SELECT * FROM keyv');
    await store.values.set('a:1', 2);
    await store.cutLog();
    expect(logger.lines).toMatchObject([{ level: 'warn' }]);
    reader.close();
    expect(Object((await pragma(store, 'busy_timeout')).rows[0]).timeout).toBe(1_000);
    await store.cutLog();
    expect(logger.lines).toHaveLength(1);
  });

  it('is gone once the store is stopped', async () => {
    const store = await openStore();
    await store.stop();
    expect(existsSync(`${store.path}-wal`)).toBe(false);
  });
});

describe('a row that holds no value', () => {
  it.each(['{"value":"ha', '', '{'])('reads as damaged: %j', async (damage) => {
    const store = await openStore();
    for (const key of ['a:0', 'a:1']) await store.values.set(key, 1);
    change(store, "UPDATE keyv SET value = ? WHERE key = 'a:1'", damage);
    expect(await store.values.get('a:1')).toBeNull();
    expect(await store.values.get('a:0')).toBe(1);
    expect(await store.values.keys('a:')).toEqual(['a:0', 'a:1']);
    await store.values.set('a:1', 2);
    expect(await store.values.get('a:1')).toBe(2);
  });
});

describe('a store that fails while it is used', () => {
  it('throws from every method, and never says "saved" or "nothing there"', async () => {
    const store = await openStore();
    await store.values.set('a:1', 1);
    change(store, 'ALTER TABLE keyv RENAME TO gone');
    await expect(store.values.get('a:1')).rejects.toThrow(StoreError);
    await expect(store.values.set('a:1', 2)).rejects.toThrow(StoreError);
    await expect(store.values.delete('a:1')).rejects.toThrow(StoreError);
    await expect(store.values.keys('a:')).rejects.toThrow(StoreError);
  });

  it('throws when another process has locked it, reads on, and recovers', async () => {
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

  it('throws the words of a full disk, keeps what was written before, and recovers', async () => {
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
