import { parse } from 'csv-parse/sync';
import { isMeantAsAddress, parseAddress } from '../addresses/address.ts';
import { plainText, unwrapped } from '../addresses/pasted-text.ts';
import type { GameIndex } from '../listing/game-search.ts';
import { rearmed } from './csv-file.ts';
import { gameOf, type RawRow, type RowProblem, shown, shownAddress } from './row.ts';

/** The names a column or JSON field may have, without spaces and signs; those of the listing API (§2.1) among them. */
const FIELD_NAMES = {
  server: [
    ...['address', 'serveraddress', 'ipport', 'addr', 'ip', 'ipaddress', 'serverip', 'host', 'domain'],
    // If there is an address column too, these hold the display name.
    ...['server', 'hostname'],
  ],
  port: ['port', 'serverport'],
  gamePort: ['gameport'],
  queryPort: ['queryport', 'query', 'qport'],
  game: ['game', 'gamealias', 'alias', 'gamename'],
  type: ['type', 'gametype'],
} as const;

/** Where each field stands in a list of names; -1 for none. */
export type Columns = Readonly<Record<keyof typeof FIELD_NAMES, number>>;

/** A more exact name wins over a vaguer one. */
export function columnsOf(names: readonly string[]): Columns {
  const plain = names.map((name) =>
    plainText(name)
      .toLowerCase()
      .replace(/[^a-z0-9]/gu, ''),
  );
  const column = (field: keyof Columns) =>
    FIELD_NAMES[field].map((name) => plain.indexOf(name)).find((index) => index >= 0) ?? -1;
  return {
    server: column('server'),
    port: column('port'),
    gamePort: column('gamePort'),
    queryPort: column('queryPort'),
    game: column('game'),
    type: column('type'),
  };
}

/** The delimiter of the cells of a line: the one that is rarest in ordinary text. A single `|` may stand between two names. */
export function delimiterOf(line: string): string | undefined {
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
  readonly columns: Columns;
  readonly width: number;
}

/** A header names the server and at least one more field. A row of data cannot: a lone word would be a host. */
export function headerOf(line: string): Header | undefined {
  const delimiter = delimiterOf(line);
  if (delimiter === undefined) return undefined;
  const names = cellsOf(line, delimiter);
  const columns = columnsOf(names);
  const named = Object.values(columns).filter((index) => index >= 0);
  return columns.server >= 0 && named.length > 1 ? { delimiter, columns, width: names.length } : undefined;
}

/** A record below a header. Columns the header does not name, or names something else, are ignored. */
export function rowUnder(header: Header, cells: readonly string[], line: number): RawRow {
  const { columns } = header;
  const text = (field: keyof Columns) => unwrapped(cells[columns[field]] ?? '');
  const cell = (field: keyof Columns) => shown(text(field));
  const typed = {
    server: shownAddress(text('server')),
    port: cell('port') || cell('gamePort'),
    queryPort: cell('queryPort'),
    // A name may end in a bracket.
    game: shown(cells[columns.game] ?? ''),
  };
  const used = cells.findLastIndex((text) => text !== '') + 1;
  const { width } = header;
  return { line, typed, problem: used > width ? tooManyCells(used, width) : undefined };
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
    server: shownAddress(unwrapped(server)),
    port: shown(unwrapped(port)),
    queryPort: shown(queryPort),
    game: shown(game),
  };
  const extra = rest.filter((cell) => cell !== '').length;
  if (extra > 0) return { line, typed, problem: tooManyCells(cells.length, cells.length - extra) };
  const isUnlikely = queryPort !== '' && Number(queryPort) < LOWEST_LIKELY_PORT;
  return { line, typed, problem: isUnlikely ? { code: 'query-port-unlikely', port: queryPort } : undefined };
}

/** In a fourth cell that nothing names a smaller number is one of players. */
const LOWEST_LIKELY_PORT = 1024;

const isNumber = (text: string) => /^[+-]?\d+$/u.test(text);

/** An address, right or wrong, with no label in front. */
const isAddress = (text: string) => !/\s/u.test(text) && isMeantAsAddress(text);

/** Whether a text is an address with a port. */
export function hasOwnPort(text: string): boolean {
  const result = parseAddress(text);
  return result.ok && result.address.port !== undefined;
}
