import { formatAddress } from '../addresses/address.ts';
import type { HistoryEntry } from '../submissions/history.ts';
import { escapeCode, escapeText } from './escape.ts';
import { LOOK } from './look.ts';
import { serviceWords } from './outcome.ts';
import type { Reader } from './words.ts';

/** UTF-16 units. Ten entries with the longest message fit into the 4,096 characters of an embed. */
const LONGEST_MESSAGE = 100;
const LONGEST_NAME = 60;
const LONGEST_ADDRESS = 80;

/** What was submitted, by whom unless it is the reader's own, and what became of it. */
export function entryText(
  { t }: Reader,
  { at, userId, server, port, queryPort, outcome, message }: HistoryEntry,
  { name, own }: { readonly name: string; readonly own: boolean },
): string {
  const what = [
    `**${escapeText(name, LONGEST_NAME)}** — \`${escapeCode(formatAddress({ host: server, port }), LONGEST_ADDRESS)}\``,
    ...(queryPort === undefined ? [] : [t('submissions.queryPort', { queryPort })]),
  ];
  const said =
    outcome === 'rejected' ? `: ${escapeText(serviceWords(message ?? '', t), LONGEST_MESSAGE)}` : '';
  const how = [
    `${LOOK[outcome].sign} ${t(`outcome.${outcome}`)}${said}`,
    `<t:${Math.floor(at / 1000)}:R>`,
    ...(own ? [] : [userId === '' ? t('submissions.byUnknown') : t('submissions.by', { userId })]),
  ];
  return `${what.join(' · ')}\n${how.join(' · ')}`;
}

const COLUMNS = ['time', 'member', 'game', 'server', 'port', 'queryPort', 'outcome', 'message'] as const;

/** The heading of the table that {@link fileRow} makes the rows of. */
export const fileHeading = ({ t }: Pick<Reader, 't'>): readonly string[] =>
  COLUMNS.map((name) => t(`submissions.column.${name}`));

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
