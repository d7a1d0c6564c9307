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
import type { Context, PressContext, Reply, SubmitContext } from '../../src/interactions/command.ts';
import { button, customIdsOf, parseCustomId, rows } from '../../src/interactions/controls.ts';
import { writePage } from '../../src/interactions/pager.ts';
import { UserError } from '../../src/interactions/user-error.ts';
import type { Submission } from '../../src/submissions/submission.ts';
import type { CommandDeps } from '../deps.ts';
import { type Approved, approvalNotes } from './approve.ts';
import { buttonsForAll, memberSelect } from './list-several.ts';

/** A press or a submitted modal about a submission. The argument has the ids of the draft and the submission. */
export type DecisionContext = PressContext | SubmitContext;

/**
 * Whether the member is allowed to decide on submissions.
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

/** The waiting submissions in /submissions, and what moderators see after a decision. */
export type ApprovalQueue = ReturnType<typeof createApprovalQueue>;

/**
 * Creates the views of waiting submissions, in the log channel and in /submissions.
 * @param showNext shows a waiting submission in /submissions by its number, which starts at 1 and wraps around
 */
export function createApprovalQueue(
  deps: CommandDeps,
  showNext: (context: Context, wanted: number) => Promise<Reply>,
) {
  const { approvals, submissions, approvalMessages, settings, games } = deps;

  /**
   * Updates the pressed log channel message, however old it is. If the message isn't about the submission (it may be a
   * panel), updates outdated messages in the background instead.
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

  /** @throws UserError if the member isn't allowed to decide on submissions */
  async function demandModerator(context: DecisionContext): Promise<void> {
    if (!(await mayDecide(context, settings))) throw new UserError(context.t('approval.notModerator'));
  }

  /** Builds the view of a submission that is or was waiting for a moderator. */
  async function moderatorsView(t: Context['t'], submission: Submission): Promise<ApprovalView> {
    const { content, embeds } = approvalView(t, submission, games);
    const before = beforeTexts(t, await approvals.before(submission), games);
    return { content: [content, ...before].join('\n'), embeds };
  }

  /** Shows a submission's current state. If the submission is still waiting, it has changed since the moderator saw it. */
  async function asItIs(context: DecisionContext): Promise<Reply> {
    const { t } = context;
    const approval = await approvals.find(seenOf(context));
    if (approval === undefined) throw new UserError(t('approval.withdrawn'));
    const view = await moderatorsView(t, approval);
    if (approval.state !== 'waiting') return view;
    const content = `${t('approval.changed')}\n${view.content}`;
    return { ...view, content, components: rows(decisionButtons(t, approval)), isUserError: true };
  }

  /** Replies to an action that didn't decide anything. The message in the log channel already shows the current state. */
  async function undecided(context: DecisionContext): Promise<Reply> {
    await showPressed(context);
    const reply = await asItIs(context);
    if (context.posted === undefined) return reply;
    return reply.isUserError ? { content: context.t('approval.changed'), isUserError: true } : {};
  }

  /** Returns the submission's position (from 1) among the waiting submissions in /submissions; 0 in the log channel. */
  async function placeOf(context: DecisionContext): Promise<number> {
    if (context.posted) return 0;
    const seen = seenOf(context);
    return (await approvals.waiting(context.guildId)).findIndex(({ id }) => id === seen.id) + 1;
  }

  /** Finds the position of a member's first waiting submission, like {@link placeOf}. */
  const placeOfMember = async ({ guildId }: Context, member: string): Promise<number> =>
    (await approvals.waiting(guildId)).findIndex(({ userId }) => userId === member) + 1;

  /**
   * Builds the reply to a decision. In the log channel, the message itself shows the decision. In /submissions, the reply
   * also shows the next waiting submission. Only the next submission has an embed, because the buttons apply to it.
   * @param before the position of the decided submission before the decision
   */
  async function decided(
    context: DecisionContext,
    before: number,
    approved: readonly Approved[] = [],
  ): Promise<Reply> {
    await showPressed(context);
    if (context.posted === undefined) return decidedInQueue(context, before, [], approved);
    return { content: approvalNotes(context, approved, games).join('\n') };
  }

  async function decidedInQueue(
    context: DecisionContext,
    before: number,
    texts: readonly string[],
    approved: readonly Approved[] = [],
  ): Promise<Reply> {
    const { t, guildId, interactionId } = context;
    const notes = [...texts, ...approvalNotes(context, approved, games)];
    // If the store couldn't save an outcome, it probably can't be read either.
    if (approved.some(({ ended }) => !ended.isRecorded)) return { content: notes.join('\n') };
    const now = decidedText(t, await submissions.by(guildId, interactionId), games);
    return withNext([now, ...notes], await showNext(context, before));
  }

  /**
   * Builds the reply if a decision or correction wasn't possible. In /submissions, rebuilds the message, which may still
   * show the previous decision.
   */
  async function stillWaiting(context: DecisionContext, why: string): Promise<Reply> {
    const next = context.posted ? {} : await showNext(context, await placeOf(context));
    return { ...withNext([why], next), isUserError: true };
  }

  /** If the settings can't be read, only admins see other members' submissions. */
  const decidesNow = (context: Context) =>
    mayDecide(context, settings).catch((error: unknown) => {
      if (error instanceof UnreadableSettingsError) return false;
      throw error;
    });

  /**
   * Shows a waiting submission that the member can decide on or withdraw, if there is one.
   * @param which `wanted` is the submission's number, which starts at 1 and wraps around; `isOwn` limits the view to the
   * member's own submissions; `state` is the encoded filter
   */
  async function waiting(
    context: Context,
    { wanted, isOwn, state }: { readonly wanted: number; readonly isOwn: boolean; readonly state: string },
  ): Promise<(ApprovalView & Required<Pick<Reply, 'components'>>) | undefined> {
    const { t, guildId, user } = context;
    const decides = !isOwn && (await decidesNow(context));
    const found = await approvals.waiting(guildId, decides ? undefined : user.id);
    const index = Math.max(0, wanted - 1) % found.length;
    const shown = found[index];
    const approval = shown && (await approvals.find(shown));
    if (shown === undefined || approval === undefined) return undefined;
    const view = decides ? await moderatorsView(t, approval) : approvalView(t, approval, games, context);
    const next =
      found.length > 1 &&
      button(submissionsId('waiting', writePage(index + 2, state)), t('submissions.nextWaiting'));
    const own = approval.userId === user.id ? ownButtons(t, approval) : [];
    return {
      ...view,
      content: `**${t('submissions.waiting', { count: found.length })}**\n${view.content}`,
      components: decides
        ? rows([...decisionButtons(t, approval), next], own, buttonsForAll(t, shown, found), [
            memberSelect(t, found),
          ])
        : rows([...own, next]),
    };
  }

  return {
    showNext,
    showPressed,
    demandModerator,
    asItIs,
    undecided,
    placeOf,
    placeOfMember,
    decided,
    decidedInQueue,
    stillWaiting,
    waiting,
    /** Counts waiting submissions: those that the member can decide on, and the member's own. */
    async count(context: Context): Promise<Record<'toDecide' | 'own', number>> {
      const { guildId, user } = context;
      const toDecide = (await decidesNow(context)) ? await approvals.countWaiting(guildId) : 0;
      return { toDecide, own: await approvals.countWaiting(guildId, user.id) };
    },
  };
}

export function seenOf({ guildId, argument }: DecisionContext) {
  const [id = '', submissionId] = argument.split(':');
  return { guildId, id, submissionId };
}

const draftOf = ({ argument }: { readonly argument: string }) => argument.split(':')[0];

/** Adds texts above the next waiting submission. */
export const withNext = (texts: readonly string[], next: Reply): Reply => ({
  ...next,
  content: [texts.filter(Boolean).join('\n'), next.content].filter(Boolean).join('\n\n'),
});
