import type { HistoryEntry } from '../../src/submissions/history.ts';
import { escapeText } from '../../src/words/escape.ts';
import { describe, type KnownGames, LOOK } from '../../src/words/servers.ts';
import { serviceWords } from '../../src/words/service.ts';
import type { Reader } from '../../src/words/words.ts';

/** UTF-16 units. Ten entries with the longest message fit into the 4,096 characters of an embed. */
const LONGEST_MESSAGE = 100;
const LONGEST_WORDS = { name: 60, address: 80 };

/** What was submitted, by whom unless it is the reader's own, and what became of it. */
export function entryText(
  { t }: Reader,
  entry: HistoryEntry,
  { games, own }: { readonly games: KnownGames; readonly own: boolean },
): string {
  const { at, userId, outcome, message } = entry;
  const said =
    outcome === 'rejected' ? `: ${escapeText(serviceWords(message ?? '', t), LONGEST_MESSAGE)}` : '';
  const how = [
    `${LOOK[outcome].sign} ${t(`outcome.${outcome}`)}${said}`,
    `<t:${Math.floor(at / 1000)}:R>`,
    ...(own ? [] : [userId === '' ? t('by.unnamed') : t('by.user', { user: `<@${userId}>` })]),
  ];
  return `${describe(t, entry, games, LONGEST_WORDS)}\n${how.join(' · ')}`;
}

/** The heading of the table that {@link fileRow} makes the rows of. */
export const fileHeading = ({ t }: Pick<Reader, 't'>): readonly string[] => [
  t('submissions.column.time'),
  t('submissions.column.member'),
  t('addserver.field.game'),
  t('addserver.field.server'),
  t('addserver.field.port'),
  t('addserver.field.query_port'),
  t('submissions.column.outcome'),
  t('submissions.column.message'),
];

/** An entry as a row of a table; the time is ISO 8601 in UTC. */
export function fileRow({ t }: Pick<Reader, 't'>, entry: HistoryEntry): readonly string[] {
  const { at, userName, game, server, port, queryPort, outcome, message } = entry;
  return [
    new Date(at).toISOString(),
    userName,
    game,
    server,
    String(port),
    queryPort === undefined ? '' : String(queryPort),
    t(`outcome.${outcome}`),
    serviceWords(message ?? '', t),
  ];
}
