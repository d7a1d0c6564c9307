import { parse } from 'csv-parse/sync';
import { plainText, unwrapped } from '../addresses/pasted-text.ts';
import { rearmed } from './csv-file.ts';
import { type RawRow, shown, type TypedRow } from './row.ts';

/** The names a column or JSON field may have, as letters only; those of the listing API (§2.1) first. */
const FIELD_NAMES: Readonly<Record<keyof TypedRow, readonly string[]>> = {
  server: ['server', 'address', 'serveraddress', 'ip', 'ipaddress', 'serverip', 'host', 'domain', 'hostname'],
  port: ['port', 'gameport', 'serverport'],
  queryPort: ['queryport', 'query', 'qport'],
  game: ['game', 'gamealias', 'alias', 'gamename'],
};

/** Where each field stands in a list of names; -1 for none. */
type Columns = Readonly<Record<keyof TypedRow, number>>;

/** A more exact name wins over a vaguer one. */
export function columnsOf(names: readonly string[]): Columns {
  const plain = names.map((name) =>
    plainText(name)
      .toLowerCase()
      .replace(/[^a-z]/gu, ''),
  );
  const column = (field: keyof TypedRow) =>
    FIELD_NAMES[field].map((name) => plain.indexOf(name)).find((index) => index >= 0) ?? -1;
  return {
    server: column('server'),
    port: column('port'),
    queryPort: column('queryPort'),
    game: column('game'),
  };
}

/** What parts the cells of a line: the rarest in ordinary text wins. */
export function delimiterOf(line: string): string | undefined {
  return ['\t', ';', ','].find((delimiter) => line.includes(delimiter));
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
  /** Of the line where it begins. */
  readonly index: number;
  readonly cells: readonly string[];
}

/** The records of a table. Cells in quotes may have line breaks in them, unless a quote in the table is never closed. */
export function recordsOf(lines: readonly string[], delimiter: string): readonly TableRecord[] {
  const records = wholeRecords(lines.join('\n'), delimiter);
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
