import { type Game, KNOWN_GAMES, LONGEST_NAME as LONGEST_CHOICE } from '../listing/contract.ts';
import { visibleLine } from '../visible-line.ts';
import { escapeCode, escapeText, LONGEST_NAME } from './escape.ts';
import { shorten } from './shorten.ts';
import type { Reader } from './words.ts';

/** How many games are offered in place of one that is not known. */
const NEAREST = 3;
/** UTF-16 units; less of a name tells nobody anything. */
const SHORTEST_NAME = 5;

/** Games by their alias. */
export interface KnownGames {
  find(alias: string): Game | undefined;
}

/** A game by its alias, which is its name too where it is not known. */
export const gameNamed = (alias: string, games: KnownGames): Game =>
  games.find(alias) ?? { name: alias, alias };

/** The games of a catalog that a guild allows; absent: all of them. */
export function gamesAmong(
  games: KnownGames & SearchedGames & { list(): { readonly games: readonly Game[] } },
  allowed: readonly string[] | undefined,
): KnownGames & SearchedGames & { readonly all: readonly Game[] } {
  const all = games.list().games;
  if (allowed === undefined) return { find: games.find, search: games.search, all };
  const isAllowed = ({ alias }: Game) => allowed.includes(alias);
  return {
    find: games.find,
    search: (typed, limit) => games.search(typed, all.length).filter(isAllowed).slice(0, limit),
    all: all.filter(isAllowed),
  };
}

/** The games that may be looked for, best first. */
export interface SearchedGames {
  search(typed: string, limit?: number): readonly Game[];
}

/** Games as autocomplete choices: people read the name, the alias is what is filled in. */
export function gameChoices(
  games: readonly Game[],
): readonly { readonly name: string; readonly value: string }[] {
  return games.map(({ name, alias }) => {
    const tail = ` (${visibleLine(alias)})`;
    // The alias stays whole: two games may have the same name, and choices may not.
    const room = LONGEST_CHOICE - tail.length;
    const isAliasEnough = name === alias || room < SHORTEST_NAME;
    return {
      name: isAliasEnough ? visibleLine(alias) : `${shorten(visibleLine(name), room)}${tail}`.trimStart(),
      value: alias,
    };
  });
}

/** Games as buttons call them: by the name, and the alias too where two have the same name. */
export const gameLabels = (
  games: readonly Game[],
): readonly { readonly label: string; readonly alias: string }[] =>
  games.map((game) => {
    const isAlone = games.filter(({ name }) => name === game.name).length === 1;
    const { label } = gameOption(game);
    return { label: isAlone ? label : `${label} (${visibleLine(game.alias)})`, alias: game.alias };
  });

/** A select takes values of 1 to 100 characters (Discord docs: Components, Select Option). */
export const isSelectable = ({ alias }: Game): boolean =>
  alias.trim() !== '' && alias.length <= LONGEST_CHOICE;

/** A game as an option of a select. A name that shows nothing gives way to the alias. */
export const gameOption = ({ name, alias }: Game): { readonly label: string; readonly value: string } => ({
  label: shorten(visibleLine(name) || visibleLine(alias) || '?', LONGEST_CHOICE),
  value: alias,
});

/** The games that a select takes, the usual ones first; a select has room for 25. */
export function gameOptions(games: readonly Game[]): readonly ReturnType<typeof gameOption>[] {
  const choices = games.filter(isSelectable);
  const [usual, others] = [choices.filter(isUsual), choices.filter((game) => !isUsual(game))];
  return [...usual, ...others].map(gameOption);
}

const USUAL: ReadonlySet<string> = new Set(KNOWN_GAMES.map(({ alias }) => alias));
const isUsual = ({ alias }: Game): boolean => USUAL.has(alias);

/** The games that come nearest to what was typed, three at most, of those that a guild allows. */
export const nearGames = (
  games: SearchedGames,
  typed: string,
  allowed: ReadonlySet<string> | undefined,
): readonly Game[] =>
  games
    .search(typed, allowed && Number.MAX_SAFE_INTEGER)
    .filter(({ alias }) => allowed?.has(alias) ?? true)
    .slice(0, NEAREST);

/** The games that come nearest to what was typed, for a sentence; empty when none does. */
export const nearestGames = (games: SearchedGames, typed: string): string =>
  gamesText(games.search(typed, NEAREST));

/** Games for a sentence, each with its alias. */
export const gamesText = (games: readonly Game[]): string =>
  games.map(({ name, alias }) => `${escapeText(name, LONGEST_NAME)} (\`${escapeCode(alias)}\`)`).join(', ');

/** That a game is not known, with the nearest ones. */
export function unknownGameText({ t }: Reader, typed: string, games: SearchedGames): string {
  const near = nearestGames(games, typed);
  const game = escapeText(typed, LONGEST_NAME);
  return near === '' ? t('list.unknownGame', { game }) : t('list.unknownGameNear', { game, near });
}

/** That several games match, to choose one of them. */
export const severalGamesText = ({ t }: Reader, typed: string): string =>
  t('list.severalGames', { game: escapeText(typed, LONGEST_NAME) });
