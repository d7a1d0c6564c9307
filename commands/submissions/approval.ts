import {
  type ApprovalView,
  approvalView,
  beforeTexts,
  decidedText,
  decisionButtons,
  ownButtons,
  submissionsId,
} from '../../src/approval/approval-view.ts';
import { type GuildSettings, UnreadableSettingsError } from '../../src/guilds/settings.ts';
import type { Command, Context, PressContext, Reply, SubmitContext } from '../../src/interactions/command.ts';
import { button, customIdsOf, type Modal, parseCustomId, rows } from '../../src/interactions/controls.ts';
import { writePage } from '../../src/interactions/pager.ts';
import { typedOf } from '../../src/server-lists/row.ts';
import { type EndedSubmission, isAllSent } from '../../src/submissions/pipeline.ts';
import { rowForServer, type Submission } from '../../src/submissions/submissions.ts';
import { UserError } from '../../src/user-error.ts';
import { nextForKey } from '../../src/words/keys.ts';
import { stillWaitingText } from '../../src/words/not-submitted.ts';
import { announcementOf } from '../../src/words/outcomes.ts';
import { withSign } from '../../src/words/servers.ts';
import type { CommandDeps } from '../deps.ts';
import { previewFile } from '../submit/files.ts';
import { fieldsModal } from '../submit/modals.ts';
import { heldText } from '../submit/preview.ts';
import { notCorrected, readCorrection } from './correction.ts';
import { declineModal, readDecline } from './decline.ts';
import { replyForUnavailable } from './waiting.ts';

/**
 * A press or a modal of a message about a submission. The argument has the draft's id, and the submission that it
 * shows.
 */
type DecisionContext = PressContext | SubmitContext;

/**
 * Whether the member can decide on submissions.
 * @throws UnreadableSettingsError
 */
export async function mayDecide(
  { guildId, isAdmin, roleIds }: Context,
  settings: Pick<GuildSettings, 'getOrThrow'>,
): Promise<boolean> {
  if (isAdmin) return true;
  const { approvalRoleId } = await settings.getOrThrow(guildId);
  return approvalRoleId !== undefined && roleIds.includes(approvalRoleId);
}

interface ApprovalActions extends Required<Pick<Command, 'presses' | 'submits'>> {
  /**
   * Shows a waiting submission that the member can decide on or withdraw, if any.
   * @param which `wanted`: its number, counted from 1, wrapping around; `isOwn`: whether to show only the member's own
   * submissions; `state`: the state of the message
   */
  waiting(
    context: Context,
    which: { readonly wanted: number; readonly isOwn: boolean; readonly state: string },
  ): Promise<(ApprovalView & Required<Pick<Reply, 'components'>>) | undefined>;
  /** Counts the waiting submissions that the member can decide on, and the member's own. */
  count(context: Context): Promise<Record<'toDecide' | 'own', number>>;
}

/**
 * Creates the buttons and the modal of a submission that waits for a moderator. They are in the log channel and in
 * /submissions.
 * @param showNext shows the page of /submissions with a waiting submission, counted from 1 and wrapping around
 */
export function approvalActions(
  deps: CommandDeps,
  showNext: (context: Context, wanted: number) => Promise<Reply>,
): ApprovalActions {
  const { access, approvals, submissions, approvalMessages, pipeline, settings, games } = deps;

  function seenOf({ guildId, argument }: DecisionContext) {
    const [id = '', submissionId] = argument.split(':');
    return { guildId, id, submissionId };
  }

  const draftOf = ({ argument }: { readonly argument: string }) => argument.split(':')[0];

  /**
   * Updates the message in the log channel to the current state, however late its button was pressed. If the pressed
   * message isn't about the submission (a panel, for example), updates due messages in the background instead.
   */
  async function showPressed(context: DecisionContext): Promise<void> {
    const { posted, shown } = context;
    const seen = seenOf(context);
    const isAboutIt = customIdsOf(shown?.components ?? []).some(
      (id) => draftOf(parseCustomId(id)) === seen.id,
    );
    if (posted && isAboutIt) await approvalMessages.show(seen, posted);
    else void approvalMessages.showDue();
  }

  /** @throws UserError if the member isn't allowed to decide */
  async function demandModerator(context: DecisionContext): Promise<void> {
    if (!(await mayDecide(context, settings))) throw new UserError(context.t('approval.notModerator'));
  }

  /** Shows a submission that waits, or waited, for a moderator. */
  async function moderatorsView(t: Context['t'], submission: Submission): Promise<ApprovalView> {
    const { content, embeds } = approvalView(t, submission, games);
    const before = beforeTexts(t, await approvals.before(submission), games);
    return { content: [content, ...before].join('\n'), embeds };
  }

  /** Shows the current state to a moderator. A submission that still waits differs from the one they have seen. */
  async function asItIs(context: DecisionContext): Promise<Reply> {
    const { t } = context;
    const approval = await approvals.find(seenOf(context));
    if (approval === undefined) throw new UserError(t('approval.withdrawn'));
    const view = await moderatorsView(t, approval);
    if (approval.state !== 'waiting') return view;
    const content = `${t('approval.changed')}\n${view.content}`;
    return { ...view, content, components: rows(decisionButtons(t, approval)), isUserError: true };
  }

  /**
   * Replies to a press that didn't decide on the submission. In the log channel, the updated message shows the current state.
   */
  async function undecided(context: DecisionContext): Promise<Reply> {
    await showPressed(context);
    const reply = await asItIs(context);
    if (context.posted === undefined) return reply;
    return reply.isUserError ? { content: context.t('approval.changed'), isUserError: true } : {};
  }

  /** Finds its position among all waiting submissions, counted from 1, for /submissions. */
  async function placeOf(context: DecisionContext): Promise<number> {
    if (context.posted) return 0;
    const { guildId, id } = seenOf(context);
    return (await approvals.waiting(guildId)).indexOf(id) + 1;
  }

  /**
   * Replies to a decision. The message in the log channel shows the decision itself. In /submissions, the reply
   * continues with the next waiting submission. Only that one has an embed, because the buttons belong to it.
   * @param before the position that the decided submission had
   * @param texts notes for the moderator only
   */
  async function decided(
    context: DecisionContext,
    before: number,
    texts: readonly string[] = [],
  ): Promise<Reply> {
    await showPressed(context);
    if (context.posted) return { content: texts.join('\n') };
    const { t, guildId, interactionId } = context;
    const submission = await submissions.by(guildId, interactionId);
    const now = decidedText(t, submission ? [submission] : [], games);
    return withNext([now, ...texts], await showNext(context, before));
  }

  /**
   * Replies to a decision or a correction that isn't possible, and nothing has changed. In /submissions, the submission is
   * shown again, because the message may also show the decision about the previous one.
   */
  async function stillWaiting(context: DecisionContext, why: string): Promise<Reply> {
    const next = context.posted ? {} : await showNext(context, await placeOf(context));
    return { ...withNext([why], next), isUserError: true };
  }

  async function approve(context: PressContext): Promise<Reply> {
    await demandModerator(context);
    const { t } = context;
    const seen = seenOf(context);
    const found = await approvals.seen(seen);
    if (found === undefined) return undecided(context);
    if (access.blocked(found.guildId, found.userId)) {
      return stillWaiting(context, `${t('approval.blocked')}\n${t('approval.still')}`);
    }
    const before = await placeOf(context);
    const result = await pipeline.submit({
      ...context,
      ...seen,
      // The channel where it was submitted is no longer known.
      channelId: undefined,
      user: { id: found.userId, name: found.userName },
      approvedBy: context.user,
      onProgress(done, count) {
        // A single server is sent in a moment, so the message doesn't have to show that it is being sent.
        if (done === 0 && count > 1) void showPressed(context);
      },
    });
    if (result.kind === 'ended') {
      const texts = unsentTexts(context, result, isAllSent(result) ? undefined : await approvals.find(seen));
      const member = { user: { id: found.userId } };
      return {
        ...(await decided(context, before, texts)),
        announcement: announcementOf(member, result, games),
      };
    }
    if (result.kind === 'not-submitted') {
      return stillWaiting(context, stillWaitingText(result.reason, context, games));
    }
    return undecided(context);
  }

  /** Opens the modal for a moderator to decline a submission. */
  async function pressDecline(context: PressContext): Promise<Modal | Reply> {
    await demandModerator(context);
    const submission = await approvals.seen(seenOf(context));
    if (submission === undefined) {
      void showPressed(context);
      return asItIs(context);
    }
    return declineModal(context, submission, games);
  }

  async function decline(context: SubmitContext): Promise<Reply> {
    await demandModerator(context);
    const { interactionId, user } = context;
    const seen = seenOf(context);
    const submission = await approvals.seen(seen);
    if (submission === undefined) return undecided(context);
    const typed = readDecline(context, submission);
    if (!('reason' in typed)) return typed;
    const before = await placeOf(context);
    const declined = { ...seen, ...typed, by: user, interactionId };
    if (!(await approvals.decline(declined))) return undecided(context);
    return decided(context, before);
  }

  /** Corrects a submission, which continues to wait in the same message. */
  async function correct(context: SubmitContext): Promise<Reply> {
    await demandModerator(context);
    const { interactionId, user } = context;
    try {
      const row = await readCorrection(context, deps);
      const why = await approvals.correct({ ...seenOf(context), by: user, interactionId, row });
      if (why === 'decided') return undecided(context);
      if (why !== undefined) throw await notCorrected(context, row, { code: why }, deps);
    } catch (error) {
      if (error instanceof UserError) return stillWaiting(context, error.message);
      throw error;
    }
    await showPressed(context);
    return context.posted ? {} : showNext(context, await placeOf(context));
  }

  async function withdraw(context: PressContext): Promise<Reply> {
    const { argument: id, guildId, interactionId } = context;
    const why = await approvals.withdraw(context, id, interactionId);
    if (why === undefined) await approvalMessages.show({ guildId, id });
    return replyForUnavailable(context, { id, why: why ?? 'decided' }, deps);
  }

  /** Shows a whole list, to moderators and to its member. */
  async function showAll(context: PressContext): Promise<Reply> {
    const approval = await approvals.find(seenOf(context));
    if (approval?.userId !== context.user.id) await demandModerator(context);
    if (approval?.state !== 'waiting') {
      await showPressed(context);
      return asItIs(context);
    }
    return { content: context.t('approval.whole'), files: [previewFile(approval.servers.map(rowForServer))] };
  }

  /** Without readable settings the trusted role is unknown, so members see only their own submissions. */
  const decidesNow = (context: Context) =>
    mayDecide(context, settings).catch((error: unknown) => {
      if (error instanceof UnreadableSettingsError) return false;
      throw error;
    });

  const waiting: ApprovalActions['waiting'] = async (context, { wanted, isOwn, state }) => {
    const { t, guildId, user } = context;
    const decides = !isOwn && (await decidesNow(context));
    const ids = await approvals.waiting(guildId, decides ? undefined : user.id);
    const index = Number.isInteger(wanted) && wanted > 0 ? (wanted - 1) % Math.max(1, ids.length) : 0;
    const id = ids[index];
    const approval = id === undefined ? undefined : await approvals.find({ guildId, id });
    if (approval === undefined) return undefined;
    const view = decides ? await moderatorsView(t, approval) : approvalView(t, approval, games, context);
    const next =
      ids.length > 1 &&
      button(submissionsId('waiting', writePage(index + 2, state)), t('submissions.nextWaiting'));
    const own = approval.userId === user.id ? ownButtons(t, approval) : [];
    return {
      ...view,
      content: `**${t('submissions.waiting', { count: ids.length })}**\n${view.content}`,
      components: decides ? rows([...decisionButtons(t, approval), next], own) : rows([...own, next]),
    };
  };

  return {
    waiting,
    async count(context) {
      const { guildId, user } = context;
      const toDecide = (await decidesNow(context)) ? await approvals.countWaiting(guildId) : 0;
      return { toDecide, own: await approvals.countWaiting(guildId, user.id) };
    },
    presses: {
      approve: { answers: 'beside', run: approve },
      decline: { answers: 'modal', run: pressDecline },
      // For messages that 0.3.0 posted.
      refuse: { answers: 'modal', run: pressDecline },
      correct: {
        answers: 'modal',
        async run(context) {
          await demandModerator(context);
          const [only, ...others] = (await approvals.seen(seenOf(context)))?.servers ?? [];
          if (only === undefined || others.length > 0) {
            void showPressed(context);
            return asItIs(context);
          }
          const id = submissionsId('correct', context.argument);
          return fieldsModal(context, id, typedOf(rowForServer(only)), deps, true);
        },
      },
      all: { answers: 'later', run: showAll },
      withdraw: { answers: 'update', run: withdraw },
    },
    submits: {
      correct: { answers: 'beside', run: correct },
      decline: { answers: 'beside', run: decline },
      refuse: { answers: 'beside', run: decline },
    },
  };
}

/** Puts texts above the next waiting submission. */
const withNext = (texts: readonly string[], next: Reply): Reply => ({
  ...next,
  content: [texts.filter(Boolean).join('\n'), next.content].filter(Boolean).join('\n\n'),
});

/**
 * Explains which approved servers weren't sent: those that were left out, and those that wait again, with the reason.
 * @param now the draft's current submission
 */
function unsentTexts(
  context: Context,
  ended: EndedSubmission,
  now: Submission | undefined,
): readonly string[] {
  const { t } = context;
  const { draft, servers, limitedRows, limited, keyProblem } = ended;
  const leftOut = draft.rows.length - servers.length - limitedRows.length;
  const texts = [
    leftOut > 0 && t('approval.leftOut', { count: leftOut }),
    limited && withSign('not-sent', heldText(t, { draft, rows: limitedRows, limited })),
    keyProblem && nextForKey(context, keyProblem),
    now?.state === 'waiting' && t('approval.again', { count: now.servers.length }),
  ];
  return texts.filter((text) => typeof text === 'string');
}
