import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createDecisionNotices } from '../../src/approval/decision-notices.ts';
import type { BlockTarget } from '../../src/guilds/blocks.ts';
import { createWords } from '../../src/words/words.ts';
import { beginSubmission, partsOver, readyRow } from '../support/builders.ts';
import { kinds, newPlace, rowsIn } from '../support/database.ts';
import { recorder } from '../support/machine.ts';

const guildId = '1';
const mia = { guildId, user: { id: '2', name: 'mia' } };
const moderator = { id: '9', name: 'mod' };
const MINUTE_MS = 60_000;
const EXPIRES_AT = Date.now() + 86_400_000;
const PLACE = { channelId: '5', messageId: '6' };

describe.each(kinds())('undoing a decline (in %s)', (kind) => {
  /** Opens processes with the same store. */
  async function open() {
    const place = await newPlace(kind);
    const beside = async () => {
      const store = await place.open();
      return { ...partsOver(store), store };
    };
    return { ...(await beside()), beside };
  }
  type Opened = Omit<Awaited<ReturnType<typeof open>>, 'beside'>;

  /** Submits servers that wait for a moderator, with a message in the log channel. */
  async function submit(opened: Opened, id: string, hosts = [`${id}.example.com`], by = mia): Promise<void> {
    const { store, approvals } = opened;
    const rows = hosts.map((host, index) => readyRow(index + 1, host));
    const about = {
      interactionId: randomUUID(),
      draft: { id, source: 'text', rows },
      expiresAt: EXPIRES_AT,
    } as const;
    await store.inGuild(guildId, async () => {
      await beginSubmission(opened, by, about);
      await store
        .tables()
        .updateTable('submissions')
        .set({ notice: `of ${id}` })
        .where('draft_id', '=', id)
        .execute();
    });
    const submission = await approvals.find({ guildId, id });
    const begun = submission && (await approvals.beginEdit(submission));
    if (begun) await approvals.endEdit(begun, { message: PLACE, isOnly: true });
  }

  const latest = ({ approvals }: Opened, id: string) => approvals.find({ guildId, id });
  const seen = async (opened: Opened, id: string) => ({
    guildId,
    id,
    submissionId: (await latest(opened, id))?.id,
  });

  /** Declines a submission or some of its lines. Returns the declined submission. */
  async function decline(
    opened: Opened,
    id: string,
    more: {
      readonly only?: ReadonlySet<number>;
      readonly block?: readonly BlockTarget[];
      readonly interactionId?: string;
    } = {},
  ) {
    const { interactionId = randomUUID(), ...rest } = more;
    const decision = { by: moderator, interactionId, reason: { key: undefined, words: 'No.' }, ...rest };
    expect(await opened.approvals.decline({ ...(await seen(opened, id)), ...decision })).toBe(true);
    const declined = (await opened.submissions.by(guildId, interactionId)).find(
      ({ draftId }) => draftId === id,
    );
    return { guildId, id, submissionId: declined?.id };
  }

  const undo = ({ approvals }: Opened, declined: Awaited<ReturnType<typeof decline>>) =>
    approvals.undo({ ...declined, interactionId: randomUUID() });

  /** Creates a process's notices. `told` gets the notice of each member who is notified. */
  function noticesOf({ store, submissions }: Opened, told: string[], declineUndoMs = MINUTE_MS) {
    const { wordsFor, pages } = createWords();
    return createDecisionNotices({
      store,
      submissions,
      interactionStore: {
        find: async () => undefined,
        seal: () => '',
        open(notice) {
          told.push(notice ?? '');
          return undefined;
        },
      },
      api: { edit: async () => undefined, followUp: async () => undefined, read: async () => 'gone' },
      editOrder: { isLatest: async () => true },
      wording: { wordsFor, pages, guildWords: async () => wordsFor('en-US'), mention: (name) => name },
      replyOf: async () => ({}),
      logger: recorder(),
      declineUndoMs,
    });
  }

  it("restores the submission's lines, expiry time and message", async () => {
    const opened = await open();
    await submit(opened, 'a', ['one.example.com', 'two.example.com']);
    const declined = await decline(opened, 'a', { block: [{ kind: 'member', id: '2' }] });
    expect(await latest(opened, 'a')).toMatchObject({ state: 'declined', isUndoable: true });
    expect(await undo(opened, declined)).toMatchObject({
      waiting: [{ draftId: 'a' }],
      declined: [],
      unblocked: [{ target: { id: '2' } }],
    });
    const now = await latest(opened, 'a');
    expect(now).toMatchObject({
      state: 'waiting',
      expiresAt: EXPIRES_AT,
      message: PLACE,
      declineReason: undefined,
      servers: [{ server: { server: 'one.example.com' } }, { server: { server: 'two.example.com' } }],
    });
    expect(now?.id).not.toBe(declined.submissionId);
    expect(now && now.revision > now.shownRevision).toBe(true);
    expect(await opened.approvals.due()).toHaveLength(1);
    expect(await opened.blocks.list(guildId)).toEqual([]);
    const notices = (await rowsIn(opened.store, 'submissions')).map(({ notice }) => notice);
    expect(notices.toSorted()).toEqual([null, 'of a']);
    const found = await opened.history.find(guildId, { readerId: '2' });
    expect(await opened.history.entries(guildId, found.flat())).toEqual([]);
    // It can be decided on again.
    await decline(opened, 'a');
    expect(await undo(opened, declined)).toMatchObject({ waiting: [] });
  });

  it("re-enables the message's old buttons unless the lines have changed", async () => {
    const opened = await open();
    const hosts = ['one.example.com', 'two.example.com'];
    await submit(opened, 'a', hosts);
    const before = await seen(opened, 'a');
    await undo(opened, await decline(opened, 'a'));
    expect(await opened.approvals.seen(before)).toMatchObject({ id: (await latest(opened, 'a'))?.id });
    const decision = { by: moderator, interactionId: randomUUID(), reason: { key: undefined, words: '' } };
    expect(await opened.approvals.decline({ ...before, ...decision, only: new Set([0]) })).toBe(true);
    expect(await opened.approvals.seen(before)).toBeUndefined();
    await submit(opened, 'b', hosts);
    const submissionId = (await latest(opened, 'b'))?.id;
    expect(await opened.approvals.seen({ ...before, submissionId })).toBeUndefined();
  });

  it('returns lines to their list, or to the queue if the list has been approved', async () => {
    const opened = await open();
    const hosts = ['a', 'b', 'c', 'd'].map((name) => `${name}.example.com`);
    await submit(opened, 'list', hosts);
    const part = await decline(opened, 'list', { only: new Set([1, 2]) });
    expect((await undo(opened, part)).waiting).toHaveLength(1);
    expect((await latest(opened, 'list'))?.servers.map(({ server }) => server.server)).toEqual(hosts);
    expect(await opened.approvals.waiting(guildId)).toHaveLength(1);
    expect(await opened.approvals.due()).toHaveLength(1);

    const another = await decline(opened, 'list', { only: new Set([0]) });
    await opened.store.inGuild(guildId, async () => {
      const rest = await latest(opened, 'list');
      if (rest === undefined) throw new Error('nothing is waiting');
      const rows = hosts.slice(1).map((host, index) => readyRow(index + 2, host));
      const id = await opened.waitingSubmissions.approve(rest, rows, {
        by: moderator,
        interactionId: 'approved',
      });
      const indices = [0, 1, 2];
      await opened.submissions.endRequest(id, indices, [
        { indices, outcome: { kind: 'accepted', message: 'Yes.' } },
      ]);
      await opened.submissions.finish(guildId, id);
    });
    expect((await undo(opened, another)).waiting).toHaveLength(1);
    expect(await latest(opened, 'list')).toMatchObject({
      state: 'waiting',
      message: PLACE,
      servers: [{ line: 1, server: { server: 'a.example.com' } }],
    });
  });

  it("doesn't apply another line's correction to the restored line", async () => {
    const opened = await open();
    await submit(opened, 'list', ['a.example.com', 'b.example.com']);
    const declined = await decline(opened, 'list', { only: new Set([0]) });
    const row = readyRow(2, 'b.example.com', { port: 2 });
    const correction = { ...(await seen(opened, 'list')), by: moderator, interactionId: 'corrected', row };
    expect(await opened.approvals.correct(correction)).toBeUndefined();
    // Only one line of a submission can be corrected, so the lines can't wait together.
    expect(await undo(opened, declined)).toMatchObject({ waiting: [] });
    await opened.store.inGuild(guildId, async () => {
      const rest = await latest(opened, 'list');
      if (rest === undefined) throw new Error('nothing is waiting');
      const decision = { by: moderator, interactionId: 'approved' };
      const id = await opened.waitingSubmissions.approve(rest, [row], decision);
      await opened.submissions.endRequest(
        id,
        [0],
        [{ indices: [0], outcome: { kind: 'accepted', message: 'Yes.' } }],
      );
      await opened.submissions.finish(guildId, id);
    });
    expect((await undo(opened, declined)).waiting).toHaveLength(1);
    expect(await latest(opened, 'list')).toMatchObject({
      servers: [{ server: { server: 'a.example.com' } }],
      correctedBy: undefined,
      correctedFrom: undefined,
    });
  });

  it('restores all submissions declined with the same button press', async () => {
    const opened = await open();
    const interactionId = randomUUID();
    for (const id of ['a', 'b', 'c']) await submit(opened, id);
    const [first] = [
      await decline(opened, 'a', { interactionId }),
      await decline(opened, 'b', { interactionId }),
      await decline(opened, 'c'),
    ];
    if (first === undefined) throw new Error('nothing was declined');
    await submit(opened, 'again', ['b.example.com']);
    expect(await undo(opened, first)).toMatchObject({
      waiting: [{ draftId: 'a' }],
      declined: [{ draftId: 'b' }],
    });
    const waiting = await opened.approvals.waiting(guildId);
    expect(waiting.map(({ id }) => id).toSorted()).toEqual(['a', 'again']);
  });

  it.each<[what: string, change: (opened: Opened, declined: string) => Promise<unknown>]>([
    [
      'after a minute',
      ({ store }) =>
        store
          .tables()
          .updateTable('submissions')
          .set({ ended_at: Date.now() - MINUTE_MS })
          .execute(),
    ],
    [
      'after the member was notified, even by version 0.4.0',
      ({ store }) => store.tables().updateTable('submissions').set({ notified_at: Date.now() }).execute(),
    ],
    ['if the member has submitted the draft again', (opened) => submit(opened, 'a', ['changed.example.com'])],
    [
      'if the member has submitted the draft again and a moderator has declined a part',
      async (opened) => {
        await submit(opened, 'a', ['a.example.com', 'changed.example.com']);
        await decline(opened, 'a', { only: new Set([1]) });
      },
    ],
    ['if the member has submitted the address again', (opened) => submit(opened, 'b', ['a.example.com'])],
    [
      'if the member has submitted the address again and withdrawn it',
      async (opened) => {
        await submit(opened, 'b', ['a.example.com']);
        await opened.approvals.withdraw(mia, 'b', randomUUID());
      },
    ],
    [
      'if a moderator has corrected another submission to the same address',
      async (opened) => {
        await submit(opened, 'b');
        const row = readyRow(1, 'a.example.com');
        await opened.approvals.correct({
          ...(await seen(opened, 'b')),
          by: moderator,
          interactionId: 'x',
          row,
        });
      },
    ],
    ['if the member has cancelled the draft', ({ drafts }) => drafts.drop(mia, 'a')],
    [
      'if the member has deleted their name',
      ({ store, erasure }) => store.inGuild(guildId, () => erasure.forgetMember(guildId, '2')),
    ],
  ])("isn't possible %s", async (_when, change) => {
    const opened = await open();
    await submit(opened, 'a');
    const declined = await decline(opened, 'a', { block: [{ kind: 'host', host: 'example.org' }] });
    await change(opened, declined.submissionId ?? '');
    expect(await undo(opened, declined)).toMatchObject({ waiting: [], unblocked: [] });
    expect(await opened.submissions.find(guildId, declined.submissionId ?? '')).toMatchObject({
      state: 'declined',
    });
    expect(await opened.blocks.list(guildId)).toHaveLength(1);
  });

  it("isn't possible from another guild or for an approved submission", async () => {
    const opened = await open();
    await submit(opened, 'a');
    const declined = await decline(opened, 'a');
    expect(await undo(opened, { ...declined, guildId: '7' })).toMatchObject({ waiting: [] });
    await submit(opened, 'b');
    const approved = await seen(opened, 'b');
    const found = await latest(opened, 'b');
    await opened.store.inGuild(guildId, async () => {
      if (found) {
        const rows = [readyRow(1, 'b.example.com')];
        await opened.waitingSubmissions.approve(found, rows, { by: moderator, interactionId: 'approved' });
      }
    });
    expect(await undo(opened, approved)).toMatchObject({ waiting: [] });
    expect(await latest(opened, 'b')).toMatchObject({ state: 'running' });
  });

  it('happens only once if two moderators press Undo at the same time', async () => {
    const opened = await open();
    // Only one process at a time can use a SQLite database.
    const other = kind === 'sqlite' ? opened : await opened.beside();
    await submit(opened, 'a');
    const declined = await decline(opened, 'a');
    const both = await Promise.all([undo(opened, declined), undo(other, declined)]);
    expect(both.map(({ waiting }) => waiting.length).toSorted()).toEqual([0, 1]);
    expect(await other.approvals.waiting(guildId)).toHaveLength(1);
  });

  it("cancels the member's notification unless another process is already sending it", async () => {
    const opened = await open();
    const other = await opened.beside();
    for (const id of ['a', 'b', 'c', 'd']) {
      await submit(opened, id);
      const declined = await decline(opened, id);
      const told: string[] = [];
      // The other process's clock is a minute ahead.
      const [{ waiting }] = await Promise.all([
        undo(opened, declined),
        noticesOf(other, told, 0).notifyDue(),
      ]);
      expect(told).toEqual(waiting.length === 0 ? [`of ${id}`] : []);
    }
  });

  it.each([
    ['after a minute if the decline happened during the search for earlier ones', 1_000, []],
    ['immediately if a clock was far ahead', 86_400_000, ['of a']],
  ])('is possible until the member is notified: %s', async (_when, aheadMs, expected) => {
    const opened = await open();
    await submit(opened, 'a');
    await decline(opened, 'a');
    await opened.store
      .tables()
      .updateTable('submissions')
      .set({ ended_at: Date.now() + aheadMs })
      .execute();
    const told: string[] = [];
    await noticesOf(opened, told).notifyDue();
    expect(told).toEqual(expected);
  });

  it("isn't possible once another process has notified the member", async () => {
    const opened = await open();
    await submit(opened, 'a');
    const declined = await decline(opened, 'a');
    const told: string[] = [];
    await noticesOf(opened, told).notifyDue();
    const other = await opened.beside();
    await noticesOf(other, told).notifyDue();
    expect(told).toEqual([]);
    await other.store
      .tables()
      .updateTable('submissions')
      .set({ ended_at: Date.now() - MINUTE_MS })
      .execute();
    await noticesOf(other, told).notifyDue();
    expect(told).toEqual(['of a']);
    expect(await undo(other, declined)).toMatchObject({ waiting: [] });
    expect(await latest(other, 'a')).toMatchObject({ state: 'declined' });
  });
});
