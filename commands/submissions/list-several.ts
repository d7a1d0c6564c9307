import { hash } from 'node:crypto';
import {
  aboutText,
  backgroundTexts,
  MAX_SERVERS_SHOWN,
  submissionsId,
} from '../../src/approval/approval-view.ts';
import type { WaitingSubmission } from '../../src/approval/approvals.ts';
import { LIMITS } from '../../src/discord/limits.ts';
import type { Context, PressContext } from '../../src/interactions/command.ts';
import {
  button,
  type Control,
  customId,
  type Modal,
  modal,
  select,
} from '../../src/interactions/controls.ts';
import type { Submission } from '../../src/submissions/submission.ts';
import { shorten } from '../../src/text/one-line.ts';
import { serverLines } from '../../src/words/servers.ts';
import type { Translate } from '../../src/words/words.ts';
import type { CommandDeps } from '../deps.ts';
import { blockField, reasonFields } from './decline.ts';

/** The submissions' hashes have to fit into a custom id. */
export const MAX_DECIDED_TOGETHER = 10;
/** {@link MARKS} splits a string of hashes joined without separators. */
const MARK_LENGTH = 5;
const MARKS = /.{5}/g;
/** The list of submissions has to fit into an embed and a modal. */
const MAX_LIST_LENGTH = 3_800;

interface ListedSubmissions {
  /** Sorted from oldest to newest. */
  readonly submissions: readonly Submission[];
  /** Names every server of these submissions. */
  readonly listText: string;
  readonly omitted: number;
}

/**
 * Omits submissions whose servers don't all fit.
 * @param userId the member whose submissions are listed, or '' for all members
 */
export async function listSubmissions(
  { t, guildId }: Context,
  userId: string,
  { approvals, games }: CommandDeps,
): Promise<ListedSubmissions> {
  const submissions: Submission[] = [];
  let listText = '';
  const waiting = await approvals.waiting(guildId, userId || undefined);
  const isOneMember = new Set(waiting.map((each) => each.userId)).size === 1;
  for (const { id, submissionId } of waiting) {
    if (submissions.length === MAX_DECIDED_TOGETHER) break;
    const submission = await approvals.seen({ guildId, id, submissionId });
    if (submission === undefined || submission.servers.length > MAX_SERVERS_SHOWN) continue;
    const lines = serverLines(
      t,
      submission.servers.map(({ server }) => server),
      games,
    );
    const text = [
      aboutText(t, submission, games, isOneMember),
      ...lines,
      ...backgroundTexts(t, await approvals.background(submission), games),
    ].filter(Boolean);
    const longer = [listText, ...text].filter(Boolean).join('\n');
    if (longer.length > MAX_LIST_LENGTH) continue;
    submissions.push(submission);
    listText = longer;
  }
  return { submissions, listText, omitted: waiting.length - submissions.length };
}

/** Hashes a submission's id. The id changes whenever the submission's servers change. */
const submissionMark = (submissionId: string): string =>
  hash('sha256', submissionId, 'base64url').slice(0, MARK_LENGTH);

/**
 * Encodes the submissions that a moderator has seen, for use in a custom id.
 * @param userId as in {@link listSubmissions}
 */
export const writeSeen = (userId: string, seen: readonly Pick<Submission, 'id'>[]): string =>
  `${userId}:${seen.map(({ id }) => submissionMark(id)).join('')}`;

/**
 * Finds the submissions encoded by {@link writeSeen} that are still waiting and unchanged.
 * @returns the submissions found, their member or '', and the ids of those that changed or are no longer waiting
 */
export async function readSeen(
  { guildId, argument }: Pick<Context, 'guildId'> & { readonly argument: string },
  { approvals }: CommandDeps,
) {
  const [userId = '', written = ''] = argument.split(':');
  const marks = new Set(written.match(MARKS));
  const member = userId || undefined;
  const waiting = await approvals.waiting(guildId, member);
  const seen = waiting.filter(({ submissionId }) => marks.has(submissionMark(submissionId)));
  if (seen.length === marks.size) return { userId, seen, gone: [] };
  const isSeen = new Set(seen.map(({ submissionId }) => submissionId));
  const latest = await approvals.latestIds(guildId, member);
  return { userId, seen, gone: latest.filter((id) => marks.has(submissionMark(id)) && !isSeen.has(id)) };
}

export function decideAllButtons(
  t: Translate,
  { userId, userName: name }: WaitingSubmission,
  waiting: readonly WaitingSubmission[],
): readonly Control[] {
  const count = waiting.filter((each) => each.userId === userId).length;
  if (count === 1) return [];
  return [
    button(submissionsId('approveall', userId), t('approval.several.approve', { count, name }), 'success'),
    button(submissionsId('declineall', userId), t('approval.several.decline', { count, name }), 'danger'),
  ];
}

export const OPENS_BLOCKS = 'blocks';
export const OPENS_HISTORY = 'history';

/**
 * Builds the menu that jumps to a member's first waiting submission, if several members have waiting submissions, to the list of
 * blocks, or to the history.
 */
export function queueSelect(t: Translate, waiting: readonly WaitingSubmission[]): Control | undefined {
  const members = [...Map.groupBy(waiting, ({ userId }) => userId)];
  const jumps = members.length === 1 ? [] : members.slice(0, LIMITS.choices - 2);
  return select({
    id: submissionsId('member', ''),
    placeholder: t(jumps.length === 0 ? 'blocks.open' : 'approval.several.jump'),
    options: [
      ...jumps.map(([userId, own]) => ({
        label: `${shorten(own[0]?.userName || userId, LIMITS.choiceName / 2)} (${own.length})`,
        value: userId,
      })),
      { label: t('blocks.title'), value: OPENS_BLOCKS },
      { label: t('submissions.history'), value: OPENS_HISTORY },
    ],
  });
}

/** Builds the button that opens the list of blocks while the queue is empty, because its menu isn't shown then. */
export const blocksButton = (t: Translate): Control => button(customId('blocks', 'list'), t('blocks.title'));

export function declineAllModal(
  context: PressContext,
  userId: string,
  listed: ListedSubmissions,
  isReasonRequired: boolean,
): Modal {
  const { t } = context;
  const { submissions, listText, omitted } = listed;
  const [first] = submissions;
  return modal({
    id: submissionsId('declines', writeSeen(userId, submissions)),
    title: t('approval.several.decline', { count: submissions.length, name: first?.userName ?? '' }),
    text: [listText, omittedText(t, omitted)].filter(Boolean).join('\n'),
    fields: [...reasonFields(context, isReasonRequired), blockField(context, submissions)],
  });
}

export const omittedText = (t: Translate, count: number): string =>
  count > 0 ? t('approval.several.omitted', { count }) : '';
