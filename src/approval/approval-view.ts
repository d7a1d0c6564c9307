import type { APIButtonComponent } from 'discord.js';
import type { ChannelMessage } from '../discord/channel-posts.ts';
import type { Context, Reply } from '../interactions/command.ts';
import { button, customId, rows } from '../interactions/controls.ts';
import type { ServerSubmission } from '../listing/contract.ts';
import type { GameIndex } from '../listing/game-search.ts';
import { addressOf, lineLabel } from '../server-lists/row.ts';
import type { DeclineReason } from '../submissions/decline-reason.ts';
import { withNumbers } from '../submissions/line-numbers.ts';
import { isDeclined } from '../submissions/outcome.ts';
import { type Submission, serverResults, unconfirmedIn } from '../submissions/submission.ts';
import { escapeText, memberText } from '../words/escape.ts';
import { earlierSubmissions, heldCountText } from '../words/not-submitted.ts';
import { outcomesForLog, type ServerWithOutcome } from '../words/outcomes.ts';
import { byText, namedText, sentences } from '../words/sentences.ts';
import {
  addressCode,
  cutForCode,
  describeServer,
  fittingLines,
  gameNamed,
  LOOK,
  moreText,
  serverEmbed,
  serverLines,
  targetsText,
  withSign,
  worstOf,
} from '../words/servers.ts';
import type { Translate } from '../words/words.ts';
import type { Background, EarlierDecisions } from './approvals.ts';
import { reasonText } from './decline-reasons.ts';

/*
 * Builds every message about a submission that is, or was, waiting for approval: in the log channel, in the reply to the
 * member, in /submissions, and in replies after a crash. The buttons either belong to /submissions or open the draft for
 * editing.
 */

/** If there are more servers, the message only shows how many. */
export const MAX_SERVERS_SHOWN = 10;
const MAX_LENGTHS = { name: 60, address: 80 };
export const MAX_REASON_LENGTH = 300;
/** Shows a whole reason. Escaping at most doubles its length. */
export const MAX_ESCAPED_REASON_LENGTH = 2 * MAX_REASON_LENGTH;

export const submissionsId = (action: string, id: string): string => customId('submissions', action, id);

export type ApprovalView = Required<Pick<Reply, 'content' | 'embeds'>>;

/**
 * Builds the message that shows a submission and its state, without buttons.
 * @param reader the only user who can see the message. If they are the submitter, their name is left out
 */
export function approvalView(
  t: Translate,
  submission: Submission,
  games: GameIndex,
  reader?: Context,
): ApprovalView {
  const member = submission.userId === reader?.user.id ? reader : undefined;
  const lines = serverLines(t, submittedIn(submission), games);
  const embed = serverEmbed(t, worstKindOf(submission), lines, MAX_SERVERS_SHOWN);
  const about = aboutText(t, submission, games, member !== undefined);
  const description = [about, embed.description].filter(Boolean).join('\n');
  return {
    content: statusText(t, submission, member),
    // Discord rejects empty embeds. A withdrawn submission may not have any content left.
    embeds: description === '' ? [] : [{ ...embed, description }],
  };
}

export const STATE_SIGNS = { waiting: '⏳', running: '⏳', withdrawn: '↩️' } as const;

const submittedIn = ({ servers }: Pick<Submission, 'servers'>) => servers.map(({ server }) => server);

/**
 * Returns a submission's number of servers (if several), its submitter (if not the reader) and the moderator who corrected
 * it (if any).
 */
export function aboutText(
  t: Translate,
  submission: Submission,
  games: GameIndex,
  isMemberKnown = false,
): string {
  const { servers } = submission;
  const what = servers.length > 1 ? [t('look.servers', { count: servers.length })] : [];
  const by = isMemberKnown ? [] : [byText(t, submission)];
  const corrected = correctedTexts(t, { ...submission, only: servers[0]?.server }, games);
  return [...what, ...by, ...corrected].join(' · ');
}

function worstKindOf({ state, servers }: Submission): keyof typeof LOOK {
  const kinds = servers.flatMap(({ outcome }) => outcome?.kind ?? []);
  return state === 'done' ? worstOf(kinds) : 'not-sent';
}

export function decisionText(
  t: Translate,
  decision: 'approved' | 'unconfirmed' | 'declined',
  { decidedBy: id, decidedByName: name }: Pick<Submission, 'decidedBy' | 'decidedByName'>,
): string {
  return id === ''
    ? t(`approval.${decision}`)
    : t(`approval.${decision}By`, { user: memberText({ id, name }) });
}

const approvalText = (t: Translate, submission: Submission): string =>
  decisionText(t, unconfirmedIn(submission).length > 0 ? 'unconfirmed' : 'approved', submission);

export function declinedTogetherText(
  t: Translate,
  count: number,
  declineReason: DeclineReason | undefined,
  longest = MAX_REASON_LENGTH,
): string {
  const why = declineReason && reasonText(t, declineReason, (words) => escapeText(words, longest));
  const item = t('submissions.ended.declined', { count });
  return withSign('rejected', why ? t('look.about', { item, why }) : item);
}

export function reasonTexts(
  t: Translate,
  declineReason: DeclineReason | undefined,
  longest: number,
): readonly string[] {
  const reason = declineReason && reasonText(t, declineReason, (words) => escapeText(words, longest));
  return reason ? [t('approval.reason', { reason })] : [];
}

function signOf(submission: Submission): string {
  const { state } = submission;
  if (state === 'waiting' || state === 'running' || state === 'withdrawn') return STATE_SIGNS[state];
  return LOOK[state === 'declined' ? 'rejected' : worstKindOf(submission)].sign;
}

/**
 * @param member the submitter, if only they can see the text. Otherwise, the text of a waiting submission asks moderators
 * to decide
 */
function stateTextOf(t: Translate, submission: Submission, member?: Context): string {
  const { state, declineReason, expiresAt = 0 } = submission;
  switch (state) {
    case 'waiting':
      return t(member ? 'approval.waiting' : 'approval.toApprove', { seconds: Math.ceil(expiresAt / 1000) });
    case 'running':
      return `${decisionText(t, 'approved', submission)} · ${t('again.sending')}`;
    case 'done': {
      const ended = serverResults(submission);
      const received = ended.filter(({ outcome }) => outcome.kind !== 'not-sent');
      const notSent = ended.filter(({ outcome }) => outcome.kind === 'not-sent');
      const textsOf = (some: typeof ended) => outcomesForLog(t, some, ended.length);
      return [
        approvalText(t, submission),
        ...textsOf(received),
        // Unconfirmed servers are last among the servers that were sent.
        ...unknownTexts(t, ended, member),
        ...textsOf(notSent),
      ].join('\n');
    }
    case 'declined': {
      const reasons = reasonTexts(t, declineReason, MAX_ESCAPED_REASON_LENGTH);
      return [decisionText(t, 'declined', submission), ...reasons].join('\n');
    }
    default:
      return t(`approval.${state}`);
  }
}

const statusText = (t: Translate, submission: Submission, member?: Context): string =>
  `${signOf(submission)} ${stateTextOf(t, submission, member)}`;

/** Asks moderators to check the listing before they send unconfirmed servers again. Refers members to a moderator. */
function unknownTexts(
  t: Translate,
  ended: readonly ServerWithOutcome[],
  member?: Context,
): readonly string[] {
  const { length: count } = ended.filter(({ outcome }) => outcome.kind === 'unknown');
  if (count === 0) return [];
  return [t(member ? 'ended.next.moderator' : 'ended.next.check', { count, site: t.site() })];
}

const MAX_SERVERS_NAMED = 2;

export function serversText(
  t: Translate,
  servers: Submission['servers'],
  games: GameIndex,
  maxNamed = MAX_SERVERS_NAMED,
): string {
  const isSameGame = new Set(servers.map(({ server }) => server.game)).size === 1;
  const named = servers
    .slice(0, maxNamed)
    .map(({ server }, index) =>
      index > 0 && isSameGame ? addressCode(server) : describeServer(t, server, games, MAX_LENGTHS),
    );
  return namedText(t, named, servers.length);
}

export function stateText(t: Translate, submission: Submission, games: GameIndex): string {
  const [item = ''] = statusText(t, submission).split('\n');
  const why = serversText(t, submission.servers, games);
  const isSentence = submission.state === 'withdrawn' || submission.state === 'expired';
  return isSentence ? sentences(item, why) : t('look.about', { item, why });
}

export function decidedText(t: Translate, decided: readonly Submission[], games: GameIndex): string {
  const [first] = decided;
  if (first === undefined) return '';
  const { state, declineReason } = first;
  const servers = decided.flatMap((submission) => submission.servers);
  const members = new Set(decided.map((submission) => byText(t, submission)));
  const why = [serversText(t, servers, games), ...members].join(' · ');
  if (state === 'waiting')
    return `${STATE_SIGNS.waiting} ${t('look.about', { item: t('approval.undone'), why })}`;
  if (state === 'declined') {
    const declined = withSign('rejected', t('look.about', { item: t('approval.declined'), why }));
    return [declined, ...reasonTexts(t, declineReason, MAX_REASON_LENGTH)].join(' · ');
  }
  const ended = serverResults({ servers });
  return approvedText(t, { item: t(`approval.${approvedAs(ended)}`), why }, ended);
}

/** Starts with the worst outcome's sign. */
function approvedText(
  t: Translate,
  about: Readonly<Record<'item' | 'why', string>>,
  ended: readonly ServerWithOutcome[],
): string {
  const kind = worstOf(ended.map(({ outcome }) => outcome.kind));
  const sign = withSign(kind, '');
  const outcomes = outcomesForLog(t, ended).map((text) =>
    text.startsWith(sign) ? text.slice(sign.length) : text,
  );
  return [withSign(kind, t('look.about', about)), ...outcomes, ...unknownTexts(t, ended)].join(' · ');
}

function approvedAs(ended: readonly ServerWithOutcome[]): 'unconfirmed' | 'sent' | 'approved' {
  if (ended.some(({ outcome }) => outcome.kind === 'unknown')) return 'unconfirmed';
  return ended.some(({ outcome }) => outcome.kind !== 'not-sent') ? 'sent' : 'approved';
}

export const againText = (t: Translate, count: number): string | undefined =>
  count > 0 ? t('approval.again', { count }) : undefined;

const MAX_LIST_LENGTH = 1_200;

/**
 * Builds the message about a submission for the log channel. Notifications show only its beginning, which is why it begins
 * with the game servers. It isn't an embed, because users can turn off embeds.
 */
export function channelView(
  t: Translate,
  submission: Submission,
  background: Background,
  games: GameIndex,
): ChannelMessage {
  const { servers } = submission;
  const lines = serverLines(t, submittedIn(submission), games, MAX_LENGTHS).slice(0, MAX_SERVERS_SHOWN);
  const list = fittingLines(t, lines, servers.length, MAX_LIST_LENGTH);
  const text = stateTextOf(t, submission);
  const texts = [
    list,
    aboutText(t, submission, games),
    submission.state === 'waiting' ? `-# ${text}` : text,
    ...backgroundTexts(t, background, games),
  ];
  const isCut = servers.some(({ server }) => addressOf(server).length > MAX_LENGTHS.address);
  const isListComplete = !isCut && list === lines.join('\n');
  return {
    content: `${signOf(submission)} ${texts.filter(Boolean).join('\n')}`,
    components: rows(logButtons(t, submission, { ...background, isListComplete })),
  };
}

const logButtons = (
  t: Translate,
  submission: Submission,
  shown: Background & { readonly isListComplete: boolean },
): readonly APIButtonComponent[] => [
  ...decisionButtons(t, submission, shown),
  ...undoButtons(t, [...shown.decided, submission]),
];

/** Returns warnings for moderators, then earlier decisions, because a message that is too long loses its end. */
export const backgroundTexts = (
  t: Translate,
  background: Background,
  games: GameIndex,
): readonly string[] => [
  ...heldTexts(t, background),
  ...earlierSubmissions(t, background.before, games).flat(),
  ...blockedTexts(t, background),
  ...background.manyPorts.map(
    ({ host, count }) =>
      `🔢 ${t('approval.manyPorts', { count, host: cutForCode(host, MAX_LENGTHS.address) })}`,
  ),
  ...background.decided.map((part) => decidedPartText(t, part, games)),
  ...moreText(t, background.olderDeclineCount),
];

/** Returns the numbers of a list's lines, if {@link serversText} doesn't name all of them. */
function numbersTexts(t: Translate, servers: Submission['servers']): readonly string[] {
  const numbers = servers.length > MAX_SERVERS_NAMED && withNumbers(undefined, servers.map(lineLabel));
  if (!numbers) return [];
  const { lines, more } = numbers;
  return [t('approval.lineNumbers', { numbers: namedText(t, lines, lines.length + more) })];
}

const heldTexts = (t: Translate, { held }: Pick<EarlierDecisions, 'held'>): readonly string[] =>
  held === undefined ? [] : [withSign('not-sent', heldCountText(t, held))];

function decidedPartText(t: Translate, part: Submission, games: GameIndex): string {
  if (part.state === 'declined') return declinedPartText(t, part, games);
  const why = serversText(t, part.servers, games);
  return approvedText(t, { item: approvalText(t, part), why }, serverResults(part));
}

function declinedPartText(t: Translate, part: Submission, games: GameIndex): string {
  const { decidedBy: id, decidedByName: name, servers, declineReason } = part;
  const { length: count } = servers;
  const item =
    id === ''
      ? t('submissions.ended.declined', { count })
      : t('approval.declinedPart', { count, user: memberText({ id, name }) });
  const declined = withSign('rejected', t('look.about', { item, why: serversText(t, servers, games) }));
  return [declined, ...numbersTexts(t, servers), ...reasonTexts(t, declineReason, MAX_REASON_LENGTH)].join(
    ' · ',
  );
}

/**
 * Describes to the member how other lines of the same list ended.
 * @param decisions the decisions about these lines. The lines of older decisions are only counted
 */
export function earlierTexts(
  t: Translate,
  earlier: readonly ServerWithOutcome[],
  decisions: EarlierDecisions,
  games: GameIndex,
): readonly string[] {
  if (earlier.length === 0) return [];
  const addresses = new Set(earlier.map(({ server }) => addressOf(server)));
  const parts = decisions.decided
    .map((part) => ({
      ...part,
      servers: part.servers.filter(({ server }) => addresses.has(addressOf(server))),
    }))
    .filter(({ servers }) => servers.length > 0);
  const named = new Set(parts.flatMap(({ servers }) => servers.map(({ server }) => addressOf(server))));
  const older = earlier.filter(({ server }) => !named.has(addressOf(server)));
  const sent = older.filter(({ outcome }) => !isDeclined(outcome));
  const declined = older.length - sent.length;
  return [
    t('approval.earlier'),
    ...outcomesForLog(t, sent, earlier.length),
    ...(declined > 0 ? [declinedTogetherText(t, declined, undefined)] : []),
    ...parts.map((part) => decidedPartText(t, part, games)),
    ...heldTexts(t, decisions),
  ];
}

const MAX_BLOCKED_NAMED = 5;

const blockedTexts = (t: Translate, { blocked }: Pick<Background, 'blocked'>): readonly string[] =>
  blocked.length === 0
    ? []
    : [`🚫 ${t('blocks.some', { blocked: targetsText(t, blocked, MAX_BLOCKED_NAMED) })}`];

/** Builds a version of {@link channelView} without any text that Discord may have mistaken for a harmful link. */
export function harmfulView(
  t: Translate,
  submission: Submission,
  background: Background,
  games: GameIndex,
): ChannelMessage {
  // Keeps only the first line. Later lines can contain a decline reason, the service's message or addresses of previously
  // submitted servers.
  const [head = ''] = statusText(t, submission).split('\n');
  const components = rows(logButtons(t, submission, { ...background, isListComplete: false }));
  if (submission.state !== 'waiting') return { content: head, components };
  const headings = earlierSubmissions(t, background.before, games).flatMap((group) => group.slice(0, 1));
  return { content: [head, ...headings, t('approval.harmful')].join('\n'), components };
}

export const deletedView = (t: Translate): ChannelMessage => ({ content: `🗑️ ${t('approval.deleted')}` });

export function correctedTexts(
  t: Translate,
  {
    correctedBy: id,
    correctedByName: name,
    correctedFrom: from,
    only,
  }: Pick<Submission, 'correctedBy' | 'correctedByName' | 'correctedFrom'> & {
    /** The corrected server. */
    readonly only: ServerSubmission | undefined;
  },
  games: GameIndex,
): readonly string[] {
  if (id === undefined) return [];
  const by =
    id === '' ? t('approval.corrected') : t('approval.correctedBy', { user: memberText({ id, name }) });
  const code = (value: string) => `\`${cutForCode(value, MAX_LENGTHS.address)}\``;
  return [by, ...(from && only ? changedTexts(t, { from, to: only, format: code }, games) : [])];
}

/**
 * Describes servers like {@link serverLines}, each with the correction of its submission.
 * @param all each server, as `only`, with the correction
 */
export function correctedLines(
  t: Translate,
  all: readonly (Parameters<typeof correctedTexts>[1] & { readonly only: ServerSubmission })[],
  games: GameIndex,
  maxLengths?: Parameters<typeof serverLines>[3],
): readonly string[] {
  const byGame = [...Map.groupBy(all, ({ only }) => only.game).values()].flat();
  const servers = byGame.map(({ only }) => only);
  return serverLines(t, servers, games, maxLengths).map((line, index) => {
    const corrected = byGame[index];
    return [line, ...(corrected ? correctedTexts(t, corrected, games) : [])].join(' · ');
  });
}

export function changedTexts(
  t: Translate,
  {
    from,
    to,
    format,
  }: Readonly<Record<'from' | 'to', ServerSubmission>> & { readonly format: (value: string) => string },
  games: GameIndex,
): readonly string[] {
  const valuesOf = ({ game, server, port, queryPort }: ServerSubmission) => ({
    game: gameNamed(game, games).name,
    server,
    port: String(port),
    query_port: String(queryPort ?? '–'),
  });
  const [before, after] = [valuesOf(from), valuesOf(to)];
  return (['game', 'server', 'port', 'query_port'] as const)
    .filter((field) => before[field] !== after[field])
    .map((field) => {
      const why = `${format(before[field])} → ${format(after[field])}`;
      return t('look.about', { item: t(`addserver.field.${field}`), why });
    });
}

export function undoButtons(t: Translate, submissions: readonly Submission[]): readonly APIButtonComponent[] {
  const latest = submissions.findLast(({ isUndoable }) => isUndoable);
  if (latest === undefined) return [];
  return [button(submissionsId('undo', `${latest.draftId}:${latest.id}`), t('approval.undo'))];
}

export function decisionButtons(
  t: Translate,
  submission: Submission,
  {
    isRepeat,
    isListComplete = submission.servers.length <= MAX_SERVERS_SHOWN,
  }: Pick<Background, 'isRepeat'> & { readonly isListComplete?: boolean },
): readonly APIButtonComponent[] {
  const { id, draftId, state, servers } = submission;
  const seen = `${draftId}:${id}`;
  if (unconfirmedIn(submission).length > 0) {
    return [button(submissionsId('resend', seen), t('again.sendAnyway'))];
  }
  if (state !== 'waiting') return [];
  return [
    isRepeat
      ? button(submissionsId('duplicate', seen), t('approval.removeRepeat'))
      : button(submissionsId('approve', seen), t('approval.approve'), 'success'),
    button(submissionsId('decline', seen), t('approval.decline'), 'danger'),
    ...(servers.length === 1 ? [button(submissionsId('correct', seen), t('approval.correct'))] : []),
    ...(isListComplete ? [] : [button(submissionsId('all', seen), t('pager.showAll'))]),
  ];
}

/** @param then `next` if the message then shows the member's next waiting submission */
export function ownButtons(
  t: Translate,
  { id, draftId, state }: Submission,
  then?: 'next',
): readonly APIButtonComponent[] {
  if (state !== 'waiting') return [];
  const more = then === undefined ? '' : `:${then}`;
  return [
    button(customId('submit', 'change', `${draftId}${more}`), t('again.edit')),
    button(submissionsId('withdraw', `${draftId}:${id}${more}`), t('approval.withdraw')),
  ];
}
