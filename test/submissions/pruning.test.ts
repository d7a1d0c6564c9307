import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createLeftInteractions } from '../../src/discord/resume.ts';
import { AFTER_START_MS } from '../../src/lifecycle.ts';
import { createEncryption } from '../../src/storage/collection.ts';
import type { Database } from '../../src/storage/database.ts';
import type { Draft } from '../../src/submissions/draft.ts';
import { MOST_ENTRIES } from '../../src/submissions/history.ts';
import { createPruning, createTidying } from '../../src/submissions/pruning.ts';
import { openStore, recorder } from '../storage/temporary.ts';
import { addDone, fill, type PartsOptions, partsOver } from '../support/submissions.ts';
import { turnsDuring } from '../support/turns.ts';

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

  it('loses first what was not sent, however new that is, and then the oldest', async () => {
    await fill(database, '1', { count: MOST_ENTRIES, at: ago(10) });
    const list = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name}-${n}`);
    const of = { guildId: '1', userId: '7', at: now };
    await addDone(database, { ...of, id: 'not-sent', hosts: list('not-sent', 700), outcome: 'not-sent' });
    await addDone(database, { ...of, id: 'new', hosts: list('new', 30) });
    await prune();
    const left = await hosts();
    expect(left).toHaveLength(MOST_ENTRIES);
    expect(left.slice(0, 1)).toEqual(['s30.example.com']);
    expect(left.slice(-30)).toEqual(list('new', 30));
    expect(left.filter((host) => host.startsWith('not-sent'))).toEqual([]);
  });

  it('is looked for guild by guild, with turns for others in between', async () => {
    for (let guild = 0; guild < 50; guild += 1) {
      await addDone(database, { id: `${guild}`, guildId: `${guild}`, userId: '7', at: now, hosts: ['a'] });
    }
    expect(await turnsDuring(prune)).toBeGreaterThanOrEqual(50);
  });
});

describe('drafts, and what was left out when they were submitted', () => {
  const MINUTE = 60_000;
  const by = (userId: string) => ({ guildId: '1', user: { id: userId, name: 'name' } });
  const draft = (count: number): Draft => ({
    source: 'text',
    rows: Array.from({ length: count }, (_, n) => ({
      ...{ line: n + 1, text: '', ok: true },
      submission: { server: `s${n}.example.com`, port: 27015, game: 'cs2' },
    })),
    previous: [],
    includesPrevious: false,
  });
  async function tidy(at: number, over: Pick<Database, 'tables' | 'execute'> = database): Promise<void> {
    const tidying = createTidying({ database: over, logger: recorder(), now: () => at });
    await tidying.start();
    await tidying.tidy();
    await tidying.stop();
  }

  it('go in small steps, and few at a time for a member who keeps another', async () => {
    for (let n = 0; n < 5; n += 1) {
      await partsOver(database, { now: () => now }).records.saveDraft(by(`${n}`), `old ${n}`, draft(700));
    }
    const later = now + 15 * MINUTE;
    await partsOver(database, { now: () => later }).records.saveDraft(by('7'), 'new', draft(1));
    expect(await submissions()).toEqual(['new', 'old 2', 'old 3', 'old 4']);

    const changed: number[] = [];
    const tables = database.tables.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        changed.push(Math.max(result.rows.length, Number(result.numAffectedRows ?? 0)));
        return result;
      },
    });
    await tidy(later, { execute: database.execute, tables });
    expect(Math.max(...changed)).toBe(500);
    expect(await submissions()).toEqual(['new']);
    expect(await hosts()).toEqual(['s0.example.com']);
  });

  it('go on going while the bot stops, which waits for it', async () => {
    await partsOver(database, { now: () => now }).records.saveDraft(by('7'), 'old', draft(900));
    const logger = recorder();
    vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const tidying = createTidying({ database, logger, now: () => now + 15 * MINUTE });
    await tidying.start?.();
    vi.advanceTimersByTime(AFTER_START_MS);
    await tidying.stop?.();
    expect(await hosts()).toEqual([]);
    expect(logger.lines).toEqual([]);
  });

  it('are no part of the history, and gone when the draft would be', async () => {
    const { records, pruning } = partsOver(database, { now: () => now });
    await records.saveDraft(by('7'), 'a', {
      ...draft(3),
      previous: [{ row: 0, at: 0, userName: '', outcome: 'accepted' }],
    });
    await records.begin('a', 'x', [1]);
    await records.end('a', [1], { kind: 'accepted', message: 'Yes.' });
    await records.finish('a');
    await tidy(now + 15 * MINUTE - 1);
    expect(await hosts()).toHaveLength(3);
    await tidy(now + 15 * MINUTE);
    expect(await hosts()).toEqual(['s1.example.com']);
    await pruning.prune();
    expect(await submissions()).toEqual(['a']);
    await prune({ now: () => now + 366 * DAY_MS });
    expect(await submissions()).toEqual([]);
  });
});

it('waits until the bot has started, and loads nothing before', async () => {
  const tables = new Proxy(database.tables, {
    get: () => {
      throw new Error('Kysely was asked for at the start');
    },
  });
  const over = { ...database, tables };
  const parts = [
    createLeftInteractions({
      database: over,
      encryption: createEncryption([randomBytes(32)]),
      logger: recorder(),
    }),
    createTidying({ database: over, logger: recorder() }),
    createPruning({ ...partsOver(database), database: over, days: 1 }),
  ];
  for (const part of parts) await part.start?.();
  for (const part of parts.reverse()) await part.stop?.();
});
