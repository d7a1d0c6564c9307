import type { ServerSubmission } from '../listing/contract.ts';
import { cellsOf, type Header, headerOf, recordLength, rowUnder, unreadRow } from './bulk-csv.ts';
import { rowOfElement } from './bulk-json.ts';
import { delimiterOf, readCells, readWords } from './bulk-line.ts';
import { jsonElements } from './json-elements.ts';
import { hasWords, plainText, withoutPasswords } from './pasted-text.ts';
import { type GameReading, type RawRow, type RowProblem, readRow, rowText, type TypedRow } from './row.ts';
import { decodeText } from './text-decoding.ts';

/** The most servers in one paste or file: ten requests to the service. */
export const MAX_ROWS = 1000;
/** An address, a game and a query port have room in it; longer ones without a header are something else. */
export const MAX_LINE = 1000;

/** One server of the text. `line` counts from 1; `text` is what to show, without passwords. */
export type Row = { readonly line: number; readonly text: string } & (
  | { readonly ok: true; readonly submission: ServerSubmission }
  /** `typed` is what stood there, for {@link rejectedCsv}. */
  | { readonly ok: false; readonly problem: RowProblem; readonly typed: TypedRow }
  /** The line where the same submission stood first; it is sent once. */
  | { readonly ok: false; readonly duplicateOf: number; readonly submission: ServerSubmission }
);

export type Bulk =
  | { readonly kind: 'rows'; readonly rows: readonly Row[] }
  | { readonly kind: 'too-many'; readonly count: number; readonly most: number }
  /** No text at all: a picture, an archive, UTF-16 without its mark. */
  | { readonly kind: 'binary' }
  /** Meant as JSON, but not JSON from this place on. */
  | { readonly kind: 'bad-json'; readonly line: number; readonly column: number };

/**
 * Reads pasted text or a file: lines of words, CSV with or without a header, or a JSON array. Blank lines, `#`
 * comments and lines of punctuation are skipped. Pure; never throws.
 */
export function parseBulk(input: string | Uint8Array, games: GameReading): Bulk {
  const decoded = typeof input === 'string' ? input : decodeText(input);
  if (decoded === undefined || decoded.includes('\0')) return { kind: 'binary' };
  const text = decoded
    .replace(/^\ufeff/u, '')
    // The fence of a code block; its line break stays, so that lines keep their numbers.
    .replace(/^\s*```\w*(?=\s)/u, (fence) => fence.replace(/[`\w]/gu, ''))
    .replace(/```\s*$/u, '');
  if (/^\s*(?:\[\s*[\]{["]|\{)/u.test(text)) return readJson(text, games);
  const rows: RawRow[] = [];
  const count = readLines(plainText(text).split(/\r\n?|[\n\u2028\u2029]/u), games, rows);
  return count > MAX_ROWS ? { kind: 'too-many', count, most: MAX_ROWS } : finished(rows, games);
}

function readJson(text: string, games: GameReading): Bulk {
  const read = jsonElements(text);
  if (!read.ok) return { kind: 'bad-json', ...read.at };
  const count = read.elements.length;
  if (count > MAX_ROWS) return { kind: 'too-many', count, most: MAX_ROWS };
  const rows = read.elements.map(({ value, line }) =>
    typeof value === 'string'
      ? rowOfLine(plainText(value).replace(/[\r\n]+/gu, ' '), line, games)
      : rowOfElement(value, line),
  );
  return finished(rows, games);
}

/** Blank lines, comments, rules of punctuation, and Excel's `sep=;` are no rows. */
const isContent = (line: string) => !/^\s*(?:#|"?sep=)/iu.test(line) && hasWords(line);

/** Fills `rows` and returns how many there are in all; beyond the most they are only counted. */
function readLines(lines: readonly string[], games: GameReading, rows: RawRow[]): number {
  const first = lines.findIndex(isContent);
  const header = headerOf(lines[first] ?? '');
  // Below a header the cells are cleaned one by one; elsewhere a password must not be cut into cells first.
  const body = header ? lines : lines.map(withoutPasswords);
  let count = 0;
  for (let index = header ? first + 1 : 0, length = 1; index < body.length; index += length) {
    const line = body[index] ?? '';
    length = 1;
    if (!isContent(line) || ++count > MAX_ROWS) continue;
    const delimiter = header?.delimiter ?? delimiterOf(line);
    if (delimiter !== undefined) length = recordLength(body, index, delimiter);
    const record = body.slice(index, index + length).join('\n');
    rows.push(rowOfRecord(record, index + 1, header) ?? rowOfLine(record, index + 1, games));
  }
  return count;
}

/** A record below the header; a line without its delimiter may still be one of words. */
function rowOfRecord(record: string, line: number, header: Header | undefined): RawRow | undefined {
  const cells = header ? cellsOf(record, header.delimiter) : [];
  return header && cells.length > 1 ? rowUnder(header, cells, line) : undefined;
}

/** A line that stands on its own. */
function rowOfLine(record: string, line: number, games: GameReading): RawRow {
  if (record.length > MAX_LINE) {
    return unreadRow(line, record.slice(0, MAX_LINE), {
      code: 'line-too-long',
      length: record.length,
      most: MAX_LINE,
    });
  }
  const text = withoutPasswords(record.trim().replace(/\s#.*$/su, ''));
  const delimiter = delimiterOf(text);
  const cells = delimiter === undefined ? [] : cellsOf(text, delimiter);
  return { line, ...((cells.length > 1 && readCells(cells, games)) || readWords(text, games)) };
}

/** Valid rows, explained rows, and rows that repeat an earlier one. */
function finished(raw: readonly RawRow[], games: GameReading): Bulk {
  const firstLines = new Map<string, number>();
  const rows = raw.map(({ line, typed, problem }): Row => {
    const text = rowText(typed);
    const reading = problem ? ({ ok: false, problem } as const) : readRow(typed, games);
    if (!reading.ok) return { line, text, ok: false, problem: reading.problem, typed };
    const { server, port, queryPort, game } = reading.submission;
    const key = JSON.stringify([server, port, queryPort, game]);
    const duplicateOf = firstLines.get(key);
    const { submission } = reading;
    if (duplicateOf !== undefined) return { line, text, ok: false, duplicateOf, submission };
    firstLines.set(key, line);
    return { line, text, ok: true, submission };
  });
  return { kind: 'rows', rows };
}
