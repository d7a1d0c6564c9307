import { parseAddress } from '../addresses/address.ts';
import { addressesIn } from '../addresses/addresses-in.ts';
import { isAboutLetters } from '../addresses/name-letters.ts';
import { hasWords, plainText, withoutPasswords, withoutPasswordWords } from '../addresses/pasted-text.ts';
import { parsePort } from '../addresses/port.ts';
import type { GameIndex } from '../listing/game-search.ts';
import { namesBeside } from './cells.ts';
import {
  cellsOf,
  columnsUnder,
  delimiterOf,
  headerOf,
  lacksPort,
  readCells,
  recordsOf,
  rowsUnder,
} from './csv.ts';
import { isNameOfOther } from './field-names.ts';
import { serversOfTree } from './json.ts';
import { jsonTree } from './json-tree.ts';
import { isSettingOfOther, linesLikeServers, type Shape, shapeOfRecord, worstOf } from './list-shape.ts';
import {
  type Candidate,
  EMPTY_ROW,
  gameOf,
  hasUnknownGame,
  type InvalidRow,
  inOrderOfPlaces,
  placeOf,
  type RawRow,
  type ReadyRow,
  type Row,
  readRow,
  rowText,
  sanitised,
  type TypedRow,
  withPort,
} from './row.ts';
import { createTextParser, type GameReading, type PastedLine, type TextRows } from './text-parser.ts';

/**
 * Ten requests to the service. Checked for a single text or file (`readSource` below), for several files together
 * (list-parser.ts), for JSON in a message (message.ts), and for every change to a draft (`whyTooMany` in draft-editor.ts).
 */
export const MAX_ROWS = 1000;
export const MAX_FILE_BYTES = 256 * 1024;
/** Applies to a modal's field (Discord docs: Component Reference, Text Input). */
export const MAX_TYPED_LENGTH = 4000;
export const LINE_BREAK = /\r\n?|[\n\u2028\u2029]/u;
/** Enough for an address, a game and a query port. */
const MAX_LINE_LENGTH = 4000;

export type ReadList = ReadRows | UnreadableList;

export interface ReadRows extends Pick<RawRows, 'leftOut' | 'namesUnknownGame' | 'unused'> {
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

export interface RawRows extends Omit<TextRows, 'leftOut'> {
  /** The labels of the lines that contain words but no server, and of comments with an address; see `lineLabel`. */
  readonly leftOut: readonly string[];
  /** The names of columns that may hold ports but weren't used. */
  readonly unused: readonly string[];
}

/**
 * Parses pasted text or a file. Accepts lines of words, CSV with or without a header, tables and JSON; broken JSON is read
 * line by line. Skips blank lines, comments without an address and lines of punctuation. Runs in linear time and never throws.
 */
export function readList(input: string, games: GameReading): ReadList {
  const text = withoutFence(input);
  const read = readJson(text, games) ?? readLines(plainText(text), games, 'list');
  const count = read.rows.length;
  return count > MAX_ROWS ? { kind: 'too-many', count, most: MAX_ROWS } : decided(read, games);
}

/** Removes a byte order mark, and a code block around the whole text. Keeps line breaks, so that line numbers stay correct. */
export const withoutFence = (text: string): string =>
  text
    .replace(/^\ufeff/u, '')
    .replace(/^\s*```\w*(?=\s)/u, (fence) => fence.replace(/[`\w]/gu, ''))
    .replace(/```\s*$/u, '');

/** Checks only the rows that the bot may choose for the member. */
export function decided(
  { rows: raw, leftOut, namesUnknownGame, unused }: RawRows,
  games: GameIndex,
): ReadRows {
  const counts = new Map<number, number>();
  const placed = raw.map((row) => {
    const part = (counts.get(row.line) ?? 0) + 1;
    counts.set(row.line, part);
    return part > 1 ? { ...row, part } : row;
  });
  const shape = worstOf(placed.map((row) => row.shape ?? 'list'));
  const isChosen = (row: RawRow) => shape !== 'people' && (row.shape ?? 'list') === 'list';
  const others = placed.filter((row) => !isChosen(row));
  const unchosen = unchosenOf(others, placed.filter(isChosen));
  // If only non-public addresses are left, the member gets their problems.
  const isList = unchosen.length === 0;
  const chosen = isList ? placed : placed.filter(isChosen);
  const rows = withRepeats(chosen.map((row) => finishedRow(row, games)));
  const without = isList
    ? []
    : others.filter(({ typed }) => typed.server === '').map(({ line }) => String(line));
  return {
    kind: 'rows',
    rows,
    shape: isList ? 'list' : shape,
    unchosen,
    hidden: isList ? 0 : others.filter(({ typed }) => typed.server !== '' && !isPublic(typed)).length,
    leftOut: [...leftOut, ...without],
    unused,
    namesUnknownGame: namesUnknownGame || rows.some(hasUnknownGame),
  };
}

/** Whether the host is public, even if its port has to be corrected. */
function isPublic({ server }: TypedRow): boolean {
  const parsed = parseAddress(server);
  return parsed.ok || /^(?:port-|ipv6-brackets)/u.test(parsed.problem.code);
}

function unchosenOf(rows: readonly RawRow[], chosen: readonly RawRow[]): readonly Candidate[] {
  const candidates = rows.filter(({ typed }) => isPublic(typed)).map(candidateOf);
  const hostOf = ({ server }: TypedRow) => {
    const parsed = parseAddress(server);
    return parsed.ok ? parsed.address.host : server;
  };
  const withPort = new Set(
    [...candidates, ...chosen].flatMap(({ typed }) => (lacksPort(typed) ? [] : hostOf(typed))),
  );
  const known = new Set(chosen.map(({ typed }) => formatAddressOf(typed)));
  return candidates.filter(({ typed }) => {
    const key = `${formatAddressOf(typed)} ${typed.game}`;
    const isRepeated = known.has(key) || known.has(formatAddressOf(typed));
    known.add(key);
    return !isRepeated && (!lacksPort(typed) || !withPort.has(hostOf(typed)));
  });
}

const formatAddressOf = ({ server, port }: TypedRow): string =>
  withPort({ ...EMPTY_ROW, server }, port).server;

/** Leaves out an invalid port, and a port of unclear purpose. */
function candidateOf(row: RawRow): Candidate {
  const { typed, gameInText, near, findWords } = row;
  const port = parsePort(typed.port).ok ? typed.port : '';
  return {
    ...placeOf(row),
    typed: { ...typed, port, game: gameInText ?? '' },
    words: findWords?.() ?? '',
    ...(near !== undefined && { near }),
  };
}

export type SourceList = (ReadList & SourceText) | NotText;

export interface NotText {
  readonly kind: 'binary';
}

interface SourceText {
  readonly lineCount: number;
  /** The text without trailing spaces, unless it's longer than {@link MAX_TYPED_LENGTH}. */
  readonly text: string | undefined;
}

export function readSource(source: string | Uint8Array, games: GameReading): SourceList {
  const text = typeof source === 'string' ? source : decodeText(source);
  if (text === undefined) return { kind: 'binary' };
  const lineCount = text.split(LINE_BREAK).length;
  const kept = text.trimEnd();
  const list = readList(text, games);
  return { ...list, lineCount, text: kept.length <= MAX_TYPED_LENGTH ? kept : undefined };
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
  const leftOut = found.leftOut.map(({ at }) => at);
  let { namesUnknownGame } = read;
  for (const { at, text, shape } of found.texts) {
    const inText = readLines(plainText(text).replace(/[\r\n]+/gu, ' '), games, 'list');
    for (const row of inText.rows)
      rows.push({ row: { ...row, shape: worstOf([shape, row.shape ?? 'list']) }, at });
    if (inText.rows.length === 0) leftOut.push(at);
    namesUnknownGame ||= inText.namesUnknownGame;
  }
  // Entries are numbered, because JSON is often written in one line.
  const places = sortedUnique([...rows.map(({ at }) => at), ...leftOut]);
  const numbers = new Map(places.map((at, index) => [at, index + 1]));
  const sorted = rows.toSorted((one, other) => one.at - other.at);
  return {
    rows: sorted.map(({ row, at }) => ({ ...row, line: numbers.get(at) ?? 0 })),
    leftOut: sortedUnique(leftOut).map((at) => String(numbers.get(at))),
    namesUnknownGame,
    unused: [],
  };
}

/** Expects {@link plainText}. */
export function readLines(text: string, games: GameReading, source: 'list' | 'message'): RawRows {
  const raw = text.split(LINE_BREAK);
  // Words that look like a password might be part of a sentence, so the rest of the line is read.
  const lines = source === 'message' ? withoutPasswordWords(text).split(LINE_BREAK) : raw;
  const parser = createTextParser(games, source);
  const top = lines.findIndex((line) => !isComment(line) && headerOf(line));
  const header = headerOf(lines[top] ?? '');
  const likeServers: ReadonlySet<number> = source === 'list' ? linesLikeServers(lines) : new Set();
  const leftOut: number[] = [];
  let heading = '';

  function read(line: string, index: number): void {
    if (!hasWords(line) || /^\s*"?sep=/iu.test(line)) return;
    const number = index + 1;
    const place = { number, raw: raw[index] ?? line, isLikeServers: likeServers.has(index) };
    if (!readLine(line, place)) leftOut.push(number);
    heading = line;
  }

  function readLine(line: string, place: PastedLine): boolean {
    if (source === 'message') return parser.read(line, place);
    const { number } = place;
    if (line.length > MAX_LINE_LENGTH) {
      const typed = { ...EMPTY_ROW, server: sanitised(line) };
      const problem = { code: 'line-too-long', length: line.length, most: MAX_LINE_LENGTH } as const;
      parser.add({ line: number, typed, problem });
      return true;
    }
    if (isComment(line)) {
      parser.readComment(line);
      return !namesServer(line);
    }
    const text = withoutComment(withoutPasswords(line.trim()));
    const delimiter = delimiterOf(text);
    const row = delimiter === undefined ? undefined : readCells(cellsOf(text, delimiter), number, games);
    if (row) parser.add(row);
    if (row || parser.read(text, place)) return true;
    // Text that looks like a password might not be one ("PW" can mean Palworld). Its addresses are used, but its words are
    // ignored.
    const isSame = text === line.trim() || isSettingOfOther(line);
    const addresses = isSame ? [] : addressesIn(withoutPasswordWords(line));
    return addresses.length > 0 && parser.read(addresses.map((each) => each.text).join(' '), place);
  }

  function finished(unused: readonly string[]): RawRows {
    const { rows, namesUnknownGame, leftOut: asides } = parser.rows();
    const sorted = rows.toSorted((one, other) => one.line - other.line);
    return {
      rows: sorted,
      namesUnknownGame,
      leftOut: sortedUnique([...leftOut, ...asides]).map(String),
      unused,
    };
  }

  for (const [index, line] of lines.slice(0, header ? top : undefined).entries()) read(line, index);
  if (header === undefined) return finished([]);
  // Comments are blanked out, because they may contain unclosed quotes.
  const below = lines.slice(top + 1).map((line) => (isComment(line) ? '' : line));
  for (const [index, line] of lines.entries()) {
    if (index > top && isComment(line) && namesServer(line)) leftOut.push(index + 1);
  }
  const records = recordsOf(below, header.delimiter);
  const columns = columnsUnder(
    header,
    records.map(({ cells }) => cells),
    games,
  );
  const above = heading;
  for (const { index, cells } of records) {
    const line = top + 2 + index;
    // A line without the delimiter is read as a line of words.
    if (cells.some(isNameOfOther)) leftOut.push(line);
    else if (cells.length > 1 && cells.some(hasWords)) {
      // A header can be much longer than its records, so only filled cells count.
      const named = cells.flatMap((text, column) =>
        text === '' ? [] : [{ name: columns.names[column] || (header.names[column] ?? ''), text }],
      );
      const shape = shapeOfRecord(named, [above], games);
      const rows = rowsUnder(columns, cells, line, games);
      // A row with only notes, such as the sums below a table.
      if (rows.every(({ row, beside }) => isEmpty(row) && beside === undefined)) leftOut.push(line);
      else
        for (const { row, beside } of rows)
          parser.add({ ...row, shape, findWords: () => namesBeside(named) }, beside);
    } else read(below[index] ?? '', line - 1);
  }
  return finished(columns.unused);
}

const sortedUnique = (numbers: readonly number[]): readonly number[] =>
  [...new Set(numbers)].toSorted((one, other) => one - other);

const isEmpty = ({ typed, problem }: RawRow): boolean => problem === undefined && rowText(typed) === '';

/** Whether a line is a comment. A `#` directly before a number and a space is part of a name, such as "#7 Dust2". */
const isComment = (line: string): boolean => /^\s*(?:#(?!\d{1,6}\s)|\/\/)/u.test(line);

function withoutComment(line: string): string {
  const [before = ''] = line.split(/\s#(?!\d{1,6}\s)/u, 1);
  return namesServer(line.slice(before.length)) && !namesServer(before) ? line : before;
}

const namesServer = (text: string): boolean => addressesIn(text).length > 0;

/** @param known hosts whose letters aren't checked */
export function finishedRow(
  { line, part, typed, problem, near }: RawRow,
  games: GameIndex,
  known?: ReadonlySet<string>,
): ReadyRow | InvalidRow {
  const place = placeOf({ line, part });
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

export function withRepeats(rows: readonly Row[]): readonly Row[] {
  const firstLines = new Map<string, number>();
  return rows.toSorted(inOrderOfPlaces).map((row): Row => {
    if (row.kind !== 'ready') return row;
    const { line, submission } = row;
    const { server, port, queryPort, game } = submission;
    const key = JSON.stringify([server, port, queryPort, game]);
    const firstLine = firstLines.get(key);
    if (firstLine !== undefined) return { kind: 'repeated', ...placeOf(row), firstLine, submission };
    firstLines.set(key, line);
    return row;
  });
}

/** The control characters that {@link TextDecoder} returns for bytes that are undefined in a code page. */
const UNDEFINED_BYTES = /[\u0080-\u009f]/u;
const KANA = /[\u3041-\u30ff]/u;
/** The code pages that spreadsheets use to save files, most likely first. */
const CODE_PAGES = ['windows-1252', 'shift_jis', 'windows-1250', 'windows-1251', 'gb18030', 'big5', 'euc-kr'];
const MAX_LINES_ABOVE_HEADER = 5;

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
    text.split(LINE_BREAK, MAX_LINES_ABOVE_HEADER).some((line) => headerOf(line) !== undefined);
  // Falls back to a DOS code page, which defines every byte.
  return texts.find(hasHeader) ?? texts[0] ?? new TextDecoder('ibm866').decode(bytes);
}
