import { parse } from 'csv-parse/sync';
import { isMeantAsAddress, parseAddress } from '../addresses/address.ts';
import { unwrapped } from '../addresses/pasted-text.ts';
import { HIGHEST_PORT } from '../addresses/port.ts';
import type { GameIndex } from '../listing/game-search.ts';
import { type CellRow, rowsOfCells } from './cells.ts';
import { rearmed } from './csv-file.ts';
import { type Field, fieldCalled } from './field-names.ts';
import {
  gameOf,
  LOWEST_BARE_PORT,
  type RawRow,
  type RowProblem,
  sanitised,
  sanitisedAddress,
} from './row.ts';

/** The delimiter of the cells of a line: the one that is rarest in ordinary text. A single `|` may stand between two names. */
export function delimiterOf(line: string): string | undefined {
  if (/^\s*\|[^|]+\|/u.test(line)) return '|';
  const delimiter = ['\t', ';', ','].find((each) => line.includes(each));
  return delimiter ?? (line.split('|').length > 2 ? '|' : undefined);
}

const CSV = { trim: true, relax_column_count: true, record_delimiter: '\n' } as const;

/** The cells of one line, without spaces around them. */
export function cellsOf(line: string, delimiter: string): readonly string[] {
  try {
    const [cells = []] = parse(line, { ...CSV, delimiter });
    return cells.map(cleaned);
  } catch {
    // Quotes that are not CSV's.
    return line.split(delimiter).map((cell) => cleaned(unwrapped(cell)));
  }
}

const cleaned = (cell: string): string => rearmed(cell.trim());

/** A cell in quotes that has more lines is a quote that somebody forgot to close. */
const MAX_LINES_OF_RECORD = 10;

interface TableRecord {
  /** The index of the line where it begins. */
  readonly index: number;
  readonly cells: readonly string[];
}

/** The records of a table. Cells in quotes may have line breaks in them, unless a quote in the table is never closed. */
export function recordsOf(lines: readonly string[], delimiter: string): readonly TableRecord[] {
  // A table with `|` has no quotes around cells, but text behind it may.
  const records = delimiter === '|' ? undefined : wholeRecords(lines.join('\n'), delimiter);
  return records ?? lines.map((line, index) => ({ index, cells: cellsOf(line, delimiter) }));
}

function wholeRecords(text: string, delimiter: string): readonly TableRecord[] | undefined {
  const records: TableRecord[] = [];
  let next = 0;
  try {
    for (const cells of parse(text, { ...CSV, delimiter })) {
      const lines = cells.join('').split('\n').length;
      if (lines > MAX_LINES_OF_RECORD) return undefined;
      records.push({ index: next, cells: cells.map(cleaned) });
      next += lines;
    }
    return records;
  } catch {
    return undefined;
  }
}

export interface Header {
  readonly delimiter: string;
  readonly names: readonly string[];
}

/** The fields of a game server itself, of which a header names at least one beside the address. */
const FIELDS_OF_HEADER: ReadonlySet<Field | undefined> = new Set<Field>([
  ...(['port', 'gamePort', 'queryPort', 'game', 'type', 'name'] as const),
]);

/** A header names the server and at least one more field. A row of data cannot: a lone word would be a host. */
export function headerOf(line: string): Header | undefined {
  const delimiter = delimiterOf(line);
  // A port or an address. Most lines are no header.
  if (delimiter === undefined || /\d{3}/u.test(line)) return undefined;
  const names = cellsOf(line, delimiter);
  const fields = names.map((name) => fieldCalled(name)?.field);
  const others = fields.filter((field) => FIELDS_OF_HEADER.has(field));
  const servers = fields.filter((field) => field === 'server').length;
  return servers > 0 && servers + others.length > 1 ? { delimiter, names } : undefined;
}

/** The names of columns by which their cells are read, and those of columns that may matter and are not used. */
export interface Columns {
  readonly names: readonly string[];
  readonly unused: readonly string[];
}

/** A column with the cells that are not empty. */
interface Column {
  readonly name: string;
  readonly field: Field | undefined;
  readonly index: number;
  readonly cells: readonly string[];
}

/**
 * The columns below a header. One that it names differently is known by its cells: most are games, or most are addresses
 * where no other column has any. Beside addresses without a port, numbers that can be ports are the ports, if they stand in the next
 * column and no other has such numbers.
 */
export function columnsUnder(
  { names }: Header,
  records: readonly (readonly string[])[],
  games: GameIndex,
): Columns {
  const columns = names.map((name, index): Column => {
    const cells = records.map((cells) => cells[index] ?? '').filter((cell) => cell !== '');
    return { name, field: fieldCalled(name)?.field, index, cells };
  });
  const unknown = columns.filter(({ field }) => field === undefined || field === 'unclearPort');
  const withField = (...fields: readonly Field[]) =>
    columns.filter(({ field, cells }) => field && fields.includes(field) && cells.length > 0);

  const isGame = (cell: string) => gameOf(cell, games) !== undefined;
  const gameColumn =
    withField('game').length > 0 ? undefined : unknown.find(({ cells }) => areMostly(cells, isGame));
  const named = withField('server').find(({ cells }) => cells.some(isAddress));
  const addressColumn = named ?? unknown.find(({ cells }) => areMostly(cells, isAddress));
  const needsPort =
    withField('port', 'gamePort').length === 0 &&
    addressColumn !== undefined &&
    !addressColumn.cells.some(hasOwnPort);
  const ports = unknown.filter(({ field, cells }) => {
    const isUsed = field === 'unclearPort' && needsPort;
    return !isUsed && cells.length > 0 && cells.every(canBePort);
  });
  const [portColumn, ...otherPorts] = ports;
  const isPort = otherPorts.length === 0 && portColumn?.index === (addressColumn?.index ?? 0) + 1;

  const found = new Map<number | undefined, string>([
    [gameColumn?.index, 'game'],
    [named ? undefined : addressColumn?.index, 'address'],
    // Whose number it is has to be said, or the usual port would be offered in its place.
    [needsPort ? portColumn?.index : undefined, isPort ? 'port' : 'unclear port'],
  ]);
  return {
    // A cell of any other column may still be a game.
    names: columns.map(({ name, field, index }) => found.get(index) ?? (field === undefined ? '' : name)),
    unused: needsPort ? [] : ports.map(({ name }) => sanitised(name)).filter((name) => name !== ''),
  };
}

const areMostly = (cells: readonly string[], is: (cell: string) => boolean): boolean =>
  cells.length > 0 && cells.filter(is).length * 2 > cells.length;

/** A smaller number that nothing calls a port is a year, or one of players. */
const canBePort = (cell: string): boolean =>
  /^\d{4,5}$/u.test(cell) && Number(cell) >= LOWEST_BARE_PORT && Number(cell) <= HIGHEST_PORT;

/** A record below a header. */
export function rowsUnder(
  { names }: Columns,
  cells: readonly string[],
  line: number,
  games: GameIndex,
): readonly CellRow[] {
  const used = cells.findLastIndex((text) => text !== '') + 1;
  const problem = used > names.length ? tooManyCells(used, names.length) : undefined;
  const named = cells.flatMap((text, index) => {
    const name = names[index];
    return name === undefined ? [] : [{ name, text }];
  });
  return rowsOfCells(named, line, games).map(({ row, beside }) => ({ row: { ...row, problem }, beside }));
}

const tooManyCells = (found: number, most: number): RowProblem => ({ code: 'too-many-cells', found, most });

/**
 * The cells of a line without a header, in the order `host[:port], [port], [game], [query port]`, or with the game first.
 * @returns undefined when they are anything else, such as a line of words with punctuation in it
 */
export function readCells(record: readonly string[], line: number, games: GameIndex): RawRow | undefined {
  const cells = record.map((cell) => cell.replace(/^'(.*)'$/su, '$1'));
  const isGame = (cell: string) => gameOf(cell, games) !== undefined;
  const [first = '', second = ''] = cells;
  const isGameFirst = isGame(first) && isAddress(second);
  if (!isGameFirst && !isAddress(first) && !(first === '' && isNumber(second))) return undefined;
  const [server = '', ...rest] = isGameFirst ? cells.slice(1) : cells;
  const [next = ''] = rest;
  const isPort = next === '' || (isNumber(next) && !(isGame(next) && hasOwnPort(server)));
  const port = isPort ? (rest.shift() ?? '') : '';
  const game = isGameFirst ? first : (rest.shift() ?? '');
  const queryPort = rest.shift() ?? '';
  if ((game !== '' && !isGame(game)) || (queryPort !== '' && !isNumber(queryPort))) return undefined;
  const typed = {
    server: sanitisedAddress(unwrapped(server)),
    port: sanitised(unwrapped(port)),
    queryPort: sanitised(queryPort),
    game: sanitised(game),
  };
  const extra = rest.filter((cell) => cell !== '').length;
  if (extra > 0) return { line, typed, problem: tooManyCells(cells.length, cells.length - extra) };
  const isUnlikely = queryPort !== '' && Number(queryPort) < LOWEST_LIKELY_PORT;
  return { line, typed, problem: isUnlikely ? { code: 'query-port-unlikely', port: queryPort } : undefined };
}

/** In a fourth cell that nothing names a smaller number is one of players. */
const LOWEST_LIKELY_PORT = 1024;

const isNumber = (text: string) => /^[+?-]?\d+$/u.test(text);

/** An address, right or wrong, with no label in front. */
const isAddress = (text: string) => !/\s/u.test(text) && isMeantAsAddress(text);

/** Whether a text is an address with a port. */
export function hasOwnPort(text: string): boolean {
  if (!/[:\s]/u.test(text)) return false;
  const result = parseAddress(text);
  return result.ok && result.address.port !== undefined;
}
