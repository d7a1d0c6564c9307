import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { BlockTarget } from '../../src/guilds/blocks.ts';
import type { Outcome } from '../../src/listing/contract.ts';
import { createEncryption } from '../../src/storage/encryption.ts';
import type { Draft } from '../../src/submissions/draft.ts';
import type { SubmitRequest } from '../../src/submissions/pipeline.ts';
import { Secret } from '../../src/text/secret.ts';
import { openPipeline, readyDraft, readyRow } from '../support/builders.ts';
import { kinds, newPlace } from '../support/database.ts';

const ACCEPTED: Outcome = { kind: 'accepted', message: 'Yes.' };
const guildId = '1';
const mia = { guildId, user: { id: '2', name: 'mia' } };
const moderator = { id: '9', name: 'mod' };
const MEMBER: BlockTarget = { kind: 'member', id: mia.user.id };
const HOST: BlockTarget = { kind: 'host', host: 'example.com' };
const MEMBER_BLOCKED = { kind: 'held', why: { code: 'member-blocked' } };
const HOST_BLOCKED = { kind: 'held', why: { code: 'host-blocked' } };

describe.each(kinds())('a blocked submission (%s)', (kind) => {
  /** Creates two processes that share a guild with a key. */
  async function open(answer: () => Promise<Outcome> | Outcome = () => ACCEPTED) {
    const { open: openStore } = await newPlace(kind);
    const encryption = createEncryption([randomBytes(32)]);
    const process = async (processId: string) =>
      openPipeline({ store: await openStore(), processId, encryption, add: answer });
    const first = await process('first');
    const second = await process('second');
    await first.keys.set(guildId, new Secret('a key'), { by: moderator });
    const press = (id: string, more: Partial<SubmitRequest> = {}) =>
      first.pipeline.submit({
        ...mia,
        guildLocale: 'en-US',
        isAdmin: false,
        id,
        interactionId: randomUUID(),
        receivedAt: Date.now(),
        stopping: undefined,
        ...more,
      });
    return {
      ...first,
      press,
      submit: (draft: Draft, more: Partial<SubmitRequest> = {}) => press(draft.id, { draft, ...more }),
      /** Blocks something through the other process. */
      block: (...targets: BlockTarget[]) =>
        second.approvals.block(guildId, { targets, by: moderator, reason: 'spam' }),
      unblockAll: async () => {
        for (const { id } of await second.blocks.list(guildId)) await second.approvals.unblock(guildId, id);
      },
      turnApprovalOn: () =>
        first.settings.change(guildId, (now) => ({ ...now, approval: true, approvalRoleId: '5' })),
    };
  }

  it('is rejected unless the member has Manage Server or the approval role', async () => {
    const opened = await open();
    await opened.block(MEMBER);
    expect(await opened.submit(readyDraft('a', 1))).toMatchObject(MEMBER_BLOCKED);
    expect(await opened.submit(readyDraft('a', 1), { includesAlreadySubmitted: true })).toMatchObject(
      MEMBER_BLOCKED,
    );
    await opened.settings.change(guildId, (now) => ({ ...now, approvalRoleId: '5' }));
    expect(await opened.submit(readyDraft('b', 1), { roleIds: ['5'] })).toMatchObject({ kind: 'ended' });
    expect(await opened.submit(readyDraft('c', 1), { isAdmin: true })).toMatchObject({ kind: 'ended' });
    const other = { id: '3', name: 'lea' };
    expect(await opened.submit(readyDraft('d', 1), { user: other })).toMatchObject({ kind: 'ended' });
    await opened.unblockAll();
    expect(await opened.press('a')).toMatchObject({ kind: 'ended' });
  });

  it('holds back lines with a blocked host until the host is unblocked', async () => {
    const opened = await open();
    await opened.block({ kind: 'host', host: 'bad.example.com' });
    const rows = [readyRow(1, 'x.bad.example.com'), readyRow(2, 'good.example.com')];
    const draft: Draft = { id: 'd', source: 'text', rows };
    expect(await opened.check.draft(mia, draft)).toMatchObject({
      draft: { rows: [{ problem: { code: 'host-blocked' } }, { kind: 'ready' }] },
      ready: [{ line: 2 }],
    });
    expect(await opened.submit(draft)).toMatchObject(HOST_BLOCKED);
    expect(await opened.submit(draft, { isAdmin: true })).toMatchObject({ why: { canUnblock: true } });
    expect(await opened.submit(draft)).not.toMatchObject({ why: { canUnblock: true } });
    await opened.unblockAll();
    // The member hasn't seen yet that the first line can be submitted.
    expect(await opened.press('d')).toMatchObject({ kind: 'ended', servers: [{ line: 2 }] });
    expect(await opened.check.draft(mia, draft)).toMatchObject({ ready: [{ line: 1 }] });
  });

  it('is flagged in the queue, but can still be approved or withdrawn', async () => {
    const opened = await open();
    await opened.turnApprovalOn();
    for (const id of ['a', 'b'])
      expect(await opened.submit(readyDraft(id, 2))).toMatchObject({ kind: 'waiting' });
    const find = (id: string) => opened.approvals.find({ guildId, id });
    const before = await find('a');
    expect(before && (await opened.approvals.background(before))).toMatchObject({ blocked: [] });
    await opened.block(MEMBER, { kind: 'host', host: 'a-1.example.com' });
    const submission = await find('a');
    expect(submission?.id).toBe(before?.id);
    expect(submission?.revision).toBeGreaterThan(before?.revision ?? 0);
    expect(submission && (await opened.approvals.background(submission))).toMatchObject({
      blocked: [MEMBER, { kind: 'host', host: 'a-1.example.com' }],
    });
    const approved = { approvedBy: moderator, submissionId: submission?.id };
    expect(await opened.press('a', approved)).toMatchObject({ servers: [{}, {}] });
    expect(await opened.approvals.withdraw(mia, 'b', 'w')).toBeUndefined();
  });

  it("can't be queued by editing a waiting submission", async () => {
    const opened = await open();
    await opened.turnApprovalOn();
    await opened.submit(readyDraft('a', 1));
    await opened.block(MEMBER);
    const edited: Draft = { id: 'a', source: 'text', rows: [readyRow(1, 'new.example.org')] };
    expect(await opened.submit(edited, { replacesWaiting: true })).toMatchObject(MEMBER_BLOCKED);
    await opened.unblockAll();
    await opened.block({ kind: 'host', host: 'example.org' });
    expect(await opened.submit(edited, { replacesWaiting: true })).toMatchObject(HOST_BLOCKED);
    const waiting = await opened.approvals.find({ guildId, id: 'a' });
    expect(waiting).toMatchObject({ state: 'waiting', servers: [{ server: { server: 'a-0.example.com' } }] });
    const correction = { guildId, id: 'a', submissionId: waiting?.id, by: moderator, interactionId: 'c' };
    const row = readyRow(1, 'new.example.org');
    expect(await opened.approvals.correct({ ...correction, row })).toMatchObject({
      code: 'host-blocked',
    });
    expect(
      await opened.approvals.correct({ ...correction, row: readyRow(1, 'new.example.net') }),
    ).toBeUndefined();
  });

  it('is sent in full if sending began before the block was added', async () => {
    const hold = Promise.withResolvers<Outcome>();
    const isAsked = Promise.withResolvers<void>();
    const opened = await open(() => {
      isAsked.resolve();
      return hold.promise;
    });
    const sending = opened.submit(readyDraft('a', 101));
    await isAsked.promise;
    await opened.block(MEMBER, HOST);
    hold.resolve(ACCEPTED);
    const ended = await sending;
    expect(
      ended.kind === 'ended' && ended.servers.filter(({ outcome }) => outcome.kind === 'accepted'),
    ).toHaveLength(101);
    expect(await opened.submit(readyDraft('b', 1))).toMatchObject(MEMBER_BLOCKED);
  });

  it('is declined in the transaction that adds the block', async () => {
    const opened = await open();
    await opened.turnApprovalOn();
    await opened.submit(readyDraft('a', 1));
    const decline = (interactionId: string, submissionId: string | undefined) =>
      opened.approvals.decline({
        guildId,
        id: 'a',
        submissionId,
        by: moderator,
        interactionId,
        reason: { key: undefined, words: 'fake' },
        block: [MEMBER, HOST],
      });
    expect(await decline('forged', 'another submission')).toBe(false);
    expect(await opened.blocks.list(guildId)).toEqual([]);
    expect(await decline('u', await opened.submissions.latestId('a'))).toBe(true);
    expect(await opened.blocks.ofDecision(guildId, 'u')).toMatchObject([
      { reason: 'fake' },
      { reason: 'fake' },
    ]);
    const again = { kind: 'member', id: '77' } as const;
    await opened.block(again);
    await opened.store.inGuild(guildId, () => opened.blocks.removeOfDecision(guildId, 'u'));
    expect(await opened.blocks.list(guildId)).toMatchObject([{ target: again }]);
  });

  it("isn't detected if the guild's hasBlocks flag is missing", async () => {
    const opened = await open();
    await opened.block(MEMBER);
    await opened.settings.change(guildId, ({ hasBlocks: _, ...others }) => others);
    expect(await opened.submit(readyDraft('a', 1))).toMatchObject({ kind: 'ended' });
  });
});
