import { visibleLine } from '../one-line.ts';
import type { TypedRow } from './row.ts';

/**
 * What a spreadsheet takes for the beginning of a formula: these four characters, also in full width and as small
 * forms, which some versions read as the same (Unicode NFKC makes them so).
 */
const SIGN = '[=+\\-@＝＋－＠﹦﹢﹣﹫]';
const FORMULA = `(?='*${SIGN})`;
const BEGINS = new RegExp(`^${FORMULA}`, 'u');
const DISARMED = new RegExp(`^'${FORMULA}`, 'u');

/** Some spreadsheets split at these signs, whatever is in quotes. They also split at tabs, which no cell has. */
const BEGINS_BEHIND = new RegExp(`([;|][\\s\\ufe00-\\ufe0f\\u200c\\u200d"']*)(?=${SIGN})`, 'gu');
/** The columns that are read again when a file is sent back. What was typed into them must come back as it was. */
const READ_BACK: ReadonlySet<string> = new Set(['server', 'port', 'query_port', 'game']);

/** A cell that no spreadsheet runs: with an apostrophe in front, which it takes for "this is text". */
const disarmed = (cell: string): string => cell.replace(BEGINS, "'");

/** The reverse of {@link disarmed}. */
export const rearmed = (cell: string): string => cell.replace(DISARMED, '');

/**
 * A CSV file for people with a spreadsheet: a byte order mark, because Excel takes UTF-8 for something else
 * without it; every cell in quotes, so that no other delimiter splits it (RFC 4180); an apostrophe before what a
 * spreadsheet would run as a formula. The parser of bulk text takes all three back.
 * @param heading the names of the columns
 */
export const csvFile = (heading: readonly string[], rows: readonly (readonly string[])[]): string =>
  BYTE_ORDER_MARK + [heading, ...rows].map((cells) => csvLine(heading, cells)).join('');

const BYTE_ORDER_MARK = '\ufeff';

function csvLine(heading: readonly string[], cells: readonly string[]): string {
  const written = cells.map((text, column) => {
    const cell = plainCell(text);
    return READ_BACK.has(heading[column] ?? '') ? cell : cell.replace(BEGINS_BEHIND, "$1'");
  });
  return `${written.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')}\r\n`;
}

/**
 * As {@link csvFile}, for many rows.
 * @param mostBytes of the file: pages after the first row that does not fit are not read
 * @returns the file, and whether all rows are in it
 */
export async function boundedCsv(
  heading: readonly string[],
  pages: AsyncIterable<readonly (readonly string[])[]>,
  mostBytes: number,
): Promise<{ readonly data: Buffer; readonly isWhole: boolean }> {
  const lines = [Buffer.from(csvFile(heading, []))];
  let left = mostBytes - (lines[0]?.length ?? 0);
  for await (const page of pages) {
    for (const cells of page) {
      const line = Buffer.from(csvLine(heading, cells));
      left -= line.length;
      if (left < 0) return { data: Buffer.concat(lines), isWhole: false };
      lines.push(line);
    }
  }
  return { data: Buffer.concat(lines), isWhole: true };
}

/** Spaces, and what is invisible without a character before it: variation selectors and joiners. */
const NOTHING_BEFORE = /^(?:[\ufe00-\ufe0f\s]|\u200c|\u200d)+/u;

/** Some spreadsheets find a formula behind invisible characters and spaces, so no cell begins with these. */
const plainCell = (text: string): string => disarmed(visibleLine(text).replace(NOTHING_BEFORE, ''));

interface RejectedLine {
  readonly line: number;
  readonly typed: TypedRow;
  readonly reason: string;
}

/**
 * Files of the rows that cannot be sent, to be corrected and sent again; the parser ignores the columns `line` and
 * `reason`. The caller leaves repeated rows out, or they would be sent the second time.
 * @param mostBytes of a file; the last one of `mostFiles` takes all that is left
 */
export function rejectedCsv(
  rows: readonly RejectedLine[],
  { mostBytes, mostFiles }: { readonly mostBytes: number; readonly mostFiles: number },
): readonly Buffer[] {
  const heading = ['server', 'port', 'query_port', 'game', 'line', 'reason'];
  const start = Buffer.from(csvFile(heading, []));
  const files: Buffer[][] = [];
  // The first row begins the first file.
  let bytes = mostBytes;
  for (const { typed, line, reason } of rows) {
    const { server, port, queryPort, game } = typed;
    const text = Buffer.from(csvLine(heading, [server, port, queryPort, game, String(line), reason]));
    if (bytes + text.length > mostBytes && files.length < mostFiles) {
      files.push([start]);
      bytes = start.length;
    }
    files.at(-1)?.push(text);
    bytes += text.length;
  }
  return files.map((parts) => Buffer.concat(parts));
}
