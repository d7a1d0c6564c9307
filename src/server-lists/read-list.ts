import { hasWords, plainText, withoutPasswords } from '../addresses/pasted-text.ts';
import { createPauses, type Pauses } from '../pauses.ts';
import type { Secret } from '../secret.ts';
import { cellsOf, type Header, headerOf, MAX_RECORD, recordLength, rowUnder, unreadRow } from './csv.ts';
import { jsonElements, rowOfElement } from './json.ts';
import { delimiterOf, readCells, readWords } from './line.ts';
import {
  type Catalog,
  type GameReading,
  type Games,
  type RawRow,
  type Row,
  readRow,
  rowText,
} from './row.ts';

/** The most servers in one paste or file: ten requests to the service. */
export const MAX_ROWS = 1000;
/** The most bytes of a file with servers. */
export const MAX_FILE_BYTES = 256 * 1024;
/** An address, a game and a query port have room in it; longer ones without a header are something else. */
const MAX_LINE = 1000;
/** What a line and a row cost however short they are, in characters to read: some 1 and 50 µs were measured. */
const LINE_WORK = 2;
const ROW_WORK = 50;

export type ReadList = { readonly kind: 'rows'; readonly rows: readonly Row[] } | UnreadableList;

/** Why it cannot be read as a list at all. */
export type UnreadableList =
  | { readonly kind: 'too-many'; readonly count: number; readonly most: number }
  /** No text at all: a picture, an archive, UTF-16 without its mark. */
  | { readonly kind: 'binary' }
  /** Meant as JSON, but not JSON from this place on. */
  | { readonly kind: 'bad-json'; readonly line: number; readonly column: number };

/**
 * Reads pasted text or a file: lines of words, CSV with or without a header, or a JSON array. Blank lines, `#`
 * comments and lines of punctuation are skipped. It pauses between rows, so that a long list stops nobody else; no row
 * is longer than {@link MAX_RECORD}. Never throws.
 */
export async function readList(
  input: string | Uint8Array,
  games: GameReading,
  pauses: Pauses = createPauses(),
): Promise<ReadList> {
  const decoded = typeof input === 'string' ? input : decodeText(input);
  if (decoded === undefined || decoded.includes('\0')) return { kind: 'binary' };
  const text = decoded
    .replace(/^\ufeff/u, '')
    // The fence of a code block; its line break stays, so that lines keep their numbers.
    .replace(/^\s*```\w*(?=\s)/u, (fence) => fence.replace(/[`\w]/gu, ''))
    .replace(/```\s*$/u, '');
  if (/^\s*(?:\[\s*[\]{["]|\{)/u.test(text)) return readJson(text, games, pauses);
  const rows: RawRow[] = [];
  const lines = plainText(text).split(/\r\n?|[\n\u2028\u2029]/u);
  const count = await readLines(lines, { games, rows, pauses });
  return count > MAX_ROWS ? { kind: 'too-many', count, most: MAX_ROWS } : finished(rows, games, pauses);
}

async function readJson(text: string, games: GameReading, pauses: Pauses): Promise<ReadList> {
  const read = await jsonElements(text, pauses);
  if (!read.ok) return { kind: 'bad-json', ...read.at };
  const count = read.elements.length;
  if (count > MAX_ROWS) return { kind: 'too-many', count, most: MAX_ROWS };
  const rows: RawRow[] = [];
  for (const { value, line, length } of read.elements) {
    await pauses(ROW_WORK + Math.min(length, MAX_RECORD));
    if (typeof value !== 'string') rows.push(rowOfElement(value, line));
    else if (value.length > MAX_RECORD) rows.push(tooLong(value, line, MAX_LINE));
    else rows.push(rowOfLine(plainText(value).replace(/[\r\n]+/gu, ' '), line, games));
  }
  return finished(rows, games, pauses);
}

/** Blank lines, comments, rules of punctuation, and Excel's `sep=;` are no rows. */
const isContent = (line: string) => !/^\s*(?:#|"?sep=)/iu.test(line) && hasWords(line);

interface LinesToRead {
  readonly games: GameReading;
  readonly rows: RawRow[];
  readonly pauses: Pauses;
}

/** Fills `rows` and returns how many there are in all; beyond the most they are only counted. */
async function readLines(lines: readonly string[], { games, rows, pauses }: LinesToRead): Promise<number> {
  let first = 0;
  while (first < lines.length && !isContent(lines[first] ?? ''))
    await pauses(LINE_WORK + textAt(first++).length);
  const header = headerOf(textAt(first));
  await pauses(textAt(first).length);
  // Below a header the cells are cleaned one by one; elsewhere a password must not be cut into cells first.
  const lineAt = (index: number) => (header ? textAt(index) : withoutPasswords(textAt(index)));
  let count = 0;
  for (let index = header ? first + 1 : first, length = 1; index < lines.length; index += length) {
    const raw = textAt(index);
    await pauses(LINE_WORK + Math.min(raw.length, MAX_RECORD));
    length = 1;
    if (!isContent(raw)) continue;
    const line = raw.length > MAX_RECORD ? raw : lineAt(index);
    if (!isContent(line) || ++count > MAX_ROWS) continue;
    const delimiter = header?.delimiter ?? delimiterOf(line);
    if (delimiter !== undefined)
      length = recordLength({ line, at: index, lineAt, end: lines.length }, delimiter);
    const record = length === 1 ? line : Array.from({ length }, (_, i) => lineAt(index + i)).join('\n');
    await pauses(ROW_WORK + Math.min(record.length, MAX_RECORD));
    rows.push(rowOfRecord(record, index + 1, header) ?? rowOfLine(record, index + 1, games));
  }
  return count;

  function textAt(index: number): string {
    return lines[index] ?? '';
  }
}

/** A record below the header; a line without its delimiter may still be one of words. */
function rowOfRecord(record: string, line: number, header: Header | undefined): RawRow | undefined {
  if (header && record.length > MAX_RECORD) return tooLong(record, line, MAX_RECORD);
  const cells = header ? cellsOf(record, header.delimiter) : [];
  return header && cells.length > 1 ? rowUnder(header, cells, line) : undefined;
}

const tooLong = (text: string, line: number, most: number): RawRow =>
  unreadRow(line, text, { code: 'line-too-long', length: text.length, most });

/** A line that stands on its own. */
function rowOfLine(record: string, line: number, games: GameReading): RawRow {
  if (record.length > MAX_LINE) return tooLong(record, line, MAX_LINE);
  const text = withoutPasswords(record.trim().replace(/\s#.*$/su, ''));
  const delimiter = delimiterOf(text);
  const cells = delimiter === undefined ? [] : cellsOf(text, delimiter);
  return { line, ...((cells.length > 1 && readCells(cells, games)) || readWords(text, games)) };
}

/** Valid rows, explained rows, and rows that repeat an earlier one. */
async function finished(raw: readonly RawRow[], games: GameReading, pauses: Pauses): Promise<ReadList> {
  const rows: Row[] = [];
  for (const each of raw) {
    const text = rowText(each.typed);
    await pauses(ROW_WORK + text.length);
    rows.push(finishedRow({ ...each, text }, games));
  }
  return { kind: 'rows', rows: withRepeats(rows) };
}

/** A row as it is now understood. */
export function finishedRow(
  { line, text, typed, problem }: RawRow & Pick<Row, 'text'>,
  games: GameReading,
): Row {
  const reading = problem ? ({ ok: false, problem } as const) : readRow(typed, games);
  return reading.ok
    ? { line, text, ok: true, submission: reading.submission }
    : { line, text, ok: false, problem: reading.problem, typed };
}

/** In the order of their lines; what has become the same as an earlier row is a repetition. */
export function withRepeats(rows: readonly Row[]): readonly Row[] {
  const firstLines = new Map<string, number>();
  return rows
    .toSorted((one, other) => one.line - other.line)
    .map((row) => {
      if (!row.ok) return row;
      const { server, port, queryPort, game } = row.submission;
      const key = JSON.stringify([server, port, queryPort, game]);
      const duplicateOf = firstLines.get(key);
      if (duplicateOf !== undefined) return { ...row, ok: false, duplicateOf };
      firstLines.set(key, row.line);
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

export interface ListInput {
  readonly content: string | Uint8Array;
  /** What was typed as the game of rows that name none; may be empty. */
  readonly game: string;
}

/** Games as a catalog knows them, each text looked up once. */
export function gameReading(games: Games, defaultGame?: string): GameReading {
  const known = new Map<string, string | undefined>();
  return {
    ...(defaultGame !== undefined && { defaultGame }),
    findGame(text) {
      if (!known.has(text)) known.set(text, games.find(text)?.alias);
      return known.get(text);
    },
  };
}

/**
 * Reads a list. Where it names a game that is not known the service is asked for its games, unless they are fresh, and
 * it is read anew.
 * @param key what the service is asked with
 */
export async function readWithGames(
  { content, game }: ListInput,
  games: Catalog & { refreshSoon(key: Secret): void },
  key: Secret | undefined,
): Promise<ReadList> {
  const read = () => readList(content, gameReading(games, games.find(game)?.alias));
  const list = await read();
  const isUnknown = game !== '' && !games.find(game);
  if (key === undefined) return list;
  if (games.list().fresh || !(isUnknown || namesUnknownGame(list))) {
    games.refreshSoon(key);
    return list;
  }
  await games.refresh(key);
  return read();
}

const namesUnknownGame = (list: ReadList): boolean =>
  list.kind === 'rows' && list.rows.some((row) => 'problem' in row && row.problem.code === 'game-unknown');
