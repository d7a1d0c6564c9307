import { serversText, submissionsId } from '../../src/approval/approval-view.ts';
import {
  type Command,
  OldMessageError,
  type PressContext,
  type Reply,
  type SubmitContext,
} from '../../src/interactions/command.ts';
import type { Modal } from '../../src/interactions/controls.ts';
import { UserError } from '../../src/interactions/user-error.ts';
import { typedOf } from '../../src/server-lists/row.ts';
import { rowForServer, type Submission } from '../../src/submissions/submission.ts';
import type { SeenApproval } from '../../src/submissions/waiting-submissions.ts';
import { memberText } from '../../src/words/escape.ts';
import { sentences } from '../../src/words/sentences.ts';
import { MAX_NAMED, withSign } from '../../src/words/servers.ts';
import { reportBlocks, reportDeclineBlocks } from '../blocks.ts';
import type { CommandDeps } from '../deps.ts';
import { previewFile } from '../submit/files.ts';
import { readSubmitId } from '../submit/ids.ts';
import { fieldsModal } from '../submit/modals.ts';
import { editAgain, editableId } from './again.ts';
import { announcementOfAll, approveSeen } from './approve.ts';
import { correctionBefore, notCorrected, readCorrection, refusedCorrection } from './correction.ts';
import { declineModal, readDecline, refusedDecline } from './decline.ts';
import { type ApprovalQueue, seenOf, withNext } from './queue.ts';
import { replyForUnavailable, replyStillWaiting } from './waiting.ts';

export function decisionActions(
  deps: CommandDeps,
  queue: ApprovalQueue,
): Required<Pick<Command, 'presses' | 'submits'>> {
  const { approvals, approvalMessages, submissions, games } = deps;
  const { demandModerator, showPressed, outdated, outdatedText, undecided, placeOf, decided } = queue;
  const { stillWaiting, showNext } = queue;

  async function approve(context: PressContext, seen: SeenApproval = seenOf(context)): Promise<Reply> {
    await demandModerator(context);
    const before = await placeOf(context);
    const result = await approveSeen(context, seen, deps, () => void showPressed(context));
    switch (result.kind) {
      case 'changed':
        return undecided(context);
      case 'still-waiting':
        if (result.hasOtherButtons) void showPressed(context);
        return stillWaiting(context, result.why);
      case 'approved': {
        const reply = await decided(context, before, [result]);
        return { ...reply, announcement: announcementOfAll([result], games) };
      }
    }
  }

  async function sendUnconfirmedAgain(context: PressContext): Promise<Reply> {
    await demandModerator(context);
    const seen = seenOf(context);
    const submissionId = await approvals.waitUnconfirmed(seen);
    return submissionId === undefined ? undecided(context) : approve(context, { ...seen, submissionId });
  }

  /** @throws OldMessageError if the submission was decided or changed after the moderator saw it */
  async function demandSeen(context: PressContext): Promise<Submission> {
    await demandModerator(context);
    const submission = await approvals.seen(seenOf(context));
    if (submission) return submission;
    void showPressed(context);
    throw new OldMessageError(await outdated(context));
  }

  async function pressDecline(context: PressContext): Promise<Modal> {
    const submission = await demandSeen(context);
    const { requiresReason = false } = await deps.settings.getOrThrow(context.guildId);
    return declineModal(context, submission, games, requiresReason);
  }

  async function decline(context: SubmitContext): Promise<Reply> {
    const seen = seenOf(context);
    const refused = (now: SeenApproval) => refusedDecline(context, now);
    await demandModerator(context, refused(seen));
    const { interactionId, user } = context;
    const submission = await approvals.seen(seen);
    if (submission === undefined) return undecided(context, refused);
    const { requiresReason = false } = await deps.settings.getOrThrow(context.guildId);
    const typed = readDecline(context, submission, requiresReason, await submissions.earlier(submission));
    if (typed.kind === 'refused') return stillWaiting(context, typed.why, refused(seen));
    const { reason, only, block } = typed;
    const before = await placeOf(context);
    if (!(await approvals.decline({ ...seen, reason, only, block, by: user, interactionId })))
      return undecided(context, refused);
    const said = await reportDeclineBlocks(context, block, deps);
    return withNext([said], await decided(context, before));
  }

  /** Declines a submission that was already submitted, without asking for a reason. */
  async function removeRepeat(context: PressContext): Promise<Reply> {
    await demandModerator(context);
    const before = await placeOf(context);
    const reason = { key: 'duplicate', words: '' };
    const { interactionId, user: by } = context;
    if (!(await approvals.decline({ ...seenOf(context), reason, by, interactionId })))
      return undecided(context);
    return decided(context, before);
  }

  /** Takes back a decline, and everything that the same press declined or blocked. */
  async function undo(context: PressContext): Promise<Reply> {
    await demandModerator(context);
    const { t, interactionId, posted } = context;
    const seen = seenOf(context);
    const { waiting, declined, unblocked } = await approvals.undo({ ...seen, interactionId });
    await reportBlocks(context, 'unblocked', unblocked, deps);
    await showPressed(context);
    if (waiting.length === 0) {
      const found = await submissions.find(seen.guildId, seen.submissionId ?? '');
      const why = found?.isUndoable
        ? t('approval.notUndone')
        : sentences(t('approval.undoLate'), await canSubmitAgainText(context, found));
      return stillWaiting(context, withSign('not-sent', why));
    }
    // A press in the log channel may have taken back others, too.
    void approvalMessages.showDue();
    const servers = declined.flatMap((each) => each.servers);
    const texts =
      servers.length > 0
        ? [t('approval.stillDeclined', { servers: serversText(t, servers, games, MAX_NAMED) })]
        : [];
    return posted
      ? { content: texts.join('\n') }
      : queue.decidedInQueue(context, await placeOf(context), texts);
  }

  async function canSubmitAgainText({ t }: PressContext, found: Submission | undefined) {
    if (found?.state !== 'declined' || found.userId === '') return undefined;
    const { guildId, userId: id, userName: name, servers } = found;
    const check = await deps.blocks.check(guildId);
    if (check.hasMember(id) || servers.some(({ server }) => check.hasHost(server.server))) return undefined;
    const draftId = await editableId({ guildId, user: { id, name } }, found, deps);
    return draftId === undefined
      ? undefined
      : t('approval.canSubmitAgain', { user: memberText({ id, name }) });
  }

  async function pressCorrect(context: PressContext): Promise<Modal> {
    const [only] = (await demandSeen(context)).servers;
    const id = submissionsId('correct', context.argument);
    const typed = correctionBefore(context) ?? typedOf(only && rowForServer(only));
    return fieldsModal(context, id, typed, deps, true);
  }

  async function correct(context: SubmitContext): Promise<Reply> {
    const seen = seenOf(context);
    await demandModerator(context, refusedCorrection(context, seen));
    const { interactionId, user } = context;
    const submission = await approvals.seen(seen);
    const tooLate = async () => {
      const before = await submissions.find(seen.guildId, seen.submissionId ?? '');
      return undecided(context, (now, current) => refusedCorrection(context, now, before, current));
    };
    if (submission === undefined) return tooLate();
    try {
      const row = await readCorrection(context, submission.servers.map(rowForServer), deps);
      const problem = await approvals.correct({ ...seen, by: user, interactionId, row });
      if (problem?.code === 'decided') return await tooLate();
      if (problem) throw await notCorrected(context, row, problem, deps);
    } catch (error) {
      if (error instanceof UserError)
        return stillWaiting(context, error.message, refusedCorrection(context, seen));
      throw error;
    }
    await showPressed(context);
    return context.posted ? {} : showNext(context, await placeOf(context));
  }

  async function withdraw(context: PressContext): Promise<Reply> {
    const { t, guildId, interactionId } = context;
    const { id, more } = readSubmitId(context.argument);
    const parts = more.split(':').filter((part) => part !== '');
    const isInQueue = parts.includes('next');
    // Version 0.4.0's buttons lack the submission id.
    const seenId = parts.find((part) => part !== 'next');
    const place = isInQueue ? await queue.placeOfOwn(context, id) : 0;
    const unavailable = await approvals.withdraw(context, id, interactionId, seenId);
    if (unavailable === undefined) await approvalMessages.show({ guildId, id });
    const notWithdrawn = withSign('not-sent', t('approval.notWithdrawn'));
    if (isInQueue) {
      const now = await approvals.find({ guildId, id });
      const text = now?.state === 'waiting' ? notWithdrawn : outdatedText(context, now);
      const again = now?.state === 'withdrawn' ? [editAgain(t, now)] : [];
      return queue.ownChanged(context, [text], place, again);
    }
    if (unavailable?.why === 'submitted') return replyStillWaiting(context, id, notWithdrawn, deps);
    return replyForUnavailable(context, { id, why: unavailable?.why ?? 'decided' }, deps);
  }

  async function showAllServers(context: PressContext): Promise<Reply> {
    const approval = await approvals.find(seenOf(context));
    if (approval?.userId !== context.user.id) await demandModerator(context);
    if (approval?.state !== 'waiting') {
      await showPressed(context);
      return { content: outdatedText(context, approval), isUserError: true };
    }
    return { content: context.t('approval.whole'), files: [previewFile(approval.servers.map(rowForServer))] };
  }

  return {
    presses: {
      approve: { answers: 'beside', run: (context) => approve(context) },
      duplicate: { answers: 'beside', run: removeRepeat },
      resend: { answers: 'beside', run: sendUnconfirmedAgain },
      decline: { answers: 'modal', run: pressDecline },
      undo: { answers: 'beside', run: undo },
      // Still needed for buttons on messages posted by version 0.3.0.
      refuse: { answers: 'modal', run: pressDecline },
      correct: { answers: 'modal', run: pressCorrect },
      all: { answers: 'later', run: showAllServers },
      withdraw: { answers: 'update', run: withdraw },
    },
    submits: {
      correct: { answers: 'beside', run: correct },
      decline: { answers: 'beside', run: decline },
      refuse: { answers: 'beside', run: decline },
    },
  };
}
