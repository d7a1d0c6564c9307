import { sql } from 'kysely';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Store, TransactionEnd } from '../../src/storage/store.ts';
import { StoreError } from '../../src/storage/store-error.ts';
import { hasPostgres } from '../support/postgres.ts';
import { newPlace, type Place } from './places.ts';
import { recorder } from './temporary.ts';

const addGuild = (store: Store, guildId: string) =>
  store
    .tables()
    .insertInto('presence')
    .values({ guild_id: guildId, used_at: Date.UTC(2026, 0), absent_since: null })
    .execute();

async function guildsIn(store: Store): Promise<readonly string[]> {
  const rows = await store.tables().selectFrom('presence').select('guild_id').orderBy('guild_id').execute();
  return rows.map(({ guild_id }) => guild_id);
}

const KINDS = hasPostgres() ? (['sqlite', 'postgres'] as const) : (['sqlite'] as const);

/** What every part above the store relies on, whichever database it is. */
describe.each(KINDS)('a store of %s', (kind) => {
  const openStore: Place['open'] = async (deps) => (await newPlace(kind)).open(deps);

  it('keeps rows and values over a restart, with times as numbers', async () => {
    const { open } = await newPlace(kind);
    const store = await open();
    await addGuild(store, '1');
    await store.values.set('a:1', { deep: ['ä', null, 1.5] });
    await store.stop();
    const again = await open();
    expect(await again.tables().selectFrom('presence').selectAll().execute()).toEqual([
      { guild_id: '1', used_at: Date.UTC(2026, 0), absent_since: null, absences: 0 },
    ]);
    expect(await again.values.get('a:1')).toEqual({ deep: ['ä', null, 1.5] });
  });

  it('deletes a value once, and lists the keys of a prefix alone, in the order of their characters', async () => {
    const { values } = await openStore();
    for (const key of ['a:2', 'a:10', 'a:ü', 'a:B', 'b:1', 'a', 'A:1']) await values.set(key, 1);
    expect(await values.keys('a:')).toEqual(['a:10', 'a:2', 'a:B', 'a:ü']);
    expect(await values.delete('a:2')).toBe(true);
    expect(await values.delete('a:2')).toBe(false);
    expect(await values.get('a:2')).toBeUndefined();
  });

  it('forgets a value whose time is over', async () => {
    const { open, change } = await newPlace(kind);
    const { values } = await open();
    for (const key of ['a:past', 'a:future']) await values.set(key, 1);
    await change(`update keyv set expires = ${Date.now() - 1} where key = 'a:past'`);
    await change(`update keyv set expires = ${Date.now() + 600_000} where key = 'a:future'`);
    expect(await values.get('a:past')).toBeUndefined();
    expect(await values.get('a:future')).toBe(1);
    await values.set('a:past', 2);
    expect(await values.get('a:past')).toBe(2);
  });

  it('cannot be used once it is stopped', async () => {
    const store = await openStore();
    await store.stop();
    await expect(store.values.get('a:1')).rejects.toThrow(/is not open/);
    await expect(store.inGuild('1', async () => undefined)).rejects.toThrow(StoreError);
  });

  it.each([
    ['a newer version', '9.0-of-next-year', /by a newer version of the bot \(it has "9\.0-of-next-year"\)/],
    ['an unreleased version', '0001-tables', /before the first release.*move it away/],
  ])('is refused where %s has written it', async (_, name, words) => {
    const { store, open, change } = await newPlace(kind);
    await (await open()).stop();
    await change(`insert into kysely_migration values ('${name}', '2027-01-01T00:00:00.000Z')`);
    const refused = store();
    await expect(refused.start()).rejects.toThrow(words);
    await expect(refused.start()).rejects.toThrow(StoreError);
  });

  describe('in a transaction', () => {
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

    it('is part of the one that it is begun in', async () => {
      const store = await openStore();
      const failed = store.inGuild('1', async () => {
        await store.inGuild('1', () => store.values.set('a:1', 1));
        throw new Error('changed my mind');
      });
      await expect(failed).rejects.toThrow('changed my mind');
      expect(await store.values.get('a:1')).toBeUndefined();
    });

    it('keeps what is not synced as well', async () => {
      const store = await openStore();
      await store.inGuild('1', () => store.values.set('a:1', 1), { synced: false });
      expect(await store.values.get('a:1')).toBe(1);
    });

    it('is told with its time, and as a failure where the database failed', async () => {
      const ends: TransactionEnd[] = [];
      const store = await openStore({ onTransaction: (end) => ends.push(end) });
      await store.inGuild('1', async () => undefined);
      await store.inGuild('1', () => Promise.reject(new Error('not of the database'))).catch(() => undefined);
      await store.inGuild('1', () => sql`no such statement`.execute(store.tables())).catch(() => undefined);
      expect(ends.map(({ isFailure }) => isFailure)).toEqual([false, false, true]);
      expect(ends.every(({ ms }) => ms >= 0)).toBe(true);
    });

    it('is logged with its guild when it takes longer than a second, once', async () => {
      const logger = recorder();
      const store = await openStore({ logger });
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      onTestFinished(() => void vi.useRealTimers());
      await store.inGuild('7', async () => void vi.advanceTimersByTime(999));
      vi.advanceTimersByTime(10_000);
      expect(logger.lines).toEqual([]);
      await store.inGuild('7', async () => void vi.advanceTimersByTime(1_001));
      expect(logger.lines).toMatchObject([
        { level: 'warn', details: { guildId: '7', stack: expect.stringContaining('contract.test.ts') } },
      ]);
    });
  });

  it('takes an id once, of whatever is inserted at once', async () => {
    const store = await openStore();
    const take = async () => {
      const { numInsertedOrUpdatedRows } = await store
        .tables()
        .insertInto('interactions')
        .values({ id: '1', guild_id: '1', taken_at: 1, sealed: null })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows;
    };
    const taken = await Promise.all(Array.from({ length: 10 }, take));
    expect(taken.filter((rows) => rows === 1n)).toHaveLength(1);
  });

  it.each(['{"value":"ha', '', '{'])('reads as damaged what is no value: %j', async (damage) => {
    const { open, change } = await newPlace(kind);
    const store = await open();
    for (const key of ['a:0', 'a:1']) await store.values.set(key, 1);
    await change(`update keyv set value = '${damage}' where key = 'a:1'`);
    expect(await store.values.get('a:1')).toBeNull();
    expect(await store.values.get('a:0')).toBe(1);
    expect(await store.values.keys('a:')).toEqual(['a:0', 'a:1']);
    await store.values.set('a:1', 2);
    expect(await store.values.get('a:1')).toBe(2);
  });

  it('throws from every method when it fails, and never says "saved" or "nothing there"', async () => {
    const { open, change } = await newPlace(kind);
    const store = await open();
    await store.values.set('a:1', 1);
    await change('alter table keyv rename to gone');
    await expect(store.values.get('a:1')).rejects.toThrow(StoreError);
    await expect(store.values.set('a:1', 2)).rejects.toThrow(StoreError);
    await expect(store.values.delete('a:1')).rejects.toThrow(StoreError);
    await expect(store.values.keys('a:')).rejects.toThrow(StoreError);
  });
});
