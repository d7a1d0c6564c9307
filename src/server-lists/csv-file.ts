import { visibleLine } from '../one-line.ts';
import { lineLabel, type RowPlace, type TypedRow } from './row.ts';

/**
 * Characters that make spreadsheets treat a cell as a formula. Some versions also accept the full-width and small forms of
 * these characters (Unicode NFKC).
 */
const SIGN = '[=+\\-@＝＋－＠﹦﹢﹣﹫]';
const FORMULA = `(?='*${SIGN})`;
const BEGINS = new RegExp(`^${FORMULA}`, 'u');
const DISARMED = new RegExp(`^'${FORMULA}`, 'u');

/** Some spreadsheets split even quoted cells at `;` and `|`. They also split at tabs, which cells never contain. */
const BEGINS_BEHIND = new RegExp(`([;|][\\s\\ufe00-\\ufe0f\\u200c\\u200d"']*)(?=${SIGN})`, 'gu');
/** The columns that the parser reads from a returned file. Apostrophes are only inserted at the start of their cells. */
const READ_BACK: ReadonlySet<string> = new Set(['server', 'port', 'query_port', 'game']);

/** Makes a cell safe for spreadsheets by marking it as text with a leading apostrophe. */
const disarmed = (cell: string): string => cell.replace(BEGINS, "'");

/** Reverses {@link disarmed}. */
export const rearmed = (cell: string): string => cell.replace(DISARMED, '');

/**
 * Builds a CSV file that spreadsheets open correctly. The list parser undoes each of these measures:
 * - The file starts with a byte order mark, because Excel doesn't recognise UTF-8 without it.
 * - Every cell is quoted, so that no other delimiter splits it (RFC 4180).
 * - Text that a spreadsheet would run as a formula is preceded by an apostrophe.
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
 * Builds a file like {@link csvFile} from many rows.
 * @param mostBytes the maximum size of the file; reading stops at the first row that doesn't fit
 * @returns the file, and whether it contains all the rows
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

/** Whitespace and characters that are invisible at the start of text, such as variation selectors and joiners. */
const NOTHING_BEFORE = /^(?:[\ufe00-\ufe0f\s]|\u200c|\u200d)+/u;

/** Removes invisible characters and spaces from a cell's start, because some spreadsheets ignore them before a formula. */
const plainCell = (text: string): string => disarmed(visibleLine(text).replace(NOTHING_BEFORE, ''));

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
  const heading = ['server', 'port', 'query_port', 'game', 'line', 'reason'];
  const start = Buffer.from(csvFile(heading, []));
  const files: Buffer[][] = [];
  // Makes the first row start a new file.
  let bytes = mostBytes;
  for (const { typed, reason, ...place } of rows) {
    const { server, port, queryPort, game } = typed;
    const text = Buffer.from(csvLine(heading, [server, port, queryPort, game, lineLabel(place), reason]));
    if (bytes + text.length > mostBytes && files.length < mostFiles) {
      files.push([start]);
      bytes = start.length;
    }
    files.at(-1)?.push(text);
    bytes += text.length;
  }
  return files.map((parts) => Buffer.concat(parts));
}
