import { formatAddress } from '../addresses/address.ts';
import type { Outcome } from '../listing/contract.ts';
import { csvFile } from '../server-lists/csv.ts';
import type { Row } from '../server-lists/row.ts';
import { isLeft, isRefusedRow, type ReadyRow, rowsToSend } from '../submissions/draft.ts';
import type { Ended } from '../submissions/pipeline.ts';
import {
  explained,
  explainedRows,
  filesOfRefused,
  type GuessedGames,
  inFields,
  plain,
  reasonsOf,
} from './list-files.ts';
import { addressLine } from './list-lines.ts';
import { heldRows, type ListPage, serversEmbed, someLines } from './list-preview.ts';
import { gravestOf, type KnownGames, LOOK, serviceWords } from './outcome.ts';
import { failureText, type NoKey, nextForKey } from './refusal.ts';
import { escapeText, type Reader } from './words.ts';

interface Report extends Pick<Ended, 'draft' | 'outcomes' | 'held'> {
  /** Why the guild has no key to submit with by now, where anything ended because of it. */
  readonly noKey?: NoKey | undefined;
}

const IN_ORDER = ['accepted', 'rejected', 'not-sent', 'unknown'] as const;
/** Different texts that are shown; `report.csv` has them all. */
const MOST_TEXTS = 6;
/** UTF-16 units of these texts: all of it fits into 2,000. */
const MOST_OF_TEXTS = 1_100;
/** Addresses that are named where there are no line numbers, or nobody knows what came of them. */
const MOST_ADDRESSES = 5;

/** What came of a draft: in numbers, in the service's words with the lines they are about, and line by line. */
export function reportOf(reader: Reader, report: Report, games: KnownGames & GuessedGames): ListPage {
  const { t } = reader;
  const { draft, outcomes, held, noKey } = report;
  const ended = endedRows(report);
  const left = rowsToSend(draft).slice(outcomes.length);
  const invalid = draft.rows.filter(isRefusedRow).length;
  const seconds = Math.ceil((held?.until ?? 0) / 1000);
  const notSent = { sign: LOOK['not-sent'].sign, outcome: t('outcome.not-sent') };
  const reasonOf = reasonsOf(reader, games);
  const refused = [
    ...explainedRows(draft, reasonOf),
    ...refusedRows(reader, ended),
    ...heldRows(t, left, held),
  ];
  const { files, names, ...kept } = filesOfRefused(refused, draft);
  const counts = [
    ...IN_ORDER.flatMap((kind) => {
      const count = outcomes.filter((outcome) => outcome.kind === kind).length;
      return count > 0
        ? [t('list.report.count', { sign: LOOK[kind].sign, count, outcome: t(`outcome.${kind}`) })]
        : [];
    }),
    ...(left.length > 0 ? [t('list.report.held', { ...notSent, count: left.length, seconds })] : []),
    ...(invalid > 0 ? [t('list.report.invalid', { ...notSent, count: invalid, files: names })] : []),
  ];
  const csv = { name: 'report.csv', data: Buffer.from(reportCsv(reader, report, reasonOf)) };
  const content = [
    counts.join('\n'),
    ...textsOf(reader, ended, draft.source === 'text'),
    ...nextForKey(reader, noKey),
    [
      t('list.report.file'),
      ...(names === ''
        ? []
        : [t(`list.report.rejectedFile${canGoAgain(report) ? 'Again' : ''}`, { files: names })]),
    ].join(' '),
  ].join('\n\n');
  // Its colour is the report's, and its servers are shown.
  const kind = gravestOf(outcomes.map((outcome) => outcome.kind));
  const shown = ended.filter(({ outcome }) => outcome.kind === kind).map(({ row }) => row.submission);
  return { content, embeds: [serversEmbed(t, kind, shown, games)], files: [csv, ...files], ...kept };
}

/** Whether anything that is ready did not go, and so can be sent again. */
export const canGoAgain = ({ draft, outcomes }: Pick<Ended, 'draft' | 'outcomes'>): boolean =>
  rowsToSend(draft).some((_, index) => isLeft(draft, outcomes[index]));

interface EndedRow {
  readonly row: ReadyRow;
  readonly outcome: Outcome;
}

const endedRows = ({ draft, outcomes }: Report): readonly EndedRow[] =>
  rowsToSend(draft).flatMap((row, index) => {
    const outcome = outcomes[index];
    return outcome ? [{ row, outcome }] : [];
  });

/** What the service refused and what was not sent, each with why. */
const refusedRows = (reader: Reader, ended: readonly EndedRow[]) =>
  ended
    .filter(({ outcome }) => outcome.kind === 'rejected' || outcome.kind === 'not-sent')
    .map(({ row, outcome }) => explained(row, messageOf(reader, outcome)));

/** What is to be said of an outcome in a cell: the service's own words, or why there are none. */
const messageOf = (reader: Reader, outcome: Outcome): string =>
  'message' in outcome ? serviceWords(outcome.message, reader.t) : plain(listOutcomeText(reader, outcome));

/** How a server of a list ended, to be said once for all that ended alike. */
function listOutcomeText(reader: Reader, outcome: Outcome): string {
  const { t } = reader;
  switch (outcome.kind) {
    case 'accepted':
    case 'rejected':
      return t('list.report.says', {
        message: escapeText(serviceWords(outcome.message, t), LONGEST_MESSAGE),
      });
    case 'unknown':
      return t('list.report.unknownText', { reason: failureText(outcome, t) });
    case 'not-sent':
      return t('list.report.notSentText', { reason: failureText(outcome, t) });
  }
}

/** UTF-16 units of the service's words in a report of a list. */
const LONGEST_MESSAGE = 400;

/** What was said, once for all that ended alike, with the lines that it is about; the sign tells which of the counts. */
function textsOf(reader: Reader, ended: readonly EndedRow[], hasLines: boolean): readonly string[] {
  const { t } = reader;
  const about = new Map<string, { readonly kind: Outcome['kind']; readonly rows: ReadyRow[] }>();
  for (const { row, outcome } of ended) {
    const text = listOutcomeText(reader, outcome);
    const same = about.get(text) ?? { kind: outcome.kind, rows: [] };
    same.rows.push(row);
    about.set(text, same);
  }
  const texts: string[] = [];
  let units = 0;
  for (const [text, { kind, rows }] of [...about].slice(0, MOST_TEXTS)) {
    const where = about.size === 1 && kind !== 'unknown' ? [] : whereText(reader, rows, { hasLines, kind });
    const said = [about.size === 1 ? text : `${LOOK[kind].sign} ${text}`, ...where].join('\n');
    units += said.length;
    if (units > MOST_OF_TEXTS && texts.length > 0) break;
    texts.push(said);
  }
  return texts.length < about.size ? [...texts, t('list.report.moreTexts')] : texts;
}

/**
 * The numbers of lines; the addresses where there are none, and where somebody has to look them up. Of those that were
 * sent for review the count is enough.
 */
function whereText(
  { t }: Reader,
  rows: readonly ReadyRow[],
  { hasLines, kind }: { readonly hasLines: boolean; readonly kind: Outcome['kind'] },
): readonly string[] {
  if (kind === 'accepted') return [];
  const numbers = someLines(
    t,
    rows.map(({ line }) => line),
  );
  const lines = hasLines ? [`-# ${t('list.report.lines', { count: rows.length, lines: numbers })}`] : [];
  if (hasLines && kind !== 'unknown') return lines;
  const named = rows
    .slice(0, MOST_ADDRESSES)
    .map(({ submission: { server: host, port } }) => addressLine(formatAddress({ host, port })));
  const rest = rows.length - named.length;
  return [...lines, ...named, ...(rest > 0 ? [t('list.preview.moreServers', { count: rest })] : [])];
}

/** Every row of the input in its order, with what came of it. */
function reportCsv(reader: Reader, report: Report, reasonOf: ReturnType<typeof reasonsOf>): string {
  const { t } = reader;
  const notSent = t('outcome.not-sent');
  const { draft, held } = report;
  const outcomeOf = new Map<Row, Outcome>(endedRows(report).map(({ row, outcome }) => [row, outcome]));
  const left = new Set<Row>(rowsToSend(draft).slice(report.outcomes.length));
  const [waiting] = heldRows(t, [...left].filter((row) => row.ok).slice(0, 1), held);
  const endOf = (row: Row): readonly [outcome: string, message: string] => {
    if (isRefusedRow(row)) return [notSent, reasonOf(row)];
    if ('duplicateOf' in row) {
      return [notSent, t('list.preview.sameAs', { line: row.line, first: row.duplicateOf })];
    }
    const outcome = outcomeOf.get(row);
    if (outcome) return [t(`outcome.${outcome.kind}`), messageOf(reader, outcome)];
    return [notSent, left.has(row) ? (waiting?.reason ?? '') : t('list.report.leftOut')];
  };
  const cells = (row: Row): readonly string[] => {
    const { server, port, queryPort, game } = 'problem' in row ? row.typed : inFields(row.submission);
    return [server, port, queryPort, game, ...endOf(row)];
  };
  return csvFile([
    ['line', 'server', 'port', 'query_port', 'game', 'outcome', 'message'],
    ...draft.rows.map((row) => [String(row.line), ...cells(row)]),
  ]);
}

/** Characters of the bar; narrow enough for a telephone. */
const WIDTH = 20;

/** How far a list has come, in place of the preview and its buttons. */
export function progressOf(
  { t }: Reader,
  done: number,
  count: number,
): { readonly embeds: readonly { readonly title: string; readonly description: string }[] } {
  const full = Math.floor((done / count) * WIDTH);
  const bar = '▰'.repeat(full) + '▱'.repeat(WIDTH - full);
  const description = t('list.progress.text', { bar, done, count });
  return { embeds: [{ title: t('list.progress.title'), description }] };
}
