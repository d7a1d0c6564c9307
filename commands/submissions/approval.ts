import {
  type ApprovalView,
  approvalView,
  beforeTexts,
  decidedText,
  decisionButtons,
  ownButtons,
  serversText,
  submissionsId,
} from '../../src/approval/approval-view.ts';
import { type GuildSettings, UnreadableSettingsError } from '../../src/guilds/settings.ts';
import type { Command, Context, PressContext, Reply, SubmitContext } from '../../src/interactions/command.ts';
import { button, customIdsOf, type Modal, parseCustomId, rows } from '../../src/interactions/controls.ts';
import { writePage } from '../../src/interactions/pager.ts';
import type { GameIndex } from '../../src/listing/game-search.ts';
import { typedOf } from '../../src/server-lists/row.ts';
import { type EndedSubmission, isAllSent } from '../../src/submissions/pipeline.ts';
import { rowForServer, type Submission } from '../../src/submissions/submissions.ts';
import type { SeenApproval, WaitingSubmission } from '../../src/submissions/waiting-submissions.ts';
import { UserError } from '../../src/user-error.ts';
import { escapeName } from '../../src/words/escape.ts';
import { nextForKey } from '../../src/words/keys.ts';
import { stillWaitingText } from '../../src/words/not-submitted.ts';
import { announcementOf, outcomesForLog } from '../../src/words/outcomes.ts';
import { byText } from '../../src/words/sentences.ts';
import { withSign } from '../../src/words/servers.ts';
import type { CommandDeps } from '../deps.ts';
import { previewFile } from '../submit/files.ts';
import { fieldsModal } from '../submit/modals.ts';
import { heldText } from '../submit/preview.ts';
import { notCorrected, readCorrection } from './correction.ts';
import { declineModal, readDecline, readReason } from './decline.ts';
import {
  buttonsForAll,
  declineAllModal,
  listSubmissions,
  memberSelect,
  omittedText,
  readSeen,
  writeSeen,
} from './several.ts';
import { replyForUnavailable } from './waiting.ts';

/** A press or a submitted modal about a submission. The argument has the ids of the draft and the submission. */
type DecisionContext = PressContext | SubmitContext;

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

interface ApprovalActions extends Required<Pick<Command, 'presses' | 'submits'>> {
  /**
   * Shows a waiting submission that the member can decide on or withdraw, if there is one.
   * @param which `wanted` is the submission's number, which starts at 1 and wraps around; `isOwn` limits the view to the
   * member's own submissions; `state` is the encoded filter
   */
  waiting(
    context: Context,
    which: { readonly wanted: number; readonly isOwn: boolean; readonly state: string },
  ): Promise<(ApprovalView & Required<Pick<Reply, 'components'>>) | undefined>;
  /** Counts waiting submissions: those that the member can decide on, and the member's own. */
  count(context: Context): Promise<Record<'toDecide' | 'own', number>>;
}

/**
 * Creates the handlers for the buttons and modals of waiting submissions, in the log channel and in /submissions.
 * @param showNext shows a waiting submission in /submissions by its number, which starts at 1 and wraps around
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

  /**
   * Approves a submission and sends it.
   * @returns the outcome, or why the submission is still waiting; `undefined` if it is no longer waiting or has changed
   */
  async function approveSeen(
    context: PressContext,
    { guildId, id, submissionId }: SeenApproval,
  ): Promise<Approved | StillWaiting | undefined> {
    const { t } = context;
    const seen = { guildId, id, submissionId };
    const found = await approvals.seen(seen);
    if (found === undefined) return undefined;
    const { userId, servers } = found;
    if (access.blocked(guildId, userId)) {
      return { servers, why: `${t('approval.blocked')}\n${t('approval.still')}` };
    }
    const result = await pipeline.submit({
      ...context,
      ...seen,
      // The member's channel is no longer known.
      channelId: undefined,
      user: { id: found.userId, name: found.userName },
      approvedBy: context.user,
      onProgress(done, count) {
        // Sending a single server is too quick to show progress.
        if (done === 0 && count > 1) void showPressed(context);
      },
    });
    if (result.kind === 'ended') {
      // Servers only wait again once their outcomes have been saved.
      const canWaitAgain = result.isRecorded && !isAllSent(result);
      const now = canWaitAgain ? await approvals.find(seen) : undefined;
      return { ended: result, userId, again: now?.state === 'waiting' ? now.servers.length : 0 };
    }
    if (result.kind !== 'not-submitted') return undefined;
    return { servers, why: stillWaitingText(result.reason, context, games) };
  }

  async function approve(context: PressContext): Promise<Reply> {
    await demandModerator(context);
    const before = await placeOf(context);
    const result = await approveSeen(context, seenOf(context));
    if (result === undefined) return undecided(context);
    if ('why' in result) return stillWaiting(context, result.why);
    const reply = await decided(context, before, [result]);
    return { ...reply, announcement: announcementOfAll([result]) };
  }

  /** Builds the public announcement of approved submissions from one member. */
  function announcementOfAll(all: readonly Approved[]): Reply['announcement'] {
    const announced = all.filter(({ ended }) => ended.announcedIn !== undefined);
    const [first] = announced;
    if (first === undefined) return undefined;
    const { userId, ended } = first;
    const servers = announced.flatMap((each) => each.ended.servers);
    return announcementOf({ user: { id: userId } }, { ...ended, servers }, games);
  }

  /** Lists a member's waiting submissions and asks the moderator whether to approve all of them. */
  async function askForAll(context: PressContext): Promise<Reply> {
    await demandModerator(context);
    const { t, argument: userId } = context;
    const listed = await listSubmissions(context, userId, deps);
    const before = await placeOfMember(context, userId);
    const [first, ...others] = listed.submissions;
    const omitted = omittedText(t, listed.omitted);
    if (first === undefined) return withNext([omitted], await showNext(context, before));
    const heading = t('approval.several.approve', {
      count: others.length + 1,
      name: escapeName(first.userName),
    });
    return {
      content: [`**${heading}**`, byText(t, first), omitted].filter(Boolean).join('\n'),
      embeds: [{ description: listed.text }],
      components: rows([
        button(
          submissionsId('approvethese', writeSeen(userId, listed.submissions)),
          t('approval.approve'),
          'success',
        ),
        button(submissionsId('waiting', writePage(before, '')), t('button.cancel')),
      ]),
    };
  }

  /**
   * Decides on a member's listed submissions one by one. Skips submissions that weren't listed or have changed since.
   * @param decide returns whether a decision was made
   */
  async function decideOnSeen(
    context: DecisionContext,
    decide: (seen: WaitingSubmission) => Promise<boolean>,
  ): Promise<{ readonly before: number; readonly texts: readonly string[] }> {
    await demandModerator(context);
    const { t } = context;
    const { userId, seen, gone } = await readSeen(context, deps);
    const ids = new Set(seen.map(({ submissionId }) => submissionId));
    const listed = await listSubmissions(context, userId, deps);
    const unseen = listed.submissions.filter(({ id }) => !ids.has(id));
    const before = await placeOfMember(context, userId);
    let lost = gone;
    for (const each of seen) {
      if (!(await decide(each))) lost += 1;
      void approvalMessages.showDue();
    }
    const texts = [
      lost > 0 && t('approval.several.gone', { count: lost }),
      unseen.length > 0 &&
        t('approval.several.unseen', {
          servers: serversText(
            t,
            unseen.flatMap(({ servers }) => servers),
            games,
          ),
        }),
    ];
    return { before, texts: texts.filter((text) => typeof text === 'string') };
  }

  async function approveThese(context: PressContext): Promise<Reply> {
    const { t, stopping } = context;
    const all: Approved[] = [];
    const waiting: StillWaiting[] = [];
    const { before, texts } = await decideOnSeen(context, async (seen) => {
      // During shutdown, the remaining submissions keep waiting.
      if (stopping.aborted) return true;
      const result = await approveSeen(context, seen);
      if (result === undefined) return false;
      if ('why' in result) waiting.push(result);
      else all.push(result);
      return true;
    });
    const reasons = [...Map.groupBy(waiting, ({ why }) => why)].map(([why, some]) => {
      const servers = some.flatMap((each) => each.servers);
      return `${serversText(t, servers, games)}\n${why}`;
    });
    const reply = await decidedInQueue(context, before, [...texts, ...reasons], all);
    return { ...reply, announcement: announcementOfAll(all) };
  }

  /** Opens the modal for declining all of a member's waiting submissions. */
  async function pressDeclineAll(context: PressContext): Promise<Modal | Reply> {
    await demandModerator(context);
    const { t, argument: userId } = context;
    const listed = await listSubmissions(context, userId, deps);
    if (listed.submissions.length > 0) return declineAllModal(t, userId, listed);
    const next = await showNext(context, await placeOfMember(context, userId));
    return withNext([omittedText(t, listed.omitted)], next);
  }

  async function declineThese(context: SubmitContext): Promise<Reply> {
    const { interactionId, user, field } = context;
    const reason = readReason(field);
    const { before, texts } = await decideOnSeen(context, (seen) =>
      approvals.decline({ ...seen, by: user, interactionId, reason }),
    );
    return decidedInQueue(context, before, texts);
  }

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

  /** Corrects a submission, which stays waiting in the same message. */
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

  /** Shows all servers in a list, either to moderators or to the member who submitted it. */
  async function showAll(context: PressContext): Promise<Reply> {
    const approval = await approvals.find(seenOf(context));
    if (approval?.userId !== context.user.id) await demandModerator(context);
    if (approval?.state !== 'waiting') {
      await showPressed(context);
      return asItIs(context);
    }
    return { content: context.t('approval.whole'), files: [previewFile(approval.servers.map(rowForServer))] };
  }

  /** If the settings can't be read, only admins see other members' submissions. */
  const decidesNow = (context: Context) =>
    mayDecide(context, settings).catch((error: unknown) => {
      if (error instanceof UnreadableSettingsError) return false;
      throw error;
    });

  const waiting: ApprovalActions['waiting'] = async (context, { wanted, isOwn, state }) => {
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
      // Still needed for buttons on messages posted by version 0.3.0.
      refuse: { answers: 'modal', run: pressDecline },
      correct: {
        answers: 'modal',
        async run(context) {
          await demandModerator(context);
          const [only] = (await approvals.seen(seenOf(context)))?.servers ?? [];
          if (only === undefined) {
            void showPressed(context);
            return asItIs(context);
          }
          const id = submissionsId('correct', context.argument);
          return fieldsModal(context, id, typedOf(rowForServer(only)), deps, true);
        },
      },
      approveall: { answers: 'immediate update', run: askForAll },
      approvethese: { answers: 'sending', run: approveThese },
      declineall: { answers: 'modal', run: pressDeclineAll },
      member: {
        answers: 'immediate update',
        run: async (context) => showNext(context, await placeOfMember(context, context.values[0] ?? '')),
      },
      all: { answers: 'later', run: showAll },
      withdraw: { answers: 'update', run: withdraw },
    },
    submits: {
      correct: { answers: 'beside', run: correct },
      decline: { answers: 'beside', run: decline },
      refuse: { answers: 'beside', run: decline },
      declines: { answers: 'update', run: declineThese },
    },
  };
}

/** Adds texts above the next waiting submission. */
const withNext = (texts: readonly string[], next: Reply): Reply => ({
  ...next,
  content: [texts.filter(Boolean).join('\n'), next.content].filter(Boolean).join('\n\n'),
});

/** An approved submission together with its outcome. */
interface Approved {
  readonly ended: EndedSubmission;
  /** The member who made the submission. */
  readonly userId: string;
  /** Number of servers that are waiting for approval again. */
  readonly again: number;
}

/** A submission that couldn't be approved, together with the reason. */
interface StillWaiting extends Pick<Submission, 'servers'> {
  readonly why: string;
}

/** Explains which approved servers weren't sent and why, and how many are waiting again. Reports any unsaved outcomes. */
function approvalNotes(context: Context, all: readonly Approved[], games: GameIndex): readonly string[] {
  const { t } = context;
  const sum = (numberOf: (each: Approved) => number) => all.reduce((so, each) => so + numberOf(each), 0);
  const leftOut = sum(
    ({ ended: { draft, servers, limitedRows } }) => draft.rows.length - servers.length - limitedRows.length,
  );
  const again = sum((each) => each.again);
  const keyProblem = all.find(({ ended }) => ended.keyProblem)?.ended.keyProblem;
  const texts = [
    leftOut > 0 && t('approval.leftOut', { count: leftOut }),
    ...all.map(
      ({ ended: { draft, limitedRows: rows, limited } }) =>
        limited && withSign('not-sent', heldText(t, { draft, rows, limited })),
    ),
    ...all.flatMap(({ ended: { servers, isRecorded } }) =>
      isRecorded
        ? []
        : [serversText(t, servers, games), ...outcomesForLog(t, servers), t('ended.unrecorded')],
    ),
    keyProblem && nextForKey(context, keyProblem),
    again > 0 && t('approval.again', { count: again }),
  ];
  return texts.filter((text) => typeof text === 'string');
}
