import { parseAddress } from '../addresses/address.ts';
import { addressesIn, isNameOfOther } from '../addresses/addresses-in.ts';
import { isAboutLetters } from '../addresses/name-letters.ts';
import { hasWords, plainText, withoutPasswords, withoutPasswordWords } from '../addresses/pasted-text.ts';
import type { GameIndex } from '../listing/game-search.ts';
import { cellsOf, columnsUnder, delimiterOf, headerOf, readCells, recordsOf, rowsUnder } from './csv.ts';
import { serversOfTree } from './json.ts';
import { jsonTree } from './json-tree.ts';
import {
  type Candidate,
  EMPTY_ROW,
  gameOf,
  hasUnknownGame,
  type InvalidRow,
  inOrderOfPlaces,
  type RawRow,
  type ReadyRow,
  type Row,
  readRow,
  sanitised,
} from './row.ts';
import { createTextParser, type GameReading, type TextRows } from './text-parser.ts';

/** Maximum number of servers in one paste or file: enough for ten requests to the service. */
export const MAX_ROWS = 1000;
export const MAX_FILE_BYTES = 256 * 1024;
/** Maximum length of the text in a modal's field, in UTF-16 units (Discord docs: Component Reference, Text Input). */
export const LONGEST_TYPED = 4000;
export const LINE_BREAK = /\r\n?|[\n\u2028\u2029]/u;
/** Maximum length of a line without a header, in UTF-16 units: enough for an address, a game and a query port. */
const MAX_LINE = 1000;

export type ReadList = ReadRows | UnreadableList;

/**
 * Whether the bot may choose the game servers in a text.
 * - `list`: every address is a game server.
 * - `unsure`: some are, and the member chooses among the others.
 * - `people`: the text is a log or a list of people, so the member chooses every server.
 */
export type Shape = 'list' | 'unsure' | 'people';

export interface ReadRows extends Pick<RawRows, 'leftOut' | 'namesNewGame' | 'unused'> {
  readonly kind: 'rows';
  /** The rows that may be submitted together. Empty for `people`. */
  readonly rows: readonly Row[];
  readonly shape: Shape;
  /** The public addresses that only the member may choose. Empty for `list`. */
  readonly unchosen: readonly Candidate[];
  /** The number of addresses that aren't offered, because they aren't public. */
  readonly hidden: number;
}

export interface UnreadableList {
  readonly kind: 'too-many';
  readonly count: number;
  readonly most: number;
}

/** The servers found in a text, before they are checked. */
export interface RawRows extends TextRows {
  /** The labels of the lines that contain words but no server, see {@link lineLabel}. */
  readonly leftOut: readonly string[];
  /** The names of columns that may hold ports but weren't used. */
  readonly unused: readonly string[];
}

/**
 * Parses pasted text or a file. Accepts lines of words, CSV with or without a header, tables and JSON; broken JSON is read
 * line by line. Skips blank lines, comments and lines of punctuation. Runs in linear time and never throws.
 * @param known the numbers of lines that the bot wrote itself, and that the member returned unchanged. They are entries of a
 * list, whatever they look like.
 */
export function readList(input: string, games: GameReading, _known?: ReadonlySet<number>): ReadList {
  const text = input
    .replace(/^\ufeff/u, '')
    // Removes the start of a code block, but keeps its line break, so that line numbers stay correct.
    .replace(/^\s*```\w*(?=\s)/u, (fence) => fence.replace(/[`\w]/gu, ''))
    .replace(/```\s*$/u, '');
  const { rows: raw, ...read } = readJson(text, games) ?? readLines(plainText(text), games, 'list');
  if (raw.length > MAX_ROWS) return { kind: 'too-many', count: raw.length, most: MAX_ROWS };
  const rows = withRepeats(raw.map((row) => finishedRow(row, games)));
  return {
    kind: 'rows',
    rows,
    shape: 'list',
    unchosen: [],
    hidden: 0,
    leftOut: read.leftOut,
    unused: read.unused,
    namesNewGame: read.namesNewGame || rows.some(hasUnknownGame),
  };
}

/** A list read from typed text or from an uploaded file. */
export type SourceList = (ReadList & SourceText) | NotText;

/** The result for an uploaded file that isn't text. */
export interface NotText {
  readonly kind: 'binary';
}

interface SourceText {
  readonly lineCount: number;
  /** The text without trailing spaces, unless it's longer than {@link LONGEST_TYPED}. */
  readonly text: string | undefined;
}

/** Decodes and parses typed text or the bytes of a file. See {@link readList} for `known`. */
export function readSource(
  source: string | Uint8Array,
  games: GameReading,
  known?: ReadonlySet<number>,
): SourceList {
  const text = typeof source === 'string' ? source : decodeText(source);
  if (text === undefined) return { kind: 'binary' };
  const lineCount = text.split(LINE_BREAK).length;
  const kept = text.trimEnd();
  const list = readList(text, games, known);
  return { ...list, lineCount, text: kept.length <= LONGEST_TYPED ? kept : undefined };
}

/** @returns undefined for text that isn't JSON */
export function readJson(text: string, games: GameReading): RawRows | undefined {
  const tree = jsonTree(text);
  if (tree === undefined) return undefined;
  const found = serversOfTree(tree, games);
  const parser = createTextParser(games, 'list');
  for (const { row, beside } of found.rows) parser.add(row, beside);
  const read = parser.rows();
  const rows = read.rows.map((row, index) => ({ row, at: found.rows[index]?.at ?? 0 }));
  const leftOut = found.leftOut.map(({ line }) => String(line));
  let { namesNewGame } = read;
  for (const { line, at, text } of found.texts) {
    const inText = readLines(plainText(text).replace(/[\r\n]+/gu, ' '), games, 'list');
    rows.push(...inText.rows.map((row) => ({ row: { ...row, line }, at })));
    if (inText.leftOut.length > 0) leftOut.push(String(line));
    namesNewGame ||= inText.namesNewGame;
  }
  const inOrder = rows.toSorted((one, other) => one.at - other.at);
  return { rows: inOrder.map(({ row }) => row), leftOut, namesNewGame, unused: [] };
}

/** @param text plain text; if it's a message, its passwords must already be removed */
export function readLines(text: string, games: GameReading, source: 'list' | 'message'): RawRows {
  const lines = text.split(LINE_BREAK);
  const parser = createTextParser(games, source);
  const heading = lines.findIndex((line) => !isComment(line) && headerOf(line));
  const header = headerOf(lines[heading] ?? '');
  const leftOut: string[] = [];

  function read(line: string, index: number): void {
    if (hasWords(line) && !/^\s*"?sep=/iu.test(line) && !readLine(line, index + 1))
      leftOut.push(String(index + 1));
  }

  function readLine(line: string, number: number): boolean {
    if (source === 'message') return parser.read(line, number);
    if (line.length > MAX_LINE) {
      const typed = { ...EMPTY_ROW, server: sanitised(line) };
      const problem = { code: 'line-too-long', length: line.length, most: MAX_LINE } as const;
      parser.add({ line: number, typed, problem });
      return true;
    }
    if (isComment(line)) return parser.readComment(line);
    const text = withoutComment(withoutPasswords(line.trim()));
    const delimiter = delimiterOf(text);
    const row = delimiter === undefined ? undefined : readCells(cellsOf(text, delimiter), number, games);
    if (row) parser.add(row);
    if (row || parser.read(text, number)) return true;
    // Text that looks like a password might not be one ("PW" can mean Palworld). Its addresses are used, but its words are
    // ignored.
    const addresses = text === line.trim() ? [] : addressesIn(withoutPasswordWords(line));
    return addresses.length > 0 && parser.read(addresses.map((each) => each.text).join(' '), number);
  }

  for (const [index, line] of lines.slice(0, header ? heading : undefined).entries()) read(line, index);
  if (header === undefined) return { ...parser.rows(), leftOut, unused: [] };
  // Comments are blanked out, because they may contain unclosed quotes.
  const below = lines.slice(heading + 1).map((line) => (isComment(line) ? '' : line));
  const records = recordsOf(below, header.delimiter);
  const columns = columnsUnder(
    header,
    records.map(({ cells }) => cells),
    games,
  );
  for (const { index, cells } of records) {
    // A line without the delimiter is read as a line of words.
    if (cells.some(isNameOfOther)) leftOut.push(String(heading + 2 + index));
    else if (cells.length > 1 && cells.some(hasWords)) {
      for (const { row, beside } of rowsUnder(columns, cells, heading + 2 + index, games))
        parser.add(row, beside);
    } else read(below[index] ?? '', heading + 1 + index);
  }
  return { ...parser.rows(), leftOut, unused: columns.unused };
}

/** Whether a line is a comment. A `#` directly before a number and a space is part of a name, such as "#7 Dust2". */
const isComment = (line: string): boolean => /^\s*(?:#(?!\d{1,6}\s)|\/\/)/u.test(line);

/** Removes a comment from the end of a line that contains a server. */
function withoutComment(line: string): string {
  const [before = ''] = line.split(/\s#(?!\d{1,6}\s)/u, 1);
  return namesServer(line.slice(before.length)) && !namesServer(before) ? line : before;
}

const namesServer = (text: string): boolean =>
  addressesIn(text).some(({ isServer, address }) => isServer || address?.port);

/**
 * Checks a row. Returns it as ready, or as invalid with the first problem found.
 * @param known hosts whose letters aren't checked
 */
export function finishedRow(
  { typed, problem, near, ...place }: RawRow,
  games: GameIndex,
  known?: ReadonlySet<string>,
): ReadyRow | InvalidRow {
  const reading = problem
    ? ({ ok: false, problem } as const)
    : readRow(typed, gameOf(typed.game, games), known);
  // A query port that equals the port isn't submitted. The typed text is kept, so that a server lookup doesn't replace the
  // query port.
  const isKept = typed.queryPort !== '' && reading.ok && reading.submission.queryPort === undefined;
  return reading.ok
    ? { kind: 'ready', ...place, submission: reading.submission, ...(isKept && { typed }) }
    : { kind: 'invalid', ...place, problem: reading.problem, typed, ...(near !== undefined && { near }) };
}

/**
 * Accepts the hosts of earlier rows whatever their letters, because stored and waiting servers aren't checked again.
 * @param before the rows that the member edited
 */
export function withKnownHosts<Read extends Row>(
  rows: readonly Read[],
  before: readonly Row[],
  games: GameIndex,
): readonly (Read | ReadyRow | InvalidRow)[] {
  const known = new Set(before.flatMap((row) => (row.kind === 'invalid' ? [] : row.submission.server)));
  return rows.map((row) => {
    const given: Row = row;
    if (given.kind !== 'invalid' || !isAboutLetters(given.problem)) return row;
    const parsed = parseAddress(given.typed.server);
    if (!parsed.ok || !known.has(parsed.address.host)) return row;
    const { kind: _kind, problem: _problem, ...raw } = given;
    return finishedRow(raw, games, known);
  });
}

/** Sorts rows by their place and marks rows that repeat an earlier one. */
export function withRepeats(rows: readonly Row[]): readonly Row[] {
  const firstLines = new Map<string, number>();
  return rows.toSorted(inOrderOfPlaces).map((row): Row => {
    if (row.kind !== 'ready') return row;
    const { line, part, submission } = row;
    const { server, port, queryPort, game } = submission;
    const key = JSON.stringify([server, port, queryPort, game]);
    const firstLine = firstLines.get(key);
    if (firstLine !== undefined)
      return { kind: 'repeated', line, ...(part !== undefined && { part }), firstLine, submission };
    firstLines.set(key, line);
    return row;
  });
}

/** The control characters that {@link TextDecoder} returns for bytes that are undefined in a code page. */
const UNDEFINED_BYTES = /[\u0080-\u009f]/u;
const KANA = /[\u3041-\u30ff]/u;
/** The code pages that spreadsheets use to save files, most likely first. */
const CODE_PAGES = ['windows-1252', 'shift_jis', 'windows-1250', 'windows-1251', 'gb18030', 'big5', 'euc-kr'];
/** Number of lines at the top of a file that are searched for the header. */
const MOST_LINES_ABOVE = 5;

/**
 * Decodes an uploaded file. The file can be in UTF-8, UTF-16 with a byte order mark, or the code page that spreadsheets use
 * on the member's system. If the wrong code page is chosen, names may be garbled. Addresses, ports and games are nearly
 * always ASCII, which all these code pages include.
 * @returns undefined for a file that isn't text
 */
export function decodeText(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  if (bytes.includes(0)) return undefined;
  const text = decoded(bytes, 'utf-8') ?? inCodePage(bytes);
  return text.trim() === '' || hasWords(text) ? text : undefined;
}

function decoded(bytes: Uint8Array, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Decodes a file with the first code page that results in a known header, or else the first that defines every byte. */
function inCodePage(bytes: Uint8Array): string {
  const texts = CODE_PAGES.flatMap((page) => {
    const text = decoded(bytes, page);
    // Nearly every byte is valid in Shift_JIS, so the text must also contain Japanese characters.
    const isLikely =
      text !== undefined && !UNDEFINED_BYTES.test(text) && (page !== 'shift_jis' || KANA.test(text));
    return isLikely ? [text] : [];
  });
  const hasHeader = (text: string) =>
    text.split(LINE_BREAK, MOST_LINES_ABOVE).some((line) => headerOf(line) !== undefined);
  // Falls back to a DOS code page, which defines every byte.
  return texts.find(hasHeader) ?? texts[0] ?? new TextDecoder('ibm866').decode(bytes);
}
