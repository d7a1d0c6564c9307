import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../src/listing/contract.ts';
import { isReady, type Row } from '../../src/server-lists/row.ts';
import type { Draft } from '../../src/submissions/draft.ts';
import { rowForServer } from '../../src/submissions/submission.ts';
import { beginSubmission, invalidRow, openParts, readyDraft, readyRow } from '../support/builders.ts';
import { rowsIn } from '../support/database.ts';

const MINUTE = 60_000;
const NOW = 1_000_000;
const ACCEPTED: Outcome = { kind: 'accepted', message: 'Yes.' };
const REJECTED: Outcome = { kind: 'rejected', message: 'No.' };
const NOT_SENT: Outcome = { kind: 'not-sent', reason: 'tls' };
const UNKNOWN: Outcome = { kind: 'unknown', reason: 'timeout' };
const mia = { guildId: '1', user: { id: '2', name: 'mia' } };

async function open() {
  const parts = await openParts(NOW);
  const { store, drafts, submissions } = parts;
  const begin = (draft: Draft, more: Partial<Parameters<typeof beginSubmission>[2]> = {}) =>
    beginSubmission(parts, mia, { interactionId: 'i', draft, ...more });
  return {
    ...parts,
    begin,
    /** Submits all rows that are ready, or only `submitted` if a limit excludes the others. */
    submitRows: (rows: readonly Row[], submitted = rows.filter(isReady)) =>
      begin({ id: 'list', source: 'text', rows }, { rows: submitted }),
    async end(id: string, outcomes: readonly Outcome[]) {
      for (const [index, outcome] of outcomes.entries()) {
        await submissions.markSending('1', id, [index]);
        await submissions.endRequest(id, [index], [{ indices: [index], outcome }]);
      }
    },
    servers: () => store.tables().selectFrom('servers').selectAll().orderBy('position').execute(),
    latest: () => submissions.latest('1', 'list'),
    async leftRows() {
      const left = await drafts.find(mia, 'list');
      return left.kind === 'no-draft' ? left.why : left.rows.map(({ line }) => line);
    },
  };
}
type Opened = Awaited<ReturnType<typeof open>>;

describe("a submission's state", () => {
  const STATES = ['waiting', 'running', 'done', 'withdrawn', 'declined', 'expired'] as const;

  it.each([
    {
      to: 'running',
      from: ['waiting'],
      by: async ({ waitingSubmissions, latest }: Opened) => {
        const submission = await latest();
        const rows = submission?.servers.map(rowForServer) ?? [];
        const decision = { by: { id: '9', name: 'eve' }, interactionId: 'd' };
        if (submission) await waitingSubmissions.approve(submission, rows, decision).catch(() => {});
      },
    },
    {
      to: 'done',
      from: ['running'],
      by: ({ submissions }: Opened, id: string) => submissions.finish('1', id),
    },
    ...(['withdrawn', 'declined', 'expired'] as const).map((to) => ({
      to,
      from: ['waiting'],
      by: ({ waitingSubmissions }: Opened, id: string) => waitingSubmissions.end(id, '1', { state: to }),
    })),
  ])('can only change to $to from $from', async ({ to, from, by }) => {
    for (const before of STATES) {
      const opened = await open();
      const { store, begin, latest } = opened;
      const id = await begin(readyDraft('list', 1));
      await store.tables().updateTable('submissions').set({ state: before }).execute();
      await by(opened, id);
      expect([before, (await latest())?.state]).toEqual([before, from.includes(before) ? to : before]);
    }
  });

  it("can't be changed from another guild", async () => {
    const { waitingSubmissions, begin, latest } = await open();
    const id = await begin(readyDraft('list', 1), { expiresAt: NOW + 1 });
    await waitingSubmissions.end(id, '3', { state: 'withdrawn' });
    expect((await latest())?.state).toBe('waiting');
  });

  it('can\'t become "running" if the draft already has a running submission', async () => {
    const { store, submissions, submitRows } = await open();
    await submitRows([readyRow(1, 'a')]);
    const again = { ...mia, draftId: 'list', interactionId: 'j', rows: [readyRow(1, 'a')] };
    await expect(submissions.begin(again, true)).rejects.toThrow(/unique/i);
    expect(await rowsIn(store, 'submissions')).toHaveLength(1);
  });
});

describe('a submitted server', () => {
  it('is reserved, then sent, then given an outcome', async () => {
    const { submissions, submitRows, servers } = await open();
    const id = await submitRows([readyRow(4, 'a', { queryPort: 5 })]);
    const row = {
      position: 0,
      line: 4,
      host: 'a',
      port: 27015,
      query_port: 5,
      game: 'cs2',
      address: 'a:27015',
    };
    const running = { ...row, reserved_at: NOW, sent_at: null, ended_at: null, outcome: null };
    expect(await servers()).toMatchObject([running]);
    expect(await submissions.markSending('1', id, [0])).toBe(true);
    expect(await servers()).toMatchObject([{ ...running, sent_at: NOW }]);
    await submissions.endRequest(id, [0], [{ indices: [0], outcome: ACCEPTED }]);
    expect(await servers()).toMatchObject([{ outcome: 'accepted', message: 'Yes.', ended_at: NOW }]);
  });

  it("isn't sent if its row no longer exists", async () => {
    const { store, submissions, submitRows } = await open();
    const id = await submitRows([readyRow(1, 'a'), readyRow(2, 'b')]);
    await store.tables().deleteFrom('servers').where('position', '=', 1).execute();
    expect(await submissions.markSending('1', id, [0, 1])).toBe(false);
  });

  it.each<{ outcome: Outcome; counts: boolean; left: boolean }>([
    { outcome: UNKNOWN, counts: true, left: true },
    { outcome: NOT_SENT, counts: false, left: false },
    { outcome: { ...REJECTED, known: 'gameInvalid' }, counts: true, left: true },
    { outcome: { ...REJECTED, known: 'invalidKey' }, counts: false, left: true },
  ])('counts towards limits depending on its outcome ($outcome: $counts)', async ({
    outcome,
    counts,
    left,
  }) => {
    const { submitRows, end, servers } = await open();
    await end(await submitRows([readyRow(1, 'a')]), [outcome]);
    const [row] = await servers();
    expect([row?.reserved_at !== null, row?.sent_at !== null]).toEqual([counts, left]);
  });
});

describe('a submitted draft', () => {
  it("still contains the servers that weren't accepted", async () => {
    const { store, drafts, submissions, submitRows, end, latest, leftRows } = await open();
    const rows = [
      invalidRow(1),
      readyRow(2, 'a'),
      readyRow(3, 'b'),
      readyRow(4, 'c'),
      readyRow(5, 'd'),
      readyRow(6, 'held back'),
    ];
    const id = await submitRows(rows, rows.slice(1, 5).filter(isReady));
    await end(id, [ACCEPTED, REJECTED, NOT_SENT, UNKNOWN]);
    // The second call simulates a retry after the database's confirmation has been lost.
    for (const _ of [1, 2]) await submissions.finish('1', id);
    expect(await leftRows()).toEqual([1, 3, 4, 5, 6]);
    expect(await drafts.find(mia, 'list')).toMatchObject({
      rows: [{}, {}, {}, { unconfirmed: UNKNOWN }, {}],
    });
    expect(await rowsIn(store, 'submissions')).toMatchObject([{ id, state: 'done', ended_at: NOW }]);
    expect((await latest())?.servers.map(({ line }) => line)).toEqual([2, 3, 4, 5]);
  });

  it('counts as fully submitted once every server has been accepted', async () => {
    const { submissions, submitRows, end, leftRows } = await open();
    const id = await submitRows([readyRow(1, 'a')]);
    await end(id, [ACCEPTED]);
    await submissions.finish('1', id);
    expect(await leftRows()).toBe('submitted');
  });
});

it.each([
  { kind: 'without approval', needsModerator: false },
  { kind: 'after approval', needsModerator: true },
])('the bot stops waiting for a running submission when it shuts down ($kind)', async ({
  needsModerator,
}) => {
  const { submissions, waitingSubmissions, begin, latest } = await open();
  await begin(readyDraft('list', 1), needsModerator ? { expiresAt: NOW + 1 } : {});
  const submission = await latest();
  const decision = { by: { id: '9', name: 'eve' }, interactionId: 'd' };
  if (submission && needsModerator) {
    await waitingSubmissions.approve(submission, submission.servers.map(rowForServer), decision);
  }
  const stopping = new AbortController();
  const settled = submissions.settled('1', 'list', stopping.signal);
  await expect.poll(() => getEventListeners(stopping.signal, 'abort')).toHaveLength(1);
  stopping.abort();
  expect(await settled).toMatchObject({ state: 'running', needsModerator });
});

describe('a 15-minute-old submission', () => {
  it('ends with an unknown outcome for servers that were sent', async () => {
    const { clock, submissions, submitRows, end, servers, leftRows } = await open();
    const id = await submitRows([readyRow(1, 'a'), readyRow(2, 'b'), readyRow(3, 'c')]);
    await end(id, [ACCEPTED]);
    await submissions.markSending('1', id, [1]);
    clock.now += 15 * MINUTE - 1;
    expect(await submissions.guildIdsWithAbandoned()).toEqual([]);
    await submissions.endAbandoned('1');
    expect((await servers()).map(({ outcome }) => outcome)).toEqual(['accepted', null, null]);

    clock.now += 1;
    expect(await submissions.guildIdsWithAbandoned()).toEqual(['1']);
    await submissions.endAbandoned('1');
    expect(await servers()).toMatchObject([
      { outcome: 'accepted' },
      { outcome: 'unknown', reserved_at: NOW, ended_at: clock.now },
      { outcome: 'not-sent', reserved_at: null },
    ]);
    expect(await leftRows()).toEqual([2, 3]);
    expect(await submissions.by('1', 'i')).toMatchObject([
      {
        source: 'text',
        servers: [
          { line: 1, server: { server: 'a' }, outcome: ACCEPTED },
          { line: 2, server: { server: 'b' }, outcome: { kind: 'unknown', reason: 'stopping' } },
          { line: 3, server: { server: 'c' }, outcome: { kind: 'not-sent', reason: 'bot' } },
        ],
      },
    ]);
  });

  it('ends even if its draft is corrupted', async () => {
    const { store, clock, submissions, submitRows, servers, latest, leftRows } = await open();
    const id = await submitRows([readyRow(1, 'a'), readyRow(2, 'b')]);
    clock.now += 15 * MINUTE;
    for (const lines of ['{"rows":[', '{"rows":"none"}', 'null']) {
      await store.tables().updateTable('drafts').set({ lines }).execute();
      await store.tables().updateTable('submissions').set({ state: 'running' }).execute();
      await submissions.endAbandoned('1');
      expect((await latest())?.state).toBe('done');
      expect(await servers()).toMatchObject([{ outcome: 'not-sent' }, { outcome: 'not-sent' }]);
      expect(await leftRows()).toBe('gone');
    }
    expect(await submissions.by('1', 'i')).toMatchObject([{ id }]);
  });

  it("isn't changed if it has already finished", async () => {
    const { clock, submissions, submitRows, end } = await open();
    const id = await submitRows([readyRow(1, 'a')]);
    await end(id, [UNKNOWN]);
    await submissions.finish('1', id);
    clock.now += 15 * MINUTE;
    await submissions.endAbandoned('1');
    expect(await submissions.by('1', 'i')).toMatchObject([{ servers: [{ outcome: UNKNOWN }] }]);
  });
});

it('a submission can only be found in its own guild', async () => {
  const { submissions, submitRows } = await open();
  expect(await submissions.by('1', 'i')).toEqual([]);
  await submitRows([readyRow(1, 'a')]);
  expect(await submissions.by('2', 'i')).toEqual([]);
});

it('outcomes are stored unchanged, but long messages are truncated', async () => {
  const { submitRows, end, latest } = await open();
  const outcomes: readonly Outcome[] = [
    ACCEPTED,
    { kind: 'rejected', message: 'Invalid API key.', known: 'invalidKey' },
    REJECTED,
    { kind: 'not-sent', reason: 'rate-limited' },
    UNKNOWN,
    { kind: 'rejected', message: '😀'.repeat(151) },
  ];
  await end(await submitRows(outcomes.map((_, n) => readyRow(n + 1, `s${n}`))), outcomes);
  const { servers: stored = [] } = (await latest()) ?? {};
  expect(stored.map(({ outcome }) => outcome)).toEqual([
    ...outcomes.slice(0, -1),
    { kind: 'rejected', message: `${'😀'.repeat(149)}…` },
  ]);
});
