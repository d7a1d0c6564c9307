import { isDeepStrictEqual } from 'node:util';
import type { GameIndex } from '../listing/game-search.ts';
import { LINE_BREAK, readList } from './read-list.ts';
import { asMeant } from './repair.ts';
import {
  inOrderOfPlaces,
  lineLabel,
  placeLabelled,
  placeOf,
  type Row,
  type RowPlace,
  type TypedRow,
  typedOf,
} from './row.ts';

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

const withCorrections = (row: Row): TypedRow => (row.kind === 'invalid' ? asMeant(row.typed) : typedOf(row));

/** Keeps the first rows that fit, then sorts these by line number. */
export function numberedLines(
  rows: readonly Row[],
  maxLength: number,
): { readonly text: string; readonly rows: readonly Row[] } {
  let capacity = maxLength;
  const fitting: { readonly row: Row; readonly text: string }[] = [];
  for (const row of rows) {
    const text = `${lineLabel(row)}. ${lineOf(withCorrections(row))}`;
    capacity -= text.length + 1;
    if (capacity < 0) break;
    fitting.push({ row, text });
  }
  const inOrder = fitting.toSorted((one, other) => inOrderOfPlaces(one.row, other.row));
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
    const typed = withCorrections(row);
    const byAlias = lineOf(typed);
    const byName = lineOf(withName(typed, games));
    const isSame = byName === byAlias || isDeepStrictEqual(parsed(byName), parsed(byAlias));
    return `${lineLabel(row)}. ${isSame ? byName : byAlias}`;
  });
  return lines.join('\n');
}

const withName = (typed: TypedRow, games: GameIndex): TypedRow => ({
  ...typed,
  game: games.find(typed.game)?.name ?? typed.game,
});

/** The label in front of a line, such as `12.` or `12b)`. The line can be empty. */
const LABEL = /^\s{0,20}(\d{1,7}[a-z]{0,3})[.):](?:\s+(?=\S)|\s*$)/u;

export interface EditedText {
  /** The new and changed lines, without their labels. The other lines are blank, so that lines keep their numbers. */
  readonly text: string;
  readonly labels: readonly (string | undefined)[];
  readonly unchanged: readonly Row[];
}

/**
 * Removes the labels and the unchanged lines from the text that a member sent back. The unchanged lines aren't parsed again,
 * because the bot wrote them.
 */
export function editedText(typed: string, opened: readonly Row[], games: GameIndex): EditedText {
  const rows = new Map(opened.map((row) => [lineLabel(row), row]));
  const unchanged = new Set<Row>();
  const lines = typed.split(LINE_BREAK).map((line) => {
    const [all = '', label = ''] = LABEL.exec(line) ?? [];
    const text = line.slice(all.length);
    const row = rows.get(label);
    const isUnchanged = row !== undefined && !unchanged.has(row) && isLineOf(text.trim(), row, games);
    if (isUnchanged) unchanged.add(row);
    return { text: isUnchanged ? '' : text, label: label === '' ? undefined : label };
  });
  return {
    text: lines.map(({ text }) => text).join('\n'),
    labels: lines.map(({ label }) => label),
    unchanged: [...unchanged],
  };
}

function isLineOf(text: string, row: Row, games: GameIndex): boolean {
  const typed = typedOf(row);
  return [typed, withName(typed, games)].some((each) => lineOf(each).trim() === text);
}

interface Labels extends Pick<EditedText, 'labels'> {
  readonly opened: readonly RowPlace[];
  /** The places of the list's other rows, and of the unchanged lines. */
  readonly others: readonly RowPlace[];
  /** The labels of the lines that the list left out, which the member can fill in. */
  readonly leftOut: readonly string[];
}

/**
 * Assigns places to the servers in the text that a member sent back. A line keeps its label if it was opened for editing.
 * The other lines get the labels of deleted lines in order, followed by numbers after the last line.
 */
export function createPlacing({ labels, opened, others, leftOut }: Labels) {
  const known = new Map(opened.map((place) => [lineLabel(place), placeOf(place)]));
  const empty = new Map(leftOut.map((label) => [label, placeLabelled(label)]));
  const used = new Set(others.map(lineLabel));
  const places = new Map<number, RowPlace>();
  for (const [index, label = ''] of labels.entries()) {
    const place = used.has(label) ? undefined : (known.get(label) ?? empty.get(label));
    if (place === undefined) continue;
    places.set(index + 1, place);
    used.add(label);
  }
  const free = [...known].flatMap(([label, place]) => (used.has(label) ? [] : place));
  const withServer = new Set<number>();
  let last = [...opened, ...others, ...empty.values()].reduce((most, { line }) => Math.max(most, line), 0);
  return {
    placeIn(line: number): RowPlace {
      const own = places.get(line) ?? free.shift() ?? { line: ++last };
      places.set(line, own);
      if (!withServer.has(line)) {
        withServer.add(line);
        return own;
      }
      let part = 2;
      while (used.has(lineLabel({ line: own.line, part }))) part += 1;
      used.add(lineLabel({ line: own.line, part }));
      return { line: own.line, part };
    },
    labelOf(line: number): string {
      const own = places.get(line) ?? { line: ++last };
      places.set(line, own);
      return lineLabel(own);
    },
  };
}
