import { isDeepStrictEqual } from 'node:util';
import type { GameIndex } from '../listing/game-search.ts';
import { LINE_BREAK, readList } from './read-list.ts';
import { onLine, type Row, type TypedRow, typedOf } from './row.ts';

/** Formats a row as a line that the list parser reads as the same row. Uses a delimiter where spaces would be ambiguous. */
function lineOf({ server, port, queryPort, game }: TypedRow): string {
  const areWords = server !== '' && queryPort === '' && !/[,;\t"]/u.test(server + port + game);
  if (areWords) return [server, port, game].filter((part) => part !== '').join(' ');
  const cells = [server, port, game, queryPort];
  const filled = cells.slice(0, cells.findLastIndex((cell) => cell !== '') + 1);
  // If a line contains both `;` and `,`, the parser splits it at `;`.
  const delimiter = filled.some((cell) => cell.includes(';')) ? ';' : ',';
  return filled.map(quoted).join(delimiter);
}

const quoted = (cell: string): string => (/[,;"]/u.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/**
 * Formats rows as numbered lines, sorted by line number. Stops at the first row that doesn't fit.
 * @param most the maximum length of the text, in UTF-16 units
 */
export function numberedLines(
  rows: readonly Row[],
  most: number,
): { readonly text: string; readonly rows: readonly Row[] } {
  let capacity = most;
  const fitting: { readonly row: Row; readonly text: string }[] = [];
  for (const row of rows) {
    const text = `${row.line}. ${lineOf(typedOf(row))}`;
    capacity -= text.length + 1;
    if (capacity < 0) break;
    fitting.push({ row, text });
  }
  const inOrder = fitting.toSorted((one, other) => one.row.line - other.row.line);
  return { text: inOrder.map(({ text }) => text).join('\n'), rows: inOrder.map(({ row }) => row) };
}

/**
 * Formats rows like {@link numberedLines}, but in the given order and with game names. If the parser would misread a name,
 * keeps the alias.
 */
export function linesWithNames(rows: readonly Row[], games: GameIndex): string {
  const parsed = (line: string) => {
    const list = readList(line, games);
    return (
      list.kind === 'rows' && list.rows.map(typedOf).map((typed) => ({ ...typed, game: aliasOf(typed) }))
    );
  };
  const aliasOf = ({ game }: TypedRow) => games.find(game)?.alias ?? game;
  const lines = rows.map((row) => {
    const typed = typedOf(row);
    const byAlias = lineOf(typed);
    const byName = lineOf({ ...typed, game: games.find(typed.game)?.name ?? typed.game });
    const isSame = byName === byAlias || isDeepStrictEqual(parsed(byName), parsed(byAlias));
    return `${row.line}. ${isSame ? byName : byAlias}`;
  });
  return lines.join('\n');
}

const NUMBER = /^\s{0,20}(\d{1,7})[.):]\s+(?=\S)/u;

/** Removes the line numbers from the text that a member sent back. */
export function withoutNumbers(text: string): {
  readonly text: string;
  readonly numbers: readonly (number | undefined)[];
} {
  const lines = text.split(LINE_BREAK).map((line) => {
    const [all = '', number] = NUMBER.exec(line) ?? [];
    return { text: line.slice(all.length), number: number === undefined ? undefined : Number(number) };
  });
  return {
    text: lines.map((line) => line.text).join('\n'),
    numbers: lines.map(({ number }) => number),
  };
}

interface Numbers {
  /** The number in front of each line that was sent back, if any. */
  readonly numbers: readonly (number | undefined)[];
  /** The numbers of the lines that were opened for editing. */
  readonly edited: readonly number[];
  /** The number of the last line in the list. */
  readonly last: number;
}

/**
 * Assigns line numbers to the rows that a member sent back. A row keeps its number if the line with that number was opened
 * for editing. The other rows get the unused numbers of those lines in order, followed by numbers after the last line.
 */
export function renumbered(rows: readonly Row[], { numbers, edited, last }: Numbers): readonly Row[] {
  const known = new Set(edited);
  const own = rows.map(({ line }) => {
    const number = numbers[line - 1];
    return number !== undefined && known.has(number) ? number : undefined;
  });
  const used = new Set(own);
  const free = edited.filter((number) => !used.has(number));
  let next = last;
  return rows.map((row, index) => onLine(row, own[index] ?? free.shift() ?? ++next));
}
