import {
  changedTexts,
  correctedLines,
  correctedTexts,
  decisionText,
  declinedTogetherText,
  MAX_ESCAPED_REASON_LENGTH,
  MAX_REASON_LENGTH,
  reasonTexts,
  STATE_SIGNS,
} from '../../src/approval/approval-view.ts';
import { reasonText } from '../../src/approval/decline-reasons.ts';
import type { GameIndex } from '../../src/listing/game-search.ts';
import { addressOf } from '../../src/server-lists/row.ts';
import type { HistoryEntry, SubmissionEntry } from '../../src/submissions/history.ts';
import { isDeclined } from '../../src/submissions/outcome.ts';
import { escapeText } from '../../src/words/escape.ts';
import { outcomeCell, type ServerWithOutcome } from '../../src/words/outcomes.ts';
import { byText, namedText, whenText } from '../../src/words/sentences.ts';
import {
  describeServer,
  fittingLines,
  OUTCOME_KINDS,
  serverLine,
  serverLines,
  withSign,
} from '../../src/words/servers.ts';
import { failureText, serviceWords } from '../../src/words/service.ts';
import type { Audience } from '../../src/words/words.ts';

/** Ten entries with service messages of this length fit into an embed (4,096). */
const MAX_MESSAGE_LENGTH = 100;
const MAX_OWN_REASON_LENGTH = 50;
const MAX_LENGTHS = { name: 60, address: 80 };

interface EntryOptions {
  /** The list's number on the page; `undefined` for a single server. */
  readonly number: number | undefined;
  readonly games: GameIndex;
  readonly isOwn: boolean;
  /** Whether the entry is shown alone, with the moderator's whole reason. */
  readonly isOpened?: boolean;
}

/**
 * Formats an entry: its server (or a list's counts per outcome), the time, and the member's name unless all entries are the
 * viewer's own.
 */
export function entryText(
  audience: Audience,
  entry: SubmissionEntry,
  { number, games, isOwn, isOpened = false }: EntryOptions,
): string {
  const { at, only, decidedBy, state, declineReason } = entry;
  const { t } = audience;
  const by = isOwn ? [] : [byText(t, entry)];
  const about = [whenText(at), ...by, ...correctedTexts(t, entry, games)];
  const firstLine = (address: string) => serverLine(t, { game: '', address }, MAX_LENGTHS);
  const what = only
    ? describeServer(t, only, games, MAX_LENGTHS)
    : `**${number}.** ${namedServersText(t, [entry], firstLine)}`;
  if (state === 'declined') {
    const declined = withSign('rejected', decisionText(t, 'declined', entry));
    return [
      what,
      [declined, ...about].join(' · '),
      ...reasonTexts(t, declineReason, isOpened ? MAX_ESCAPED_REASON_LENGTH : MAX_OWN_REASON_LENGTH),
    ].join('\n');
  }
  const isUndecided = decidedBy === '' || state === 'waiting' || state === 'withdrawn';
  const approved = isUndecided ? [] : [decisionText(t, 'approved', entry)];
  const why = only ? whyTexts(t, only) : [];
  return [what, [menuDescription(t, entry), ...about, ...approved].join(' · '), ...why].join('\n');
}

const MAX_NAMED_IN_GROUP = 10;
const MAX_GROUP_LINES_LENGTH = 500;

/** Formats submissions that were declined together as one entry, with the game servers that were submitted alone. */
export function groupText(
  audience: Audience,
  group: readonly SubmissionEntry[],
  { games, isOwn, isOpened = false }: Omit<EntryOptions, 'number'>,
): string {
  const { t } = audience;
  const [first] = group;
  if (first === undefined) return '';
  const servers = group.flatMap(({ only, ...entry }) => (only ? [{ ...entry, only }] : []));
  const lines = correctedLines(t, servers, games, MAX_LENGTHS).slice(0, MAX_NAMED_IN_GROUP);
  const by = isOwn ? [] : [byText(t, first)];
  return [
    declinedTogetherText(
      t,
      serverCountOf(group),
      first.declineReason,
      isOpened ? MAX_ESCAPED_REASON_LENGTH : MAX_REASON_LENGTH,
    ),
    [whenText(first.at), ...by, decisionText(t, 'declined', first)].join(' · '),
    lines.length > 0 && fittingLines(t, lines, serverCountOf(group), MAX_GROUP_LINES_LENGTH),
  ]
    .filter(Boolean)
    .join('\n');
}

export const serverCountOf = (entries: readonly Pick<SubmissionEntry, 'counts'>[]): number =>
  entries.reduce((sum, { counts }) => sum + OUTCOME_KINDS.reduce((all, kind) => all + counts[kind], 0), 0);

/** Counts the servers of one or more entries, and names the first one. @param format formats its address */
export function namedServersText(
  t: Audience['t'],
  entries: readonly Pick<SubmissionEntry, 'counts' | 'first'>[],
  format: (address: string) => string,
): string {
  const count = serverCountOf(entries);
  const item = t('look.servers', { count });
  const first = entries[0]?.first;
  return first ? t('look.about', { item, why: namedText(t, [format(addressOf(first))], count) }) : item;
}

export function menuDescription(t: Audience['t'], { state, only, counts }: SubmissionEntry): string {
  if (state === 'waiting' || state === 'withdrawn') return `${STATE_SIGNS[state]} ${t(`outcome.${state}`)}`;
  if (state === 'declined') return withSign('rejected', t('outcome.declined'));
  return only ? endedText(t, only) : countTexts(t, counts).join(' · ');
}

const countTexts = (t: Audience['t'], counts: SubmissionEntry['counts']): readonly string[] =>
  OUTCOME_KINDS.filter((kind) => counts[kind] > 0).map((kind) =>
    withSign(kind, t(`submissions.ended.${kind}`, { count: counts[kind] })),
  );

/**
 * Formats a list's servers with their outcomes and reasons, sorted by game. Omits declines, which apply to the whole list.
 * Returns one text per server.
 */
export function serverTexts(
  { t }: Audience,
  ended: readonly ServerWithOutcome[],
  { games, isDeclined = false }: { readonly games: GameIndex; readonly isDeclined?: boolean },
): readonly string[] {
  const byGame = [...Map.groupBy(ended, ({ server }) => server.game).values()].flat();
  const servers = byGame.map(({ server }) => server);
  const lines = serverLines(t, servers, games, MAX_LENGTHS);
  return lines.map((line, index) => {
    const each = byGame[index];
    return isDeclined || !each ? line : [line, endedText(t, each), ...whyTexts(t, each)].join('\n');
  });
}

const endedText = (t: Audience['t'], { outcome: { kind } }: Pick<ServerWithOutcome, 'outcome'>): string =>
  withSign(kind, t(`outcome.${kind}`));

function whyTexts(t: Audience['t'], { outcome }: Pick<ServerWithOutcome, 'outcome'>): readonly string[] {
  if (outcome.kind === 'rejected') return [escapeText(serviceWords(outcome.message, t), MAX_MESSAGE_LENGTH)];
  return outcome.kind === 'not-sent' ? [failureText(outcome, t)] : [];
}

/** Column headings for the rows created by {@link fileRow}. They are always in English, because programs read them. */
export const FILE_HEADING = [
  'time',
  'member',
  'game',
  'server',
  'port',
  'query_port',
  'outcome',
  'message',
  'moderator',
  'reason',
  'moderator_name',
  'correction',
];

/**
 * Formats an entry as a row of a table. The time is in ISO 8601 format (UTC), and outcomes are named as in messages. The
 * moderator is a Discord mention, because spreadsheets would round a plain numeric id.
 */
export function fileRow(
  { t }: Pick<Audience, 't'>,
  entry: HistoryEntry,
  games: GameIndex,
): readonly string[] {
  const { at, userName, game, server, port, queryPort, outcome, declineReason, decidedBy, decidedByName } =
    entry;
  const { correctedFrom: from } = entry;
  return [
    new Date(at).toISOString(),
    userName,
    game,
    server,
    String(port),
    queryPort === undefined ? '' : String(queryPort),
    t(`outcome.${isDeclined(outcome) ? 'declined' : outcome.kind}`),
    outcomeCell(t, outcome),
    decidedBy ? `<@${decidedBy}>` : '',
    declineReason === undefined ? '' : reasonText(t, declineReason, (words) => words),
    decidedByName ?? '',
    from ? changedTexts(t, { from, to: entry, format: String }, games).join('; ') : '',
  ];
}
