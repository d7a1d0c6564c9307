import { beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../src/storage/database.ts';
import { type HistoryFilter, MOST_ENTRIES } from '../../src/submissions/history.ts';
import { openStore } from '../storage/temporary.ts';
import { addDone, fill, partsOver } from '../support/submissions.ts';
import { turnsDuring } from '../support/turns.ts';

let database: Database;
let parts: ReturnType<typeof partsOver>;
beforeEach(async () => {
  database = await openStore();
  parts = partsOver(database);
});

const hosts = (filter: HistoryFilter, offset = 0, limit = 10) =>
  parts.history.page('1', filter, { offset, limit }).then((page) => page.map(({ server }) => server));

describe('the history of a guild', () => {
  it('is read in pages, newest first, by member, game and a part of the address', async () => {
    const of = { guildId: '1', userId: '7' };
    await addDone(database, { ...of, id: 'a', at: 1, hosts: ['one', 'two'] });
    await addDone(database, { ...of, id: 'b', at: 2, hosts: ['three'], game: 'rust', userId: '8' });
    await addDone(database, { ...of, id: 'c', at: 3, hosts: ['f_r', 'fxr'], outcome: 'rejected' });
    await addDone(database, { ...of, id: 'd', at: 4, hosts: ['elsewhere'], guildId: '2' });
    await addDone(database, { ...of, id: 'e', at: 5, hosts: ['draft'], outcome: null });
    expect(await hosts({})).toEqual(['fxr', 'f_r', 'three', 'two', 'one']);
    expect(await hosts({}, 1, 2)).toEqual(['f_r', 'three']);
    expect(await hosts({ userId: '8' })).toEqual(['three']);
    expect(await hosts({ game: 'cs2' })).toEqual(['fxr', 'f_r', 'two', 'one']);
    // No wildcard of SQL means anything.
    expect(await hosts({ address: 'f_r' })).toEqual(['f_r']);
    expect(await hosts({ address: '%' })).toEqual([]);
    expect(await hosts({ address: '!' })).toEqual([]);
    expect(await hosts({ userId: '7', game: 'cs2', address: 'o:' })).toEqual(['two']);
    expect(await parts.history.count('1', { userId: '7' })).toBe(4);
    expect((await parts.history.games('1')).toSorted()).toEqual(['cs2', 'rust']);
    const [entry] = await parts.history.page('1', { userId: '8' }, { offset: 0, limit: 1 });
    expect(entry).toEqual({
      ...{ server: 'three', port: 27015, game: 'rust', at: 2, userId: '8', userName: 'name of 8' },
      ...{ outcome: 'accepted', message: 'Yes.' },
    });
  });

  it('knows the latest acceptance of an address, whatever came after it', async () => {
    const of = { guildId: '1', userId: '7', hosts: ['one'] };
    await addDone(database, { ...of, id: 'a', at: 1 });
    await addDone(database, { ...of, id: 'b', at: 2, outcome: 'unknown', userId: '8' });
    await addDone(database, { ...of, id: 'c', at: 3, outcome: 'rejected' });
    await addDone(database, { ...of, id: 'd', at: 4, outcome: 'not-sent' });
    await addDone(database, { ...of, id: 'e', at: 5, outcome: 'rejected', hosts: ['two'] });
    const found = await parts.checks.submittedBefore({ guildId: '1', userId: '7' }, [
      { server: 'one', port: 27015 },
      { server: 'two', port: 27015 },
      { server: 'one', port: 1 },
    ]);
    expect([...found.entries()].map(([address, { at, userName }]) => [address, at, userName])).toEqual([
      ['one:27015', 2, 'name of 8'],
    ]);
  });

  it('of 100,000 servers is gone through a thousand at a time, each once', async () => {
    await fill(database, '1', { count: MOST_ENTRIES, at: 1_000 });
    let largest = 0;
    const seen = new Set<string>();
    const turns = await turnsDuring(async () => {
      for await (const entries of parts.history.all('1', {})) {
        largest = Math.max(largest, entries.length);
        for (const { server } of entries) seen.add(server);
      }
    });
    expect(largest).toBe(1_000);
    // Others have theirs in between.
    expect(turns).toBeGreaterThanOrEqual(MOST_ENTRIES / 1_000 - 1);
    expect(seen.size).toBe(MOST_ENTRIES);
    expect(await parts.history.isFull('1')).toBe(true);
    expect(await hosts({}, MOST_ENTRIES - 1)).toEqual(['s0.example.com']);
    const known = await parts.checks.submittedBefore({ guildId: '1', userId: '7' }, [
      { server: 's50000.example.com', port: 27015 },
    ]);
    expect(known.size).toBe(1);
  });
});
