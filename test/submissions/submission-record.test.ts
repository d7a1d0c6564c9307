import { beforeEach, describe, expect, it } from 'vitest';
import type { Outcome } from '../../src/listing/contract.ts';
import type { RefusedRow, Row } from '../../src/server-lists/row.ts';
import type { Store } from '../../src/storage/store.ts';
import type { Draft } from '../../src/submissions/draft.ts';
import type { Reservation } from '../../src/submissions/submission-record.ts';
import { partsOver, readyRow } from '../support/builders.ts';
import { openStore, rowsIn } from '../support/database.ts';

const NOW = 1_000_000;
const ACCEPTED: Outcome = { kind: 'accepted', message: 'Yes.' };
const REJECTED: Outcome = { kind: 'rejected', message: 'No.' };
const NOT_SENT: Outcome = { kind: 'not-sent', reason: 'tls' };
const UNKNOWN: Outcome = { kind: 'unknown', reason: 'timeout' };
const mia = { guildId: '1', user: { id: '2', name: 'mia' } };

let store: Store;
let parts: ReturnType<typeof partsOver>;
beforeEach(async () => {
  store = await openStore();
  parts = partsOver(store, { now: () => NOW });
});

const refusedRow = (line: number): RefusedRow => ({
  kind: 'refused',
  line,
  problem: { code: 'no-address' },
  typed: { server: 'x', port: '', queryPort: '', game: '' },
});

/** Reserves the rows that are ready, but for those that a limit holds back. */
function reserve(rows: readonly Row[], more: Partial<Reservation> = {}): Promise<boolean> {
  const draft: Draft = { source: 'text', rows, includesAlreadySubmitted: false };
  return parts.records.reserve({
    ...mia,
    id: 'list',
    interactionId: 'i',
    draft,
    rows: rows.filter((row) => row.kind === 'ready'),
    limitedRows: [],
    ...more,
  });
}

async function end(outcomes: readonly Outcome[], id = 'list'): Promise<void> {
  for (const [index, outcome] of outcomes.entries()) {
    await parts.records.markSending(id, [index]);
    await parts.records.endRequest(id, [index], [{ indices: [index], outcome }]);
  }
}

const servers = () => store.tables().selectFrom('servers').selectAll().orderBy('position').execute();
const remainingRows = async (id = 'i-remainder') => {
  const rest = await parts.drafts.find(mia, id);
  return typeof rest === 'string' ? rest : rest.rows.map(({ line }) => line);
};

it('a submission is reserved, or waits, only where its id is free, or the draft of the same member and guild', async () => {
  const rows = [readyRow(1, 'a')];
  const draft: Draft = { source: 'text', rows, includesAlreadySubmitted: false };
  await parts.drafts.save(mia, 'list', draft);
  const before = await rowsIn(store, 'submissions');
  const others = [
    { ...mia, guildId: '3' },
    { ...mia, user: { id: '4', name: 'eve' } },
  ];
  for (const other of others) {
    const waiting = { ...other, id: 'list', interactionId: 'j', draft, rows, limitedRows: [] };
    expect(await reserve(rows, other)).toBe(false);
    expect(await parts.records.wait(waiting)).toBe(false);
  }
  expect(await reserve(rows, { approvedBy: '5' })).toBe(false);
  expect(await rowsIn(store, 'submissions')).toEqual(before);
  expect(await servers()).toEqual([]);
  expect(await reserve(rows)).toBe(true);
  expect(await reserve(rows)).toBe(false);
  expect(await reserve(rows, { id: 'free' })).toBe(true);
});

describe('a server that is submitted', () => {
  it('is reserved, leaves and ends', async () => {
    await reserve([readyRow(4, 'a', { queryPort: 5 })]);
    const row = { position: 0, host: 'a', port: 27015, query_port: 5, game: 'cs2', address: 'a:27015' };
    const running = { ...row, reserved_at: NOW, sent_at: null, ended_at: null, outcome: null };
    expect(await servers()).toMatchObject([running]);
    expect(await parts.records.markSending('list', [0])).toBe(true);
    expect(await servers()).toMatchObject([{ ...running, sent_at: NOW }]);
    await parts.records.endRequest('list', [0], [{ indices: [0], outcome: ACCEPTED }]);
    expect(await servers()).toMatchObject([{ outcome: 'accepted', message: 'Yes.', ended_at: NOW }]);
  });

  it('does not leave where its row is gone', async () => {
    await reserve([readyRow(1, 'a'), readyRow(2, 'b')]);
    await store.tables().deleteFrom('servers').where('position', '=', 1).execute();
    expect(await parts.records.markSending('list', [0, 1])).toBe(false);
  });

  it.each<{ outcome: Outcome; counts: boolean; left: boolean }>([
    { outcome: UNKNOWN, counts: true, left: true },
    { outcome: NOT_SENT, counts: false, left: false },
    { outcome: { ...REJECTED, known: 'gameInvalid' }, counts: true, left: true },
    { outcome: { ...REJECTED, known: 'invalidKey' }, counts: false, left: true },
  ])('counts for limits: $counts, after $outcome', async ({ outcome, counts, left }) => {
    await reserve([readyRow(1, 'a')]);
    await end([outcome]);
    const [row] = await servers();
    expect([row?.reserved_at !== null, row?.sent_at !== null]).toEqual([counts, left]);
  });
});

describe('what remains of a submission', () => {
  it('is what was not accepted, what a limit held back, and what was not ready', async () => {
    const rows = [
      refusedRow(1),
      readyRow(2, 'a'),
      readyRow(3, 'b'),
      readyRow(4, 'c'),
      readyRow(5, 'd'),
      readyRow(6, 'held back'),
    ];
    await reserve(rows, {
      rows: rows.slice(1, 5).filter((row) => row.kind === 'ready'),
      limitedRows: rows.slice(5).filter((row) => row.kind === 'ready'),
    });
    await end([ACCEPTED, REJECTED, NOT_SENT, UNKNOWN]);
    expect(await parts.records.finish('list')).toBe('i-remainder');
    expect(await remainingRows()).toEqual([1, 3, 4, 5, 6]);
    const submission = async () => (await rowsIn(store, 'submissions')).find(({ id }) => id === 'list');
    expect(await submission()).toMatchObject({ state: 'done', ended_at: NOW });
    expect(await parts.records.endedBy('i')).toMatchObject({ draft: { rows }, rows: rows.slice(1, 5) });
    await parts.records.forgetLines('i');
    expect(await submission()).toMatchObject({ draft: null });
  });
});

describe('a submission that was under way when the bot ended', () => {
  it('is unknown as far as it had left, and the rest can be submitted again', async () => {
    await reserve([readyRow(1, 'a'), readyRow(2, 'b'), readyRow(3, 'c')]);
    await end([ACCEPTED]);
    await parts.records.markSending('list', [1]);
    await parts.records.endUnfinished(NOW - 1);
    expect((await servers()).map(({ outcome }) => outcome)).toEqual(['accepted', null, null]);

    await parts.records.endUnfinished(NOW);
    expect(await servers()).toMatchObject([
      { outcome: 'accepted' },
      { outcome: 'unknown', reserved_at: NOW, ended_at: NOW },
      { outcome: 'not-sent', reserved_at: null },
    ]);
    expect(await remainingRows()).toEqual([2, 3]);
    expect(await parts.records.endedBy('i')).toMatchObject({
      draft: { source: 'text' },
      servers: [
        { line: 1, server: { server: 'a' }, outcome: ACCEPTED },
        { line: 2, server: { server: 'b' }, outcome: { kind: 'unknown', reason: 'stopping' } },
        { line: 3, server: { server: 'c' }, outcome: { kind: 'not-sent', reason: 'bot' } },
      ],
      remainderId: 'i-remainder',
    });
  });

  it('is ended without a draft of what is left where its own draft cannot be read', async () => {
    await reserve([readyRow(1, 'a'), readyRow(2, 'b')]);
    for (const draft of ['{"draft":{"rows":[', '{"draft":{"rows":"none"}}', 'null']) {
      await store.tables().updateTable('submissions').set({ draft, state: 'running' }).execute();
      await parts.records.endUnfinished(NOW);
      expect(await servers()).toMatchObject([{ outcome: 'not-sent' }, { outcome: 'not-sent' }]);
      expect(await remainingRows()).toBe('gone');
    }
  });

  it('is left alone where it has ended', async () => {
    await reserve([readyRow(1, 'a')]);
    await end([UNKNOWN]);
    await parts.records.finish('list');
    await parts.records.endUnfinished(NOW);
    expect(await parts.records.endedBy('i')).toMatchObject({ servers: [{ outcome: UNKNOWN }] });
  });

  it('is none where the interaction has submitted nothing', async () => {
    expect(await parts.records.endedBy('i')).toBeUndefined();
  });
});

it('an outcome comes back from its row, and the words of the service are cut to 300 code points', async () => {
  const outcomes: readonly Outcome[] = [
    ACCEPTED,
    { kind: 'rejected', message: 'Invalid API key.', known: 'invalidKey' },
    REJECTED,
    { kind: 'not-sent', reason: 'rate-limited' },
    UNKNOWN,
    { kind: 'rejected', message: '😀'.repeat(301) },
  ];
  await reserve(outcomes.map((_, n) => readyRow(n + 1, `s${n}`)));
  await end(outcomes);
  const { servers: stored = [] } = (await parts.records.endedBy('i')) ?? {};
  expect(stored.map(({ outcome }) => outcome)).toEqual([
    ...outcomes.slice(0, -1),
    { kind: 'rejected', message: '😀'.repeat(300) },
  ]);
});
