import type { Game } from '../listing/contract.ts';
import type { RowProblem } from '../server-lists/row.ts';
import type { RefusedRow } from '../submissions/draft.ts';
import { visibleLine } from '../visible-line.ts';
import type { SearchedGames } from './games.ts';
import { gameNamed, type KnownGames } from './outcome.ts';
import { escapeCode, escapeText, shorten, type Translate } from './words.ts';

/** Characters of a line of a list that a phone shows without wrapping it. */
const LINE_WIDTH = 60;
/** Of what was typed, in a reason. */
const MOST_VALUE = 12;
const MOST_GAME = 20;
const MOST_NUMBERS = 24;
const FEWEST_NUMBERS = 8;
const MOST_NEAR = 3;

/** The games, to name them and to guess at what was meant. */
export type ListedGames = KnownGames & SearchedGames;

/** Lines that are refused alike. */
interface LineGroup {
  /** Ascending. */
  readonly lines: readonly number[];
  readonly problem: RowProblem;
  /** What stands for the game: its alias, or what was typed; may be empty. */
  readonly game: string;
}

/** The rows in groups of those that differ in nothing but their number, in the order of their first lines. */
export function groupsOf(
  rows: readonly Pick<RefusedRow, 'line' | 'problem' | 'typed'>[],
): readonly LineGroup[] {
  const groups = new Map<string, LineGroup & { readonly lines: number[] }>();
  for (const { line, problem, typed } of rows) {
    const game = gameOf(problem, typed.game);
    const key = JSON.stringify([problem.code, ...Object.values(shownValues(problem)), game]);
    const group = groups.get(key);
    if (group) group.lines.push(line);
    else groups.set(key, { lines: [line], problem, game });
  }
  const all = [...groups.values()].map((group) => ({
    ...group,
    lines: group.lines.toSorted((one, other) => one - other),
  }));
  return all.toSorted((one, other) => (one.lines[0] ?? 0) - (other.lines[0] ?? 0));
}

/** An unknown game is named in the reason already. */
function gameOf(problem: RowProblem, typed: string): string {
  if (problem.code === 'game-unknown') return '';
  return 'game' in problem ? problem.game : typed;
}

/** What a short reason repeats of the line, as far as it is shown; what is the same here reads the same. */
function shownValues(problem: RowProblem): Readonly<Record<string, string | number>> {
  switch (problem.code) {
    case 'game-unknown':
      return { game: problem.game };
    case 'unknown-scheme':
      return { scheme: problem.scheme };
    case 'reserved-name':
      return { zone: problem.zone };
    case 'not-public':
      return { range: problem.range };
    case 'port-not-a-number':
    case 'port-too-low':
    case 'port-too-high':
      return { port: problem.port };
    case 'port-conflict':
      return { inServer: problem.inServer, port: problem.port };
    case 'port-missing':
      return problem.usual === undefined ? {} : { usual: problem.usual };
    case 'too-many-cells':
      return { found: problem.found, most: problem.most };
    case 'wrong-type':
      return { field: problem.field, expected: problem.expected };
    default:
      return {};
  }
}

/** What is wrong with a line, in a few words; the files say it at length. At most 40 characters are seen of it. */
function shortReason(problem: RowProblem, t: Translate): string {
  const values: Readonly<Record<string, unknown>> = Object.fromEntries(
    Object.entries(shownValues(problem)).map(([name, value]) => [
      name,
      escapeCode(String(value), name === 'game' ? MOST_GAME : MOST_VALUE),
    ]),
  );
  switch (problem.code) {
    case 'not-public':
      return t(`list.reason.not-public.${problem.range}`);
    case 'port-missing':
      return t(
        problem.usual === undefined ? 'list.reason.port-missing' : 'list.reason.port-missing-usual',
        values,
      );
    case 'wrong-type':
      return t(`list.reason.wrong-type.${problem.expected}`, values);
    default:
      return t(`list.reason.${problem.code}`, values);
  }
}

interface Range {
  readonly first: number;
  readonly last: number;
}

/** Numbers that are there twice, as lines with several rows are, count once. */
function rangesOf(lines: readonly number[]): readonly Range[] {
  const ranges: { first: number; last: number }[] = [];
  for (const line of lines) {
    const range = ranges.at(-1);
    if (range && line <= range.last + 1) range.last = Math.max(line, range.last);
    else ranges.push({ first: line, last: line });
  }
  return ranges;
}

/** No line breaks behind it, as one may behind a dash (Unicode Standard Annex 14: WJ); it takes no room. */
const WORD_JOINER = '\u2060';

const rangeText = ({ first, last }: Range): string =>
  first === last ? `${first}` : `${first}–${WORD_JOINER}${last}`;

const inBrackets = (numbers: string, count: number): string => `${numbers} (+${count})`;

/**
 * Ascending numbers in a few words, `3, 7, 101–200`: as many ranges as fit and at least one, and how many numbers more
 * there are, `3, 7 (+12)`.
 * @param most characters that are seen of it
 * @param withMore says how many more there are
 */
export function fewRanges(lines: readonly number[], most: number, withMore = inBrackets): string {
  const ranges = rangesOf(lines);
  const whole = ranges.map(rangeText).join(', ');
  if (seen(whole) <= most) return whole;
  const withRest = (some: readonly Range[], left: readonly number[]) =>
    withMore(
      some.map(rangeText).join(', '),
      left.reduce((sum, size) => sum + size, 0),
    );
  const sizes = ranges.map(({ first, last }) => last - first + 1);
  // Each takes a character and more.
  for (let count = Math.min(ranges.length - 1, most); count > 1; count--) {
    const text = withRest(ranges.slice(0, count), sizes.slice(count));
    if (seen(text) <= most) return text;
  }
  return withRest(ranges.slice(0, 1), sizes.slice(1));
}

/** How much is seen of a text of ours. */
const seen = (text: string): number => text.replace(/[`\\\u2060]|\*\*/gu, '').length;

/**
 * A group as an item of a list, no line of it wider than a phone: numbers and reason, the game's name, and for a game
 * that is not known those that may have been meant.
 */
export function groupItem(t: Translate, group: LineGroup, games: ListedGames): string {
  const { lines, problem } = group;
  const reason = shortReason(problem, t);
  const label = (numbers: string) => t('list.preview.lineNumbers', { count: lines.length, numbers });
  const room = LINE_WIDTH - seen(`- ${label('')}: ${reason}`);
  const numbers = fewRanges(lines, Math.min(MOST_NUMBERS, Math.max(FEWEST_NUMBERS, room)));
  return item(t, `- ${label(numbers)}: ${reason}`, group, games);
}

/** As {@link groupItem}, for what was found in a message, where addresses have no numbers. */
export function addressItem(t: Translate, { text, problem, typed }: RefusedRow, games: ListedGames): string {
  const group = { lines: [], problem, game: gameOf(problem, typed.game) };
  return item(t, `${addressLine(text)}\n  ${shortReason(problem, t)}`, group, games);
}

export const addressLine = (address: string): string => `- \`${escapeCode(address, LINE_WIDTH - 3)}\``;

function item(t: Translate, start: string, { problem, game }: LineGroup, games: ListedGames): string {
  const lines = start.split('\n');
  const last = lines.at(-1) ?? '';
  const name = game === '' ? '' : nameIn(games, game);
  const beside = LINE_WIDTH - seen(last) - 3;
  if (name !== '' && name.length <= beside) lines.splice(-1, 1, `${last} (${escapeText(name)})`);
  else if (name !== '') lines.push(`  ${escapeText(shorten(name, LINE_WIDTH - 3))}`);
  if (problem.code === 'game-unknown') lines.push(...nearLine(t, problem.game, games));
  return lines.join('\n');
}

const nameIn = (games: KnownGames, alias: string): string => {
  const known: Game = gameNamed(alias, games);
  return visibleLine(known.name);
};

/** As many of the nearest games as fit into a line. */
function nearLine(t: Translate, typed: string, games: SearchedGames): readonly string[] {
  const names = games.search(typed, MOST_NEAR).map(({ name }) => visibleLine(name));
  const line = (some: readonly string[]) => t('list.preview.near', { near: some.join(', ') });
  for (let count = names.length; count > 0; count--) {
    const some = names.slice(0, count);
    if (line(some).length + 3 <= LINE_WIDTH) return [`  ${line(some.map((name) => escapeText(name)))}`];
  }
  const [first] = names;
  if (first === undefined) return [];
  const room = LINE_WIDTH - 3 - line([]).length;
  return [`  ${line([escapeText(shorten(first, room))])}`];
}

/** A game server as a line of a list that a phone shows whole; the longer of the two gives way. */
export function serverItem(
  name: string,
  address: string,
): { readonly game: string; readonly address: string } {
  const room = LINE_WIDTH - 3;
  const shown = visibleLine(name);
  if (shown.length + address.length <= room) return { game: shown, address };
  const half = Math.floor(room / 2);
  const most = Math.max(half, room - Math.min(shown.length, half));
  const fitted = shorten(address, most);
  return { game: shorten(shown, room - fitted.length), address: fitted };
}
