import { KNOWN_ERRORS, type Outcome, type ServerSubmission } from '../listing/contract.ts';
import { csvFile } from '../server-lists/csv-output.ts';
import type { Row } from '../server-lists/read-list.ts';
import { type Draft, type ReadyRow, rowsToSend } from '../submissions/draft.ts';
import { escapeCode } from './escape.ts';
import { type ListPage, plain, rejectedFiles } from './list-preview.ts';
import { LOOK } from './look.ts';
import { listOutcomeText } from './outcome.ts';
import { rowProblemText } from './problem.ts';
import { serviceWords } from './service.ts';
import { shortenMarkup } from './shorten.ts';
import type { Reader } from './words.ts';

interface ReportOptions {
  readonly draft: Draft;
  /** What came of each row that was to be sent, in their order. */
  readonly outcomes: readonly Outcome[];
}

const KINDS = ['accepted', 'rejected', 'not-sent', 'unknown'] as const;
/** Different texts that are shown; `report.csv` has them all. */
const MOST_TEXTS = 6;
/** UTF-16 units; with these numbers the report fits into one embed. */
const MOST_WHERE = 150;
const MOST_ADDRESS = 60;

/** What came of a draft: in numbers, in the service's words with the lines they are about, and line by line. */
export function reportOf(reader: Reader, { draft, outcomes }: ReportOptions): ListPage {
  const { t } = reader;
  const counts = KINDS.flatMap((kind) => {
    const count = outcomes.filter((outcome) => outcome.kind === kind).length;
    return count > 0
      ? [t('list.report.count', { sign: LOOK[kind].sign, count, outcome: t(`outcome.${kind}`) })]
      : [];
  });
  const sent = rowsToSend(draft);
  const about = new Map<string, ReadyRow[]>();
  for (const [index, outcome] of outcomes.entries()) {
    const row = sent[index];
    const text = listOutcomeText(reader, outcome);
    if (row)
      about
        .set(text, about.get(text) ?? [])
        .get(text)
        ?.push(row);
  }
  const texts = [...about].slice(0, MOST_TEXTS).map(([text, rows]) => {
    if (rows.length === draft.rows.length) return text;
    return t('list.report.where', {
      text,
      where: shortenMarkup(whereText(reader, rows, draft), MOST_WHERE),
    });
  });
  return {
    embeds: [
      {
        title: t('list.report.title'),
        description: [counts.join('\n'), ...texts, ...keyText(reader, outcomes), t('list.report.file')].join(
          '\n\n',
        ),
      },
    ],
    files: [
      { name: 'report.csv', data: Buffer.from(reportCsv(reader, draft, outcomes)) },
      ...rejectedFiles(reader, draft),
    ],
  };
}

/** What to do about the key, unless servers that were not sent because of it say so. */
function keyText({ t, mention }: Reader, outcomes: readonly Outcome[]): readonly string[] {
  const isRefused = outcomes.some(
    (each) => each.kind === 'rejected' && each.message === KNOWN_ERRORS.invalidKey,
  );
  const isSaid = outcomes.some((each) => each.kind === 'not-sent' && each.reason === 'key');
  return isRefused && !isSaid ? [t('addserver.next.invalidKey', { setkey: mention('setkey') })] : [];
}

/** Every row of the input in its order, with what came of it. */
function reportCsv(reader: Reader, draft: Draft, outcomes: readonly Outcome[]): string {
  const { t } = reader;
  const notSent = t('outcome.not-sent');
  const indexOf = new Map<Row, number>(rowsToSend(draft).map((row, index) => [row, index]));
  const cells = (row: Row): readonly string[] => {
    if ('problem' in row) {
      const { server, port, queryPort, game } = row.typed;
      const reason = plain(rowProblemText(row.problem, row.text, t));
      return [server, port, queryPort, game, notSent, reason];
    }
    if ('duplicateOf' in row) {
      const said = t('list.preview.sameAs', { line: row.line, first: row.duplicateOf });
      return [...fields(row.submission), notSent, said];
    }
    const outcome = outcomes[indexOf.get(row) ?? -1];
    if (!outcome) return [...fields(row.submission), notSent, t('list.report.leftOut')];
    const message =
      'message' in outcome ? serviceWords(outcome.message, t) : plain(listOutcomeText(reader, outcome));
    return [...fields(row.submission), t(`outcome.${outcome.kind}`), message];
  };
  return csvFile([
    ['line', 'server', 'port', 'query_port', 'game', 'outcome', 'message'],
    ...draft.rows.map((row) => [String(row.line), ...cells(row)]),
  ]);
}

const fields = ({ server, port, queryPort, game }: ServerSubmission): readonly string[] => [
  server,
  String(port),
  queryPort === undefined ? '' : String(queryPort),
  game,
];

function whereText({ t }: Reader, rows: readonly ReadyRow[], { source }: Draft): string {
  if (source === 'text') {
    return t('list.report.lines', { count: rows.length, lines: lineRanges(rows.map(({ line }) => line)) });
  }
  return rows.map(({ text }) => `\`${escapeCode(text, MOST_ADDRESS)}\``).join(', ');
}

/** Ascending numbers in a few words: `3, 7, 101–200`. */
function lineRanges(lines: readonly number[]): string {
  const ranges: { first: number; last: number }[] = [];
  for (const line of lines) {
    const range = ranges.at(-1);
    if (range && line === range.last + 1) range.last = line;
    else ranges.push({ first: line, last: line });
  }
  return ranges.map(({ first, last }) => (first === last ? `${first}` : `${first}–${last}`)).join(', ');
}

/** Characters of the bar; narrow enough for a telephone. */
const WIDTH = 20;

/** How far a list has come, in place of the preview and its buttons. */
export function progressOf({ t }: Reader, done: number, count: number): Pick<ListPage, 'embeds'> {
  const full = Math.floor((done / count) * WIDTH);
  const bar = '▰'.repeat(full) + '▱'.repeat(WIDTH - full);
  const description = t('list.progress.text', { bar, done, count });
  return { embeds: [{ title: t('list.progress.title'), description }] };
}
