import { visibleLine } from '../visible-line.ts';
import { disarmed } from './csv.ts';
import type { TypedRow } from './row.ts';

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

/** Some spreadsheets look behind invisible characters and spaces for a formula: none of them stays in front of one. */
const cell = (text: string): string => `"${disarmed(visibleLine(text)).replaceAll('"', '""')}"`;

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
