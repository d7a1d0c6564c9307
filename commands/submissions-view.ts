import { formatAddress } from '../src/addresses/address.ts';
import type { Context, Reply } from '../src/discord/command.ts';
import { button, rows } from '../src/discord/components/controls.ts';
import { customId } from '../src/discord/components/custom-ids.ts';
import { type Page, pageButtons, pageFooter, writePage } from '../src/discord/components/pager.ts';
import { isAllowed } from '../src/discord/permission.ts';
import type { HistoryEntry } from '../src/submissions/history.ts';
import { escapeCode, escapeText } from '../src/words/escape.ts';
import { serviceWords } from '../src/words/service.ts';
import { type SubmissionFilter, writeFilter } from './submissions-filter.ts';

export const PER_PAGE = 10;
/** UTF-16 units. Ten entries with the longest message fit into the 4,096 characters of an embed. */
const LONGEST_MESSAGE = 100;
const LONGEST_NAME = 60;
const LONGEST_ADDRESS = 80;

export interface Shown {
  /** Those of the page, newest first, and only what this member may see. */
  readonly entries: readonly HistoryEntry[];
  /** How many there are on all pages. */
  readonly count: number;
  readonly filter: SubmissionFilter;
  readonly page: Page;
  /** Whether the guild has so many that the oldest make room. */
  readonly isFull: boolean;
  /** A game's name by its alias. */
  readonly nameOf: (alias: string) => string;
}

/** A page of the history with the buttons to turn it and to export all of it. */
export function submissionsView(context: Context, shown: Shown): Reply {
  const { entries, count, filter, page, isFull, nameOf } = shown;
  const { t } = context;
  const own = !isAllowed(context, 'manage-guild');
  if (count === 0) {
    const filters = filter.game !== '' || filter.server !== '' || (filter.userId !== '' && !own);
    return {
      content: t(filters ? 'submissions.noneFound' : own ? 'submissions.noneOwn' : 'submissions.none'),
    };
  }
  const lines = entries.map((entry) => entryText(context, entry, { name: nameOf(entry.game), own }));
  return {
    embeds: [
      {
        title: t(own ? 'submissions.titleOwn' : 'submissions.title'),
        description: [
          t('submissions.count', { count }) + (isFull ? `\n${t('submissions.full')}` : ''),
          ...lines,
        ].join('\n\n'),
        ...pageFooter(context, page),
      },
    ],
    components: rows([
      ...pageButtons(context, page, { command: 'submissions', action: 'page', state: writeFilter(filter) }),
      button(customId('submissions', 'export', writePage(1, writeFilter(filter))), t('submissions.export')),
    ]),
  };
}

function entryText(
  { t }: Context,
  { at, userId, server, port, queryPort, outcome, message }: HistoryEntry,
  { name, own }: { readonly name: string; readonly own: boolean },
): string {
  const what = [
    `**${escapeText(name, LONGEST_NAME)}** — \`${escapeCode(formatAddress({ host: server, port }), LONGEST_ADDRESS)}\``,
    ...(queryPort === undefined ? [] : [t('submissions.queryPort', { queryPort })]),
  ];
  const how = [
    outcome === 'rejected'
      ? t('submissions.outcome.rejected', {
          message: escapeText(serviceWords(message ?? '', t), LONGEST_MESSAGE),
        })
      : t(`submissions.outcome.${outcome}`),
    `<t:${Math.floor(at / 1000)}:R>`,
    ...(own ? [] : [userId === '' ? t('submissions.byUnknown') : t('submissions.by', { userId })]),
  ];
  return `${what.join(' · ')}\n${how.join(' · ')}`;
}

const COLUMNS = ['time', 'member', 'game', 'server', 'port', 'queryPort', 'outcome', 'message'] as const;

/** The heading of the table that {@link fileRow} makes the rows of. */
export const fileHeading = ({ t }: Pick<Context, 't'>): readonly string[] =>
  COLUMNS.map((name) => t(`submissions.column.${name}`));

/** An entry as a row of a table; the time is ISO 8601 in UTC. */
export function fileRow({ t }: Pick<Context, 't'>, entry: HistoryEntry): readonly string[] {
  const { at, userName, game, server, port, queryPort, outcome, message } = entry;
  return [
    new Date(at).toISOString(),
    userName,
    game,
    server,
    String(port),
    queryPort === undefined ? '' : String(queryPort),
    t(`submissions.inFile.${outcome}`),
    serviceWords(message ?? '', t),
  ];
}
