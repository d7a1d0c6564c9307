import { formatAddress } from '../addresses/address.ts';
import { EXAMPLE_PORT, usualPort } from '../addresses/usual-ports.ts';
import { type Game, LONGEST_NAME } from '../listing/contract.ts';
import { type GameIndex, usualFirst } from '../listing/game-search.ts';
import { visibleLine } from '../one-line.ts';
import { escapeCode, escapeName, shorten } from './escape.ts';
import { notReadyText, type ProblemText, problemText } from './problem.ts';
import { withSign } from './servers.ts';
import type { Reader, Translate } from './words.ts';

/** How many games are offered in place of one that is not known. */
export const NEAREST = 3;
const USUAL_GAME = { alias: 'cs2' };
const MOST_EXAMPLES = 2;
/** The least UTF-16 units of a name that still tell which game it is. */
const SHORTEST_NAME = 5;

/** Games as autocomplete choices: people read the name, the alias is what is filled in. */
export const gameChoices = (games: readonly Game[]) =>
  games.map(({ name, alias }) => {
    const tail = ` (${visibleLine(alias)})`;
    // The alias stays whole: two games may have the same name, and choices may not.
    const room = LONGEST_NAME - tail.length;
    const isAliasEnough = name === alias || room < SHORTEST_NAME;
    return {
      name: isAliasEnough ? visibleLine(alias) : `${shorten(visibleLine(name), room)}${tail}`.trimStart(),
      value: alias,
    };
  });

/** The games' names on buttons, with the alias where two have the same name. */
export const gameLabels = (games: readonly Game[]) =>
  games.map((game) => {
    const isAlone = games.filter(({ name }) => name === game.name).length === 1;
    const { label } = gameOption(game);
    return { label: isAlone ? label : `${label} (${visibleLine(game.alias)})`, alias: game.alias };
  });

/** A select takes values of 1 to 100 characters (Discord docs: Components, Select Option). */
export const isSelectable = ({ alias }: Game): boolean => alias.trim() !== '' && alias.length <= LONGEST_NAME;

/** A game as an option of a select, with its alias if its name shows nothing. */
export const gameOption = ({ name, alias }: Game) => ({
  label: shorten(visibleLine(name) || visibleLine(alias) || '?', LONGEST_NAME),
  value: alias,
});

/** The games that a select takes, the usual ones first; a select has room for 25. */
export const gameOptions = (games: readonly Game[]) => usualFirst(games.filter(isSelectable)).map(gameOption);

/** Games for a sentence, one of which may have been meant, each with its alias. */
const gamesText = (t: Translate, games: readonly Game[]): string =>
  t.or(games.map(({ name, alias }) => `${escapeName(name)} (\`${escapeCode(alias)}\`)`));

/** An address of a server of this game, as an example. */
export const exampleAddress = ({ alias }: Pick<Game, 'alias'>): string =>
  formatAddress({ host: 'play.example.com', port: usualPort(alias) ?? EXAMPLE_PORT });

/** A game for examples: the usual one, if it may be submitted. @param games what may be submitted, if that is known */
export const exampleGame = (games: readonly Game[]): Pick<Game, 'alias'> =>
  games.find(({ alias }) => alias === USUAL_GAME.alias) ?? games[0] ?? USUAL_GAME;

/** A line of a list, as an example. @param games what may be submitted, if that is known */
export function exampleLine(games: readonly Game[]): string {
  const game = exampleGame(games);
  return `${exampleAddress(game)} ${game.alias}`;
}

/** What is typed into the field of a game. @param games what may be submitted; the first ones are its examples */
export function gameHint(t: Translate, games: readonly Game[]): string {
  const names = games.slice(0, MOST_EXAMPLES).map(({ name }) => visibleLine(name));
  if (names.length === 0) return t('commands.addserver.options.game.description');
  return t('addserver.gameHint', { games: t.or(names) });
}

/** Says that a game is not allowed here, or not known, and names the nearest ones. */
export function unusableGameText(reader: Reader, typed: string, games: GameIndex): string {
  const { t } = reader;
  const problem = games.find(typed)
    ? problemText({ code: 'game-not-allowed', game: typed }, t)
    : unknownGame(reader, typed, games.search(typed, NEAREST));
  return withSign('not-sent', notReadyText(problem, t));
}

/** Says that a game is not known, and names games that may have been meant. */
export function unknownGame({ t, mention }: Reader, typed: string, near: readonly Game[]): ProblemText {
  const { short } = problemText({ code: 'game-unknown', game: typed }, t);
  return near.length === 0
    ? { short, help: t('problem.help.games', { games: mention('games') }) }
    : { short, help: t('problem.help.near', { near: gamesText(t, near) }) };
}

/** Says that several games match, of which one is to be chosen. */
export const severalGamesText = ({ t }: Reader, typed: string): string =>
  t('list.severalGames', { game: escapeName(typed) });
