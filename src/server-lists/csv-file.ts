import { visibleLine } from '../text/one-line.ts';
import { lineLabel, type RowPlace, type TypedRow } from './row.ts';

/**
 * Characters that make spreadsheets treat a cell as a formula. Some versions also accept the full-width and small forms of
 * these characters (Unicode NFKC).
 */
const SIGN = '[=+\\-@＝＋－＠﹦﹢﹣﹫]';
/**
 * The start of a cell, and the characters that spreadsheets ignore there. Depending on its settings, a spreadsheet splits
 * even quoted cells at one of these delimiters. Some also split cells at tabs, which cells never contain.
 */
const START = `(?:^|[,;|])[\\s\\ufe00-\\ufe0f\\u200c\\u200d"']*`;
const ARMED = new RegExp(`(${START})(?=${SIGN})`, 'gu');
const DISARMED = new RegExp(`(${START})'(?=${SIGN})`, 'gu');

/** Makes a cell safe for spreadsheets by marking text that looks like a formula with an apostrophe. */
const disarmed = (cell: string): string => cell.replace(ARMED, "$1'");

export const rearmed = (cell: string): string => cell.replace(DISARMED, '$1');

/**
 * Builds a CSV file that spreadsheets open correctly. The list parser undoes each of these measures:
 * - The file starts with a byte order mark, because Excel doesn't recognise UTF-8 without it.
 * - Every cell is quoted, so that no other delimiter splits it (RFC 4180).
 * - Text that a spreadsheet would run as a formula is preceded by an apostrophe.
 */
export const csvFile = (columnNames: readonly string[], rows: readonly (readonly string[])[]): string =>
  BYTE_ORDER_MARK + [columnNames, ...rows].map(csvLine).join('');

const BYTE_ORDER_MARK = '\ufeff';

function csvLine(cells: readonly string[]): string {
  const quoted = cells.map((text) => `"${disarmed(visibleLine(text)).replaceAll('"', '""')}"`);
  return `${quoted.join(',')}\r\n`;
}

/**
 * Builds a file like {@link csvFile} from many rows.
 * @param mostBytes the maximum size of the file; reading stops at the first row that doesn't fit
 */
export async function boundedCsv(
  columnNames: readonly string[],
  pages: AsyncIterable<readonly (readonly string[])[]>,
  mostBytes: number,
): Promise<{ readonly data: Buffer; readonly isWhole: boolean }> {
  const lines = [Buffer.from(csvFile(columnNames, []))];
  let left = mostBytes - (lines[0]?.length ?? 0);
  for await (const page of pages) {
    for (const cells of page) {
      const line = Buffer.from(csvLine(cells));
      left -= line.length;
      if (left < 0) return { data: Buffer.concat(lines), isWhole: false };
      lines.push(line);
    }
  }
  return { data: Buffer.concat(lines), isWhole: true };
}

interface RejectedLine extends RowPlace {
  readonly typed: TypedRow;
  readonly reason: string;
}

/**
 * Builds files with the rows that can't be sent, so that the member can correct and resubmit them. The parser ignores the
 * columns `line` and `reason`. The caller must omit repeated rows, because they would be sent when the member returns the
 * file.
 * @param mostBytes the maximum size of each file except the last, which contains all remaining rows
 */
export function rejectedCsv(
  rows: readonly RejectedLine[],
  { mostBytes, mostFiles }: { readonly mostBytes: number; readonly mostFiles: number },
): readonly Buffer[] {
  const columnNames = ['server', 'port', 'query_port', 'game', 'line', 'reason'];
  const start = Buffer.from(csvFile(columnNames, []));
  const files: Buffer[][] = [];
  // Makes the first row start a new file.
  let bytes = mostBytes;
  for (const { typed, reason, ...place } of rows) {
    const { server, port, queryPort, game } = typed;
    const text = Buffer.from(csvLine([server, port, queryPort, game, lineLabel(place), reason]));
    if (bytes + text.length > mostBytes && files.length < mostFiles) {
      files.push([start]);
      bytes = start.length;
    }
    files.at(-1)?.push(text);
    bytes += text.length;
  }
  return files.map((parts) => Buffer.concat(parts));
}
