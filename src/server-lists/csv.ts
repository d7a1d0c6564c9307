import { parse } from 'csv-parse/sync';
import { plainText, unwrapped } from '../addresses/pasted-text.ts';
import { clipped, visibleLine } from '../visible-line.ts';
import { EMPTY_ROW, type RawRow, shown, type TypedRow } from './row.ts';

/** The names a column or JSON field may have, as letters only; those of the listing API (§2.1) first. */
const FIELD_NAMES: Readonly<Record<keyof TypedRow, readonly string[]>> = {
  server: ['server', 'address', 'serveraddress', 'ip', 'ipaddress', 'serverip', 'host', 'domain', 'hostname'],
  port: ['port', 'gameport', 'serverport'],
  queryPort: ['queryport', 'query', 'qport'],
  game: ['game', 'gamealias', 'alias', 'gamename'],
};

const FIELDS = ['server', 'port', 'queryPort', 'game'] as const;

type Columns = Readonly<Record<keyof TypedRow, number>>;

/** No longer name is one of those, with all spaces and signs that may stand in it. */
const LONGEST_COLUMN_NAME = 50;

const lettersOf = (text: string) => text.toLowerCase().replace(/[^a-z]/gu, '');

/** Where each field stands in a list of names; -1 for none. A more exact name wins over a vaguer one. */
export function columnsOf(names: readonly string[]): Columns {
  const plain = names.map((name) => (name.length > LONGEST_COLUMN_NAME ? '' : lettersOf(plainText(name))));
  const column = (field: keyof TypedRow) =>
    FIELD_NAMES[field].map((name) => plain.indexOf(name)).find((index) => index >= 0) ?? -1;
  return {
    server: column('server'),
    port: column('port'),
    queryPort: column('queryPort'),
    game: column('game'),
  };
}

/**
 * The cells of one record, without spaces around them and without the apostrophe that keeps a spreadsheet from
 * running a cell.
 */
export function cellsOf(record: string, delimiter: string): string[] {
  const cells = parsed(record, delimiter)?.[0] ?? record.split(delimiter).map(unwrapped);
  return cells.map((cell) => rearmed(cell.trim()));
}

function parsed(record: string, delimiter: string): string[][] | undefined {
  try {
    return parse(record, { delimiter, trim: true, relax_column_count: true });
  } catch {
    return undefined; // quotes that are not CSV's: the record is cut at every delimiter
  }
}

/** A field in quotes spanning more lines than this is a quote somebody forgot to close. */
const MAX_LINES_OF_RECORD = 10;
/** Characters of a record below a header: room for a row and a long description. A longer one is not read at all. */
export const MAX_RECORD = 20_000;

interface RecordStart {
  readonly line: string;
  /** Which line it is, of all of them. */
  readonly at: number;
  lineAt(index: number): string;
  /** How many lines there are. */
  readonly end: number;
}

/** How many lines are one record: more than one when a quoted cell has line breaks in it. */
export function recordLength({ line, at, lineAt, end }: RecordStart, delimiter: string): number {
  let record = line;
  if (!record.includes('"')) return 1;
  for (let count = 1; count <= MAX_LINES_OF_RECORD && record.length <= MAX_RECORD; count++) {
    const state = quoteState(record, delimiter);
    if (state === 'closed') return count;
    if (state === 'broken' || at + count >= end) return 1;
    record += `\n${lineAt(at + count)}`;
  }
  return 1;
}

function quoteState(record: string, delimiter: string): 'closed' | 'open' | 'broken' {
  try {
    parse(record, { delimiter, trim: true, relax_column_count: true });
    return 'closed';
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'CSV_QUOTE_NOT_CLOSED'
      ? 'open'
      : 'broken';
  }
}

export interface Header {
  readonly delimiter: string;
  readonly columns: Columns;
  readonly width: number;
}

/** A header row, which is no longer than a record, names the server and at least one more field; a row of data cannot, a lone word would be a host. */
export function headerOf(line: string): Header | undefined {
  if (line.length > MAX_RECORD) return undefined;
  for (const delimiter of ['\t', ';', ',']) {
    if (!line.includes(delimiter)) continue;
    const names = cellsOf(line, delimiter);
    const columns = columnsOf(names);
    if (columns.server >= 0 && FIELDS.some((field) => field !== 'server' && columns[field] >= 0)) {
      return { delimiter, columns, width: names.length };
    }
  }
  return undefined;
}

/** A record below a header. Columns the header does not name, or names something else, are ignored. */
export function rowUnder(header: Header, cells: readonly string[], line: number): RawRow {
  const cell = (field: keyof TypedRow) => shown(cells[header.columns[field]] ?? '');
  const typed = {
    server: cell('server'),
    port: cell('port'),
    queryPort: cell('queryPort'),
    game: cell('game'),
  };
  const used = cells.findLastIndex((text) => text !== '') + 1;
  return used <= header.width
    ? { line, typed }
    : { line, typed, problem: { code: 'too-many-cells', found: used, most: header.width } };
}

/** A row that is refused before it is read. */
export const unreadRow = (line: number, text: string, problem: NonNullable<RawRow['problem']>): RawRow => ({
  line,
  typed: { ...EMPTY_ROW, server: clipped(shown(text), 100) },
  problem,
});

/**
 * What a spreadsheet takes for the beginning of a formula: these four characters, also in full width and as small
 * forms, which some versions read as the same (Unicode NFKC makes them so).
 */
const FORMULA = "(?='*[=+\\-@＝＋－＠﹦﹢﹣﹫])";
const BEGINS = new RegExp(`^${FORMULA}`, 'u');
const DISARMED = new RegExp(`^'${FORMULA}`, 'u');

/** A cell that no spreadsheet runs: with an apostrophe in front, which it takes for "this is text". */
const disarmed = (cell: string): string => cell.replace(BEGINS, "'");

/** The reverse of {@link disarmed}. */
const rearmed = (cell: string): string => cell.replace(DISARMED, '');

/**
 * A CSV file for people with a spreadsheet: a byte order mark, because Excel takes UTF-8 for something else
 * without it; every cell in quotes, so that no other delimiter splits it (RFC 4180); an apostrophe before what a
 * spreadsheet would run as a formula. The reader of bulk text takes all three back.
 */
export const csvFile = (rows: readonly (readonly string[])[]): string =>
  BYTE_ORDER_MARK + rows.map(csvLine).join('');

const BYTE_ORDER_MARK = '\ufeff';
const csvLine = (cells: readonly string[]): string => `${cells.map(cell).join(',')}\r\n`;

interface CsvFilesOptions {
  /** The first row of each file. */
  readonly heading: readonly string[];
  /** Bytes of a file. */
  readonly mostBytes: number;
  readonly mostFiles: number;
}

/**
 * As {@link csvFile}, for many rows: as many files as it takes, and no more than so many.
 * @returns the files, and how many rows are in them; what comes after those is not read
 */
export async function csvFiles(
  pages: AsyncIterable<readonly (readonly string[])[]>,
  { heading, mostBytes, mostFiles }: CsvFilesOptions,
): Promise<{ readonly files: readonly Buffer[]; readonly rows: number }> {
  const start = Buffer.from(BYTE_ORDER_MARK + csvLine(heading));
  const files: Buffer[] = [];
  let [parts, bytes, rows] = [[start], start.length, 0];
  for await (const page of pages) {
    for (const line of page.map((cells) => Buffer.from(csvLine(cells)))) {
      if (bytes + line.length > mostBytes) {
        files.push(Buffer.concat(parts));
        if (files.length === mostFiles) return { files, rows };
        [parts, bytes] = [[start], start.length];
      }
      parts.push(line);
      bytes += line.length;
      rows += 1;
    }
  }
  return { files: [...files, Buffer.concat(parts)], rows };
}

/** Variation selectors, which change how the character before them looks; spaces that they had in front. */
const NOTHING_BEFORE = /^[\ufe00-\ufe0f\s]+/u;

/** Some spreadsheets look behind invisible characters and spaces for a formula: none of them stays in front of one. */
const cell = (text: string): string =>
  `"${disarmed(visibleLine(text).replace(NOTHING_BEFORE, '')).replaceAll('"', '""')}"`;

/**
 * The rows that cannot be sent, to be corrected and sent again: the columns `line` and `reason` are ignored then.
 * Repeated rows are no part of it, or they would be sent the second time.
 */
export const rejectedCsv = (
  rows: readonly { readonly line: number; readonly typed: TypedRow; readonly reason: string }[],
): string =>
  csvFile([
    ['server', 'port', 'query_port', 'game', 'line', 'reason'],
    ...rows.map(({ typed, line, reason }) => [
      typed.server,
      typed.port,
      typed.queryPort,
      typed.game,
      String(line),
      reason,
    ]),
  ]);
