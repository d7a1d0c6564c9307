import { againText, approvalView, ownButtons } from '../../src/approval/approval-view.ts';
import {
  type Context,
  OldMessageError,
  type PressContext,
  type Reply,
  type SubmitContext,
} from '../../src/interactions/command.ts';
import { button, customIdsOf, rows } from '../../src/interactions/controls.ts';
import { UserError } from '../../src/interactions/user-error.ts';
import type { NoDraft } from '../../src/submissions/drafts.ts';
import { type Submission, serverResults } from '../../src/submissions/submission.ts';
import { sentences } from '../../src/words/sentences.ts';
import { addressCode } from '../../src/words/servers.ts';
import type { Translate } from '../../src/words/words.ts';
import type { CommandDeps } from '../deps.ts';
import { submitId } from '../submit/ids.ts';
import { mineButton } from '../submit/repairs.ts';
import { anotherButton, reportReply } from '../submit/report.ts';
import { editAgain } from './again.ts';
import { earlierLines, linesLeft } from './lines-left.ts';
import { isModerator } from './queue.ts';

export interface UnavailableDraft extends Pick<NoDraft, 'why'> {
  readonly id: string;
  readonly wouldSubmit?: boolean;
}

/**
 * Shows a draft's latest submission to a member who can no longer change the draft. Waits while the submission is being
 * sent, because the interaction that sends it may no longer be able to edit the message. Replaces an old preview, but not a
 * message about something else, such as an earlier report.
 * @throws UserError in all other cases, with the reason why the draft can't be changed
 */
export async function replyForUnavailable(
  context: Context & Partial<Pick<PressContext, 'stopping'> & Pick<SubmitContext, 'shown'>>,
  unavailable: UnavailableDraft,
  deps: CommandDeps,
): Promise<Reply> {
  const { guildId, user, receivedAt, message, t } = context;
  const { id, why } = unavailable;
  const isSubmitted = why === 'submitted' || why === 'being-sent' || why === 'decided';
  const submission = isSubmitted ? await deps.submissions.settled(guildId, id, context.stopping) : undefined;
  if (submission?.userId !== user.id) throw noDraft(unavailable, t);
  if (submission.state === 'running') throw noDraft({ id, why: 'being-sent' }, t);
  const isLate = !submission.needsModerator && (submission.endedAt ?? 0) < receivedAt;
  if (!isLate) return replyForSubmission(context, submission, deps);
  // The submission ended before the control was used, but its message may still be outdated.
  const { interactionId } = submission;
  const isOfSubmission = interactionId && message && (await deps.editOrder.wrote(interactionId, message));
  // Only previews have this button.
  const isPreview = customIdsOf(context.shown?.components ?? []).includes(submitId('cancel', id));
  if (!isOfSubmission && !isPreview) throw noDraft({ id, why: 'submitted' }, t);
  const { content, components = [], ...reply } = await replyForSubmission(context, submission, deps);
  return {
    ...reply,
    content: [t('again.over.submitted'), content].filter(Boolean).join('\n\n'),
    components: [...components, ...rows([mineButton(t)])],
  };
}

/**
 * Builds the reply if an edit can't be submitted and the waiting submission stays unchanged.
 * @param why the reason, starting with the `not-sent` icon
 */
export async function replyStillWaiting(
  context: Context,
  id: string,
  why: string,
  deps: CommandDeps,
): Promise<Reply> {
  const { guildId, user, t } = context;
  const submission = await deps.submissions.latest(guildId, id);
  if (submission?.state !== 'waiting' || submission.userId !== user.id) {
    return replyForUnavailable(context, { id, why: 'decided' }, deps);
  }
  const [first, ...others] = submission.servers;
  const what =
    first && others.length === 0
      ? addressCode(first.server)
      : t('look.servers', { count: submission.servers.length });
  const reply = await replyForSubmission(context, submission, deps);
  const content = [why, t('approval.stillWaits', { what }), '', reply.content].join('\n');
  return { ...reply, content, isUserError: true };
}

/**
 * Builds the reply that shows a member a submission's current state.
 * @param isOpened whether the member opened it in /submissions, and so knows where to find the outcome
 */
export async function replyForSubmission(
  context: Context,
  submission: Submission,
  deps: CommandDeps,
  isOpened = false,
): Promise<Reply> {
  if (submission.needsModerator) return ownApproval(context, submission, deps, isOpened);
  return reportReply(context, await deps.pipeline.rebuildResult(context, submission), deps);
}

/** Only the member who made the submission sees the private details. */
async function ownApproval(
  context: Context,
  submission: Submission,
  deps: CommandDeps,
  isOpened: boolean,
): Promise<Reply> {
  const { t, guildId, user } = context;
  const view = approvalView(t, submission, deps.games, context);
  const content = sentences(view.content, againText(t, await deps.approvals.waitingAgain(submission)));
  if (submission.userId !== user.id) return { ...view, content, components: [] };
  const isWaiting = submission.state === 'waiting';
  const left = await linesLeft(context, submission, deps);
  const next = isWaiting && !isOpened ? await nextWhileWaiting(context, deps) : undefined;
  const earlier = await earlierLines(context, submission, deps);
  const ended = serverResults(submission);
  const isFirst = await deps.history.includesFirstAccepted(guildId, user.id, ended);
  const texts = [
    sentences(content, next),
    ...(isFirst ? [t('ended.next.first')] : []),
    ...earlier,
    ...left.texts,
  ];
  return {
    ...view,
    content: texts.join('\n'),
    components: rows([
      ...ownButtons(t, submission),
      left.fix,
      anotherButton(t, ended),
      (submission.state === 'declined' || submission.state === 'withdrawn') && editAgain(t, submission),
    ]),
  };
}

/** Returns how a member will learn of the decision, or where to decide if they can approve submissions. */
async function nextWhileWaiting(
  context: Context,
  { settings, decisionMessages }: CommandDeps,
): Promise<string> {
  const { t, guildId, user, mention } = context;
  const submissions = mention('submissions');
  const remembered = { getOrThrow: settings.rememberedOrThrow };
  if (await isModerator(context, remembered).catch(() => false))
    return t('approval.yourself', { submissions });
  const isNotified = await decisionMessages.wantsDirectMessages(guildId, user.id);
  return isNotified ? t('approval.directMessage') : t('approval.next', { submissions });
}

/**
 * Explains why a control's draft is unavailable. The only remaining button opens a modal with the message's lines or, if
 * everything was submitted, the member's submissions.
 */
export function noDraft({ id, why, wouldSubmit = false }: UnavailableDraft, t: Translate): UserError {
  switch (why) {
    case 'of-another-member':
      return new UserError(t('again.notYours'));
    case 'being-sent':
      return new UserError(t('again.busy'), 'busy');
    default: {
      const reopen = button(submitId('anew', id), t('again.edit'), 'primary');
      const next = why === 'submitted' ? mineButton(t) : reopen;
      return new OldMessageError({
        content: sentences(
          t(`again.over.${why === 'gone' ? 'lapsed' : why}`),
          wouldSubmit && why === 'gone' ? t('again.over.notSent') : undefined,
          t('again.over.before'),
        ),
        components: rows([next]),
        keepsMessage: true,
      });
    }
  }
}
