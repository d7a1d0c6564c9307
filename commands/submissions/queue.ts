import { hash } from 'node:crypto';
import {
  type ApprovalView,
  approvalView,
  backgroundTexts,
  correctedTexts,
  decidedText,
  decisionButtons,
  ownButtons,
  stateText,
  submissionsId,
  undoButtons,
} from '../../src/approval/approval-view.ts';
import type { WaitingSubmission } from '../../src/approval/approvals.ts';
import { canModerate, type GuildSettings, UnreadableSettingsError } from '../../src/guilds/settings.ts';
import {
  type Context,
  OldMessageError,
  type PressContext,
  type Reply,
  type SubmitContext,
} from '../../src/interactions/command.ts';
import { button, type Control, customIdsOf, parseCustomId, rows } from '../../src/interactions/controls.ts';
import { writePage } from '../../src/interactions/pager.ts';
import { UserError } from '../../src/interactions/user-error.ts';
import { type Submission, unconfirmedIn } from '../../src/submissions/submission.ts';
import type { SeenApproval } from '../../src/submissions/waiting-submissions.ts';
import { outcomesForLog } from '../../src/words/outcomes.ts';
import type { CommandDeps } from '../deps.ts';
import { NOTHING, resendFor } from './again.ts';
import { type Approved, approvalNotes, replaceKeyButton } from './approve.ts';
import { AT_START, readFilter, waitingId, writeFilter } from './filter.ts';
import { earlierLines, linesLeft } from './lines-left.ts';
import { blocksButton, decideAllButtons, queueSelect } from './list-several.ts';
import { type FormToReopen, formReply, noEffectEmbed, type RefusedForm } from './typed-form.ts';

/** The argument has the ids of the draft and the submission. */
export type DecisionContext = PressContext | SubmitContext;

/** @throws UnreadableSettingsError */
export async function isModerator(
  { guildId, isAdmin, roleIds }: Context,
  settings: Pick<GuildSettings, 'getOrThrow'>,
): Promise<boolean> {
  return isAdmin || canModerate(await settings.getOrThrow(guildId), { roleIds });
}

/**
 * @param form the form that the member submitted, which they may need when they have the permission again
 * @throws UserError if the member isn't allowed to decide on submissions
 */
export async function demandModerator(
  context: Context,
  settings: Pick<GuildSettings, 'getOrThrow'>,
  form?: FormToReopen,
): Promise<void> {
  if (await isModerator(context, settings)) return;
  const content = context.t('approval.notModerator');
  if (form === undefined) throw new UserError(content, 'permission');
  throw new OldMessageError({ content, ...formReply(form), refusal: 'permission' });
}

export type ApprovalQueue = ReturnType<typeof createApprovalQueue>;

/** See `sightOf`. */
export type Sight = 'all' | 'decided' | 'own';

interface WaitingOptions {
  /** Whether to show only the reader's own submissions. */
  readonly isOwn: boolean;
  /** For moderators, replaces **History**, so that the message has at most eight buttons and menus. */
  readonly extra: readonly Control[];
}

/** Keeps the moderator's input for the current version of the submission. */
type KeepForm = (now: SeenApproval, submission: Submission | undefined) => RefusedForm;

/** Encodes the filter for the buttons of a message that shows the reader's own waiting submissions, or those to decide on. */
const stateOf = ({ user }: Context, isOwn: boolean): string =>
  writeFilter({ ...readFilter(''), userId: isOwn ? user.id : '' });

/**
 * Returns the index of the waiting submission at which a moderator starts. Several moderators start at different places.
 * The start only depends on ids, so it stays the same while other submissions are decided.
 */
export function startOf(moderatorId: string, waiting: readonly Pick<WaitingSubmission, 'id'>[]): number {
  const marks = waiting.map(({ id }) => hash('sha256', `${moderatorId} ${id}`));
  return Math.max(0, marks.indexOf(marks.toSorted()[0] ?? ''));
}

export function createApprovalQueue(deps: CommandDeps) {
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

  async function moderatorsView(t: Context['t'], submission: Submission) {
    const { content, embeds } = approvalView(t, submission, games);
    const background = await approvals.background(submission);
    return {
      view: { content: [content, ...backgroundTexts(t, background, games)].join('\n'), embeds },
      buttons: decisionButtons(t, submission, background),
    };
  }

  /** Includes the lines that the member can still fix. */
  async function ownView(context: Context, submission: Submission) {
    const { content, embeds } = approvalView(context.t, submission, games, context);
    const earlier = await earlierLines(context, submission, deps);
    const { texts, fix } = await linesLeft(context, submission, deps, 'next');
    return {
      view: { content: [content, ...earlier, ...texts].join('\n'), embeds },
      buttons: [...ownButtons(context.t, submission, 'next'), fix],
    };
  }

  /**
   * Explains why an action had no effect: the submission has changed, or is no longer waiting.
   * @param now the submission as it's stored now
   */
  function outdatedText({ t }: Context, now: Submission | undefined): string {
    if (now?.state === 'waiting') {
      const corrected = correctedTexts(t, { ...now, only: now.servers[0]?.server }, games);
      return [t('approval.changed'), corrected.join(' · ')].filter(Boolean).join('\n');
    }
    return now ? stateText(t, now, games) : t('approval.deleted');
  }

  /**
   * Replies to an action that had no effect. In /submissions, shows the reason above the next waiting submission.
   * @param refused keeps the moderator's input for the current version of the submission
   */
  async function outdated(context: DecisionContext, refused?: KeepForm): Promise<Reply> {
    const seen = seenOf(context);
    const now = await approvals.find(seen);
    const form = refused?.({ ...seen, submissionId: now?.id }, now);
    const why = outdatedText(context, now);
    if (form === undefined || now?.state === 'waiting') return stillWaiting(context, why, form);
    const reply = await stillWaiting(context, why);
    return { ...reply, embeds: [...(reply.embeds ?? []), noEffectEmbed(form)] };
  }

  /** Like {@link outdated}, but doesn't reply to a press if the pressed log channel message shows a decision. */
  async function undecided(context: DecisionContext, refused?: KeepForm): Promise<Reply> {
    await showPressed(context);
    const isPress = context.posted !== undefined && refused === undefined;
    const now = isPress ? await approvals.find(seenOf(context)) : undefined;
    return now && now.state !== 'waiting' ? {} : outdated(context, refused);
  }

  /**
   * Returns which ended submissions the reader sees: all, the decided ones and their own, or only their own. Moderators who
   * aren't admins see the decided ones.
   */
  async function sightOf(context: Context): Promise<Sight> {
    if (context.isAdmin) return 'all';
    return (await decidesNow(context)) ? 'decided' : 'own';
  }

  /**
   * Returns the waiting submissions, oldest first, and whether the reader can decide on them.
   * @param isOwn whether to return only the reader's own
   */
  async function inOrder(context: Context, isOwn: boolean) {
    const { guildId, user } = context;
    const decides = !isOwn && (await decidesNow(context));
    return { decides, found: await approvals.waiting(guildId, decides ? undefined : user.id) };
  }

  /** Returns the place (from 1) of the first waiting submission that meets the condition, or {@link AT_START}. */
  async function placeWhere(
    context: Context,
    isWanted: (each: WaitingSubmission) => boolean,
    isOwn = false,
  ): Promise<number> {
    return (await inOrder(context, isOwn)).found.findIndex(isWanted) + 1;
  }

  async function placeOf(context: DecisionContext): Promise<number> {
    if (context.posted) return AT_START;
    const seen = seenOf(context);
    return placeWhere(context, ({ id }) => id === seen.id);
  }

  const placeOfMember = (context: Context, member: string): Promise<number> =>
    placeWhere(context, ({ userId }) => userId === member);

  /** Shows a waiting submission in /submissions by its place, which wraps around. */
  async function showNext(
    context: Context,
    wanted: number,
    { isOwn = false, extra = [] }: Partial<WaitingOptions> = {},
  ): Promise<Reply> {
    const found = await waiting(context, wanted, { isOwn, extra });
    if (found) return found;
    const { t } = context;
    const decides = !isOwn && (await decidesNow(context));
    return {
      content: t('approval.nothingElse'),
      components: rows([...extra, toHistory(context, isOwn), decides && blocksButton(t)]),
    };
  }

  /** Shows a waiting submission to a reader who can decide on it. If it's no longer waiting, shows why and another one. */
  async function showOne(context: Context, { guildId, draftId: id }: Submission): Promise<Reply> {
    const place = await placeWhere(context, (each) => each.id === id);
    const shown = await showNext(context, place);
    if (place !== AT_START) return shown;
    return withNext([outdatedText(context, await approvals.find({ guildId, id }))], shown);
  }

  const toHistory = (context: Context, isOwn: boolean) =>
    button(submissionsId('page', writePage(1, stateOf(context, isOwn))), context.t('submissions.history'));

  /**
   * Builds the reply after a member withdrew or edited their own submission in /submissions.
   * @param place the submission's place before
   * @param extra controls for the withdrawn submission
   */
  const ownChanged = async (
    context: Context,
    texts: readonly string[],
    place: number,
    extra: readonly Control[] = [],
  ): Promise<Reply> => withNext(texts, await showNext(context, place, { isOwn: true, extra }));

  /**
   * Builds the reply after a member edited their own submission in /submissions.
   * @param reply the reply to the edit itself, which begins with the reason if the edit wasn't possible
   */
  async function afterEdit(context: Context, draftId: string, reply: Reply): Promise<Reply> {
    const place = await placeOfOwn(context, draftId);
    const [why = ''] = (reply.content ?? '').split('\n\n');
    if (place > 0)
      return ownChanged(context, [reply.isUserError ? why : context.t('approval.edited')], place);
    // The submission is no longer waiting, so the reply has other buttons.
    const { own } = await count(context);
    const label = context.t('submissions.ownWaiting', { count: own });
    const next = button(waitingId(stateOf(context, true)), label);
    return { ...reply, components: [...(reply.components ?? []), ...rows([own > 0 && next])] };
  }

  async function count(context: Context): Promise<Record<'toDecide' | 'own', number>> {
    const { guildId, user } = context;
    const toDecide = (await decidesNow(context)) ? await approvals.countWaiting(guildId) : 0;
    return { toDecide, own: await approvals.countWaiting(guildId, user.id) };
  }

  const placeOfOwn = (context: Context, draftId: string): Promise<number> =>
    placeWhere(context, ({ id }) => id === draftId, true);

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
    const { t } = context;
    // The message only shows that the servers are waiting again. A problem with the key has its own note.
    const unsent = approved.flatMap(({ waitingAgain, ended: { servers, keyProblem } }) =>
      waitingAgain > 0 && !keyProblem
        ? outcomesForLog(
            t,
            servers.filter(({ outcome }) => outcome.kind === 'not-sent'),
            servers.length,
          )
        : [],
    );
    const content = [...unsent, ...approvalNotes(context, approved, games)].join('\n');
    return { content, components: rows([replaceKeyButton(context, approved)]) };
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
    const now = await submissions.by(guildId, interactionId);
    const [only, ...others] = now.filter((each) => unconfirmedIn(each).length > 0);
    // Several submissions can be opened in the history.
    const resend = only && others.length === 0 ? await resendFor(context, only, deps) : NOTHING;
    const extra = [...undoButtons(t, now), replaceKeyButton(context, approved), ...resend.buttons].filter(
      (each) => each !== false,
    );
    const next = await showNext(context, before, { extra: extra.slice(0, 1) });
    return withNext([decidedText(t, now, games), ...notes], next);
  }

  /**
   * Builds the reply if a decision or correction wasn't possible. In /submissions, rebuilds the message, which may still
   * show the previous decision.
   * @param form the moderator's input. In /submissions, the buttons of the submission open the form with it
   */
  async function stillWaiting(context: DecisionContext, why: string, form?: RefusedForm): Promise<Reply> {
    if (context.posted) {
      return { content: why, ...(form && formReply(form)), isUserError: true };
    }
    const place = await placeOf(context);
    const typed = place === AT_START ? undefined : form?.typed;
    return { ...withNext([why], await showNext(context, place), typed), isUserError: true };
  }

  /** If the settings can't be read, only admins see other members' submissions. */
  const decidesNow = (context: Context) =>
    isModerator(context, settings).catch((error: unknown) => {
      if (error instanceof UnreadableSettingsError) return false;
      throw error;
    });

  /**
   * Shows a waiting submission that the member can decide on or withdraw, if there is one.
   * @param wanted the submission's place, from which the others follow from oldest to newest and around
   */
  async function waiting(
    context: Context,
    wanted: number,
    { isOwn, extra }: WaitingOptions,
  ): Promise<(ApprovalView & Required<Pick<Reply, 'components'>>) | undefined> {
    const { t } = context;
    const { decides, found } = await inOrder(context, isOwn);
    const start = decides ? startOf(context.user.id, found) : 0;
    const index = wanted < 1 ? start : (wanted - 1) % found.length;
    const shown = found[index];
    const approval = shown && (await approvals.find(shown));
    if (shown === undefined || approval === undefined) return undefined;
    const { view, buttons } = decides ? await moderatorsView(t, approval) : await ownView(context, approval);
    const nextId = submissionsId('waiting', writePage(index + 2, stateOf(context, isOwn)));
    const next = found.length > 1 && button(nextId, t('submissions.nextWaiting'));
    const controls = decides
      ? rows([...buttons, next], decideAllButtons(t, shown, found), [queueSelect(t, found)])
      : rows([...buttons, next]);
    return {
      ...view,
      content: `**${t('submissions.waiting', { count: found.length })}**\n${view.content}`,
      components: [
        ...controls,
        ...rows([(extra.length === 0 || !decides) && toHistory(context, isOwn), ...extra]),
      ],
    };
  }

  return {
    showNext,
    showOne,
    showPressed,
    demandModerator: (context: DecisionContext, form?: FormToReopen) =>
      demandModerator(context, settings, form),
    outdatedText,
    outdated,
    undecided,
    placeOf,
    placeOfMember,
    decided,
    decidedInQueue,
    stillWaiting,
    waiting,
    sightOf,
    ownChanged,
    placeOfOwn,
    afterEdit,
    count,
  };
}

export function seenOf({ guildId, argument }: DecisionContext) {
  const [id = '', submissionId] = argument.split(':');
  return { guildId, id, submissionId };
}

const draftOf = ({ argument }: { readonly argument: string }) => argument.split(':')[0];

export const withNext = (texts: readonly string[], next: Reply, typed: RefusedForm['typed'] = []): Reply => ({
  ...next,
  embeds: next.embeds === undefined ? [] : [...next.embeds, ...typed],
  content: [texts.filter(Boolean).join('\n'), next.content].filter(Boolean).join('\n\n'),
});
