import { hasWords, plainText, withoutPasswords } from '../addresses/pasted-text.ts';
import { clipped } from '../visible-line.ts';
import { cellsOf, delimiterOf, headerOf, recordsOf, rowUnder } from './csv.ts';
import { jsonElements, rowOfElement } from './json.ts';
import { readCells, readWords } from './line.ts';
import { EMPTY_ROW, type Games, type RawRow, type Row, type RowProblem, readRow, shown } from './row.ts';

/** The most servers in one paste or file: ten requests to the service. */
export const MAX_ROWS = 1000;
/** The most bytes of a file with servers. */
export const MAX_FILE_BYTES = 256 * 1024;
/** An address, a game and a query port have room in it; longer ones without a header are something else. */
const MAX_LINE = 1000;

/** How the games in a text are understood. */
export interface GameReading extends Games {
  /** The alias for rows that name no game. */
  readonly defaultGame?: string | undefined;
}

export type ReadList = { readonly kind: 'rows'; readonly rows: readonly Row[] } | UnreadableList;

/** Why it cannot be read as a list at all. */
export type UnreadableList =
  | { readonly kind: 'too-many'; readonly count: number; readonly most: number }
  /** Meant as JSON, but not JSON from this place on. */
  | { readonly kind: 'bad-json'; readonly line: number; readonly column: number };

/**
 * Reads pasted text or a file: lines of words, CSV with or without a header, or a JSON array. Blank lines, `#`
 * comments and lines of punctuation are skipped. Linear in the length of the text. Never throws.
 */
export function readList(input: string, games: GameReading): ReadList {
  const text = input
    .replace(/^\ufeff/u, '')
    // The fence of a code block; its line break stays, so that lines keep their numbers.
    .replace(/^\s*```\w*(?=\s)/u, (fence) => fence.replace(/[`\w]/gu, ''))
    .replace(/```\s*$/u, '');
  return /^\s*(?:\[\s*[\]{["]|\{)/u.test(text) ? readJson(text, games) : readText(text, games);
}

function readJson(text: string, games: GameReading): ReadList {
  const read = jsonElements(text);
  if (!read.ok) return { kind: 'bad-json', ...read.at };
  return readAll(read.elements, games, ({ value, line }) =>
    typeof value === 'string'
      ? rowOfLine(plainText(value).replace(/[\r\n]+/gu, ' '), line, games)
      : rowOfElement(value, line),
  );
}

function readText(text: string, games: GameReading): ReadList {
  const lines = plainText(text).split(/\r\n?|[\n\u2028\u2029]/u);
  const first = lines.findIndex(isContent);
  const header = headerOf(lines[first] ?? '');
  if (header === undefined) {
    const texts = lines.map((line, index) => ({ line: index + 1, text: withoutPasswords(line) }));
    const written = texts.filter((each) => isContent(each.text));
    return readAll(written, games, (each) => rowOfLine(each.text, each.line, games));
  }
  // A comment may have quotes in it that are not closed.
  const below = lines.slice(first + 1).map((line) => (COMMENT.test(line) ? '' : line));
  const records = recordsOf(below, header.delimiter).filter(({ cells }) => cells.some(hasWords));
  return readAll(records, games, ({ index, cells }) => {
    const line = first + 2 + index;
    // A line without the delimiter may still be one of words.
    return cells.length > 1 ? rowUnder(header, cells, line) : rowOfLine(below[index] ?? '', line, games);
  });
}

const COMMENT = /^\s*#/u;

/** Blank lines, comments, rules of punctuation, and Excel's `sep=;` are no rows. */
const isContent = (line: string) => hasWords(line) && !COMMENT.test(line) && !/^\s*"?sep=/iu.test(line);

/** A line that stands on its own. */
function rowOfLine(line: string, number: number, games: Games): RawRow {
  if (line.length > MAX_LINE) {
    const typed = { ...EMPTY_ROW, server: clipped(shown(line), 100) };
    return {
      line: number,
      typed,
      problem: { code: 'line-too-long', length: line.length, most: MAX_LINE },
    };
  }
  const text = withoutPasswords(line.trim().replace(/\s#.*$/su, ''));
  const delimiter = delimiterOf(text);
  const cells = delimiter === undefined ? [] : cellsOf(text, delimiter);
  const reading = cells.length > 1 ? readCells(cells, games) : undefined;
  return { line: number, ...(reading ?? readWords(text, games)) };
}

/** Reads each part of a list, unless there are too many of them, into valid, explained and repeated rows. */
function readAll<Part>(parts: readonly Part[], games: GameReading, rowOf: (part: Part) => RawRow): ReadList {
  if (parts.length > MAX_ROWS) return { kind: 'too-many', count: parts.length, most: MAX_ROWS };
  const rows = parts.map((part) => finishedRow(withDefaultGame(rowOf(part), games.defaultGame), games));
  return { kind: 'rows', rows: withRepeats(rows) };
}

/** Of these nothing is known of what stood where. */
const UNREAD: ReadonlySet<RowProblem['code'] | undefined> = new Set([
  'no-address',
  'line-too-long',
  'not-an-object',
]);

function withDefaultGame(row: RawRow, game: string | undefined): RawRow {
  if (game === undefined || hasWords(row.typed.game) || UNREAD.has(row.problem?.code)) return row;
  return { ...row, typed: { ...row.typed, game } };
}

/** A row as it is now understood. */
export function finishedRow({ line, typed, problem }: RawRow, games: Games): Row {
  const reading = problem ? ({ ok: false, problem } as const) : readRow(typed, games);
  return reading.ok
    ? { kind: 'ready', line, submission: reading.submission }
    : { kind: 'refused', line, problem: reading.problem, typed };
}

/** In the order of their lines; what has become the same as an earlier row is a repetition. */
export function withRepeats(rows: readonly Row[]): readonly Row[] {
  const firstLines = new Map<string, number>();
  return rows
    .toSorted((one, other) => one.line - other.line)
    .map((row): Row => {
      if (row.kind !== 'ready') return row;
      const { line, submission } = row;
      const { server, port, queryPort, game } = submission;
      const key = JSON.stringify([server, port, queryPort, game]);
      const firstLine = firstLines.get(key);
      if (firstLine !== undefined) return { kind: 'repeated', line, firstLine, submission };
      firstLines.set(key, line);
      return row;
    });
}

/** Control characters that no text file has; tab, line ends and form feed are none of them. */
const BINARY = /(?![\t\n\v\f\r\u0085])\p{Cc}/u;

/**
 * The text of an uploaded file: UTF-8, or UTF-16 when a byte order mark says so, or what a spreadsheet on
 * Windows saves (code page 1252) when it is neither and still looks like text.
 * @returns undefined for something that is no text
 */
export function decodeText(bytes: Uint8Array): string | undefined {
  const text = decode(bytes);
  return BINARY.test(text) ? undefined : text;
}

function decode(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
