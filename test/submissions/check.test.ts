import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Draft } from '../../src/submissions/draft.ts';
import type { SubmitRequest, SubmitResult } from '../../src/submissions/pipeline.ts';
import { Secret } from '../../src/text/secret.ts';
import { addDone, openPipeline, type PipelineOptions, readyDraft, readyRow } from '../support/builders.ts';
import { recordWrites } from '../support/writes.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const mia = { guildId: '1', user: { id: '2', name: 'mia' } };
const moderator = { id: '9', name: 'mod' };

/** Opens a pipeline in a guild that has a key, and counts its transactions. */
async function open(options: Partial<PipelineOptions> = {}) {
  const opened = await openPipeline({
    now: () => NOW,
    add: () => ({ kind: 'accepted', message: 'Yes.' }),
    ...options,
  });
  await opened.keys.set('1', new Secret('a key'), { by: moderator });
  const { inGuild } = opened.store;
  let transactions = 0;
  opened.store.inGuild = (...change) => {
    transactions += 1;
    return inGuild(...change);
  };
  const press = (id: string, more: Partial<SubmitRequest> = {}): Promise<SubmitResult> =>
    opened.pipeline.submit({
      ...mia,
      guildLocale: 'en-US',
      isAdmin: false,
      id,
      interactionId: randomUUID(),
      receivedAt: NOW,
      stopping: undefined,
      ...more,
    });
  return {
    ...opened,
    transactions: () => transactions,
    press,
    submit: (draft: Draft, more: Partial<SubmitRequest> = {}) => press(draft.id, { draft, ...more }),
  };
}

function held(result: SubmitResult) {
  if (result.kind !== 'held') throw new Error(result.kind);
  return result;
}

describe("a draft that can't be submitted", () => {
  it('is checked, saved and read in a single transaction', async () => {
    const writes = recordWrites();
    const opened = await open();
    await opened.settings.change('1', (now) => ({ ...now, games: ['rust'] }));
    const before = { writes: writes.length, transactions: opened.transactions() };
    const { why, checked } = held(await opened.submit(readyDraft('d', 2)));
    expect(why).toEqual({ code: 'game-not-allowed', game: 'cs2' });
    expect(checked.draft.rows).toMatchObject([{ problem: why }, { problem: why }]);
    expect(checked).toMatchObject({ settings: { games: ['rust'] }, key: { kind: 'usable' } });
    expect(await opened.drafts.find(mia, 'd')).toEqual(checked.draft);
    expect(opened.transactions() - before.transactions).toBe(1);
    const statements = writes.slice(before.writes).map(({ statement }) => statement);
    expect(statements).toEqual(['insert drafts', 'insert keyv health']);
  });

  it('is rejected for a disallowed game rather than a missing port', async () => {
    const opened = await open();
    await opened.settings.change('1', (now) => ({ ...now, games: ['rust'] }));
    const typed = { server: 'a.example.com', port: '', queryPort: '', game: 'cs2' };
    const problem = { code: 'port-missing', host: 'a.example.com', game: 'cs2' } as const;
    const row = { kind: 'invalid', line: 1, typed, problem } as const;
    const { checked } = held(await opened.submit({ ...readyDraft('d', 1), rows: [row] }));
    expect(checked.draft.rows).toMatchObject([{ problem: { code: 'game-not-allowed', game: 'cs2' } }]);
  });

  it('is rechecked on each attempt', async () => {
    const opened = await open();
    await opened.settings.change('1', (now) => ({ ...now, games: ['rust'] }));
    await opened.submit(readyDraft('d', 2));
    await opened.settings.change('1', ({ games: _, ...now }) => now);
    const { why, checked } = held(await opened.press('d'));
    // The member hasn't seen that the servers can be submitted.
    expect(why).toEqual({ code: 'changed' });
    expect(checked).toMatchObject({ ready: [{}, {}], heldBack: [], allowance: { count: 2 } });
  });

  it('is rejected for one reason at a time, starting with a missing key', async () => {
    const opened = await open({ member: { servers: 1, seconds: 3600 } });
    await addDone(opened.store, { id: 'x', guildId: '1', userId: '2', at: NOW, hosts: ['a'] });
    const draft: Draft = { id: 'd', source: 'options', rows: [readyRow(1, 'a')] };
    const codeOf = async (more: Partial<SubmitRequest> = {}) =>
      held(await opened.submit(draft, more)).why.code;
    await opened.settings.change('1', (now) => ({ ...now, games: ['rust'] }));
    await opened.keys.delete('1');
    expect(await codeOf()).toBe('key-missing');
    await opened.keys.set('1', new Secret('a key'), { by: moderator });
    expect(await codeOf()).toBe('game-not-allowed');
    await opened.settings.change('1', ({ games: _, ...now }) => now);
    expect(await codeOf()).toBe('already-submitted');
    expect(await codeOf({ includesAlreadySubmitted: true })).toBe('member-limit');
    expect(await codeOf({ includesAlreadySubmitted: true, mark: 'of other rows' })).toBe('changed');
  });

  it("remembers the member's choice to include previously submitted servers", async () => {
    const opened = await open({ member: { servers: 1, seconds: 3600 } });
    await addDone(opened.store, { id: 'x', guildId: '1', userId: '2', at: NOW, hosts: ['a'] });
    const draft: Draft = { id: 'd', source: 'options', rows: [readyRow(1, 'a')] };
    const { checked } = held(await opened.submit(draft, { includesAlreadySubmitted: true }));
    expect([checked.ready, checked.draft.includesAlreadySubmitted]).toMatchObject([[{}], true]);
    expect(held(await opened.press('d')).why.code).toBe('member-limit');
  });
});

describe('a draft with a server that is already waiting for approval', () => {
  it("can't be submitted", async () => {
    const opened = await open();
    await opened.settings.change('1', (now) => ({ ...now, approval: true }));
    const same = { rows: [readyRow(1, 'a')], source: 'text' } as const;
    expect(await opened.submit({ ...same, id: 'first' })).toMatchObject({ kind: 'waiting' });
    const { why, checked } = held(await opened.submit({ ...same, id: 'second' }));
    expect(why).toEqual({ code: 'waiting-already' });
    expect(checked.draft.rows).toMatchObject([{ problem: why }]);
    const submissionId = await opened.submissions.latestId('first');
    const approval = { approvedBy: moderator, submissionId };
    await opened.settings.change('1', (now) => ({ ...now, games: ['rust'] }));
    const approved = await opened.press('first', approval);
    expect(held(approved).why).toEqual({ code: 'game-not-allowed', game: 'cs2' });
    // The waiting submission stays as it is.
    expect(await opened.approvals.draft(mia, 'first')).toMatchObject(same);
    await opened.settings.change('1', ({ games: _, ...now }) => now);
    expect(await opened.press('first', approval)).toMatchObject({ kind: 'ended' });
  });
});

describe('a submission that exceeds the daily quota', () => {
  it('leaves its excess servers in the queue when approved', async () => {
    const opened = await open();
    await opened.settings.change('1', (now) => ({ ...now, approval: true, dailyQuota: 2 }));
    const draft = readyDraft('d', 3);
    expect(await opened.check.draft(mia, draft)).toMatchObject({
      needsModerator: true,
      allowance: { count: 3 },
    });
    expect(await opened.check.draft({ ...mia, isAdmin: true }, draft)).toMatchObject({
      needsModerator: false,
      allowance: { count: 2, limited: { code: 'daily-quota' } },
    });
    expect(await opened.submit(draft, { promised: 3 })).toMatchObject({
      kind: 'waiting',
      rows: [{}, {}, {}],
    });
    const submissionId = await opened.submissions.latestId('d');
    expect(await opened.press('d', { approvedBy: moderator, submissionId })).toMatchObject({
      kind: 'ended',
      servers: [{}, {}],
      limitedRows: [{}],
      limited: { code: 'daily-quota' },
    });
    expect(await opened.approvals.find({ guildId: '1', id: 'd' })).toMatchObject({
      state: 'waiting',
      servers: [{ line: 3 }],
    });
  });
});

describe('a draft with a single server', () => {
  it('is written to the database only twice', async () => {
    const writes = recordWrites();
    const opened = await open();
    const from = writes.length;
    await opened.submit({ id: 'd', source: 'options', rows: [readyRow(1, 'a')] });
    const statements = writes.slice(from).map(({ statement }) => statement);
    expect(statements.filter((statement) => statement.includes(' drafts'))).toEqual([
      'insert drafts',
      'update drafts source lines changed_at',
    ]);
  });

  it('is deleted once the member has ten newer drafts', async () => {
    const opened = await open({ add: () => ({ kind: 'rejected', message: 'No.' }) });
    const ids = Array.from({ length: 11 }, (_, n) => `d${n}`);
    for (const id of ids)
      expect(await opened.submit({ id, source: 'options', rows: [readyRow(1, id)] })).toMatchObject({
        isLeft: true,
      });
    const found = await Promise.all(ids.map((id) => opened.drafts.find(mia, id)));
    expect(found.filter(({ kind }) => kind !== 'no-draft')).toHaveLength(10);
  });
});
