import { ActionRowBuilder, ButtonBuilder, ButtonStyle } from 'discord.js';
import { type Call, customId, type Reply } from '../src/discord/command.ts';
import { escapeCode, escapeText } from '../src/discord/escape.ts';
import { formatAddress } from '../src/submissions/address.ts';
import type { HistoryEntry } from '../src/submissions/history.ts';
import { isManager } from './may-manage.ts';
import { serviceWords } from './service-words.ts';
import { type SubmissionFilter, writeFilter } from './submissions-filter.ts';

const PER_PAGE = 10;
/** UTF-16 units. Ten entries with the longest message fit into the 4,096 characters of an embed. */
const LONGEST_MESSAGE = 100;
const LONGEST_NAME = 60;
const LONGEST_ADDRESS = 80;

export interface Shown {
  /** Newest first, and only what this member may see. */
  readonly entries: readonly HistoryEntry[];
  readonly filter: SubmissionFilter;
  readonly page: number;
  /** A game's name by its alias. */
  readonly nameOf: (alias: string) => string;
}

/** A page of the history with the buttons to turn it and to export all of it. */
export function submissionsView(call: Call, { entries, filter, page, nameOf }: Shown): Reply {
  const { t } = call;
  const own = !isManager(call);
  if (entries.length === 0) {
    const filters = filter.game !== '' || filter.server !== '' || (filter.userId !== '' && !own);
    return {
      content: t(filters ? 'submissions.noneFound' : own ? 'submissions.noneOwn' : 'submissions.none'),
    };
  }
  const pages = Math.ceil(entries.length / PER_PAGE);
  const current = Math.min(Math.max(page, 1), pages);
  const shown = entries.slice((current - 1) * PER_PAGE, current * PER_PAGE);
  const lines = shown.map((entry) => entryText(call, entry, { name: nameOf(entry.game), own }));
  return {
    embeds: [
      {
        title: t(own ? 'submissions.titleOwn' : 'submissions.title'),
        description: [t('submissions.count', { count: entries.length }), ...lines].join('\n\n'),
        ...(pages > 1 && { footer: { text: t('submissions.page', { page: current, pages }) } }),
      },
    ],
    components: [buttons(call, { filter, current, pages })],
  };
}

function entryText(
  { t }: Call,
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

function buttons(
  { t }: Call,
  about: { readonly filter: SubmissionFilter; readonly current: number; readonly pages: number },
): ActionRowBuilder<ButtonBuilder> {
  const { filter, current, pages } = about;
  const button = (action: string, label: string, page: number) =>
    new ButtonBuilder()
      .setCustomId(customId('submissions', action, writeFilter(page, filter)))
      .setLabel(label)
      .setStyle(ButtonStyle.Secondary);
  const turn = (label: string, page: number) =>
    button('page', label, page).setDisabled(page < 1 || page > pages);
  return new ActionRowBuilder<ButtonBuilder>().addComponents(
    ...(pages > 1
      ? [turn(t('submissions.previous'), current - 1), turn(t('submissions.next'), current + 1)]
      : []),
    button('export', t('submissions.export'), 1),
  );
}

/** The entries as rows of a table, with a heading; the times are ISO 8601 in UTC. */
export function submissionsFile(
  { t }: Pick<Call, 't'>,
  entries: readonly HistoryEntry[],
): readonly (readonly string[])[] {
  const columns = ['time', 'member', 'game', 'server', 'port', 'queryPort', 'outcome', 'message'] as const;
  return [
    columns.map((name) => t(`submissions.column.${name}`)),
    ...entries.map(({ at, userName, game, server, port, queryPort, outcome, message }) => [
      new Date(at).toISOString(),
      userName,
      game,
      server,
      String(port),
      queryPort === undefined ? '' : String(queryPort),
      t(`submissions.inFile.${outcome}`),
      serviceWords(message ?? '', t),
    ]),
  ];
}
