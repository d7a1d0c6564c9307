import { formatAddress } from '../addresses/address.ts';
import { EXAMPLE_PORT, usualPort } from '../addresses/usual-ports.ts';
import { type Game, MAX_GAME_NAME_LENGTH } from '../listing/contract.ts';
import { type GameIndex, usualFirst } from '../listing/game-search.ts';
import { shorten, visibleLine } from '../text/one-line.ts';
import { escapeCode, escapeName } from './escape.ts';
import { notUsedText, type ProblemText, problemText } from './problem.ts';
import { withSign } from './servers.ts';
import type { Audience, Translate } from './words.ts';

export const MAX_SUGGESTED_GAMES = 3;
const USUAL_GAME = { alias: 'cs2' };
const MAX_EXAMPLES = 2;
/** At this length, a shortened name still identifies the game. */
const MIN_NAME_LENGTH = 5;

/** Returns games as autocomplete choices. Members see the name, and choosing it fills in the alias. */
export const gameChoices = (games: readonly Game[]) =>
  games.map(({ name, alias }) => {
    const tail = ` (${visibleLine(alias)})`;
    // The alias is never shortened, because choices must differ even if two games have the same name.
    const capacity = MAX_GAME_NAME_LENGTH - tail.length;
    const isAliasEnough = name === alias || capacity < MIN_NAME_LENGTH;
    return {
      name: isAliasEnough ? visibleLine(alias) : `${shorten(visibleLine(name), capacity)}${tail}`.trimStart(),
      value: alias,
    };
  });

/** Returns the games' names for use on buttons. If several games have the same name, adds their aliases. */
export const gameLabels = (games: readonly Game[]) =>
  games.map((game) => {
    const isAlone = games.filter(({ name }) => name === game.name).length === 1;
    const { label } = gameOption(game);
    return { label: isAlone ? label : `${label} (${visibleLine(game.alias)})`, alias: game.alias };
  });

/** Whether the alias has 1 to 100 characters, as a select option's value must (Discord docs: Components, Select Option). */
export const isSelectable = ({ alias }: Game): boolean =>
  alias.trim() !== '' && alias.length <= MAX_GAME_NAME_LENGTH;

/** Returns a game as a select option. If the game's name is invisible, the option shows the alias instead. */
export const gameOption = ({ name, alias }: Game) => ({
  label: shorten(visibleLine(name) || visibleLine(alias) || '?', MAX_GAME_NAME_LENGTH),
  value: alias,
});

/** Returns the games that can be select options, widely known games first. Can exceed a select's maximum of 25. */
export const gameOptions = (games: readonly Game[]) => usualFirst(games.filter(isSelectable)).map(gameOption);

const gamesText = (t: Translate, games: readonly Game[]): string =>
  t.or(games.map(({ name, alias }) => `${escapeName(name)} (\`${escapeCode(alias)}\`)`));

const exampleAddress = ({ alias }: Pick<Game, 'alias'>): string =>
  formatAddress({ host: 'play.example.com', port: usualPort(alias) ?? EXAMPLE_PORT });

/**
 * Returns a game to use in examples: the default example, if it can be submitted.
 * @param games the games that can be submitted, if known
 */
const exampleGame = (games: readonly Game[]): Pick<Game, 'alias'> =>
  games.find(({ alias }) => alias === USUAL_GAME.alias) ?? games[0] ?? USUAL_GAME;

/** @param games the games that can be submitted, if known */
export function exampleLine(games: readonly Game[]): string {
  const game = exampleGame(games);
  return `${exampleAddress(game)} ${game.alias}`;
}

/** @param games the games that can be submitted; the first ones are used as examples */
export function gameHint(t: Translate, games: readonly Game[]): string {
  const names = games.slice(0, MAX_EXAMPLES).map(({ name }) => visibleLine(name));
  if (names.length === 0) return t('commands.addserver.options.game.description');
  return t('addserver.gameHint', { games: t.or(names) });
}

export function unusableGameText(audience: Audience, typed: string, games: GameIndex): string {
  const { t } = audience;
  const problem = games.find(typed)
    ? problemText({ code: 'game-not-allowed', game: typed }, t)
    : unknownGame(audience, typed, games.search(typed, MAX_SUGGESTED_GAMES));
  return withSign('not-sent', notUsedText(problem, t));
}

/** @param near games that the member may have meant */
export function unknownGame({ t, mention }: Audience, typed: string, near: readonly Game[]): ProblemText {
  const { short } = problemText({ code: 'game-unknown', game: typed }, t);
  return near.length === 0
    ? { short, help: t('problem.help.games', { games: mention('games') }) }
    : { short, help: t('problem.help.near', { near: gamesText(t, near) }) };
}

export const severalGamesText = ({ t }: Audience, typed: string): string =>
  t('list.severalGames', { game: escapeName(typed) });
