import type { Game } from '../../src/listing/contract.ts';
import type { GameIndex } from '../../src/listing/game-search.ts';
import { MAX_ALIAS_LENGTH } from '../../src/server-lists/read-one.ts';
import { meantAddress, meantValue, usualPortRepair } from '../../src/server-lists/repair.ts';
import {
  furtherProblems,
  type InvalidRow,
  lineLabel,
  type RowPlace,
  type RowProblem,
  rowText,
} from '../../src/server-lists/row.ts';
import { shorten, visibleLine } from '../../src/text/one-line.ts';
import { escapeText, readOutsideDiscord } from '../../src/words/escape.ts';
import { gameChoices, MAX_SUGGESTED_GAMES, unknownGame } from '../../src/words/games.ts';
import {
  notReadyText,
  type ProblemText,
  problemText,
  wholeText,
  withUsualPort,
} from '../../src/words/problem.ts';
import { namedText, sentences } from '../../src/words/sentences.ts';
import { addressItem, withSign } from '../../src/words/servers.ts';
import type { Audience, Translate } from '../../src/words/words.ts';

const MAX_VALUE_LENGTH = 24;
const MAX_NAME_LENGTH = 30;
const MAX_LINE_NUMBERS = 8;

const withSuggestion = (
  t: Translate,
  { short, help }: ProblemText,
  near: string | undefined,
): ProblemText => ({
  short,
  help: near === undefined || near === '' ? help : t('problem.help.near', { near }),
});

interface NearGames {
  readonly near: readonly Game[];
  readonly isListKnown: boolean;
  readonly hasButtons?: boolean;
}

/**
 * Lists all the problems of a single-line draft.
 * @param near games that the member may have meant; `hasButtons` if each has a button
 * @param isListKnown whether the service's own list of games could be read
 * @param formatFirst formats the line's outcome together with its first problem
 */
export function problemLines(
  audience: Audience,
  { typed, problem }: InvalidRow,
  { near, isListKnown, hasButtons = false }: NearGames,
  formatFirst = notReadyText,
): readonly string[] {
  const { t } = audience;
  if (problem.code === 'game-missing') return [t('list.withoutGame', { count: 1 })];
  const further = furtherProblems(typed, problem).map((each) => problemText(each, t));
  return [
    withSign('not-sent', formatFirst(firstProblem(audience, problem, { near, isListKnown, hasButtons }), t)),
    ...further.map(({ short, help }) => sentences(t('addserver.also', { short }), help)),
  ];
}

function firstProblem(
  audience: Audience,
  problem: RowProblem,
  { near, isListKnown, hasButtons }: NearGames,
): ProblemText {
  const { t } = audience;
  if (problem.code !== 'game-unknown') return problemText(problem, t);
  if (problem.game === '') return problemText({ code: 'game-missing' }, t);
  const unknown = unknownGame(audience, problem.game, near);
  if (!isListKnown) return { ...unknown, help: t('problem.help.alias', { most: MAX_ALIAS_LENGTH }) };
  return hasButtons && near.length > 0
    ? { ...unknown, help: t('problem.help.these', { count: near.length }) }
    : unknown;
}

/**
 * Formats a line that can't be sent, together with its problem, as a list item.
 * @param isNumbered whether the member can find the line by its number
 */
export function invalidItem(t: Translate, row: InvalidRow, games: GameIndex, isNumbered: boolean): string {
  const item = addressItem(t, rowText(row.typed), isNumbered ? row : undefined);
  return t('look.about', { item, why: whyText(t, row, games) });
}

/** Formats a line's problem with just the line number, because the modal already shows the line itself. */
export const reasonItem = (t: Translate, row: InvalidRow, games: GameIndex): string =>
  t('look.about', { item: `- ${t('list.line', { line: lineLabel(row) })}`, why: whyText(t, row, games) });

/** Formats a line's problem together with the default port that a button offers. */
function rowProblemText(
  t: Translate,
  row: InvalidRow,
  games: GameIndex,
  maxValueLength?: number,
): ProblemText {
  const text = problemText(row.problem, t, maxValueLength);
  const usual = row.problem.code === 'port-missing' ? undefined : usualPortRepair(row, games)?.value;
  return usual === undefined ? text : { ...text, short: withUsualPort(text.short, usual, t) };
}

function whyText(t: Translate, row: InvalidRow, games: GameIndex): string {
  const { problem } = row;
  const { short } = rowProblemText(t, row, games, MAX_VALUE_LENGTH);
  const [game] = problem.code === 'game-unknown' ? games.search(problem.game, 1) : [];
  const near = game?.name ?? meantAddress(row) ?? meantValue(row.typed);
  return wholeText(
    withSuggestion(t, { short }, near && escapeText(shorten(visibleLine(near), MAX_NAME_LENGTH))),
    t,
  );
}

/** Takes about 25 ms per file, and is enough for 500 lines and 100 games. */
const MAX_COMPARISONS = 50_000;

/** Creates a function that returns the games most similar to an unknown name, or `undefined` after too many comparisons. */
export function guesser(games: GameIndex): (typed: string) => readonly Game[] | undefined {
  const guesses = new Map<string, readonly Game[]>();
  const mostGuesses = MAX_COMPARISONS / Math.max(1, games.all.length);
  return (typed) => {
    const known = guesses.get(typed);
    if (known !== undefined || guesses.size >= mostGuesses) return known;
    const found = games.search(typed, MAX_SUGGESTED_GAMES);
    guesses.set(typed, found);
    return found;
  };
}

export function reasonsOf(t: Translate, games: GameIndex): (row: InvalidRow) => string {
  const guess = guesser(games);
  const nearest = (typed: string) => t.or(gameChoices(guess(typed) ?? []).map(({ name }) => name));
  return (row) => {
    const { problem, typed } = row;
    const near = problem.code === 'game-unknown' ? nearest(problem.game) : meantValue(typed);
    return readOutsideDiscord(wholeText(withSuggestion(t, rowProblemText(t, row, games), near), t));
  };
}

export function someLines(t: Translate, places: readonly RowPlace[]) {
  const numbers = [...new Set(places.map(lineLabel))];
  const { length: count } = numbers;
  return { count, numbers: namedText(t, numbers.slice(0, MAX_LINE_NUMBERS), count) };
}
