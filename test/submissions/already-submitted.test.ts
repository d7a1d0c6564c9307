import { describe, expect, it } from 'vitest';
import { addDone, openParts, partsOver, readyDraft, readyRow } from '../support/builders.ts';
import { kinds, newPlace } from '../support/database.ts';

const MINUTE = 60_000;
const NOW = 1_000 * MINUTE;
const me = { guildId: '1', userId: '7' };

describe('the search for previous submissions', () => {
  it('finds servers by host and port, ignoring rejected or unsent ones', async () => {
    const { store, alreadySubmitted } = await openParts(NOW);
    const ofGuild = { guildId: '1', userId: '7', hosts: ['one'] };
    await addDone(store, { ...ofGuild, id: 'a', at: 1, game: 'css' });
    await addDone(store, { ...ofGuild, id: 'b', at: 2, outcome: 'unknown', userId: '8', game: 'rust' });
    await addDone(store, { ...ofGuild, id: 'c', at: 3, outcome: 'rejected' });
    await addDone(store, { ...ofGuild, id: 'd', at: 4, outcome: 'not-sent' });
    await addDone(store, { ...ofGuild, id: 'e', at: 5, outcome: 'rejected', hosts: ['two'] });
    await addDone(store, { ...ofGuild, id: 'f', at: 6, guildId: '2' });
    const rows = [
      readyRow(1, 'one'),
      readyRow(2, 'two'),
      readyRow(3, 'one', { port: 1 }),
      readyRow(4, 'one'),
    ];
    const found = await alreadySubmitted.find(me, rows);
    const before = {
      server: 'one',
      port: 27015,
      game: 'rust',
      at: 2,
      userId: '8',
      userName: 'name of 8',
      decidedBy: '',
      decidedByName: '',
      isYours: false,
      outcome: { kind: 'unknown', reason: 'unreadable' },
    };
    expect([...found]).toEqual([
      [rows[0], before],
      [rows[3], before],
    ]);
  });

  it('prefers the latest match for the same game', async () => {
    const { store, alreadySubmitted } = await openParts(NOW);
    const add = (id: string, at: number, game: string) =>
      addDone(store, { id, guildId: '1', userId: '7', at, game, hosts: ['one'] });
    await add('a', 1, 'cs2');
    await add('b', 2, 'cs2');
    await add('c', 3, 'css');
    await add('d', 4, 'dods');
    const rows = ['cs2', 'css', 'rust'].map((game, index) => readyRow(index + 1, 'one', { game }));
    const found = [...(await alreadySubmitted.find(me, rows)).values()];
    expect(found.map(({ game, at }) => [game, at])).toEqual([
      ['cs2', 2],
      ['css', 3],
      ['dods', 4],
    ]);
  });

  it("returns the submitter's name until it is deleted", async () => {
    const { store, alreadySubmitted, erasure } = await openParts(NOW);
    await addDone(store, { id: 'a', guildId: '1', userId: '7', at: 1, hosts: ['one'] });
    const find = async (by = me) => [...(await alreadySubmitted.find(by, [readyRow(1, 'one')])).values()];
    expect(await find()).toMatchObject([
      { isYours: true, userName: 'name of 7', outcome: { kind: 'accepted' } },
    ]);
    await erasure.forgetMember('1', '7');
    expect(await find()).toMatchObject([{ isYours: false, userName: '' }]);
  });

  it('finds every server in a list of 1,000', async () => {
    const { store, alreadySubmitted } = await openParts(NOW);
    const hosts = Array.from({ length: 1_000 }, (_, n) => `list-${n}.example.com`);
    await addDone(store, { id: 'a', guildId: '1', userId: '7', at: 1, hosts });
    const { rows } = readyDraft('list', 1_000);
    expect((await alreadySubmitted.find(me, rows)).size).toBe(1_000);
  });
});

it.each(kinds())('a server counts as unconfirmed after 15 minutes without an outcome (%s)', async (kind) => {
  const store = await (await newPlace(kind)).open();
  const { alreadySubmitted } = partsOver(store, { now: () => NOW });
  const add = (host: string, at: number) =>
    addDone(store, { id: host, guildId: '1', userId: '7', at, hosts: [host], outcome: null });
  await add('young', NOW - 15 * MINUTE + 1);
  await add('old', NOW - 15 * MINUTE);
  await add('unsent', NOW - 15 * MINUTE);
  await store.tables().updateTable('servers').set({ sent_at: null }).where('host', '=', 'unsent').execute();
  const rows = ['young', 'old', 'unsent'].map((host, index) => readyRow(index + 1, host));
  const found = await alreadySubmitted.find(me, rows);
  expect([...found.values()]).toMatchObject([
    { server: 'old', at: NOW - 15 * MINUTE, outcome: { kind: 'unknown', reason: 'stopping' } },
  ]);
});

describe('the search for in-flight servers', () => {
  it('finds recently reserved servers that have no outcome yet', async () => {
    const { store, alreadySubmitted } = await openParts(NOW);
    const ofGuild = { guildId: '1', userId: '7' };
    await addDone(store, { ...ofGuild, id: 'a', at: NOW, hosts: ['ended'] });
    await addDone(store, { ...ofGuild, id: 'b', at: NOW - 15 * MINUTE, hosts: ['old'], outcome: null });
    await addDone(store, { ...ofGuild, id: 'c', at: NOW - 15 * MINUTE + 1, hosts: ['new'], outcome: null });
    await addDone(store, { ...ofGuild, id: 'd', at: NOW, hosts: ['elsewhere'], outcome: null, guildId: '2' });
    const find = (...hosts: readonly string[]) =>
      alreadySubmitted.inFlight(
        '1',
        hosts.map((host) => readyRow(1, host).submission),
      );
    expect(await find('ended', 'old', 'elsewhere', 'other')).toBeUndefined();
    expect(await find('other', 'new')).toMatchObject({ server: 'new' });
    expect(await find(...Array.from({ length: 999 }, (_, n) => `s${n}`), 'new')).toMatchObject({
      server: 'new',
    });
  });
});
