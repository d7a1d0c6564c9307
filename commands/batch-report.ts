import type { Context, Reply } from '../src/discord/command.ts';
import { KNOWN_ERRORS, type Outcome, type ServerSubmission } from '../src/listing/contract.ts';
import { csvFile } from '../src/server-lists/csv-output.ts';
import type { Row } from '../src/server-lists/read-list.ts';
import { type Draft, type ReadyRow, rowsToSend } from '../src/submissions/draft.ts';
import { escapeCode } from '../src/words/escape.ts';
import { lineRanges } from '../src/words/line-ranges.ts';
import { listOutcomeText } from '../src/words/outcome.ts';
import { rowProblemText } from '../src/words/row-problem.ts';
import { serviceWords } from '../src/words/service-words.ts';
import { shortenMarkup } from '../src/words/shorten.ts';
import { restComponents } from './batch-components.ts';
import { plain } from './batch-preview.ts';

export interface ReportOptions {
  readonly draft: Draft;
  /** What came of each row that was to be sent, in their order. */
  readonly outcomes: readonly Outcome[];
  /** The draft of what was not sent, if there is one. */
  readonly restId?: string;
}

const KINDS = ['accepted', 'rejected', 'not-sent', 'unknown'] as const;
/** Different texts that are shown; `report.csv` has them all. */
const MOST_TEXTS = 6;
/** UTF-16 units; with these numbers the report fits into one embed. */
const MOST_WHERE = 150;
const MOST_ADDRESS = 60;

/** What came of a draft: in numbers, in the service's words with the lines they are about, and line by line. */
export function reportOf(context: Context, { draft, outcomes, restId }: ReportOptions): Reply {
  const { t } = context;
  const counts = KINDS.flatMap((kind) => {
    const count = outcomes.filter((outcome) => outcome.kind === kind).length;
    return count > 0 ? [t(`bulk.report.${kind}`, { count })] : [];
  });
  const sent = rowsToSend(draft);
  const about = new Map<string, ReadyRow[]>();
  for (const [place, outcome] of outcomes.entries()) {
    const row = sent[place];
    const text = listOutcomeText(context, outcome);
    if (row)
      about
        .set(text, about.get(text) ?? [])
        .get(text)
        ?.push(row);
  }
  const texts = [...about].slice(0, MOST_TEXTS).map(([text, rows]) => {
    if (rows.length === draft.rows.length) return text;
    return t('bulk.report.where', {
      text,
      where: shortenMarkup(whereText(context, rows, draft), MOST_WHERE),
    });
  });
  const unsent = outcomes.filter(({ kind }) => kind === 'not-sent').length;
  return {
    embeds: [
      {
        title: t('bulk.report.title'),
        description: [counts.join('\n'), ...texts, ...keyText(context, outcomes), t('bulk.report.file')].join(
          '\n\n',
        ),
      },
    ],
    components: restId === undefined ? [] : restComponents(context, restId, unsent),
    files: [{ name: 'report.csv', data: Buffer.from(reportCsv(context, draft, outcomes)) }],
  };
}

/** What to do about the key, unless servers that were not sent because of it say so. */
function keyText({ t, mention }: Context, outcomes: readonly Outcome[]): readonly string[] {
  const isRefused = outcomes.some(
    (each) => each.kind === 'rejected' && each.message === KNOWN_ERRORS.invalidKey,
  );
  const isSaid = outcomes.some((each) => each.kind === 'not-sent' && each.reason === 'key');
  return isRefused && !isSaid ? [t('addserver.next.invalidKey', { setkey: mention('setkey') })] : [];
}

/** Every row of the input in its order, with what came of it. */
function reportCsv({ t, mention }: Context, draft: Draft, outcomes: readonly Outcome[]): string {
  const places = new Map<Row, number>(rowsToSend(draft).map((row, place) => [row, place]));
  const cells = (row: Row): readonly string[] => {
    if ('problem' in row) {
      const { server, port, queryPort, game } = row.typed;
      const reason = plain(rowProblemText(row.problem, row.text, t));
      return [server, port, queryPort, game, t('bulk.outcome.invalid'), reason];
    }
    if ('duplicateOf' in row) {
      const said = t('bulk.preview.sameAs', { line: row.line, first: row.duplicateOf });
      return [...fields(row.submission), t('bulk.outcome.repeated'), said];
    }
    const outcome = outcomes[places.get(row) ?? -1];
    if (!outcome) return [...fields(row.submission), t('bulk.outcome.former'), ''];
    const message =
      'message' in outcome
        ? serviceWords(outcome.message, t)
        : plain(listOutcomeText({ t, mention }, outcome));
    return [...fields(row.submission), t(`bulk.outcome.${outcome.kind}`), message];
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

function whereText({ t }: Context, rows: readonly ReadyRow[], { source }: Draft): string {
  if (source === 'text') {
    return t('bulk.report.lines', { count: rows.length, lines: lineRanges(rows.map(({ line }) => line)) });
  }
  return rows.map(({ text }) => `\`${escapeCode(text, MOST_ADDRESS)}\``).join(', ');
}
