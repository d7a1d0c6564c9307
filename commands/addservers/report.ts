import type { GuildSettings } from '../../src/guilds/settings.ts';
import type { Context, Reply } from '../../src/interactions/command.ts';
import type { Outcome } from '../../src/listing/contract.ts';
import { type GameIndex, gamesAmong } from '../../src/listing/game-search.ts';
import { csvFile } from '../../src/server-lists/csv-file.ts';
import { isRefused, type ReadyRow, type RefusedRow, type Row } from '../../src/server-lists/row.ts';
import { type Draft, unconfirmedRows } from '../../src/submissions/draft.ts';
import type { Ended } from '../../src/submissions/pipeline.ts';
import { nextForKey } from '../../src/words/keys.ts';
import { announcementOf, outcomeCell, outcomeTexts, pageOfUnknown } from '../../src/words/outcomes.ts';
import { leftText } from '../../src/words/refusal.ts';
import { sentences } from '../../src/words/sentences.ts';
import { FEW_NAMED, moreText, signed } from '../../src/words/servers.ts';
import type { Reader, Translate } from '../../src/words/words.ts';
import { enterKey } from '../setkey.ts';
import { reportRows } from './controls.ts';
import { type ExplainedRow, explained, explainedRows, filesOfRefused, inFields, reasonsOf } from './files.ts';
import { explainLimited, heldText, type ListPage } from './preview.ts';
import { refusedItem } from './refused-lines.ts';

/** What a report is made with. */
export interface ReportDeps {
  readonly games: GameIndex;
  readonly settings: Pick<GuildSettings, 'get'>;
}

/**
 * The outcomes of a draft, with what can be done next. If an explanation cannot be read, the outcomes are told without
 * it.
 */
export async function reportReply(
  context: Context,
  ended: Ended,
  { games, settings }: ReportDeps,
): Promise<Reply> {
  const allowed = await settings.get(context.guildId).catch(() => undefined);
  const rows = endedRows(ended);
  const outcomes = rows.map(({ outcome }) => outcome);
  const servers = rows.map(({ row }) => row.submission);
  return {
    ...reportOf(context, ended, gamesAmong(games, allowed?.games)),
    components: reportRows(context, {
      id: ended.remainderId,
      first: ended.keyProblem && enterKey(context, ended.remainderId),
      canGoAgain: canGoAgain(ended),
      isUnconfirmed: outcomes.some(({ kind }) => kind === 'unknown'),
      page: pageOfUnknown(context, { servers, outcomes }),
    }),
    announcement: announcementOf(context, ended, games),
  };
}

/**
 * The outcomes of a draft: accepted servers first, then the others with the service's words and their lines. A file has
 * every line.
 */
export function reportOf(reader: Reader, result: Ended, games: GameIndex): ListPage {
  const { t } = reader;
  const { draft, keyProblem } = result;
  const ended = endedRows(result);
  const reasonOf = reasonsOf(t, games);
  const refused: readonly ExplainedRow[] = [
    ...explainedRows(draft.rows, reasonOf),
    ...ended
      .filter(({ outcome }) => outcome.kind === 'rejected' || outcome.kind === 'not-sent')
      .map(({ row, outcome }) => explained(row, outcomeCell(t, outcome))),
    ...explainLimited(t, result.limitedRows, result.limited),
  ];
  const { files, names } = filesOfRefused(t, refused);
  const servers = ended.map(({ row: { line, submission: server }, outcome }) => ({ line, server, outcome }));
  const failed = servers.filter(({ outcome }) => outcome.kind !== 'accepted');
  const accepted = servers.filter(({ outcome }) => outcome.kind === 'accepted');
  const content = [
    ...outcomeTexts(reader, accepted),
    ...(accepted.length > 0 ? leftTexts(t, result) : []),
    ...outcomeTexts(reader, failed),
    ...refusedTexts(t, draft, games),
    ...limitedTexts(t, result),
    ...(keyProblem ? [nextForKey(reader, keyProblem)] : []),
    filesText(t, names),
  ].join('\n\n');
  const csv = { name: 'report.csv', data: Buffer.from(reportCsv(t, result, reasonOf)) };
  return {
    content: result.isRecorded ? content : `${content}\n\n${t('ended.unrecorded')}`,
    embeds: [],
    files: [csv, ...files],
  };
}

/** Whether a ready server was surely not added, and can be submitted while its draft is kept. */
function canGoAgain({ outcomes, limitedRows, limited }: Ended): boolean {
  if (outcomes.some(({ kind }) => kind === 'rejected' || kind === 'not-sent')) return true;
  return limitedRows.length > 0 && limited?.isSoon !== false;
}

interface EndedRow {
  readonly row: ReadyRow;
  readonly outcome: Outcome;
}

/** The servers that were submitted, and those that are unconfirmed since an earlier submission. */
function endedRows(ended: Ended): readonly EndedRow[] {
  const submitted = ended.rows.flatMap((row, index) => {
    const outcome = ended.outcomes[index];
    return outcome ? [{ row, outcome }] : [];
  });
  return [...submitted, ...unconfirmedRows(ended).map((row) => ({ row, outcome: row.unconfirmed }))];
}

/** The lines that were not ready. */
function refusedTexts(t: Translate, { rows }: Draft, games: GameIndex): readonly string[] {
  const refused = rows.filter(isRefused);
  if (refused.length === 0) return [];
  const items = refused.slice(0, FEW_NAMED).map((row) => refusedItem(t, row, games, true));
  const count = refused.length;
  return [
    [signed('not-sent', t('list.refused', { count })), ...items, ...moreText(t, count - items.length)].join(
      '\n',
    ),
  ];
}

/** What a limit holds back. */
function limitedTexts(t: Translate, { draft, limitedRows, limited }: Ended): readonly string[] {
  if (limitedRows.length === 0 || limited === undefined) return [];
  return [signed('not-sent', heldText(t, { draft, rows: limitedRows, limited }))];
}

/** How many more servers may be submitted. Not said if a limit held something back, which says it already. */
function leftTexts(t: Translate, { left, limited }: Ended): readonly string[] {
  const text = left && limited === undefined ? leftText(left, t) : undefined;
  return text === undefined ? [] : [`-# ${text}`];
}

const filesText = (t: Translate, files: string): string =>
  `-# ${sentences(t('list.everyLine'), files === '' ? undefined : t('list.notGone', { files }))}`;

/**
 * Every row of the input in its order, with its outcome. Headings and outcomes are in English, since programs read them.
 */
function reportCsv(t: Translate, result: Ended, reasonOf: (row: RefusedRow) => string): string {
  const { draft, limitedRows, limited } = result;
  const outcomeOf = new Map<Row, Outcome>(endedRows(result).map(({ row, outcome }) => [row, outcome]));
  const waiting = new Set<Row>(limitedRows);
  const waitingReason = explainLimited(t, limitedRows.slice(0, 1), limited)[0]?.reason ?? '';
  function endOf(row: Row): { readonly outcome: string; readonly message: string } {
    if (row.kind === 'refused') return { outcome: 'not-sent', message: reasonOf(row) };
    if (row.kind === 'repeated') {
      return { outcome: 'not-sent', message: t('problem.short.repeated', { line: row.firstLine }) };
    }
    const outcome = outcomeOf.get(row);
    if (outcome) return { outcome: outcome.kind, message: outcomeCell(t, outcome) };
    return {
      outcome: 'not-sent',
      message: waiting.has(row) ? waitingReason : t('problem.short.already-submitted'),
    };
  }

  const lines = draft.rows.map((row) => {
    const { server, port, queryPort, game } = row.kind === 'refused' ? row.typed : inFields(row.submission);
    const { outcome, message } = endOf(row);
    return [String(row.line), server, port, queryPort, game, outcome, message];
  });
  return csvFile([['line', 'server', 'port', 'query_port', 'game', 'outcome', 'message'], ...lines]);
}

/** Characters of the progress bar: narrow enough for a phone. */
const WIDTH = 20;

/** How many servers of a list have ended, in place of the preview and its buttons. */
export function progressOf({ t }: Pick<Reader, 't'>, done: number, count: number) {
  const full = Math.floor((done / count) * WIDTH);
  const bar = '▰'.repeat(full) + '▱'.repeat(WIDTH - full);
  return { content: `${t('again.sending')}\n${bar} ${done} / ${count}`, embeds: [] };
}
