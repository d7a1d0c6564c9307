import type { APIButtonComponent } from 'discord.js';
import type { ChannelMessage } from '../discord/channel-posts.ts';
import type { Context, Reply } from '../interactions/command.ts';
import { button, customId } from '../interactions/controls.ts';
import type { GameIndex } from '../listing/game-search.ts';
import type { EarlierSubmission } from '../submissions/already-submitted.ts';
import type { DeclineReason } from '../submissions/decline-reason.ts';
import { type Submission, serverResults } from '../submissions/submissions.ts';
import { escapeText, memberText } from '../words/escape.ts';
import { beforeItems } from '../words/not-submitted.ts';
import { outcomesForLog, type ServerWithOutcome, unknownText } from '../words/outcomes.ts';
import { byText, namedText } from '../words/sentences.ts';
import { describe, fittingLines, type LOOK, serverEmbed, withSign, worstOf } from '../words/servers.ts';
import type { Translate } from '../words/words.ts';
import { reasonText } from './decline-reasons.ts';

/*
 * Builds every message about a submission that is, or was, waiting for a moderator: in the log channel, in the member's own
 * reply, in /submissions and after a crash. The buttons belong to /submissions, or open the draft for editing.
 */

/** The maximum number of servers that a message lists. It only shows the number of the others. */
export const MOST_SHOWN = 10;
/** Maximum length of a name and an address in the log channel's message, in UTF-16 units. */
const LONGEST_WORDS = { name: 60, address: 80 };
/** Maximum length of the reason for declining, in UTF-16 units. */
export const LONGEST_REASON = 300;

export const submissionsId = (action: string, id: string): string => customId('submissions', action, id);

export type ApprovalView = Required<Pick<Reply, 'content' | 'embeds'>>;

/**
 * Shows a submission and its state, without buttons.
 * @param reader the only user who sees it; their own name is omitted
 */
export function approvalView(
  t: Translate,
  submission: Submission,
  games: GameIndex,
  reader?: Context,
): ApprovalView {
  const member = submission.userId === reader?.user.id ? reader : undefined;
  const lines = submission.servers.map(({ server }) => describe(t, server, games));
  const embed = serverEmbed(t, kindOf(submission), lines, MOST_SHOWN);
  const about = aboutText(t, submission, member !== undefined);
  const description = [about, embed.description].filter(Boolean).join('\n');
  return {
    content: statusText(t, submission, member),
    // Discord rejects empty embeds, and a withdrawn submission no longer has any text.
    embeds: description === '' ? [] : [{ ...embed, description }],
  };
}

/** Shows how many servers a list has, who submitted it unless the reader knows, and who corrected it. */
export function aboutText(t: Translate, submission: Submission, isMemberKnown = false): string {
  const { servers } = submission;
  const what = servers.length > 1 ? [t('look.servers', { count: servers.length })] : [];
  const by = isMemberKnown ? [] : [byText(t, submission)];
  return [...what, ...by, ...correctedTexts(t, submission)].join(' · ');
}

/** Returns the kind of the worst outcome, which determines the colour. */
function kindOf({ state, servers }: Submission): keyof typeof LOOK {
  const kinds = servers.flatMap(({ outcome }) => outcome?.kind ?? []);
  return state === 'done' ? worstOf(kinds) : 'not-sent';
}

/** Shows a moderator's decision, and their name unless they had it deleted. */
export function decisionText(
  t: Translate,
  decision: 'approved' | 'declined',
  {
    decidedBy: id = '',
    decidedByName: name,
  }: Pick<Submission, 'decidedByName'> & { readonly decidedBy?: string | undefined },
): string {
  return id === ''
    ? t(`approval.${decision}`)
    : t(`approval.${decision}By`, { user: memberText({ id, name }) });
}

/** Returns a moderator's reason for declining; empty if they didn't give one. */
export function reasonTexts(
  t: Translate,
  declineReason: DeclineReason | undefined,
  longest: number,
): readonly string[] {
  const reason = declineReason && reasonText(t, declineReason, (words) => escapeText(words, longest));
  return reason ? [t('approval.reason', { reason })] : [];
}

/** @param member the submitter, if only they see it; otherwise the text asks a moderator to decide */
function statusText(t: Translate, submission: Submission, member?: Context): string {
  const { state, declineReason, expiresAt = 0 } = submission;
  switch (state) {
    case 'waiting':
      return `⏳ ${t(member ? 'approval.waiting' : 'approval.toApprove', { seconds: Math.ceil(expiresAt / 1000) })}`;
    case 'running':
      return `⏳ ${decisionText(t, 'approved', submission)} · ${t('again.sending')}`;
    case 'done': {
      const ended = serverResults(submission);
      const received = ended.filter(({ outcome }) => outcome.kind !== 'not-sent');
      const notSent = ended.filter(({ outcome }) => outcome.kind === 'not-sent');
      const textsOf = (some: typeof ended) => outcomesForLog(t, some, ended.length);
      const approved = withSign('accepted', decisionText(t, 'approved', submission));
      // Of the servers that were sent, the unconfirmed ones are listed last.
      return [approved, ...textsOf(received), ...unknownTexts(t, ended, member), ...textsOf(notSent)].join(
        '\n',
      );
    }
    case 'declined': {
      const declined = withSign('rejected', decisionText(t, 'declined', submission));
      return [declined, ...reasonTexts(t, declineReason, LONGEST_REASON)].join('\n');
    }
    default:
      return withSign('not-sent', t(`approval.${state}`));
  }
}

/** Asks moderators, or the submitter, to look up servers that may have been received before sending them again. */
function unknownTexts(
  t: Translate,
  ended: readonly ServerWithOutcome[],
  member?: Context,
): readonly string[] {
  const unknown = ended.filter(({ outcome }) => outcome.kind === 'unknown').map(({ server }) => server);
  const { length: count } = unknown;
  if (count === 0) return [];
  return [member ? unknownText(member, unknown) : t('ended.next.unknown', { count, site: t.site() })];
}

/** The maximum number of servers that {@link serversText} names. */
const MOST_NAMED = 2;

/** Names the first of these servers on one line. */
export function serversText(t: Translate, servers: Submission['servers'], games: GameIndex): string {
  const named = servers.slice(0, MOST_NAMED).map(({ server }) => describe(t, server, games, LONGEST_WORDS));
  return namedText(t, named, servers.length);
}

/**
 * Describes on one line what a moderator has just decided about one member's submissions; empty if they decided nothing.
 */
export function decidedText(t: Translate, decided: readonly Submission[], games: GameIndex): string {
  const [first] = decided;
  if (first === undefined) return '';
  const { state, userId, declineReason } = first;
  const servers = decided.flatMap((submission) => submission.servers);
  const user = userId === '' ? t('by.unnamed') : `<@${userId}>`;
  const why = `${serversText(t, servers, games)} (${user})`;
  if (state === 'declined') {
    const declined = withSign('rejected', t('look.about', { item: t('approval.declined'), why }));
    return [declined, ...reasonTexts(t, declineReason, LONGEST_REASON)].join(' · ');
  }
  const ended = serverResults({ servers });
  const isSent = ended.some(({ outcome }) => outcome.kind !== 'not-sent');
  const item = t(isSent ? 'approval.sent' : 'approval.approved');
  // The text begins with a sign, which also applies to accepted servers.
  const outcomes = outcomesForLog(t, ended, servers.length).map((text) => text.replace(/^✅ /u, ''));
  const approved = withSign('accepted', t('look.about', { item, why }));
  return [approved, ...outcomes, ...unknownTexts(t, ended)].join(' · ');
}

/** Shows how many approved servers are waiting again, if any. */
export const againText = (t: Translate, count: number): string | undefined =>
  count > 0 ? t('approval.again', { count }) : undefined;

/** The maximum length of the servers in the log channel's message, in UTF-16 units. */
const LONGEST_LIST = 1_200;

/** Shows a submission to everyone in the log channel. It has no embed, because clients can hide embeds. */
export function channelView(
  t: Translate,
  submission: Submission,
  before: readonly EarlierSubmission[],
  games: GameIndex,
): Pick<ChannelMessage, 'content'> {
  const { servers } = submission;
  const lines = servers.slice(0, MOST_SHOWN).map(({ server }) => describe(t, server, games, LONGEST_WORDS));
  const list = fittingLines(t, lines, servers.length, LONGEST_LIST);
  const texts = [statusText(t, submission), aboutText(t, submission), list, ...beforeTexts(t, before, games)];
  return { content: texts.filter(Boolean).join('\n') };
}

/**
 * Shows moderators which servers were submitted here before.
 * @param before see `Approvals.before`
 */
export const beforeTexts = (
  t: Translate,
  before: readonly EarlierSubmission[],
  games: GameIndex,
): readonly string[] =>
  before.length === 0
    ? []
    : [t('list.alreadySubmitted', { count: before.length }), ...beforeItems(t, before, games)];

/** Shows the same without naming the link, if Discord rejected the text because of it. */
export function harmfulView(
  t: Translate,
  submission: Submission,
  before: readonly EarlierSubmission[],
  games: GameIndex,
): Pick<ChannelMessage, 'content'> {
  // Keeps only the first line. The lines below it contain a reason, the service's message, or addresses of servers that
  // were submitted before.
  const [head = ''] = statusText(t, submission).split('\n');
  if (submission.state !== 'waiting') return { content: head };
  const [earlier] = beforeTexts(t, before, games);
  return { content: [head, earlier, t('approval.harmful')].filter(Boolean).join('\n') };
}

/** Shows a submission that was deleted with all of its guild's data. */
export const deletedView = (t: Translate): Pick<ChannelMessage, 'content'> => ({
  content: [withSign('not-sent', t('approval.withdrawn')), t('by.unnamed')].join('\n'),
});

/** Shows which moderator corrected the member's submission; empty if it wasn't corrected. */
export function correctedTexts(
  t: Translate,
  { correctedBy: id, correctedByName: name }: Pick<Submission, 'correctedBy' | 'correctedByName'>,
): readonly string[] {
  if (id === undefined) return [];
  if (id === '') return [t('approval.corrected')];
  return [t('approval.correctedBy', { user: memberText({ id, name }) })];
}

/**
 * Builds a moderator's buttons.
 * @param listsServers whether the message lists the servers, up to {@link MOST_SHOWN}
 */
export function decisionButtons(
  t: Translate,
  { id, draftId, state, servers }: Submission,
  listsServers = true,
): readonly APIButtonComponent[] {
  if (state !== 'waiting') return [];
  const seen = `${draftId}:${id}`;
  return [
    button(submissionsId('approve', seen), t('approval.approve'), 'success'),
    button(submissionsId('decline', seen), t('approval.decline'), 'danger'),
    ...(servers.length === 1 ? [button(submissionsId('correct', seen), t('approval.correct'))] : []),
    ...(servers.length > MOST_SHOWN || !listsServers
      ? [button(submissionsId('all', seen), t('pager.showAll'))]
      : []),
  ];
}

/** Builds the member's buttons. */
export function ownButtons(t: Translate, { draftId: id, state }: Submission): readonly APIButtonComponent[] {
  if (state !== 'waiting') return [];
  return [
    button(customId('submit', 'change', id), t('again.edit')),
    button(submissionsId('withdraw', id), t('approval.withdraw')),
  ];
}
