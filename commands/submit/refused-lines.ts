import type { GameIndex } from '../../src/listing/game-search.ts';
import { visibleLine } from '../../src/one-line.ts';
import { type RefusedRow, rowText } from '../../src/server-lists/row.ts';
import { escapeText, shorten } from '../../src/words/escape.ts';
import { problemText, wholeText } from '../../src/words/problem.ts';
import { namedText } from '../../src/words/sentences.ts';
import { addressItem } from '../../src/words/servers.ts';
import type { Translate } from '../../src/words/words.ts';

/** UTF-16 units of a value and of a name in a line. */
const LONGEST_VALUE = 24;
const LONGEST_NAME = 30;
/** How many games are named that may have been meant; `rejected.csv` names more. */
const MOST_NEAR = 1;
const MOST_NUMBERS = 8;

/**
 * A line that cannot be sent, with what is wrong with it, as an item of a list.
 * @param isNumbered whether its author can find the line by its number
 */
export function refusedItem(t: Translate, row: RefusedRow, games: GameIndex, isNumbered: boolean): string {
  const item = addressItem(t, rowText(row.typed), isNumbered ? row.line : undefined);
  return t('look.about', { item, why: whyText(t, row, games) });
}

/** What is wrong with a line, named by its number: the modal shows the line itself. */
export const reasonItem = (t: Translate, row: RefusedRow, games: GameIndex): string =>
  t('look.about', { item: `- ${t('list.line', { line: row.line })}`, why: whyText(t, row, games) });

function whyText(t: Translate, { problem }: RefusedRow, games: GameIndex): string {
  const { short } = problemText(problem, t, LONGEST_VALUE);
  const help = problem.code === 'game-unknown' ? nearText(t, problem.game, games) : undefined;
  return wholeText({ short, help }, t);
}

function nearText(t: Translate, typed: string, games: GameIndex): string | undefined {
  const [game] = games.search(typed, MOST_NEAR);
  if (game === undefined) return undefined;
  return t('problem.help.near', { near: escapeText(shorten(visibleLine(game.name), LONGEST_NAME)) });
}

/** The first numbers of lines, in words for a sentence. */
export function someNumbers(t: Translate, lines: readonly number[]): string {
  const numbers = [...new Set(lines)].map(String);
  return namedText(t, numbers.slice(0, MOST_NUMBERS), numbers.length);
}
