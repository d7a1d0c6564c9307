import { visibleLine } from '../visible-line.ts';
import type { Row } from './bulk-text.ts';
import { disarmed } from './formula.ts';
import type { RowProblem } from './row.ts';

/**
 * A CSV file for people with a spreadsheet: a byte order mark, because Excel takes UTF-8 for something else
 * without it; every cell in quotes, so that no other delimiter splits it (RFC 4180); an apostrophe before what a
 * spreadsheet would run as a formula. The reader of bulk text takes all three back.
 */
export function csvFile(rows: readonly (readonly string[])[]): string {
  return `\ufeff${rows.map((cells) => `${cells.map(cell).join(',')}\r\n`).join('')}`;
}

/** Some spreadsheets look behind invisible characters and spaces for a formula: none of them stays in front of one. */
const cell = (text: string): string => `"${disarmed(visibleLine(text)).replaceAll('"', '""')}"`;

/**
 * The rows that cannot be sent, to be corrected and sent again: the columns `line` and `reason` are ignored then.
 * Repeated rows are left out, or they would be sent the second time.
 * @param reason the explanation in the member's language; gets the row as one text too
 */
export function rejectedCsv(
  rows: readonly Row[],
  reason: (problem: RowProblem, text: string) => string,
): string {
  const rejected = rows.flatMap((row) => ('problem' in row ? [row] : []));
  return csvFile([
    ['server', 'port', 'query_port', 'game', 'line', 'reason'],
    ...rejected.map(({ typed, text, line, problem }) => [
      typed.server,
      typed.port,
      typed.queryPort,
      typed.game,
      String(line),
      reason(problem, text),
    ]),
  ]);
}
