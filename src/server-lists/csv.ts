import { isMeantAsAddress, parseAddress } from '../addresses/address.ts';
import { hasWords, unwrapped } from '../addresses/pasted-text.ts';
import { MAX_PORT } from '../addresses/port.ts';
import type { GameIndex } from '../listing/game-search.ts';
import { type CellRow, isNoPort, rowsOfCells } from './cells.ts';
import { rearmed } from './csv-file.ts';
import { type Field, fieldCalled } from './field-names.ts';
import {
  gameOf,
  MIN_BARE_PORT,
  type RawRow,
  type RowProblem,
  sanitised,
  sanitisedAddress,
  type TypedRow,
} from './row.ts';

/** Finds a line's delimiter, trying the rarest characters first. A single `|` may just separate two names. */
export function delimiterOf(line: string): string | undefined {
  if (/^\s*\|[^|]+\|/u.test(line)) return '|';
  const delimiter = ['\t', ';', ','].find((each) => line.includes(each));
  return delimiter ?? (line.split('|').length > 2 ? '|' : undefined);
}

/** Matches a quoted cell, in which `""` means one quote. */
const QUOTED = '"(?<quoted>[^"]*(?:""[^"]*)*)"';
const SPACE = '[^\\S\\n]*';
const CELL_BY_DELIMITER: ReadonlyMap<string, RegExp> = new Map([
  ['\t', new RegExp(`(?: *${QUOTED} *|(?<plain>[^"\\n\\t]*))(?<end>[\\n\\t]|$)`, 'uy')],
  [';', new RegExp(`(?:${SPACE}${QUOTED}${SPACE}|(?<plain>[^"\\n;]*))(?<end>[\\n;]|$)`, 'uy')],
  [',', new RegExp(`(?:${SPACE}${QUOTED}${SPACE}|(?<plain>[^"\\n,]*))(?<end>[\\n,]|$)`, 'uy')],
  ['|', new RegExp(`(?:${SPACE}${QUOTED}${SPACE}|(?<plain>[^"\\n|]*))(?<end>[\\n|]|$)`, 'uy')],
]);

/** If a quoted cell has more lines, its closing quote is probably missing. */
const MAX_LINES_OF_RECORD = 10;

interface TableRecord {
  readonly index: number;
  readonly cells: readonly string[];
}

/**
 * Splits CSV (RFC 4180) into records and trims their cells.
 * @returns undefined if a quote is never closed or is next to other text, or if a record has too many lines
 */
function splitCsv(text: string, delimiter: string): readonly TableRecord[] | undefined {
  const pattern = CELL_BY_DELIMITER.get(delimiter);
  if (pattern === undefined) return undefined;
  const records: TableRecord[] = [];
  let index = 0;
  pattern.lastIndex = 0;
  while (pattern.lastIndex < text.length) {
    const record = nextRecord(text, pattern);
    if (record === undefined || record.lines > MAX_LINES_OF_RECORD) return undefined;
    records.push({ index, cells: record.cells });
    index += record.lines;
  }
  return records;
}

/** Moves the pattern's position to the next record. */
function nextRecord(text: string, pattern: RegExp) {
  const cells: string[] = [];
  let lines = 1;
  for (;;) {
    const groups = pattern.exec(text)?.groups;
    if (groups === undefined) return undefined;
    const { quoted, plain = '', end } = groups;
    lines += (quoted ?? '').split('\n').length - 1;
    cells.push(cleaned(quoted?.replaceAll('""', '"') ?? plain));
    if (end === '\n' || end === '') return { cells, lines };
  }
}

const cleaned = (cell: string): string => rearmed(cell.trim());

/** Splits a line into cells and trims them. If the line isn't valid CSV, quotes are only removed around whole cells. */
export const cellsOf = (line: string, delimiter: string): readonly string[] =>
  splitCsv(line, delimiter)?.[0]?.cells ?? line.split(delimiter).map((cell) => cleaned(unwrapped(cell)));

/** Allows line breaks in quoted cells. If a quote is never closed, each line is a record. */
export function recordsOf(lines: readonly string[], delimiter: string): readonly TableRecord[] {
  // In tables delimited by `|`, quoted cells can't contain line breaks.
  const records = delimiter === '|' ? undefined : splitCsv(lines.join('\n'), delimiter);
  return records ?? lines.map((line, index) => ({ index, cells: cellsOf(line, delimiter) }));
}

export interface Header {
  readonly delimiter: string;
  readonly names: readonly string[];
}

/** A header row names the address, and one of these fields or a second address. */
const FIELDS_OF_HEADER: ReadonlySet<Field | undefined> = new Set<Field>([
  'port',
  'gamePort',
  'queryPort',
  'game',
  'type',
  'name',
]);

export function headerOf(line: string): Header | undefined {
  const delimiter = delimiterOf(line);
  // A line with three digits in a row contains a port or an address, so it isn't a header. This quick check rules out most
  // lines.
  if (delimiter === undefined || /\d{3}/u.test(line)) return undefined;
  const names = cellsOf(line, delimiter);
  const fields = names.map((name) => fieldCalled(name)?.field);
  const others = fields.filter((field) => FIELDS_OF_HEADER.has(field));
  const servers = fields.filter((field) => field === 'server').length;
  return servers > 0 && servers + others.length > 1 ? { delimiter, names } : undefined;
}

/** The column names to use when reading cells, and the names of unused columns that may hold ports. */
export interface Columns {
  readonly names: readonly string[];
  readonly unused: readonly string[];
}

/**
 * Works out the field of each column below a header. If a column's name is unknown, its cells decide:
 * - If most of them are games, it's the game column.
 * - If most of them are addresses and no named column contains an address, it's the address column.
 * - If neither the addresses nor a named column contain a port, the first column of possible ports is used. Its purpose is
 *   clear only if it's the only such column and directly follows the address.
 */
export function columnsUnder(
  { names }: Header,
  records: readonly (readonly string[])[],
  games: GameIndex,
): Columns {
  const texts = names.map((): string[] => []);
  // Visits only cells that exist, because a hostile table can have a wide header above many short records.
  for (const cells of records) {
    // A Markdown table has a line of dashes below its header.
    for (const [index, cell] of cells.entries()) if (hasWords(cell)) texts[index]?.push(cell);
  }
  const columns = names.map((called, index) => {
    const cells = texts[index] ?? [];
    // A column such as "Game" next to "Query" and "RCON" contains ports.
    const isOfPorts = fieldCalled(called)?.field === 'game' && cells.length > 0 && cells.every(canBePort);
    const name = isOfPorts ? `${called} port` : called;
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
    // The member has to clarify an unclear port. If it were left out, the bot would suggest the default port instead.
    [needsPort ? portColumn?.index : undefined, isPort ? 'port' : 'unclear port'],
  ]);
  return {
    // The remaining columns with unknown names stay unnamed, because their cells may still mention a game.
    names: columns.map(({ name, field, index }) => found.get(index) ?? (field === undefined ? '' : name)),
    unused: needsPort ? [] : ports.map(({ name }) => sanitised(name)).filter((name) => name !== ''),
  };
}

const areMostly = (cells: readonly string[], is: (cell: string) => boolean): boolean =>
  cells.length > 0 && cells.filter(is).length * 2 > cells.length;

const canBePort = (cell: string): boolean =>
  /^\d{4,5}$/u.test(cell) && Number(cell) >= MIN_BARE_PORT && Number(cell) <= MAX_PORT;

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
 * Parses a line without a header, with the cells in the order `host[:port], [port], [game], [query port]`, or with the game
 * first.
 * @returns undefined if the cells contain anything else, such as a sentence with punctuation
 */
export function readCells(cells: readonly string[], line: number, games: GameIndex): RawRow | undefined {
  const isGame = (cell: string) => gameOf(cell, games) !== undefined;
  const [first = '', second = ''] = cells;
  const isGameFirst = isGame(first) && isAddress(second);
  if (!isGameFirst && !isAddress(first) && !(first === '' && isNumber(second))) return undefined;
  const [server = '', ...rest] = isGameFirst ? cells.slice(1) : cells;
  const [next = ''] = rest;
  const isPort = next === '' || isNumber(next);
  const port = isPort ? (rest.shift() ?? '') : '';
  const game = isGameFirst ? first : (rest.shift() ?? '');
  const last = rest.shift() ?? '';
  const queryPort = isNoPort(last) ? '' : last;
  if ((game !== '' && !isGame(game)) || (queryPort !== '' && !isNumber(queryPort))) return undefined;
  const typed = {
    server: sanitisedAddress(unwrapped(server)),
    port: sanitised(unwrapped(port)),
    queryPort: sanitised(queryPort),
    game: sanitised(game),
  };
  const extra = rest.filter((cell) => cell !== '').length;
  if (extra > 0) return { line, typed, problem: tooManyCells(cells.length, cells.length - extra) };
  const isUnlikely = queryPort !== '' && Number(queryPort) < MIN_LIKELY_QUERY_PORT;
  return { line, typed, problem: isUnlikely ? { code: 'query-port-unlikely', port: queryPort } : undefined };
}

/** In a line without a header, a lower number is probably a player count. */
const MIN_LIKELY_QUERY_PORT = 1024;

const isNumber = (text: string) => /^[+?-]?\d+$/u.test(text);

/** Whether the text is an address, valid or not, without a label in front of it. */
const isAddress = (text: string) => !/\s/u.test(text) && isMeantAsAddress(text);

export const lacksPort = ({ server, port }: Pick<TypedRow, 'server' | 'port'>): boolean =>
  port === '' && !hasOwnPort(server);

export function hasOwnPort(text: string): boolean {
  if (!/[:\s]/u.test(text)) return false;
  const result = parseAddress(text);
  return result.ok && result.address.port !== undefined;
}
