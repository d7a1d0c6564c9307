import { beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../src/storage/database.ts';
import { MOST_ENTRIES } from '../../src/submissions/history.ts';
import { openStore } from '../storage/temporary.ts';
import { addDone, fill, type PartsOptions, partsOver } from '../support/submissions.ts';

const DAY_MS = 86_400_000;
const now = 1_000 * DAY_MS;
let database: Database;
beforeEach(async () => {
  database = await openStore();
});

const hosts = async (guildId = '1') =>
  (
    await database.tables
      .selectFrom('servers')
      .where('guild_id', '=', guildId)
      .select('host')
      .orderBy('ended_at')
      .orderBy('position')
      .execute()
  ).map(({ host }) => host);
const submissions = async () =>
  (await database.tables.selectFrom('submissions').select('id').orderBy('id').execute()).map(({ id }) => id);
const prune = (options: PartsOptions = {}) =>
  partsOver(database, { now: () => now, ...options }).pruning.prune();
const ago = (days: number) => now - days * DAY_MS;

describe('what is past its time', () => {
  it('goes: accepted and unknown after HISTORY_DAYS, refused and not sent after 30 days', async () => {
    for (const outcome of ['accepted', 'unknown', 'rejected', 'not-sent'] as const) {
      for (const days of [29, 31, 364, 366]) {
        const done = { id: `${outcome} ${days}`, hosts: [`${outcome}-${days}`], at: ago(days), outcome };
        await addDone(database, { ...done, guildId: '1', userId: '7' });
      }
    }
    await prune();
    const left = [
      'accepted-364',
      'unknown-364',
      'accepted-31',
      'unknown-31',
      'accepted-29',
      'unknown-29',
      'rejected-29',
      'not-sent-29',
    ];
    expect((await hosts()).toSorted()).toEqual(left.toSorted());
    expect(await submissions()).toEqual(left.map((host) => host.replace(/-(\d+)$/, ' $1')).toSorted());
    await prune({ days: 30 });
    expect((await hosts()).toSorted()).toEqual(['accepted-29', 'not-sent-29', 'rejected-29', 'unknown-29']);
    await prune({ days: 7 });
    expect(await hosts()).toEqual([]);
    expect(await submissions()).toEqual([]);
  });

  it('stays as long as a limit counts it', async () => {
    await addDone(database, { id: 'a', guildId: '1', userId: '7', at: ago(3), hosts: ['a'] });
    await addDone(database, { id: 'b', guildId: '1', userId: '7', at: ago(8), hosts: ['b'] });
    await prune({ days: 1, guild: { servers: 10, seconds: 604_800 } });
    expect(await hosts()).toEqual(['a']);
    await prune({ days: 1 });
    expect(await hosts()).toEqual([]);
  });

  it('leaves drafts and what is being submitted alone, and goes in small steps', async () => {
    await addDone(database, {
      id: 'a',
      guildId: '1',
      userId: '7',
      at: ago(500),
      hosts: ['running'],
      outcome: null,
    });
    await database.tables.updateTable('submissions').set({ state: 'running' }).execute();
    await fill(database, '1', { count: 3_000, at: ago(600) });
    await prune();
    expect(await hosts()).toEqual(['running']);
    expect(await submissions()).toEqual(['a']);
  });
});

describe('a guild with more than 100,000 servers in its history', () => {
  it('loses the oldest of them, and another guild nothing', async () => {
    await fill(database, '1', { count: MOST_ENTRIES, at: ago(10) });
    await fill(database, '2', { count: 10, at: ago(20) });
    const newest = Array.from({ length: 1_234 }, (_, n) => `new-${n}`);
    await addDone(database, { id: 'new', guildId: '1', userId: '7', at: now, hosts: newest });
    await prune();
    const left = await hosts();
    expect(left).toHaveLength(MOST_ENTRIES);
    expect(left.slice(0, 1)).toEqual(['s1234.example.com']);
    expect(left.slice(-1_234)).toEqual(newest);
    expect(await hosts('2')).toHaveLength(10);
    expect(await submissions()).not.toContain('1-0');
    expect(await submissions()).toContain('1-1000');
  });
});
