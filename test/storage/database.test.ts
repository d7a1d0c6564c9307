import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDatabase } from '../../src/storage/database.ts';
import { StoreError } from '../../src/storage/store.ts';
import { anyCharacter } from '../support/characters.ts';
import { createTestClock } from '../support/clock.ts';
import { bytesOnDisk, collect, folder, openStore, recorder } from './temporary.ts';

describe('the store', () => {
  it('keeps values over a restart', async () => {
    const path = join(folder(), 'new', 'folder', 'bot.sqlite');
    const first = await openStore(path);
    await first.set('area:1:a', { list: [1, 'zwei', null] });
    await first.stop();

    const second = await openStore(path);
    expect(await second.get('area:1:a')).toEqual({ list: [1, 'zwei', null] });
    expect(await second.get('area:1:b')).toBeUndefined();
  });

  it('returns every JSON value and every key as they were', async () => {
    const store = await openStore();
    const key = fc.string({ minLength: 1, unit: anyCharacter });
    await fc.assert(
      fc.asyncProperty(key, fc.jsonValue(), async (key, value) => {
        await store.set(key, value);
        expect(JSON.stringify(await store.get(key))).toBe(JSON.stringify(value));
      }),
      { numRuns: 100 },
    );
  });

  it('says whether there was something to delete', async () => {
    const store = await openStore();
    await store.set('a', 1);
    expect(await store.delete('a')).toBe(true);
    expect(await store.delete('a')).toBe(false);
    expect(await store.get('a')).toBeUndefined();
  });

  it('refuses what it could not give back', async () => {
    const store = await openStore();
    await expect(store.set('a', undefined)).rejects.toThrow(StoreError);
    await expect(store.set('a', Symbol('no JSON'))).rejects.toThrow(StoreError);
    await expect(store.set('', 1)).rejects.toThrow(StoreError);
  });

  it('forgets a value after its time, and at once when the time is nought or less', async () => {
    const clock = createTestClock();
    const store = await openStore();
    await store.set('soon', 1, 60_000);
    await store.set('late', 1, -5);
    await store.set('kept', 1, Number.POSITIVE_INFINITY);
    expect(await store.get('soon')).toBe(1);
    clock.advance(60_001);
    expect(await collect(store.entries(''))).toEqual([['kept', 1]]);
    expect(await store.get('soon')).toBeUndefined();
    expect(await store.get('late')).toBeUndefined();
  });

  it('removes the rows of values past their time when it starts', async () => {
    const path = join(folder(), 'bot.sqlite');
    const first = await openStore(path);
    await Promise.all(Array.from({ length: 50 }, (_, i) => first.set(`old:${i}`, i, 1)));
    await first.set('kept', 1);
    await first.stop();
    await setTimeout(5);
    await openStore(path);
    const raw = new DatabaseSync(path, { readOnly: true });
    onTestFinished(() => raw.close());
    expect(raw.prepare('SELECT key FROM keyv').all()).toEqual([{ key: 'kept' }]);
  });

  it('walks over all values of a prefix, in key order, and no others', async () => {
    const store = await openStore();
    const keys = Array.from({ length: 1_001 }, (_, i) => `b:${String(i).padStart(5, '0')}`);
    const others = ['a:1', 'b', 'b9', 'c:1', 'ba:1'];
    await Promise.all([...keys.toReversed(), ...others].map((key) => store.set(key, key)));
    const found = await collect(store.entries('b:'));
    expect(found).toEqual(keys.map((key) => [key, key]));
  });

  it('can be changed while it is walked over', async () => {
    const store = await openStore();
    const keys = Array.from({ length: 500 }, (_, i) => `k:${String(i).padStart(3, '0')}`);
    await Promise.all(keys.map((key, i) => store.set(key, i)));
    const seen: unknown[] = [];
    for await (const [key, value] of store.entries('k:')) {
      seen.push(value);
      await store.delete(key);
    }
    expect(seen).toEqual(Array.from({ length: 500 }, (_, i) => i));
    expect(await collect(store.entries('k:'))).toEqual([]);
  });

  it('lists the keys of a prefix alone', async () => {
    const store = await openStore();
    const keys = Array.from({ length: 450 }, (_, i) => `b:${String(i).padStart(3, '0')}`);
    await Promise.all(keys.map((key, i) => store.set(key, i)));
    for (const key of ['a:1', 'b', 'c:1']) await store.set(key, 1);
    expect(await collect(store.keys('b:'))).toEqual((await collect(store.entries('b:'))).map(([key]) => key));
    expect(await collect(store.keys('b:'))).toHaveLength(450);
    expect(await collect(store.keys('x'))).toEqual([]);
  });

  it('replaces a value only where the previous one is still there, and keeps its time', async () => {
    const clock = createTestClock();
    const store = await openStore();
    await store.set('a', { n: 1, list: [1] });
    expect(await store.replace('a', { list: [1], n: 1 }, { n: 2 })).toBe(true);
    expect(await store.get('a')).toEqual({ n: 2 });
    expect(await store.replace('a', { n: 1, list: [1] }, { n: 3 })).toBe(false);
    expect(await store.replace('b', undefined, 1)).toBe(false);
    expect(await collect(store.entries(''))).toEqual([['a', { n: 2 }]]);

    await store.set('soon', 1, 60_000);
    expect(await store.replace('soon', 1, 2)).toBe(true);
    expect(await store.get('soon')).toBe(2);
    clock.advance(60_001);
    expect(await store.get('soon')).toBeUndefined();
  });

  it('lets exactly one of many replace a value', async () => {
    const path = join(folder(), 'bot.sqlite');
    const stores = [await openStore(path), await openStore(path)];
    await stores[0]?.set('a', 0);
    const done = await Promise.all([1, 2, 3, 4].map((value) => stores[value % 2]?.replace('a', 0, value)));
    expect(done.filter((replaced) => replaced)).toHaveLength(1);
  });

  it('lets nobody else read the file, its log and its folder', async () => {
    const path = join(folder(), 'data', 'bot.sqlite');
    await (await openStore(path)).set('a', 1);
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(`${path}-wal`).mode & 0o777).toBe(0o600);
  });

  it('can be stopped twice, or before it was started', async () => {
    const path = join(folder(), 'bot.sqlite');
    const store = createDatabase({ url: `sqlite://${path}`, logger: recorder() });
    await store.stop();
    expect(existsSync(path)).toBe(false);
    await store.start();
    await store.stop();
    await store.stop();
    await expect(store.get('a')).rejects.toThrow(StoreError);
  });

  it.each([
    'postgres://db/bot',
    'redis://db',
    'bot.sqlite',
    'sqlite://',
    'sqlite://:memory:',
    'sqlite://a?mode=ro',
    'sqlite://data/',
  ])('does not take %s for a database', (url) => {
    expect(() => createDatabase({ url, logger: recorder() })).toThrow(/STORE_URL must name a file of SQLite/);
  });
});

describe('a deleted value', () => {
  it('is in neither the file nor its log any more', async () => {
    const store = await openStore();
    await store.set('secret:1', 'CANARY-OF-THE-FIRST');
    await store.set('secret:2', 'CANARY-OF-THE-SECOND');
    expect(bytesOnDisk(store.path)).toContain('CANARY-OF-THE-FIRST');
    await store.erase(async () => {
      await store.delete('secret:1');
      await store.set('secret:2', 'replaced');
    });
    expect(bytesOnDisk(store.path)).not.toContain('CANARY');
    expect(bytesOnDisk(store.path)).toContain('replaced');
  });

  it('stays when what deletes it with others fails', async () => {
    const store = await openStore();
    await store.set('a', 1);
    const failing = store.erase(async () => {
      await store.delete('a');
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await store.get('a')).toBe(1);
  });

  it('is gone after a restart also where pages were split and merged many times, and not before', async () => {
    const path = join(folder(), 'bot.sqlite');
    const store = await openStore(path);
    // One of the sequences after which SQLite's secure_delete alone leaves an old copy behind.
    let state = 3;
    const random = (below: number) => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((state / 2_147_483_648) * below);
    };
    const live = new Map<string, string>();
    const changeAtRandom = async (i: number) => {
      const key = `k:${random(60)}`;
      if (random(3) === 0) {
        await store.delete(key);
        live.delete(key);
      } else {
        const mark = `<MARK${String(i).padStart(6, '0')}>`;
        await store.set(key, mark + 'x'.repeat(random(2_000)));
        live.set(key, mark);
      }
    };
    // Many in a commit, each of which waits for the disk.
    for (let i = 0; i < 4_000; i += 100) {
      await store.inGuild('1', async () => {
        for (let n = i; n < i + 100; n++) await changeAtRandom(n);
      });
    }
    await store.erase(async () => undefined);
    const found = () => new Set(bytesOnDisk(path).match(/<MARK\d{6}>/g));
    // Rewriting the file would hold up everybody.
    expect(found().size).toBeGreaterThan(live.size);
    await store.stop();
    expect(found()).toEqual(new Set(live.values()));
  });

  it('is cleaned up later when another process holds the file', async () => {
    const path = join(folder(), 'bot.sqlite');
    const logger = recorder();
    const store = await openStore(path, logger);
    await store.set('a', 'CANARY');
    const reader = new DatabaseSync(path, { readOnly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM keyv').get();
    await store.erase(() => store.delete('a'));
    expect(logger.lines.map(({ level }) => level)).toEqual(['warn']);
    reader.close();
    await store.stop();
    expect(readFileSync(path, 'latin1')).not.toContain('CANARY');
    expect(existsSync(`${path}-wal`)).toBe(false);
  });

  it('leaves the log at the next start when another process held the file until the end of this one', async () => {
    const path = join(folder(), 'bot.sqlite');
    const store = await openStore(path);
    await Promise.all(
      Array.from({ length: 50 }, (_, i) => store.set(`k:${i}`, `CANARY ${'x'.repeat(1_000)}`)),
    );
    const reader = new DatabaseSync(path, { readOnly: true });
    onTestFinished(() => reader.close());
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM keyv').get();
    await store.erase(async () => {
      for (let i = 0; i < 50; i++) await store.delete(`k:${i}`);
    });
    await store.stop();
    reader.exec('COMMIT');
    expect(bytesOnDisk(path)).toContain('CANARY');
    await openStore(path);
    expect(bytesOnDisk(path)).not.toContain('CANARY');
  });

  it('leaves the file at the next start when the process was killed before it could stop', async () => {
    const path = join(folder(), 'bot.sqlite');
    const store = await openStore(path);
    await Promise.all(Array.from({ length: 200 }, (_, i) => store.set(`k:${i}`, 'x'.repeat(1_000))));
    await store.erase(async () => {
      for (let i = 0; i < 150; i++) await store.delete(`k:${i}`);
    });
    const unused = () => {
      const raw = new DatabaseSync(path, { readOnly: true });
      try {
        return Number(raw.prepare('PRAGMA freelist_count').get()?.freelist_count);
      } finally {
        raw.close();
      }
    };
    expect(unused()).toBeGreaterThan(20);
    // A second process opens it while the first has not stopped: as after a kill, only the mark is left.
    await openStore(path);
    expect(unused()).toBe(0);
  });

  it('stays in the file of a running bot when another program stops beside it', async () => {
    const path = join(folder(), 'bot.sqlite');
    const store = await openStore(path);
    await Promise.all(Array.from({ length: 200 }, (_, i) => store.set(`k:${i}`, 'x'.repeat(1_000))));
    await store.erase(async () => {
      for (let i = 0; i < 150; i++) await store.delete(`k:${i}`);
    });
    const size = () => statSync(path).size;
    const before = size();
    const other = createDatabase({ url: `sqlite://${path}`, logger: recorder(), rewrites: false });
    await other.start();
    await other.stop();
    expect(size()).toBe(before);
    await store.stop();
    expect(size()).toBeLessThan(before);
  });
});
