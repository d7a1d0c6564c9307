import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Approvals } from '../../src/approval/approvals.ts';
import type { Outcome } from '../../src/listing/contract.ts';
import { createEncryption } from '../../src/storage/encryption.ts';
import type { Submitter } from '../../src/submissions/drafts.ts';
import type { HistoryFilter } from '../../src/submissions/history.ts';
import type { SubmitRequest } from '../../src/submissions/pipeline.ts';
import type { MessagePlace, Submission } from '../../src/submissions/submission.ts';
import { rowForServer } from '../../src/submissions/submission.ts';
import { Secret } from '../../src/text/secret.ts';
import { addDone, invalidRow, openPipeline, readyDraft, readyRow } from '../support/builders.ts';
import { kinds, newPlace, rowsIn } from '../support/database.ts';

/** Records that a submission's message was edited. Returns false if the submission has changed in the meantime. */
async function markShown(
  approvals: Approvals,
  submission: Submission,
  message: MessagePlace | undefined,
): Promise<boolean> {
  const begun = await approvals.beginEdit(submission);
  return begun !== undefined && approvals.endEdit(begun, { message, isOnly: true });
}

const ACCEPTED: Outcome = { kind: 'accepted', message: 'Yes.' };
const guildId = '1';
const DRAFT_LIVES_MS = 86_400_000;
/** A moderator has seven days to decide. */
const WAITS_MS = 7 * 86_400_000;
const mia: Submitter = { guildId, user: { id: '2', name: 'mia' } };
const MODERATOR = '9';
const moderator = { id: MODERATOR, name: 'mod' };

describe.each(kinds())('a submission that needs approval (in %s)', (kind) => {
  const encryption = createEncryption([randomBytes(32)]);

  /** Creates one process's pipeline in a guild that has a key and requires approval. */
  async function open(processId = 'this process') {
    const place = await newPlace(kind);
    const world = {
      now: Date.UTC(2026, 10, 21, 12),
      /** The hosts in each request to the service. */
      requests: [] as string[][],
      answer: (): Promise<Outcome> | Outcome => ACCEPTED,
    };
    /** Creates another process's pipeline with the same store. */
    const beside = async (name: string) => ({
      ...(await openPipeline({
        store: await place.open(),
        processId: name,
        encryption,
        now: () => world.now,
        add(servers) {
          world.requests.push(servers.map(({ server }) => server));
          return world.answer();
        },
      })),
      world,
      beside,
    });
    const opened = await beside(processId);
    await opened.keys.set(guildId, new Secret('key of this guild'), { by: { id: MODERATOR, name: 'Ada' } });
    await opened.settings.change(guildId, (now) => ({ ...now, approval: true }));
    return opened;
  }
  type Opened = Awaited<ReturnType<typeof open>>;

  const send = ({ pipeline, world }: Opened, id: string, more: Partial<SubmitRequest> = {}) =>
    pipeline.submit({
      ...mia,
      guildLocale: 'en-US',
      isAdmin: false,
      id,
      interactionId: randomUUID(),
      receivedAt: world.now,
      stopping: undefined,
      ...more,
    });
  async function submit(opened: Opened, id: string, length = 1, by = mia) {
    await opened.drafts.save(by, readyDraft(id, length));
    return send(opened, id, by);
  }
  const seen = async ({ approvals }: Opened, id: string) => (await approvals.find({ guildId, id }))?.id;
  const approve = async (opened: Opened, id: string, submissionId?: string) =>
    send(opened, id, { approvedBy: moderator, submissionId: submissionId ?? (await seen(opened, id)) });
  const decline = async (opened: Opened, id: string, words = '', submissionId?: string) =>
    opened.approvals.decline({
      guildId,
      id,
      submissionId: submissionId ?? (await seen(opened, id)),
      by: moderator,
      interactionId: randomUUID(),
      reason: { key: 'rules', words },
    });
  /** Declines the first line of the draft `a`. */
  const declineFirst = async (opened: Opened, words: string) =>
    opened.approvals.decline({
      guildId,
      id: 'a',
      submissionId: await seen(opened, 'a'),
      by: moderator,
      interactionId: randomUUID(),
      reason: { key: undefined, words },
      only: new Set([0]),
    });
  const stateOf = async ({ approvals }: Opened, id: string) => (await approvals.find({ guildId, id }))?.state;
  const servers = async ({ store }: Opened) =>
    (await rowsIn(store, 'servers')).map(({ outcome, reason }) => [outcome, reason]);

  it('is sent only after approval, and only once', async () => {
    const opened = await open();
    expect(await submit(opened, 'a', 2)).toMatchObject({ kind: 'waiting' });
    expect([opened.world.requests, await servers(opened)]).toEqual([
      [],
      [
        [null, null],
        [null, null],
      ],
    ]);
    expect(await send(opened, 'a')).toMatchObject({ why: 'submitted' });
    const both = await Promise.all([
      approve(opened, 'a'),
      approve(await opened.beside('another process'), 'a'),
    ]);
    expect(both.map((result) => result.kind).toSorted()).toEqual(['ended', 'no-draft']);
    expect(opened.world.requests).toHaveLength(1);
    expect(await opened.approvals.find({ guildId, id: 'a' })).toMatchObject({
      state: 'done',
      userId: '2',
      decidedBy: MODERATOR,
      decidedByName: 'mod',
      servers: [{ outcome: ACCEPTED }, { outcome: ACCEPTED }],
    });
    expect(await decline(opened, 'a')).toBe(false);
  });

  it("can't be both approved and declined", async () => {
    const opened = await open();
    // Only one process at a time can use a SQLite database.
    const other = kind === 'sqlite' ? opened : await opened.beside('another process');
    for (const id of ['a', 'b', 'c', 'd']) {
      await submit(opened, id);
      const submissionId = await seen(opened, id);
      const approving = () => approve(opened, id, submissionId);
      const declining = () => decline(other, id, '', submissionId);
      const isFirst = id < 'c';
      const [first, second] = isFirst ? [approving(), declining()] : [declining(), approving()];
      const decisions = await Promise.all([first, second]);
      const state = await stateOf(other, id);
      expect(decisions.includes(true)).toBe(state === 'declined');
      expect(opened.world.requests.some(([host]) => host === `${id}-0.example.com`)).toBe(state === 'done');
    }
  });

  it("isn't resent if the member has submitted the same server again", async () => {
    const opened = await open();
    opened.world.answer = () => ({ kind: 'unknown', reason: 'unreadable' });
    await submit(opened, 'a', 2);
    await approve(opened, 'a');
    const which = { guildId, id: 'a', submissionId: await seen(opened, 'a') };
    const draft = { ...readyDraft('b', 1, 'a'), includesAlreadySubmitted: true };
    expect(await send(opened, 'b', { draft })).toMatchObject({ kind: 'waiting' });
    const id = await opened.approvals.waitUnconfirmed(which);
    const rest = await opened.approvals.find(which);
    expect(rest).toMatchObject({ id, servers: [{ server: { server: 'a-1.example.com' } }] });
    await opened.drafts.save(mia, { ...readyDraft('c', 1, 'd'), includesAlreadySubmitted: true });
    await submit(opened, 'd');
    await approve(opened, 'd');
    expect(await send(opened, 'c')).toMatchObject({ kind: 'waiting' });
    const last = { guildId, id: 'd', submissionId: await seen(opened, 'd') };
    expect(await opened.approvals.waitUnconfirmed(last)).toBeUndefined();
  });

  it("can be found through the member's unanswered interaction, even if the first attempt failed", async () => {
    const opened = await open();
    const interaction = {
      id: 'i',
      guild_id: guildId,
      process_id: 'dead',
      taken_at: opened.world.now,
      encrypted: '{}',
      message_key: null,
    };
    await opened.store.tables().insertInto('interactions').values(interaction).execute();
    await opened.drafts.save(mia, readyDraft('a', 1));
    await send(opened, 'a', { interactionId: interaction.id });
    opened.world.answer = () => ({ kind: 'not-sent', reason: 'queue-full' });
    await approve(opened, 'a');
    opened.world.answer = () => ACCEPTED;
    await approve(opened, 'a');
    expect(await opened.submissions.by(guildId, interaction.id)).toMatchObject([
      { state: 'done', servers: [{ outcome: ACCEPTED }] },
    ]);
  });

  it('can be resent exactly once if the outcome is unknown', async () => {
    const opened = await open();
    const other = await opened.beside('another process');
    await submit(opened, 'a', 2);
    const outcomes: Outcome[] = [{ kind: 'unknown', reason: 'unreadable', detail: '' }];
    opened.world.answer = () => outcomes.pop() ?? ACCEPTED;
    await approve(opened, 'a');
    const which = { guildId, id: 'a', submissionId: await seen(opened, 'a') };
    expect(await opened.approvals.waitUnconfirmed({ ...which, submissionId: undefined })).toBeUndefined();
    const id = await other.approvals.waitUnconfirmed(which);
    expect(await opened.approvals.waitUnconfirmed(which)).toBeUndefined();
    expect(await opened.approvals.find(which)).toMatchObject({ id, state: 'waiting', servers: [{}, {}] });
    expect(await approve(opened, 'a', id)).toMatchObject({ kind: 'ended' });
    expect(opened.world.requests).toHaveLength(2);
    expect(await other.approvals.waitUnconfirmed({ ...which, submissionId: id })).toBeUndefined();
  });

  it('can be queued, but not approved, while the service rejects the key', async () => {
    const opened = await open();
    const other = await opened.beside('another process');
    const rejected: Outcome = { kind: 'rejected', message: 'No.', known: 'invalidKey' };
    opened.world.answer = () => rejected;
    await opened.drafts.save(mia, readyDraft('first', 1));
    await send(opened, 'first', { isAdmin: true });
    expect(await submit(opened, 'a')).toMatchObject({ kind: 'waiting' });
    expect(await approve(other, 'a')).toMatchObject({ why: { code: 'key-invalid' } });
    expect(await stateOf(opened, 'a')).toBe('waiting');
    await opened.keys.delete(guildId);
    expect(await submit(opened, 'b')).toMatchObject({ why: { code: 'key-missing' } });
  });

  it("can't be approved if another member submits the same servers first", async () => {
    const opened = await open();
    const about = async (id: string) => {
      const submission = await (await opened.beside('another process')).approvals.find({ guildId, id });
      return submission && opened.approvals.background(submission);
    };
    const host = (id: string) => ({ ...readyDraft(id, 1), rows: [readyRow(1, 'same.example.com')] });
    const ann = { guildId, user: { id: '3', name: 'ann' } };
    await opened.drafts.save(mia, host('a'));
    await send(opened, 'a');
    expect(await about('a')).toMatchObject({ before: [], isRepeat: false });
    await opened.drafts.save(ann, host('b'));
    await send(opened, 'b', { ...ann, isAdmin: true });
    expect(await about('a')).toMatchObject({ before: [{ server: 'same.example.com' }], isRepeat: true });
    expect(await approve(opened, 'a')).toMatchObject({ why: { code: 'already-submitted' } });
    await opened.drafts.save(ann, { ...host('c'), includesAlreadySubmitted: true });
    await send(opened, 'c', ann);
    expect(await about('c')).toMatchObject({ before: [{}], isRepeat: false });
    const lost = { guildId, userId: '5', at: Date.now() - 1, hosts: ['lost.example.com'] };
    await addDone(opened.store, { ...lost, id: 'unknown', outcome: 'unknown' });
    const rows = [readyRow(1, 'lost.example.com')];
    await opened.drafts.save(ann, { ...readyDraft('d', 1), rows, includesUnconfirmed: true });
    await send(opened, 'd', ann);
    expect(await about('d')).toMatchObject({ before: [{}], isRepeat: false });
    await addDone(opened.store, { ...lost, id: 'accepted', at: Date.now() });
    expect(await about('d')).toMatchObject({ before: [{}], isRepeat: true });
  });

  it.each([
    ['becomes outdated', 'accepted', true, ACCEPTED, 1],
    ['becomes outdated', 'unconfirmed', true, { kind: 'unknown', reason: 'timeout' }, 1],
    ['stays up to date', 'rejected', true, { kind: 'rejected', message: 'No.' }, 0],
    ['stays up to date', 'accepted while approval is off', false, ACCEPTED, 0],
  ] as const)('has a message that %s when another submission of the same server is %s', async (_what, _why, isOn, outcome, count) => {
    const opened = await open();
    const { approvals, drafts, settings, world } = opened;
    for (const id of ['a', 'b']) {
      await submit(opened, id);
      const waiting = await approvals.find({ guildId, id });
      if (waiting) await markShown(approvals, waiting, { channelId: '5', messageId: id });
    }
    if (!isOn) await settings.change(guildId, ({ approval: _was, ...now }) => now);
    world.answer = () => outcome;
    const ann = { guildId, user: { id: '3', name: 'ann' } };
    await drafts.save(ann, { ...readyDraft('again', 1), rows: readyDraft('a', 1).rows });
    await send(opened, 'again', { ...ann, isAdmin: true });
    expect((await approvals.due()).map(({ id }) => id)).toEqual(['a'].slice(0, count));
  });

  it('keeps `approval: false` in the settings until it is approved or declined', async () => {
    const opened = await open();
    const { settings } = opened;
    await submit(opened, 'a');
    await settings.change(guildId, (now) => ({ ...now, approval: false }));
    const ann = { guildId, user: { id: '3', name: 'ann' } };
    await submit(opened, 'b', 1, ann);
    expect(await settings.getOrThrow(guildId)).toMatchObject({ approval: false });
    await decline(opened, 'a');
    await submit(opened, 'c', 1, ann);
    expect(await settings.getOrThrow(guildId)).not.toHaveProperty('approval');
    expect(await servers(opened)).toContainEqual(['accepted', null]);
  });

  it('records each partial decline', async () => {
    const opened = await open();
    const other = await opened.beside('another process');
    await submit(opened, 'a', 4);
    expect([await declineFirst(opened, 'One.'), await declineFirst(other, 'Two.')]).toEqual([true, true]);
    await approve(opened, 'a');
    for (const { approvals } of [opened, other]) {
      const submission = await approvals.find({ guildId, id: 'a' });
      expect(submission?.servers).toHaveLength(2);
      expect(submission && (await approvals.background(submission)).decided).toMatchObject([
        { decidedByName: 'mod', declineReason: { words: 'One.' }, servers: [{ line: 1 }] },
        { decidedByName: 'mod', declineReason: { words: 'Two.' }, servers: [{ line: 2 }] },
      ]);
    }
  });

  it('shows the latest five partial declines and counts the older ones', async () => {
    const opened = await open();
    await submit(opened, 'a', 8);
    for (const words of ['1', '2', '3', '4', '5', '6', '7']) await declineFirst(opened, words);
    const submission = await opened.approvals.find({ guildId, id: 'a' });
    const background = submission && (await opened.approvals.background(submission));
    expect(background).toMatchObject({ olderDeclineCount: 2 });
    const words = background?.decided.map(({ declineReason }) => declineReason?.words);
    expect(words).toEqual(['3', '4', '5', '6', '7']);
  });

  it('still shows its approved servers after several partial declines', async () => {
    const opened = await open();
    await opened.settings.change(guildId, (now) => ({ ...now, dailyQuota: 1 }));
    await submit(opened, 'a', 8);
    await approve(opened, 'a');
    for (const words of ['1', '2', '3', '4', '5', '6']) await declineFirst(opened, words);
    const submission = await opened.approvals.find({ guildId, id: 'a' });
    const background = submission && (await opened.approvals.background(submission));
    expect(background).toMatchObject({ olderDeclineCount: 1, held: { count: 1 } });
    const shown = background?.decided.map(({ state, declineReason }) => declineReason?.words ?? state);
    expect(shown).toEqual(['done', '2', '3', '4', '5', '6']);
  });

  it("has a decline message that later decisions don't change", async () => {
    const opened = await open();
    const { approvals } = opened;
    await submit(opened, 'a', 3);
    await declineFirst(opened, 'Part.');
    await decline(opened, 'a', 'Rest.');
    const old = await approvals.find({ guildId, id: 'a' });
    expect(old && (await markShown(approvals, old, { channelId: '5', messageId: '6' }))).toBe(true);
    await send(opened, 'a');
    opened.world.now += 1;
    await declineFirst(opened, 'Part.');
    const declined = await approvals.withMessage({ guildId, id: 'a' }, { channelId: '5', messageId: '6' });
    expect(declined).toMatchObject({ state: 'declined', declineReason: { words: 'Rest.' } });
    const { decided } = (declined && (await approvals.background(declined))) ?? {};
    expect(decided).toMatchObject([{ declineReason: { words: 'Part.' }, servers: [{ line: 1 }] }]);
  });

  it('records the approved servers, and the limit that delays the remaining ones', async () => {
    const opened = await open();
    await opened.settings.change(guildId, (now) => ({ ...now, dailyQuota: 2 }));
    await submit(opened, 'a', 4);
    await approve(opened, 'a');
    const { approvals } = await opened.beside('another process');
    const decisions = async () => {
      const submission = await approvals.find({ guildId, id: 'a' });
      return submission && (await approvals.background(submission));
    };
    expect(await decisions()).toMatchObject({
      decided: [{ state: 'done', decidedByName: 'mod', servers: [{ line: 1 }, { line: 2 }] }],
      held: { count: 2, limited: { code: 'daily-quota', until: Date.UTC(2026, 10, 22) } },
    });
    opened.world.now += 86_400_000;
    expect(await decisions()).toMatchObject({ decided: [{ state: 'done' }], held: undefined });
    await approve(opened, 'a');
    expect(await decisions()).toMatchObject({ decided: [{ servers: [{ line: 1 }, { line: 2 }] }] });
  });

  it('can be found by any moderator once it has been approved or declined', async () => {
    const opened = await open();
    for (const id of ['approved', 'declined', 'withdrawn', 'waiting']) await submit(opened, id);
    await opened.drafts.save(mia, readyDraft('sent', 1));
    await send(opened, 'sent', { isAdmin: true });
    await approve(opened, 'approved');
    await decline(opened, 'declined');
    await opened.approvals.withdraw(mia, 'withdrawn', randomUUID());
    const { history } = await opened.beside('another process');
    const found = async (filter: HistoryFilter) => {
      const ids = (await history.find(guildId, filter)).flat();
      return (await history.entries(guildId, ids)).map(({ draftId }) => draftId).toSorted();
    };
    const ofModerator = { readerId: MODERATOR, isDecided: true };
    expect(await found(ofModerator)).toEqual(['approved', 'declined']);
    expect(await found({ ...ofModerator, outcome: 'declined', address: 'declined' })).toEqual(['declined']);
    expect(await found({ ...ofModerator, outcome: 'waiting' })).toEqual(['waiting']);
    expect(await found({ ...ofModerator, userId: mia.user.id })).toEqual(['approved', 'declined']);
    expect(await found({ readerId: mia.user.id, isDecided: true })).toContain('sent');
    expect(await found({})).toEqual(['approved', 'declined', 'sent']);
  });

  it('is sent immediately if the member manages the guild or approval is off', async () => {
    const opened = await open();
    await opened.drafts.save(mia, readyDraft('a', 1));
    expect(await send(opened, 'a', { isAdmin: true })).toMatchObject({
      kind: 'ended',
    });
    await opened.settings.change(guildId, ({ approval: _, ...now }) => now);
    expect(await submit(opened, 'b')).toMatchObject({ kind: 'ended' });
  });

  it("isn't sent or queued for approval if the settings can't be read", async () => {
    const opened = await open();
    await opened.store.values.set(`settings:${guildId}`, 'damaged');
    await expect(submit(opened, 'a')).rejects.toThrow('could not read the settings');
    expect([opened.world.requests, await opened.approvals.waiting(guildId)]).toEqual([[], []]);
  });

  it("stays in the queue if it is approved but can't be sent", async () => {
    const opened = await open();
    await submit(opened, 'a');
    await opened.keys.delete(guildId);
    expect(await approve(opened, 'a')).toMatchObject({ why: { code: 'key-missing' } });
    await opened.keys.set(guildId, new Secret('key of this guild'), { by: { id: MODERATOR, name: 'Ada' } });
    await opened.settings.change(guildId, (now) => ({ ...now, games: ['rust'] }));
    expect(await approve(opened, 'a')).toMatchObject({ why: { code: 'game-not-allowed' } });
    await opened.settings.change(guildId, ({ games: _, ...now }) => now);
    expect(await stateOf(opened, 'a')).toBe('waiting');
    expect(await approve(opened, 'a')).toMatchObject({ kind: 'ended' });
  });

  it("doesn't return to the queue if the service rejects it or doesn't respond", async () => {
    const opened = await open();
    const outcomes: Outcome[] = [
      { kind: 'rejected', message: 'No.' },
      { kind: 'unknown', reason: 'timeout' },
      { kind: 'not-sent', reason: 'down' },
    ];
    for (const [index, outcome] of outcomes.entries()) {
      opened.world.answer = () => outcome;
      await submit(opened, `s${index}`);
      await approve(opened, `s${index}`);
    }
    const [again, ...others] = await opened.approvals.waiting(guildId);
    expect(others).toEqual([]);
    expect(await opened.approvals.find({ guildId, id: again?.id ?? '' })).toMatchObject({
      state: 'waiting',
      servers: [{ server: { server: 's2-0.example.com' } }],
      expiresAt: opened.world.now + WAITS_MS,
    });
    expect((await rowsIn(opened.store, 'drafts')).map(({ id }) => id)).toEqual(['s2']);
  });

  it('returns to the queue if the service rejects the key', async () => {
    const opened = await open();
    await submit(opened, 'a');
    opened.world.answer = () => ({ kind: 'rejected', message: 'Invalid API key.', known: 'invalidKey' });
    expect(await approve(opened, 'a')).toMatchObject({
      kind: 'ended',
      keyProblem: { code: 'key-invalid', setBy: MODERATOR },
    });
    expect(await stateOf(opened, 'a')).toBe('waiting');
    await opened.keys.delete(guildId);
    await opened.keys.set(guildId, new Secret('another key'), { by: moderator });
    opened.world.answer = () => ACCEPTED;
    expect(await approve(opened, 'a')).toMatchObject({ kind: 'ended', keyProblem: undefined });
    expect(await stateOf(opened, 'a')).toBe('done');
  });

  it("overwrites the previous attempt's outcomes when it is reapproved", async () => {
    const opened = await open();
    opened.world.answer = () => ({ kind: 'not-sent', reason: 'queue-full' });
    await submit(opened, 'a', 3);
    const { submissions, approvals } = opened;
    const submissionId = (await seen(opened, 'a')) ?? '';
    const reason = { key: 'rules', words: '' } as const;
    const by = { guildId, id: 'a', by: moderator, interactionId: randomUUID(), reason };
    await approvals.decline({ ...by, submissionId, only: new Set([2]) });
    for (let press = 0; press < 5; press += 1) await approve(opened, 'a');
    const ended = async () => (await servers(opened)).filter(([outcome]) => outcome !== null).toSorted();
    expect(await ended()).toEqual([
      ['not-sent', 'declined'],
      ['not-sent', 'queue-full'],
      ['not-sent', 'queue-full'],
    ]);
    opened.world.answer = () => ACCEPTED;
    await approve(opened, 'a');
    expect(await ended()).toEqual([
      ['accepted', null],
      ['accepted', null],
      ['not-sent', 'declined'],
    ]);
    const found = await opened.history.find(guildId, {});
    expect(
      (await opened.history.entries(guildId, found.flat())).map(({ state }) => state).toSorted(),
    ).toEqual(['declined', 'done']);
    expect(await submissions.latest(guildId, 'a')).toMatchObject({ state: 'done', decidedByName: 'mod' });
  });

  it('can be resubmitted for a day after being declined', async () => {
    const opened = await open();
    const { approvals, drafts } = opened;
    const message = { channelId: '5', messageId: '6' };
    const find = () => approvals.find({ guildId, id: 'a' });
    const show = async () => {
      const submission = await find();
      expect(submission && (await markShown(approvals, submission, message))).toBe(true);
    };
    const again = () => send(opened, 'a');
    await submit(opened, 'a');
    await show();
    await decline(opened, 'a');
    await show();
    opened.world.now += DRAFT_LIVES_MS - 1;
    expect(await again()).toMatchObject({ kind: 'waiting' });
    expect(await find()).toMatchObject({ state: 'waiting', message: undefined });
    await show();
    await decline(opened, 'a');
    expect(await again()).toMatchObject({ kind: 'waiting' });
    expect(await find()).toMatchObject({ state: 'waiting', message });
    await decline(opened, 'a');
    expect(await drafts.find(mia, 'a')).toMatchObject({ rows: [{}] });
    opened.world.now += DRAFT_LIVES_MS;
    expect(await drafts.find(mia, 'a')).toMatchObject({ kind: 'no-draft', why: 'gone' });
  });

  it('reuses its approval message when the member fixes an invalid line', async () => {
    const opened = await open();
    const { approvals, drafts } = opened;
    const message = { channelId: '5', messageId: '6' };
    const rows = [readyRow(1, 'one.example.com'), invalidRow(2)];
    await drafts.save(mia, { ...readyDraft('a', 1), rows });
    await send(opened, 'a');
    await approve(opened, 'a');
    const approved = await approvals.find({ guildId, id: 'a' });
    expect(approved && (await markShown(approvals, approved, message))).toBe(true);
    await drafts.save(mia, { ...readyDraft('a', 1), rows: [readyRow(2, 'two.example.com')] });
    await send(opened, 'a');
    expect(await approvals.find({ guildId, id: 'a' })).toMatchObject({ state: 'waiting', message });
  });

  it("isn't sent if it is declined or expires", async () => {
    const opened = await open();
    await submit(opened, 'a');
    expect(await decline(opened, 'a', 'Not ours.')).toBe(true);
    await submit(opened, 'b', 2);
    await opened.waitingSubmissions.expire(guildId);
    expect(await stateOf(opened, 'b')).toBe('waiting');
    opened.world.now += WAITS_MS;
    await opened.waitingSubmissions.expire(guildId);
    expect(await opened.approvals.find({ guildId, id: 'a' })).toMatchObject({
      state: 'declined',
      declineReason: { key: 'rules', words: 'Not ours.' },
    });
    expect(await stateOf(opened, 'b')).toBe('expired');
    expect((await servers(opened)).toSorted()).toEqual([
      ['not-sent', 'declined'],
      ['not-sent', 'expired'],
      ['not-sent', 'expired'],
    ]);
    const entries = await opened.history.entries(guildId, (await opened.history.find(guildId, {})).flat());
    expect(entries).toMatchObject([
      { counts: { 'not-sent': 2 }, decidedBy: '' },
      {
        decidedBy: MODERATOR,
        declineReason: { key: 'rules', words: 'Not ours.' },
        only: { outcome: { reason: 'declined' } },
      },
    ]);
    expect(await approve(opened, 'a')).toMatchObject({ kind: 'no-draft' });
    expect(opened.world.requests).toEqual([]);
  });

  it('can only be withdrawn or reopened by the member who submitted it', async () => {
    const opened = await open();
    const lea: Submitter = { guildId, user: { id: '3', name: 'lea' } };
    await submit(opened, 'a');
    await submit(opened, 'b');
    const { withdraw } = opened.approvals;
    expect(await withdraw(lea, 'a', 'w')).toMatchObject({ why: 'of-another-member' });
    expect(await opened.waitingSubmissions.withdraw(lea, 'b', 'w')).toMatchObject({
      why: 'of-another-member',
    });
    expect(await withdraw(mia, 'a', 'w')).toBeUndefined();
    expect(await withdraw(mia, 'a', 'w')).toMatchObject({ why: 'decided' });
    expect(await opened.waitingSubmissions.withdraw(mia, 'b', 'w')).toBeUndefined();
    // The servers in a withdrawn submission don't get an outcome.
    const [first] = (await opened.approvals.find({ guildId, id: 'a' }))?.servers ?? [];
    expect(first?.outcome).toBeUndefined();
    const nothing = [null, null];
    expect(await servers(opened)).toEqual([nothing, nothing]);
    expect(await opened.drafts.find(mia, 'b')).toMatchObject({ rows: [{ kind: 'ready' }] });
    expect([await stateOf(opened, 'a'), await stateOf(opened, 'b')]).toEqual(['withdrawn', 'withdrawn']);
    expect(await approve(opened, 'b')).toMatchObject({ kind: 'no-draft' });
    expect(await send(opened, 'b')).toMatchObject({ kind: 'waiting' });
    expect(await opened.approvals.waiting(guildId)).toMatchObject([
      { id: 'b', userId: '2', userName: 'mia' },
    ]);
  });

  it("isn't deleted before its message shows the withdrawal", async () => {
    const opened = await open();
    await submit(opened, 'a');
    await opened.approvals.withdraw(mia, 'a', 'w');
    opened.world.now += 1;
    for (let n = 1; n <= 10; n += 1) await opened.drafts.save(mia, readyDraft(`d${n}`, 1, 'd'));
    expect(await stateOf(opened, 'a')).toBe('withdrawn');
    expect(await opened.approvals.due()).toMatchObject([{ guildId, id: 'a' }]);
  });

  it("can't be approved or declined if it has changed since the moderator saw it", async () => {
    const opened = await open();
    await submit(opened, 'a');
    const before = await seen(opened, 'a');
    const draft = readyDraft('unseen', 1);
    await send(opened, 'a', { draft, replacesWaiting: true });
    expect(await approve(opened, 'a', before)).toMatchObject({ kind: 'no-draft' });
    expect(await decline(opened, 'a', '', before)).toBe(false);
    expect(await stateOf(opened, 'a')).toBe('waiting');
    expect(await approve(opened, 'a')).toMatchObject({ kind: 'ended' });
    expect(opened.world.requests).toEqual([['unseen-0.example.com']]);
  });

  it("is replaced by an admin's edit even if the clock is set back", async () => {
    const opened = await open();
    await submit(opened, 'a');
    opened.world.now -= 60_000;
    await send(opened, 'a', { draft: readyDraft('a', 1, 'edited'), replacesWaiting: true, isAdmin: true });
    expect(await opened.submissions.latest(guildId, 'a')).toMatchObject({ state: 'done' });
  });

  it('accepts only one of two concurrent corrections', async () => {
    const opened = await open();
    await submit(opened, 'a');
    const submissionId = await seen(opened, 'a');
    const until = (await opened.approvals.find({ guildId, id: 'a' }))?.expiresAt;
    opened.world.now += 1_000;
    const correct = (by: string, host: string) =>
      opened.approvals.correct({
        guildId,
        id: 'a',
        submissionId,
        by: { id: by, name: `name of ${by}` },
        interactionId: randomUUID(),
        row: readyRow(1, host),
      });
    const both = await Promise.all([correct('8', 'right.example.com'), correct('9', 'other.example.com')]);
    expect(both.map((problem) => problem?.code).toSorted()).toEqual(['decided', undefined]);
    expect(await approve(opened, 'a', submissionId)).toMatchObject({ kind: 'no-draft' });
    const submission = await opened.approvals.find({ guildId, id: 'a' });
    const by = both[0] ? '9' : '8';
    expect(submission).toMatchObject({
      state: 'waiting',
      correctedBy: by,
      correctedByName: `name of ${by}`,
      expiresAt: until,
    });
    await opened.erasure.forgetMember(guildId, by);
    expect(await opened.approvals.find({ guildId, id: 'a' })).toMatchObject({
      correctedBy: '',
      correctedByName: '',
    });
    expect(await approve(opened, 'a')).toMatchObject({ kind: 'ended' });
    expect(opened.world.requests).toEqual([[both[0] ? 'other.example.com' : 'right.example.com']]);
    // If the member edits the submission, the moderator's correction is removed.
    await submit(opened, 'b');
    const again = { guildId, id: 'b', submissionId: await seen(opened, 'b') };
    const row = readyRow(1, 'corrected.example.com');
    expect(
      await opened.approvals.correct({
        ...again,
        by: { id: '8', name: 'eve' },
        interactionId: randomUUID(),
        row,
      }),
    ).toBeUndefined();
    const draft = readyDraft('edited', 1);
    await send(opened, 'b', { draft, replacesWaiting: true });
    expect(await opened.approvals.find({ guildId, id: 'b' })).toMatchObject({
      correctedBy: undefined,
      servers: [{ server: { server: 'edited-0.example.com' } }],
    });
  });

  it("can't be approved once it has been corrected to an already submitted server", async () => {
    const opened = await open();
    const { drafts, approvals } = opened;
    const rows = ['a.example.com', 'b.example.com'].map((host) => readyRow(1, host));
    for (const row of rows) {
      await drafts.save(mia, { ...readyDraft('x', 1), rows: [row] });
      await send(opened, 'x', { isAdmin: true });
    }
    const [first = readyRow(1, ''), second = first] = rows;
    await drafts.save(mia, { ...readyDraft('c', 1), rows: [first], includesAlreadySubmitted: true });
    await send(opened, 'c');
    const key = { guildId, id: 'c', submissionId: await seen(opened, 'c') };
    await approvals.correct({ ...key, by: moderator, interactionId: randomUUID(), row: second });
    expect(await approve(opened, 'c')).toMatchObject({ why: { code: 'already-submitted' } });
    expect(opened.world.requests).toHaveLength(2);
  });

  it.each([
    true,
    false,
  ])("can repeat an earlier submission after a correction only with the member's consent (given: %s)", async (hasConsent) => {
    const opened = await open();
    const { approvals, drafts, store } = opened;
    const row = readyRow(1, 'a.example.com');
    await drafts.save(mia, { ...readyDraft('c', 1), rows: [row], includesAlreadySubmitted: hasConsent });
    await send(opened, 'c');
    await addDone(store, { id: 'x', guildId, userId: '77', at: Date.now(), hosts: ['a.example.com'] });
    const key = { guildId, id: 'c', submissionId: await seen(opened, 'c') };
    const corrected = readyRow(1, 'a.example.com', { game: 'rust' });
    await approvals.correct({ ...key, by: moderator, interactionId: randomUUID(), row: corrected });
    expect(await approve(opened, 'c')).toMatchObject(
      hasConsent ? { kind: 'ended' } : { why: { code: 'already-submitted' } },
    );
  });

  it('still shows the original server after two corrections', async () => {
    const opened = await open();
    await submit(opened, 'a');
    const { approvals } = opened;
    const correctTo = async (port: number) =>
      approvals.correct({
        ...{ guildId, id: 'a', submissionId: await seen(opened, 'a') },
        ...{ by: moderator, interactionId: randomUUID(), row: readyRow(1, 'a-0.example.com', { port }) },
      });
    await correctTo(2);
    await correctTo(3);
    const from = { server: 'a-0.example.com', port: 27015, game: 'cs2' };
    expect(await approvals.find({ guildId, id: 'a' })).toMatchObject({ correctedFrom: from });
    await decline(opened, 'a');
    const entries = await opened.history.entries(guildId, (await opened.history.find(guildId, {})).flat());
    expect(entries).toMatchObject([{ correctedFrom: from, only: { port: 3 } }]);
    await send(opened, 'a');
    expect(await approvals.find({ guildId, id: 'a' })).toMatchObject({
      state: 'waiting',
      correctedFrom: undefined,
    });
  });

  it('is flagged if the member submits more than ten ports on one host in a day', async () => {
    const opened = await open();
    const { approvals, drafts, world } = opened;
    const ports = async (id: string, from: number, count: number, by = mia) => {
      const rows = Array.from({ length: count }, (_, n) =>
        readyRow(n + 1, 'many.example.com', { port: from + n }),
      );
      await drafts.save(by, {
        id,
        source: 'text',
        rows: [...rows, readyRow(count + 1, `${id}.example.com`)],
      });
      await send(opened, id, by);
    };
    const many = async (id: string) => {
      const found = await approvals.find({ guildId, id });
      return found && (await approvals.background(found)).manyPorts;
    };
    await ports('a', 1, 10);
    await ports('another', 101, 5, { guildId, user: { id: '3', name: 'ann' } });
    expect(await many('a')).toEqual([]);
    world.now += 86_400_000 - 1;
    await ports('b', 11, 1);
    for (const id of ['a', 'b']) expect(await many(id)).toEqual([{ host: 'many.example.com', count: 11 }]);
    expect(await many('another')).toEqual([]);
    world.now += 1;
    expect(await many('b')).toEqual([]);
    await ports('c', 201, 11);
    expect(await many('c')).toEqual([{ host: 'many.example.com', count: 12 }]);
    // A submission can wait for several days.
    world.now += 2 * 86_400_000;
    expect(await many('c')).toEqual([{ host: 'many.example.com', count: 11 }]);
  });

  it('accepts only one of two concurrent partial declines', async () => {
    const opened = await open();
    await submit(opened, 'a', 3);
    const submissionId = await seen(opened, 'a');
    const declinePart = (index: number) =>
      opened.approvals.decline({
        guildId,
        id: 'a',
        submissionId,
        by: moderator,
        interactionId: randomUUID(),
        reason: { key: undefined, words: '' },
        only: new Set([index]),
      });
    expect((await Promise.all([declinePart(0), declinePart(2)])).toSorted()).toEqual([false, true]);
    expect(await servers(opened)).toHaveLength(6);
    expect(await approve(opened, 'a', submissionId)).toMatchObject({ kind: 'no-draft' });
    const entries = await opened.history.entries(guildId, (await opened.history.find(guildId, {})).flat());
    expect(entries).toMatchObject([
      { decidedBy: MODERATOR, decidedByName: 'mod', only: { outcome: { reason: 'declined' } } },
    ]);
    expect(await approve(opened, 'a')).toMatchObject({ kind: 'ended' });
    expect(opened.world.requests.map((hosts) => hosts.length)).toEqual([2]);
    // Declining all lines declines the whole submission.
    await submit(opened, 'b', 2);
    const whole = { key: 'rules', words: '' } as const;
    const b = {
      guildId,
      id: 'b',
      submissionId: await seen(opened, 'b'),
      by: moderator,
      interactionId: randomUUID(),
    };
    expect(await opened.approvals.decline({ ...b, reason: whole, only: new Set([0, 1]) })).toBe(true);
    expect(await stateOf(opened, 'b')).toBe('declined');
    expect(await opened.approvals.waiting(guildId)).toEqual([]);
  });

  it('is rejected if its server is already in the queue, or if the queue is full', async () => {
    const opened = await open();
    await submit(opened, 'a', 2);
    await opened.drafts.save(mia, { ...readyDraft('same', 1), rows: [readyRow(1, 'a-1.example.com')] });
    expect(await send(opened, 'same')).toMatchObject({
      why: { code: 'waiting-already' },
    });
    for (let n = 2; n <= 10; n += 1) expect(await submit(opened, `m${n}`)).toMatchObject({ kind: 'waiting' });
    expect(await submit(opened, 'm11')).toMatchObject({ why: { code: 'member-waiting', count: 10 } });
    for (let n = 10; n < 100; n += 1) {
      const by = { guildId, user: { id: String(100 + Math.floor(n / 10)), name: 'x' } };
      expect(await submit(opened, `g${n}`, 1, by)).toMatchObject({ kind: 'waiting' });
    }
    const late = { guildId, user: { id: '999', name: 'late' } };
    expect(await submit(opened, 'late', 1, late)).toMatchObject({
      why: { code: 'guild-waiting', count: 100 },
    });
  });

  it("is rejected if it is the member's 21st in 15 minutes", async () => {
    const opened = await open();
    const other = { guildId, user: { id: '3', name: 'noa' } };
    for (let n = 0; n < 20; n += 1) {
      expect(await submit(opened, `w${n}`)).toMatchObject({ kind: 'waiting' });
      expect(await opened.approvals.withdraw(mia, `w${n}`, randomUUID())).toBeUndefined();
      opened.world.now += 1_000;
    }
    const at = opened.world.now - 20_000 + 15 * 60_000;
    expect(await submit(opened, 'w20')).toMatchObject({ why: { code: 'waiting-often', at } });
    expect(await submit(opened, 'of another', 1, other)).toMatchObject({ kind: 'waiting' });
    opened.world.now = at;
    expect(await submit(opened, 'w21')).toMatchObject({ kind: 'waiting' });
    expect(await submit(opened, 'w22')).toMatchObject({ why: { code: 'waiting-often' } });
  });

  it('is rejected if it exceeds 1,000 queued servers per member or 5,000 per guild', async () => {
    const opened = await open();
    const waits = { kind: 'waiting' };
    expect(await submit(opened, 'm1', 400)).toMatchObject(waits);
    expect(await submit(opened, 'm2', 601)).toMatchObject({ why: { code: 'member-waiting', count: 1 } });
    expect(await submit(opened, 'm3', 600)).toMatchObject(waits);
    expect(await submit(opened, 'm4')).toMatchObject({ why: { code: 'member-waiting', count: 2 } });
    const member = (id: string): Submitter => ({ guildId, user: { id, name: id } });
    for (const id of ['3', '4', '5', '6'])
      expect(await submit(opened, `of ${id}`, 1_000, member(id))).toMatchObject(waits);
    const full = { why: { code: 'guild-waiting', count: 6 } };
    expect(await submit(opened, 'g1', 1, member('7'))).toMatchObject(full);
    await opened.approvals.withdraw(mia, 'm1', 'w');
    expect(await submit(opened, 'g2', 400, member('7'))).toMatchObject(waits);
    expect(await submit(opened, 'g3', 1, member('8'))).toMatchObject(full);
  });

  it("is still sent if the member's interaction ends during approval", async () => {
    const opened = await open();
    await opened.drafts.save(mia, readyDraft('a', 1));
    await send(opened, 'a', { interactionId: 'of the member' });
    const left = Promise.withResolvers<void>();
    const response = Promise.withResolvers<Outcome>();
    opened.world.answer = () => {
      left.resolve();
      return response.promise;
    };
    const approving = approve(await opened.beside('another process'), 'a');
    await left.promise;
    await opened.store.inGuild(guildId, () => opened.submissions.endRunningOf('of the member'));
    expect(await stateOf(opened, 'a')).toBe('running');
    response.resolve(ACCEPTED);
    await approving;
    expect(await servers(opened)).toEqual([['accepted', null]]);
  });

  describe('after a crash during approval', () => {
    it("returns to the queue if it hadn't been sent", async () => {
      const opened = await open();
      const dying = await opened.beside('dying');
      await submit(opened, 'a');
      const submission = await dying.approvals.find({ guildId, id: 'a' });
      if (submission === undefined) throw new Error('nothing waits');
      const { id: submissionId, servers } = submission;
      const decision = { by: moderator, interactionId: 'm' };
      await dying.waitingSubmissions.approve(submission, servers.map(rowForServer), decision);
      await opened.submissions.endAbandoned(guildId);
      expect(await opened.approvals.due()).toMatchObject([{ guildId, id: 'a' }]);
      expect(await opened.submissions.by(guildId, 'm')).toMatchObject([
        {
          id: submissionId,
          state: 'done',
          servers: [{ outcome: { kind: 'not-sent', reason: 'stopping' } }],
        },
      ]);
      const [again] = await opened.approvals.waiting(guildId);
      expect(await approve(opened, again?.id ?? '')).toMatchObject({ kind: 'ended' });
      expect(opened.world.requests).toHaveLength(1);
    });

    it('is marked as unconfirmed if it had been sent', async () => {
      const opened = await open();
      const dying = await opened.beside('dying');
      await submit(opened, 'a');
      const left = Promise.withResolvers<void>();
      opened.world.answer = () => {
        left.resolve();
        return new Promise(() => undefined);
      };
      void approve(dying, 'a');
      await left.promise;
      await opened.submissions.endAbandoned(guildId);
      expect(await opened.approvals.find({ guildId, id: 'a' })).toMatchObject({
        state: 'done',
        servers: [{ outcome: { kind: 'unknown' } }],
      });
      expect(await opened.approvals.waiting(guildId)).toEqual([]);
    });
  });

  it('is posted by another process after a crash', async () => {
    const dead = await open('dead');
    await submit(dead, 'a');
    const opened = await dead.beside('this process');
    expect(await opened.approvals.due()).toMatchObject([{ guildId, id: 'a' }]);
    const waiting = await opened.approvals.find({ guildId, id: 'a' });
    // Both changes to the submission happen in the same millisecond.
    await decline(opened, 'a');
    const message = { channelId: '5', messageId: '6' };
    expect(waiting && (await markShown(opened.approvals, waiting, message))).toBe(false);
    const declined = await opened.approvals.find({ guildId, id: 'a' });
    expect(declined).toMatchObject({ state: 'declined' });
    expect(declined && (await markShown(opened.approvals, declined, message))).toBe(true);
    expect(await opened.approvals.due()).toEqual([]);
  });

  it("isn't marked as up to date if its message shows an older state", async () => {
    const opened = await open();
    const message = { channelId: '5', messageId: '6' };
    const asItIs = async () => {
      const approval = await opened.approvals.find({ guildId, id: 'a' });
      if (approval === undefined) throw new Error('there is no such submission');
      return approval;
    };
    await submit(opened, 'a');
    expect(await markShown(opened.approvals, await asItIs(), message)).toBe(true);
    const pressed = await asItIs();
    const sent = Promise.withResolvers<Outcome>();
    opened.world.answer = () => sent.promise;
    const approved = approve(await opened.beside('another process'), 'a');
    await expect.poll(() => opened.world.requests).toHaveLength(1);
    const sending = await asItIs();
    expect(sending.state).toBe('running');
    expect(await markShown(opened.approvals, sending, message)).toBe(true);
    expect(await markShown(opened.approvals, pressed, message)).toBe(false);
    sent.resolve(ACCEPTED);
    await approved;
    expect(await markShown(opened.approvals, sending, message)).toBe(false);
  });

  it("is withdrawn when the member's data is deleted", async () => {
    const opened = await open();
    await submit(opened, 'a');
    await submit(opened, 'b');
    await decline(opened, 'b');
    opened.world.now += 1;
    await opened.erasure.forgetMember(guildId, '2');
    await opened.erasure.forgetMember(guildId, MODERATOR);
    expect(await opened.approvals.find({ guildId, id: 'a' })).toMatchObject({
      state: 'withdrawn',
      userId: '',
      servers: [],
    });
    expect(await opened.approvals.find({ guildId, id: 'b' })).toMatchObject({
      state: 'declined',
      decidedBy: '',
      decidedByName: '',
    });
    expect((await opened.approvals.due()).map(({ id }) => id)).toContain('a');
    opened.world.now += DRAFT_LIVES_MS;
    await opened.erasure.prune();
    const withdrawn = await opened.approvals.find({ guildId, id: 'a' });
    expect(withdrawn && (await markShown(opened.approvals, withdrawn, undefined))).toBe(true);
    await opened.erasure.prune();
    expect(await stateOf(opened, 'a')).toBeUndefined();
    await submit(opened, 'c');
    await opened.erasure.deleteGuild(guildId);
    expect(await opened.approvals.waiting(guildId)).toEqual([]);
  });
});
