import { csvFile, rejectedCsv } from '../server-lists/csv.ts';
import { MAX_FILE_BYTES } from '../server-lists/read-list.ts';
import type { RowProblem, TypedRow } from '../server-lists/row.ts';
import { type Draft, isRefusedRow, type ReadyRow, type RefusedRow } from '../submissions/draft.ts';
import { gameChoices, NEAREST, type SearchedGames } from './games.ts';
import { rowProblemText } from './problem.ts';
import type { Reader } from './words.ts';

/** Discord takes 10 files in a message, and there are others. */
const MOST_FILES = 6;

export interface ListFile {
  readonly name: string;
  readonly data: Buffer;
}

/** A row with what is to be said of it. */
export interface ExplainedRow {
  readonly line: number;
  readonly typed: TypedRow;
  readonly reason: string;
}

/** A sentence without what only Discord shows: code, links, and times in the reader's zone. */
export const plain = (text: string): string =>
  text
    .replaceAll('`', '')
    .replace(/\[([^[\]]*)\]\(<[^<>]*>\)/g, '$1')
    .replace(/<t:(\d{1,12})(?::\w)?>/g, (_, seconds: string) => `${minuteOf(Number(seconds) * 1000)} UTC`);

/** A time in UTC, as in 2026-01-31 23:59; in milliseconds since 1970. */
const minuteOf = (at: number): string => new Date(at).toISOString().slice(0, 16).replace('T', ' ');

/** The games to guess at what was meant with one that is not known. */
export type GuessedGames = SearchedGames & { list(): { readonly games: readonly unknown[] } };

/** Games that all guesses for a file may look at, some 100 ms: of a usual list of games that is each of 1,000 lines. */
const MOST_LOOKED_AT = 200_000;

/** Says of refused rows why, at length, with the games that may have been meant. */
export function reasonsOf({ t }: Pick<Reader, 't'>, games: GuessedGames): (row: RefusedRow) => string {
  const reasons = new Map<RowProblem, string>();
  const near = new Map<string, string>();
  const most = MOST_LOOKED_AT / Math.max(1, games.list().games.length);

  function nearText(typed: string): string {
    if (!near.has(typed) && near.size < most) {
      const names = gameChoices(games.search(typed, NEAREST)).map(({ name }) => name);
      near.set(typed, names.join(', '));
    }
    return near.get(typed) ?? '';
  }

  function reasonOf({ typed, problem }: RefusedRow): string {
    const what = plain(rowProblemText(problem, typed.server, t));
    const meant = problem.code === 'game-unknown' ? nearText(problem.game) : '';
    return meant === '' ? what : `${what}. ${t('list.preview.near', { near: meant })}`;
  }

  return (row) => {
    const reason = reasons.get(row.problem) ?? reasonOf(row);
    reasons.set(row.problem, reason);
    return reason;
  };
}

/** The refused rows of a draft with the reasons at length. Most of the time goes into these. */
export const explainedRows = (
  { rows }: Pick<Draft, 'rows'>,
  reasonOf: ReturnType<typeof reasonsOf>,
): readonly ExplainedRow[] =>
  rows.filter(isRefusedRow).map((row) => ({ line: row.line, typed: row.typed, reason: reasonOf(row) }));

/** A ready row that is not sent, for a reason that is not its own. */
export const explained = ({ line, submission }: ReadyRow, reason: string): ExplainedRow => ({
  line,
  typed: inFields(submission),
  reason: plain(reason),
});

/** A submission in the columns of a file. */
export function inFields({ server, port, queryPort, game }: ReadyRow['submission']): TypedRow {
  return { server, port: String(port), queryPort: queryPort === undefined ? '' : String(queryPort), game };
}

/**
 * The files with the rows that cannot be sent. Where a draft keeps only a part of them, those of its first preview stay
 * beside a newer one.
 */
export function filesOfRefused(
  rows: readonly ExplainedRow[],
  { rows: all }: Pick<Draft, 'rows'>,
): { readonly files: readonly ListFile[]; readonly keepsFiles?: string; readonly names: string } {
  const lost = new Set(
    all.filter((row) => isRefusedRow(row) && row.problem.code === 'not-kept').map(({ line }) => line),
  );
  if (lost.size === 0) {
    const files = rejectedFiles(rows);
    return { files, names: namesOf(files) };
  }
  const files = rejectedFiles(rows.filter(({ line }) => !lost.has(line))).map((file) => ({
    ...file,
    name: `still-${file.name}`,
  }));
  return { files, keepsFiles: FIRST, names: namesOf([{ name: `${FIRST}.csv` }, ...files]) };
}

const FIRST = 'rejected';

/**
 * `rejected.csv`, where there is anything to put into it, and further files for what would make it too large to be
 * sent back.
 */
function rejectedFiles(rows: readonly ExplainedRow[]): readonly ListFile[] {
  if (rows.length === 0) return [];
  const inOrder = rows.toSorted((one, other) => one.line - other.line);
  for (let count = 1; ; count++) {
    const each = Math.ceil(inOrder.length / count);
    const files = Array.from({ length: count }, (_, i) =>
      Buffer.from(rejectedCsv(inOrder.slice(i * each, (i + 1) * each))),
    );
    if (count < MOST_FILES && files.some((data) => data.length > MAX_FILE_BYTES)) continue;
    return files.map((data, i) => ({ name: i === 0 ? 'rejected.csv' : `rejected-${i + 1}.csv`, data }));
  }
}

/** `preview.csv`: all that is sent, in columns that can be read again. */
export function previewFile(rows: readonly ReadyRow[]): ListFile {
  const lines = rows.map((row) => {
    const { server, port, queryPort, game } = inFields(row.submission);
    return [server, port, queryPort, game, String(row.line)];
  });
  const heading = ['server', 'port', 'query_port', 'game', 'line'];
  return { name: 'preview.csv', data: Buffer.from(csvFile([heading, ...lines])) };
}

const namesOf = (files: readonly Pick<ListFile, 'name'>[]): string =>
  files.map(({ name }) => `\`${name}\``).join(', ');
