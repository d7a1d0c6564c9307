import { serversText, submissionsId } from '../../src/approval/approval-view.ts';
import type { WaitingSubmission } from '../../src/approval/approvals.ts';
import {
  type Command,
  OldMessageError,
  type PressContext,
  type Reply,
  type SubmitContext,
} from '../../src/interactions/command.ts';
import { button, customId, type Modal, rows } from '../../src/interactions/controls.ts';
import { writePage } from '../../src/interactions/pager.ts';
import { escapeName } from '../../src/words/escape.ts';
import { byText } from '../../src/words/sentences.ts';
import { MAX_NAMED, withSign } from '../../src/words/servers.ts';
import { createBlockList, reportDeclineBlocks } from '../blocks.ts';
import type { CommandDeps } from '../deps.ts';
import { type Approved, announcementOfAll, approveSeen, type StillWaiting } from './approve.ts';
import {
  isMissing,
  missingText,
  noEffectText,
  notBlockedText,
  readBlock,
  readReason,
  typedDecline,
} from './decline.ts';
import { AT_START } from './filter.ts';
import {
  declineAllModal,
  listSubmissions,
  OPENS_BLOCKS,
  OPENS_HISTORY,
  omittedText,
  readSeen,
  writeSeen,
} from './list-several.ts';
import { type ApprovalQueue, type DecisionContext, withNext } from './queue.ts';
import { noEffectEmbed } from './typed-form.ts';

export function severalActions(
  deps: CommandDeps,
  queue: ApprovalQueue,
  showHistory: (context: PressContext) => Promise<Reply>,
): Required<Pick<Command, 'presses' | 'submits'>> {
  const { approvals, approvalMessages, submissions, games } = deps;
  const blockList = createBlockList(deps);
  const { demandModerator, showPressed, placeOfMember, decidedInQueue, showNext } = queue;

  /**
   * Lists waiting submissions and asks the moderator whether to approve all of them. The argument is a member's id, or ''
   * for the button in /settings, which is for all members.
   */
  async function askForAll(context: PressContext): Promise<Reply> {
    await demandModerator(context);
    const { t, argument: userId } = context;
    const listed = await listSubmissions(context, userId, deps);
    const before = await placeOfMember(context, userId);
    const [first, ...others] = listed.submissions;
    const omitted = omittedText(t, listed.omitted);
    if (first === undefined) return withNext([omitted], await showNext(context, before));
    const count = others.length + 1;
    const members = new Set(listed.submissions.map((each) => each.userId)).size;
    const heading =
      members === 1
        ? t('approval.several.approve', { count, name: escapeName(first.userName) })
        : t('approval.several.approveMembers', { count, members });
    return {
      content: [`**${heading}**`, members === 1 && byText(t, first), omitted].filter(Boolean).join('\n'),
      embeds: [{ description: listed.listText }],
      components: rows([
        button(
          submissionsId('approvethese', writeSeen(userId, listed.submissions)),
          t('approval.approve'),
          'success',
        ),
        button(
          userId === ''
            ? customId('settings', 'open', writePage(1, 'approval'))
            : submissionsId('waiting', writePage(before, '')),
          t('button.cancel'),
        ),
      ]),
    };
  }

  /**
   * Decides on the listed submissions one by one. Skips submissions that weren't listed or have changed since.
   * @param decide returns whether a decision was made
   */
  async function decideOnSeen(
    context: DecisionContext,
    decide: (seen: WaitingSubmission) => Promise<boolean>,
  ): Promise<{ readonly before: number; readonly texts: readonly string[] }> {
    const { t } = context;
    const { userId, seen, gone } = await readSeen(context, deps);
    const ids = new Set(seen.map(({ submissionId }) => submissionId));
    const listed = await listSubmissions(context, userId, deps);
    const unseen = listed.submissions.filter(({ id }) => !ids.has(id));
    const before = await placeOfMember(context, userId);
    const lost = [...gone];
    for (const each of seen) {
      if (!(await decide(each))) lost.push(each.submissionId);
      void approvalMessages.showDue();
    }
    const found = await Promise.all(lost.map((id) => submissions.find(context.guildId, id)));
    const lostServers = found.flatMap((submission) => submission?.servers ?? []);
    const texts = [
      lostServers.length > 0 &&
        t('approval.several.gone', { servers: serversText(t, lostServers, games, MAX_NAMED) }),
      unseen.length > 0 &&
        t('approval.several.unseen', {
          servers: serversText(
            t,
            unseen.flatMap(({ servers }) => servers),
            games,
            MAX_NAMED,
          ),
        }),
    ];
    return { before, texts: texts.filter((text) => typeof text === 'string') };
  }

  async function approveThese(context: PressContext): Promise<Reply> {
    await demandModerator(context);
    const { t, stopping } = context;
    const all: Approved[] = [];
    const waiting: StillWaiting[] = [];
    const { before, texts } = await decideOnSeen(context, async (seen) => {
      // During shutdown, the remaining submissions keep waiting.
      if (stopping.aborted) return true;
      const result = await approveSeen(context, seen, deps, () => void showPressed(context));
      if (result.kind === 'still-waiting') waiting.push(result);
      if (result.kind === 'approved') all.push(result);
      return result.kind !== 'changed';
    });
    const reasons = [...Map.groupBy(waiting, ({ why }) => why)].map(([why, some]) => {
      const servers = some.flatMap((each) => each.servers);
      return `${serversText(t, servers, games, MAX_NAMED)}\n${why}`;
    });
    const reply = await decidedInQueue(context, before, [...texts, ...reasons], all);
    return { ...reply, announcement: announcementOfAll(all, games) };
  }

  async function pressDeclineAll(context: PressContext): Promise<Modal> {
    await demandModerator(context);
    const { t, argument: userId } = context;
    const listed = await listSubmissions(context, userId, deps);
    const { requiresReason = false } = await deps.settings.getOrThrow(context.guildId);
    if (listed.submissions.length > 0) return declineAllModal(context, userId, listed, requiresReason);
    const next = await showNext(context, await placeOfMember(context, userId));
    throw new OldMessageError(withNext([omittedText(t, listed.omitted)], next));
  }

  async function declineThese(context: SubmitContext): Promise<Reply> {
    const { interactionId, user, field, t } = context;
    const [userId = ''] = context.argument.split(':');
    const buttonId = submissionsId('declineall', userId);
    const typed = typedDecline(context);
    await demandModerator(context, { buttonId, buttonLabel: t('approval.decline'), typed });
    const { requiresReason = false } = await deps.settings.getOrThrow(context.guildId);
    const reason = readReason(field);
    if (requiresReason && isMissing(reason)) {
      const place = await placeOfMember(context, userId);
      const shown = place === AT_START ? undefined : typed;
      return { ...withNext([missingText(t)], await showNext(context, place), shown), isUserError: true };
    }
    const { submissions } = await listSubmissions(context, userId, deps);
    const block = readBlock(field, submissions);
    const declined: WaitingSubmission[] = [];
    const { before, texts } = await decideOnSeen(context, async (seen) => {
      const isDeclined = await approvals.decline({ ...seen, by: user, interactionId, reason, block });
      if (isDeclined) declined.push(seen);
      return isDeclined;
    });
    if (declined.length > 0) {
      // Another moderator may have decided on the host to block first.
      const unblocked = block.length === 0 ? notBlockedText(context) : undefined;
      const reported = unblocked
        ? withSign('not-sent', unblocked)
        : await reportDeclineBlocks(context, block, deps);
      return decidedInQueue(context, before, [reported, ...texts]);
    }
    // The form was too late for all of them. The moderator can use the input if the member's submissions were only changed.
    const isGone = before === AT_START;
    const noEffect = noEffectText(context);
    const reply = await decidedInQueue(context, before, [isGone ? '' : noEffect, ...texts]);
    return withNext([], reply, isGone ? [noEffectEmbed({ noEffect, typed })] : typed);
  }

  return {
    presses: {
      approveall: { answers: 'immediate update', run: askForAll },
      approvethese: { answers: 'sending', run: approveThese },
      declineall: { answers: 'modal', run: pressDeclineAll },
      member: {
        answers: 'immediate update',
        async run(context) {
          const [chosen = ''] = context.values;
          if (chosen === OPENS_BLOCKS) return blockList.show(context, '');
          if (chosen === OPENS_HISTORY) return showHistory(context);
          return showNext(context, await placeOfMember(context, chosen));
        },
      },
    },
    submits: { declines: { answers: 'update', run: declineThese } },
  };
}
