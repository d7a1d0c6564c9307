import { describe, expect, it } from 'vitest';
import type { HistoryFilter } from '../../src/submissions/history.ts';
import { addDone, beginSubmission, fill, openParts, readyDraft, readyRow } from '../support/builders.ts';
import { turnsDuring } from '../support/machine.ts';

const MAX_ENTRIES = 20_000;
const MAX_SUBMISSIONS_FOUND = 1_000;

/** Creates a history with every kind of submission in guild 1, and functions to search it. */
async function open() {
  const { store, history, erasure } = await openParts(10);
  const ofGuild = { guildId: '1', userId: '7' };
  await addDone(store, { ...ofGuild, id: 'a', at: 1, hosts: ['one', 'two'] });
  await addDone(store, { ...ofGuild, id: 'b', at: 2, hosts: ['three'], game: 'rust', userId: '8' });
  await addDone(store, { ...ofGuild, id: 'c', at: 3, hosts: ['f_r', 'fxr'], outcome: 'rejected' });
  await addDone(store, { ...ofGuild, id: 'd', at: 4, hosts: ['elsewhere'], guildId: '2' });
  await addDone(store, { ...ofGuild, id: 'e', at: 5, hosts: ['not ended'], outcome: null });
  await addDone(store, { ...ofGuild, id: 'f', at: 0, hosts: ['zero'], outcome: 'not-sent', game: 'ark' });
  return {
    store,
    history,
    erasure,
    ids: async (filter: HistoryFilter) => (await history.find('1', filter)).flat(),
    all: async (filter: HistoryFilter) =>
      (await Array.fromAsync(history.all('1', filter))).flat().map(({ server }) => server),
  };
}

describe("a guild's history", () => {
  it('lists submissions, newest first', async () => {
    const { store, history, ids } = await open();
    await store.tables().updateTable('submissions').set({ created_at: 9 }).where('id', '=', 'f').execute();
    expect(await ids({})).toEqual(['c', 'b', 'a', 'f']);
    const none = { accepted: 0, rejected: 0, 'not-sent': 0, unknown: 0 };
    const only = {
      server: 'three',
      port: 27015,
      game: 'rust',
      at: 2,
      userId: '8',
      userName: 'name of 8',
      decidedBy: '',
      decidedByName: '',
      outcome: { kind: 'accepted', message: 'Yes.' },
    };
    expect(await history.entries('1', ['c', 'deleted meanwhile', 'b'])).toEqual([
      {
        id: 'c',
        draftId: 'of c',
        state: 'done',
        at: 3,
        userId: '7',
        userName: 'name of 7',
        decidedBy: '',
        decidedByName: '',
        correctedByName: '',
        counts: { ...none, rejected: 2 },
        only: undefined,
        first: expect.objectContaining({ server: 'f_r', outcome: { kind: 'rejected', message: 'Yes.' } }),
      },
      {
        id: 'b',
        draftId: 'of b',
        state: 'done',
        at: 2,
        userId: '8',
        userName: 'name of 8',
        decidedBy: '',
        decidedByName: '',
        correctedByName: '',
        counts: { ...none, accepted: 1 },
        only,
        first: only,
      },
    ]);
    const [found] = await history.entries('1', ['c'], 'fx r');
    expect(found?.first?.server).toBe('fxr');
    expect(found?.only).toBeUndefined();
  });

  it.each<{ filter: HistoryFilter; found: readonly string[]; servers: readonly string[] }>([
    { filter: { userId: '8' }, found: ['b'], servers: ['three'] },
    { filter: { game: 'cs2' }, found: ['c', 'a'], servers: ['fxr', 'f_r', 'two', 'one'] },
    { filter: { outcome: 'not-sent' }, found: ['f'], servers: ['zero'] },
    // SQL wildcards only match themselves.
    { filter: { address: 'f_r' }, found: ['c'], servers: ['f_r'] },
    { filter: { address: 'three 27015' }, found: ['b'], servers: ['three'] },
    { filter: { address: 'three one' }, found: [], servers: [] },
    { filter: { address: '%' }, found: [], servers: [] },
    { filter: { address: '!' }, found: [], servers: [] },
    { filter: { userId: '7', game: 'cs2', address: 'o:' }, found: ['a'], servers: ['two'] },
  ])('returns the submissions and servers that match $filter', async ({ filter, found, servers }) => {
    const { ids, all } = await open();
    expect(await ids(filter)).toEqual(found);
    expect(await all(filter)).toEqual(servers);
  });

  it('lists the games of the latest accepted or unconfirmed servers', async () => {
    const { store, history } = await open();
    expect(await history.gameAliases('1')).toEqual(new Set(['ark', 'cs2', 'rust']));
    await addDone(store, { id: 'g', guildId: '1', userId: '7', at: 9, hosts: ['x'], outcome: 'unknown' });
    expect(await history.latestGames('1')).toEqual(['cs2', 'rust', 'cs2', 'cs2']);
    expect(await history.size('1')).toBe(7);
  });

  it("can't be filtered by a member whose name has been deleted", async () => {
    const { erasure, ids, all } = await open();
    await erasure.forgetMember('1', '8');
    for (const filter of [{ userId: '8' }, { userId: '8', address: 'three' }]) {
      expect(await ids(filter)).toEqual([]);
      expect(await all(filter)).toEqual([]);
    }
    expect(await ids({ address: 'three' })).toEqual(['b']);
  });

  it('excludes submissions in progress', async () => {
    const { store, ids } = await open();
    await store
      .tables()
      .updateTable('submissions')
      .set({ state: 'running', ended_at: null })
      .where('id', '=', 'a')
      .execute();
    expect(await ids({ address: 'one' })).toEqual([]);
  });
});

/** Submits a server that waits for approval, and declines it. */
async function decline(
  parts: Awaited<ReturnType<typeof openParts>>,
  name: string,
  words: string,
): Promise<void> {
  const mia = { guildId: '1', user: { id: '7', name: 'mia' } };
  const draft = readyDraft(name, 1);
  const submission = { interactionId: `i${name}`, draft, expiresAt: 1_000_000 };
  const submissionId = await parts.store.inGuild('1', () => beginSubmission(parts, mia, submission));
  const reason = { key: undefined, words };
  const by = { id: '9', name: 'mod' };
  await parts.approvals.decline({
    guildId: '1',
    id: name,
    submissionId,
    by,
    interactionId: `d${name}`,
    reason,
  });
}

it('submissions declined for the same reason within a minute are grouped', async () => {
  const parts = await openParts(1_000);
  for (const name of ['a', 'b']) await decline(parts, name, 'Too many');
  parts.clock.now += 1;
  await decline(parts, 'c', 'Wrong port');
  parts.clock.now += 30_000;
  await decline(parts, 'd', 'Wrong port');
  parts.clock.now += 60_000;
  await decline(parts, 'e', 'Wrong port');
  const groups = await parts.history.find('1', {});
  const entries = await parts.history.entries('1', groups.flat());
  const names = groups.map((group) =>
    group.map((id) => entries.find((entry) => entry.id === id)?.draftId).toSorted(),
  );
  expect(names).toEqual([['e'], ['c', 'd'], ['a', 'b']]);
  expect((await parts.history.find('1', { outcome: 'declined' })).flat()).toHaveLength(5);
  expect(await parts.history.find('1', { outcome: 'not-sent' })).toEqual([]);
});

it('submissions waiting for approval are hidden unless the filter selects them', async () => {
  const parts = await openParts(1_000);
  const mia = { guildId: '1', user: { id: '7', name: 'mia' } };
  await beginSubmission(parts, mia, { interactionId: 'i', draft: readyDraft('w', 1), expiresAt: 1_000_000 });
  expect(await parts.history.find('1', {})).toEqual([]);
  const [[id = ''] = []] = await parts.history.find('1', { outcome: 'waiting', userId: '7' });
  const entries = await parts.history.entries('1', [id]);
  expect(entries).toMatchObject([{ state: 'waiting', at: 1_000, only: { server: 'w-0.example.com' } }]);
  expect((await Array.fromAsync(parts.history.all('1', { outcome: 'waiting' }))).flat()).toEqual([]);
});

it("withdrawn submissions stay in the member's history for a day", async () => {
  const parts = await openParts(1_000);
  const { history, approvals, clock } = parts;
  const mia = { guildId: '1', user: { id: '7', name: 'mia' } };
  const wait = (id: string) =>
    beginSubmission(parts, mia, { interactionId: `i${clock.now}`, draft: readyDraft(id, 1), expiresAt: 1e9 });
  const found = async (readerId: string, filter: HistoryFilter = {}) =>
    (await history.find('1', { readerId, ...filter })).flat();
  const first = await wait('a');
  await approvals.withdraw(mia, 'a', 'w1');
  for (const filter of [{}, { outcome: 'withdrawn' }, { address: 'a-0.' }, { game: 'cs2' }] as const) {
    expect(await found('7', filter)).toEqual([first]);
    expect(await found('8', filter)).toEqual([]);
  }
  expect(await history.entries('1', [first])).toMatchObject([{ state: 'withdrawn' }]);
  expect((await Array.fromAsync(history.all('1', { outcome: 'withdrawn' }))).flat()).toEqual([]);
  expect(await parts.submissions.editableDraft(mia, 'a')).toMatchObject({ id: 'a', rows: [{ line: 1 }] });
  clock.now += 1;
  const again = await wait('a');
  expect(await found('7')).toEqual([]);
  // The button of an old reply doesn't delete the draft that is waiting again.
  expect(await approvals.removeWithdrawn(mia, first)).toBe(false);
  expect(await approvals.draft(mia, 'a')).toMatchObject({ id: 'a' });
  expect(await parts.submissions.latestId('a')).toBe(again);
  const second = await wait('b');
  await approvals.withdraw(mia, 'b', 'w2');
  expect(await found('7')).toEqual([second]);
  const eve = { guildId: '1', user: { id: '8', name: 'eve' } };
  expect(await approvals.removeWithdrawn(eve, second)).toBe(false);
  expect(await approvals.removeWithdrawn(mia, second)).toBe(true);
  expect(await found('7')).toEqual([]);
  await wait('c');
  await approvals.withdraw(mia, 'c', 'w3');
  clock.now += 86_400_000;
  expect(await found('7')).toEqual([]);
});

it("a member's unsent servers are listed until they are resubmitted", async () => {
  const parts = await openParts(1_000);
  const { history, store, submissions } = parts;
  const unsent = { guildId: '1', userId: '7', outcome: 'not-sent' } as const;
  await addDone(store, { ...unsent, id: 'a', at: 1, hosts: ['one', 'two'] });
  await addDone(store, { ...unsent, id: 'b', at: 2, hosts: ['two', 'three'] });
  await addDone(store, { ...unsent, id: 'c', at: 3, hosts: ['other'], userId: '8' });
  const hosts = async (ids?: readonly string[]) =>
    (await history.unsent('1', '7', ids)).map(({ server }) => server);
  expect(await hosts()).toEqual(['two', 'three', 'one']);
  expect(await hosts(['a'])).toEqual(['one', 'two']);
  await addDone(store, { id: 'd', guildId: '1', userId: '8', at: 4, hosts: ['three'] });
  expect(await hosts()).toEqual(['two', 'one']);
  const rows = [readyRow(1, 'two')];
  const mia = { guildId: '1', user: { id: '7', name: 'mia' } };
  await submissions.begin({ ...mia, draftId: 'new', interactionId: 'n', rows }, false);
  expect(await hosts()).toEqual(['one']);
  expect((await history.find('1', { outcome: 'not-sent' })).flat()).toEqual(['c', 'b', 'a']);
});

it('only one history search runs per turn of the event loop', async () => {
  const { store, history } = await openParts(0);
  await addDone(store, { id: 'a', guildId: '1', userId: '7', at: 1, hosts: ['one'] });
  const looks: readonly (() => Promise<unknown>)[] = [
    () => history.find('1', {}),
    () => history.entries('1', ['a']),
    () => history.size('1'),
  ];
  for (const look of looks) {
    const turns = await turnsDuring(() => Promise.all(Array.from({ length: 30 }, look)));
    expect(turns).toBeGreaterThanOrEqual(29);
  }
});

it('a history search stops after 1,000 submissions', async () => {
  const { store, history } = await openParts(0);
  await store.inGuild('1', async () => {
    for (let at = 0; at <= MAX_SUBMISSIONS_FOUND + 1; at += 1) {
      await addDone(store, { id: `${at}`, guildId: '1', userId: '7', at, hosts: ['a', 'b'] });
    }
  });
  for (const filter of [{}, { address: 'a' }, { userId: '7', outcome: 'accepted' as const }]) {
    const found = (await history.find('1', filter)).flat();
    expect(found).toHaveLength(MAX_SUBMISSIONS_FOUND + 1);
    expect([found[0], found.at(-1)]).toEqual(['1001', '1']);
  }
});

it('a history of 20,000 servers is searched in batches of 2,000', async () => {
  const { store, history } = await openParts(0);
  await fill(store, '1', { count: MAX_ENTRIES, at: 1_000 });
  expect(await history.find('1', { address: 's7.example.com' })).toEqual([['1-0']]);
  expect(await history.find('1', { game: 'cs2', outcome: 'accepted' })).toHaveLength(13);
  expect(await history.find('1', { userId: '8', outcome: 'accepted' })).toHaveLength(10);
  const lengths: number[] = [];
  const seen = new Set<string>();
  const turns = await turnsDuring(async () => {
    for await (const entries of history.all('1', {})) {
      lengths.push(entries.length);
      for (const { server } of entries) seen.add(server);
    }
  });
  expect(Math.max(...lengths)).toBe(2_000);
  expect(turns).toBeGreaterThanOrEqual(10);
  expect(seen.size).toBe(MAX_ENTRIES);
  expect(await history.size('1')).toBe(MAX_ENTRIES);
  expect(await history.latestGames('1')).toHaveLength(1_000);
});
