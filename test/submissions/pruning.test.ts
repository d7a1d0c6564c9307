import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Store } from '../../src/storage/store.ts';
import {
  addDone,
  beginSubmission,
  fill,
  type PartsOptions,
  partsOver,
  readyDraft,
  readyRow,
} from '../support/builders.ts';
import { kinds, newPlace, openStore, rowsIn } from '../support/database.ts';
import { turnsDuring } from '../support/machine.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const MAX_ENTRIES = 20_000;
const NOW = 1_000 * DAY;
const ago = (days: number) => NOW - days * DAY;
const ofGuild = { guildId: '1', userId: '7' };

async function open() {
  const store = await openStore();
  const partsAt = (now: number, options: PartsOptions = {}) =>
    partsOver(store, { now: () => now, ...options });
  return {
    store,
    partsAt,
    prune: (options?: PartsOptions) => partsAt(NOW, options).erasure.prune(),
    async hosts(guildId = '1') {
      const servers = store.tables().selectFrom('servers').where('guild_id', '=', guildId);
      const rows = await servers.select('host').orderBy('ended_at').orderBy('position').execute();
      return rows.map(({ host }) => host);
    },
    async submissions() {
      const rows = await rowsIn(store, 'submissions');
      return rows.map(({ id }) => id).toSorted();
    },
  };
}

it('pruning can be interrupted between guilds', async () => {
  const { store, hosts } = await open();
  for (const guildId of ['1', '2']) {
    await addDone(store, { ...ofGuild, guildId, id: guildId, hosts: ['a'], at: ago(1_000) });
  }
  const stopping = new AbortController();
  const inGuild: Store['inGuild'] = (...change) => store.inGuild(...change).finally(() => stopping.abort());
  const { erasure } = partsOver({ ...store, inGuild }, { now: () => NOW });
  await expect(erasure.prune(stopping.signal)).rejects.toThrow('aborted');
  expect([await hosts('1'), await hosts('2')]).toEqual([[], ['a']]);
});

describe('pruning a guild with a lot of expired data', () => {
  /** The most rows that a transaction may change: five expired submissions of 1,000 servers each, with their drafts. */
  const MOST_CHANGED = 5_100;
  const lists: Readonly<Record<string, (opened: Awaited<ReturnType<typeof open>>) => Promise<unknown>>> = {
    'old servers': ({ store }) => fill(store, '1', { count: 15_000, at: ago(500) }),
    'more servers than the maximum': ({ store }) =>
      fill(store, '1', { count: MAX_ENTRIES + 10_000, at: ago(1) }),
    'forgotten members': async ({ store }) => {
      await fill(store, '1', { count: 10_000, at: ago(1) });
      await store.tables().updateTable('servers').set({ is_forgotten: 1 }).execute();
    },
    'withdrawn submissions': async ({ store }) => {
      await fill(store, '1', { count: 10_000, at: ago(2) });
      await store.tables().updateTable('submissions').set({ state: 'withdrawn' }).execute();
    },
    'expired submissions': async ({ store }) => {
      await fill(store, '1', { count: 10_000, at: ago(1) });
      const { tables } = store;
      await tables().updateTable('submissions').set({ state: 'waiting', expires_at: NOW }).execute();
      await tables().updateTable('servers').set({ ended_at: null, outcome: null }).execute();
    },
    'empty submissions': async ({ store }) => {
      for (let n = 0; n < 6_000; n++)
        await addDone(store, { ...ofGuild, id: `empty ${n}`, hosts: [], at: ago(1) });
    },
  };

  it.each(Object.entries(lists))("doesn't block other guilds' work: %s", async (_, add) => {
    const opened = await open();
    const { store } = opened;
    await add(opened);
    const total = sql<{ readonly changes: number }>`select total_changes() as changes`;
    const changes = async () => (await total.execute(store.tables())).rows[0]?.changes ?? 0;
    const changed: number[] = [];
    const inGuild: Store['inGuild'] = async (...change) => {
      const before = await changes();
      const result = await store.inGuild(...change);
      changed.push((await changes()) - before);
      return result;
    };
    const { erasure } = partsOver({ ...store, inGuild }, { now: () => NOW });
    expect(await turnsDuring(() => erasure.prune())).toBeGreaterThanOrEqual(changed.length);
    expect(Math.max(...changed)).toBeLessThan(MOST_CHANGED);
    expect(changed.reduce((sum, count) => sum + count)).toBeGreaterThan(MOST_CHANGED);
    await erasure.prune();
    expect(changed.at(-1)).toBe(0);
  });
});

describe('a submission', () => {
  it('is deleted after the configured number of days', async () => {
    const { store, prune, hosts, submissions } = await open();
    for (const outcome of ['accepted', 'unknown', 'rejected', 'not-sent'] as const) {
      for (const days of [29, 30, 364, 365]) {
        const id = `${outcome} ${days}`;
        await addDone(store, { ...ofGuild, id, hosts: [id], at: ago(days) + MINUTE, outcome });
        await addDone(store, { ...ofGuild, id: `${id} gone`, hosts: [`${id} gone`], at: ago(days), outcome });
      }
    }
    const left = async () => (await hosts()).toSorted();
    await prune();
    const kept = ['accepted 29', 'accepted 30', 'accepted 364', 'accepted 365'];
    const all = [...kept, ...kept.map((id) => id.replace('accepted', 'unknown'))];
    const gone = all.filter((id) => !id.endsWith('365')).map((id) => `${id} gone`);
    const refused = ['29', '29 gone', '30'].flatMap((id) => [`rejected ${id}`, `not-sent ${id}`]);
    expect(await left()).toEqual([...all, ...gone, ...refused].toSorted());
    expect(await submissions()).toEqual(await left());
    await prune({ days: 7 });
    expect([...(await left()), ...(await submissions())]).toEqual([]);
  });

  it('is kept while it counts towards a limit', async () => {
    const { store, prune, hosts } = await open();
    await addDone(store, { ...ofGuild, id: 'a', at: ago(3), hosts: ['a'] });
    await addDone(store, { ...ofGuild, id: 'b', at: ago(8), hosts: ['b'] });
    await prune({ days: 1, guild: { servers: 10, seconds: 604_800 } });
    expect(await hosts()).toEqual(['a']);
    await prune({ days: 1 });
    expect(await hosts()).toEqual([]);
  });

  it('is deleted in the same transaction as its last server', async () => {
    const { store, prune, hosts, submissions } = await open();
    await addDone(store, { ...ofGuild, id: 'old', hosts: ['old'], at: ago(500) });
    await addDone(store, { ...ofGuild, id: 'mixed', at: ago(500), hosts: ['old', 'new'] });
    const ended_at = ago(1);
    await store.tables().updateTable('servers').set({ ended_at }).where('host', '=', 'new').execute();
    await sql`create trigger fault before delete on submissions begin select raise(abort, 'fault'); end`.execute(
      store.tables(),
    );
    await expect(prune()).rejects.toThrow('fault');
    expect(await hosts()).toEqual(['old', 'old', 'new']);
    await sql`drop trigger fault`.execute(store.tables());
    await prune();
    expect(await hosts()).toEqual(['new']);
    expect(await submissions()).toEqual(['mixed']);
  });

  it.each([
    'done',
    'declined',
    'expired',
  ] as const)("is deleted if it doesn't have any servers: %s", async (state) => {
    const { store, prune, submissions } = await open();
    await addDone(store, { ...ofGuild, id: 'empty', hosts: [], at: ago(1) });
    await addDone(store, { ...ofGuild, id: 'withdrawn', hosts: [], at: NOW });
    await addDone(store, { ...ofGuild, id: 'kept', hosts: ['kept'], at: NOW });
    const ended = store.tables().updateTable('submissions');
    await ended.set({ state }).where('id', '=', 'empty').execute();
    await ended.set({ state: 'withdrawn' }).where('id', '=', 'withdrawn').execute();
    await prune();
    expect(await submissions()).toEqual(['kept', 'withdrawn']);
  });

  it("isn't deleted until its message has been updated", async () => {
    const { store, prune, hosts, submissions } = await open();
    await addDone(store, { ...ofGuild, id: 'shown', hosts: ['shown'], at: ago(1) });
    await addDone(store, { ...ofGuild, id: 'due', hosts: ['due'], at: ago(1) });
    const update = store.tables().updateTable('submissions');
    await update.set({ state: 'withdrawn' }).execute();
    await update.set({ revision: 1 }).where('id', '=', 'due').execute();
    await prune();
    expect(await hosts()).toEqual(['due']);
    expect(await submissions()).toEqual(['due']);
  });
});

describe("pruning a guild's history to 20,000 servers", () => {
  it("deletes unsent servers first, then the most active member's oldest ones", async () => {
    const { store, prune, hosts, submissions } = await open();
    await fill(store, '1', { count: MAX_ENTRIES, at: ago(10) });
    await fill(store, '2', { count: 10, at: ago(20) });
    const list = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name}-${n}`);
    await addDone(store, {
      ...ofGuild,
      id: 'x',
      at: ago(1),
      hosts: list('not-sent', 700),
      outcome: 'not-sent',
    });
    await addDone(store, { ...ofGuild, id: 'new', at: NOW, hosts: list('new', 1_234) });
    await prune();
    const left = await hosts();
    expect(left).toHaveLength(MAX_ENTRIES);
    // The lists of 1,000 servers belong to two members in turn, and the new list to the first of them.
    expect(left.slice(0, 1_001)).toEqual([
      ...list('s', 2_000)
        .slice(1_000)
        .map((name) => `${name.replace('-', '')}.example.com`),
      's2234.example.com',
    ]);
    expect(left.slice(-1_234)).toEqual(list('new', 1_234));
    expect(await hosts('2')).toHaveLength(10);
    expect(await submissions()).not.toContain('1-0');
    expect(await submissions()).toContain('1-1000');
    expect(await submissions()).not.toContain('x');
  });

  it.each(kinds())('deletes rejected servers before accepted or unconfirmed ones (%s)', async (kind) => {
    const store = await (await newPlace(kind)).open();
    const hosts = (count: number) => Array.from({ length: count }, (_, n) => `s${n}`);
    const add = (userId: string, outcome: 'accepted' | 'unknown' | 'rejected', count: number, at: number) =>
      addDone(store, { id: `${userId} ${outcome}`, guildId: '1', userId, outcome, at, hosts: hosts(count) });
    await add('7', 'accepted', 150, ago(10));
    await add('7', 'unknown', 50, ago(10));
    await add('7', 'rejected', 10, ago(10));
    await add('8', 'rejected', MAX_ENTRIES, ago(2));
    await partsOver(store, { now: () => NOW }).erasure.prune();
    const left = store.tables().selectFrom('servers').groupBy('submission_id').orderBy('submission_id');
    const counts = left.select(({ fn }) => ['submission_id', fn.countAll<number>().as('count')]);
    expect(await counts.execute()).toEqual([
      { submission_id: '7 accepted', count: 150 },
      { submission_id: '7 rejected', count: 10 },
      { submission_id: '7 unknown', count: 50 },
      { submission_id: '8 rejected', count: MAX_ENTRIES - 210 },
    ]);
  });

  it('keeps servers that still count towards a limit', async () => {
    const { store, prune, hosts } = await open();
    await fill(store, '1', { count: MAX_ENTRIES, at: NOW - 2 * MINUTE });
    await addDone(store, { ...ofGuild, id: 'old', at: ago(10), hosts: ['old', 'older'] });
    await addDone(store, { ...ofGuild, id: 'x', at: NOW, hosts: ['not-sent'], outcome: 'not-sent' });
    await prune();
    expect(await hosts()).toHaveLength(MAX_ENTRIES);
    await addDone(store, { ...ofGuild, id: 'new', at: NOW, hosts: ['new'] });
    await prune();
    expect(await hosts()).toHaveLength(MAX_ENTRIES + 1);
  });
});

describe('pruning', () => {
  it('deletes expired drafts', async () => {
    const { store, partsAt, prune } = await open();
    const mia = { guildId: '1', user: { id: '7', name: 'mia' } };
    await partsAt(ago(1)).drafts.save(mia, readyDraft('old', 1, 'x'));
    await partsAt(ago(1) + 1).drafts.save(mia, readyDraft('new', 1, 'x'));
    await prune();
    expect((await rowsIn(store, 'drafts')).map(({ id }) => id)).toEqual(['new']);
  });

  it('deletes unparseable input and cancelled drafts after 15 minutes', async () => {
    const { store, partsAt, prune } = await open();
    const mia = { guildId: '1', user: { id: '7', name: 'mia' } };
    const typed = { text: 'steve "joined"', game: '', modal: 'all' } as const;
    for (const [age, at] of Object.entries({ old: NOW - 15 * MINUTE, new: NOW - 15 * MINUTE + 1 })) {
      const { drafts } = partsAt(at);
      await drafts.save(mia, { ...readyDraft(`${age} refused`, 0), typed: { ...typed, modal: 'paste' } });
      await drafts.save(mia, { ...readyDraft(`${age} edited`, 1), typed });
      await drafts.save(mia, readyDraft(`${age} cancelled`, 1));
      await drafts.drop(mia, `${age} cancelled`);
    }
    await prune();
    const left = (await rowsIn(store, 'drafts')).flatMap(({ id, lines }) => (lines ? [[id, lines]] : []));
    const ids = left.map(([id]) => id);
    expect(ids.toSorted()).toEqual(['new cancelled', 'new edited', 'new refused', 'old edited']);
    const withText = left.flatMap(([id = '', lines]) => (lines?.includes('steve') ? [id] : []));
    expect(withText.toSorted()).toEqual(['new edited', 'new refused']);
  });

  it('deletes orphaned choices, even if there are too many for one batch', async () => {
    const { store, prune } = await open();
    const choices = Array.from({ length: 1_200 }, (_, index) => ({
      draft_id: `d${index}`,
      guild_id: '1',
      user_id: '7',
      candidates: '[]',
    }));
    await store.tables().insertInto('choices').values(choices).execute();
    await prune();
    expect(await rowsIn(store, 'choices')).toEqual([]);
  });

  it('keeps an old draft if its submission is waiting for approval', async () => {
    const { store, partsAt, prune } = await open();
    const mia = { guildId: '1', user: { id: '7', name: 'mia' } };
    const old = partsAt(ago(1));
    for (const id of ['waits', 'begins']) await old.drafts.save(mia, readyDraft(id, 1));
    const begin = (id: string) =>
      old.waitingSubmissions.begin({
        ...mia,
        draftId: id,
        interactionId: id,
        rows: [readyRow(1, 'a.example.com')],
        expiresAt: NOW + 1,
      });
    await begin('waits');
    await Promise.all([store.inGuild('1', () => begin('begins')), prune()]);
    expect((await rowsIn(store, 'drafts')).map(({ id }) => id)).toEqual(['waits', 'begins']);
  });

  it('expires a submission whose deadline is implausibly far in the future', async () => {
    const { store, partsAt, prune } = await open();
    const mia = { guildId: '1', user: { id: '7', name: 'mia' } };
    const ahead = partsAt(NOW + 366 * DAY);
    const waitsUntil = { 'a week': NOW + 7 * DAY, 'a year': NOW + 373 * DAY };
    for (const [id, expiresAt] of Object.entries(waitsUntil)) {
      await beginSubmission(ahead, mia, { interactionId: id, draft: readyDraft(id, 1, id), expiresAt });
    }
    await prune();
    const states = (await rowsIn(store, 'submissions')).map(({ draft_id, state }) => [draft_id, state]);
    expect(Object.fromEntries(states)).toEqual({ 'a week': 'waiting', 'a year': 'expired' });
  });
});
