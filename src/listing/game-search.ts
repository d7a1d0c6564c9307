import { createBoundedMap } from '../pacing/bounded-map.ts';
import { prefixDistance } from '../text/prefix-distance.ts';
import { type Game, KNOWN_GAMES, MAX_GAME_NAME_LENGTH } from './contract.ts';
import { AMBIGUOUS, NICKNAMES, OF_EDITION, ORDINARY_WORDS } from './nicknames.ts';

/** Discord docs: Application Commands, autocomplete. */
export const MAX_CHOICES = 25;
const MAX_CHARACTERS_CHECKED_FOR_TYPOS = 30;
/** The check takes at most 20 ms. Later games need exact input. */
const MAX_GAMES_CHECKED_FOR_TYPOS = 1_000;
/** Shorter input would match nearly every game by letters in order. */
const MIN_LENGTH_IN_ORDER = 3;
/** Among other words, shorter names are more likely something else. */
const MIN_NAME_LENGTH = 3;
const MAX_WORDS_SEARCHED = 8;
const NO_MATCH = Number.POSITIVE_INFINITY;
/** About 200 KiB. Caching helps because many members start with the same letters. */
const MAX_CACHED_SEARCHES = 500;

/** A searchable list of games. It contains either all of the service's games or those that a guild allows. */
export type GameIndex = ReturnType<typeof indexGames>;

/** The games that a guild allows. `find` also returns games that the guild doesn't allow. */
export type AllowedGames = ReturnType<typeof gamesAmong>;

/** The texts are normalised for comparison; see {@link fold}. */
interface Entry {
  readonly game: Game;
  readonly alias: string;
  readonly name: string;
  readonly words: readonly string[];
  /** The name without spaces, so that "counterstrike" finds Counter-Strike. */
  readonly letters: string;
  readonly nicknames: readonly string[];
  /** The first letters of the words in the name, so that "tf" finds Team Fortress 2. */
  readonly initials: string;
}

function entryOf(game: Game): Entry {
  const name = fold(game.name);
  const words = name.split(' ');
  return {
    game,
    alias: fold(game.alias),
    name,
    words,
    letters: words.join(''),
    nicknames: NICKNAMES.get(name) ?? [],
    // A number is kept whole, so that "l4d2" finds Left 4 Dead 2.
    initials: words.map((word) => (/^\d+$/.test(word) ? word : word.slice(0, 1))).join(''),
  };
}

/**
 * Prepares a list of games for searches, which run on every keystroke. Blocks the event loop for 2 ms with 500 games, and
 * for 150 ms with the maximum of 10,000 (measured).
 */
export function indexGames(games: readonly Game[]) {
  const entries = games.map(entryOf);
  const cachedSearches = createBoundedMap<readonly Game[]>(MAX_CACHED_SEARCHES);
  // Reversed, so that the first game wins if several have the same text.
  const last = entries.toReversed();
  const byAlias = new Map(last.map(({ game }) => [game.alias, game]));
  const byFoldedAlias = new Map(last.map(({ alias, game }) => [alias, game]));
  const byFoldedName = new Map(last.map(({ name, game }) => [name, game]));
  // Aliases and names without spaces, as other tools write them.
  const byJoined = unique(
    entries.flatMap(({ alias, letters, game }) => [
      { text: withoutSpaces(alias), game },
      { text: letters, game },
    ]),
  );
  const byNickname = unique(entries.flatMap((entry) => ownNicknames(entry, entries)));

  function find(text: string): Game | undefined {
    const typed = text.trim();
    if (typed === '') return undefined;
    const exact = byAlias.get(typed);
    if (exact) return exact;
    const folded = fold(typed.replace(/\(\d{4}\)$/u, ''));
    const joined = withoutSpaces(folded);
    return (
      byFoldedAlias.get(folded) ?? byFoldedName.get(folded) ?? byJoined.get(joined) ?? byNickname.get(joined)
    );
  }

  /** Returns the game with the longest name among other words, as in "cs2 (24/7)". */
  function namedAmongWords(typed: string, some: readonly Entry[]): readonly Game[] {
    const words = typed.split(' ').slice(0, MAX_WORDS_SEARCHED);
    for (let count = words.length; count > 0; count--) {
      for (let from = 0; from + count <= words.length; from++) {
        const name = words.slice(from, from + count).join(' ');
        const named = name.length < MIN_NAME_LENGTH ? undefined : find(name);
        if (named && some.some(({ game }) => game === named)) return [named];
      }
    }
    return [];
  }

  function searched(some: readonly Entry[], typed: string, limit: number): readonly Game[] {
    const found = search(some, typed, limit);
    return found.length > 0 ? found : namedAmongWords(typed, some);
  }

  return {
    all: games,
    usualFirst: usualFirst(games),
    /**
     * Returns the games that match the input, best matches first. Among equally good matches, widely known games come
     * first, and the others keep their order. Without input, returns the games in their original order. Ignores case,
     * accents and punctuation. If nothing matches, returns the game that is named among other words.
     * @param limit the maximum number of games to return; 25 by default
     * @param among the aliases of the games to search; all games if absent
     */
    search(text: string, limit: number = MAX_CHOICES, among?: ReadonlySet<string>): readonly Game[] {
      const typed = fold(text.slice(0, MAX_GAME_NAME_LENGTH));
      const some = among ? entries.filter(({ game }) => among.has(game.alias)) : entries;
      if (typed === '') return some.slice(0, limit).map(({ game }) => game);
      if (among || limit > MAX_CHOICES) return searched(some, typed, limit);
      const cacheKey = `${limit} ${typed}`;
      const found = cachedSearches.get(cacheKey) ?? searched(entries, typed, limit);
      cachedSearches.set(cacheKey, found);
      return found;
    },
    /**
     * Returns the game with this alias. Otherwise, returns the game with this name or the only game with this nickname.
     * Ignores case, accents, punctuation and a year in brackets at the end.
     */
    find,
  };
}

const withoutSpaces = (text: string): string => text.replaceAll(' ', '');

/** Returns a game's unambiguous nicknames. "mc" means Minecraft if no other game's name begins with "Minecraft". */
function ownNicknames({ game, name, nicknames }: Entry, entries: readonly Entry[]) {
  const isOne = nicknames.length > 0 && !entries.some((other) => other.name.startsWith(`${name} `));
  return nicknames
    .filter((nickname) => (isOne ? !AMBIGUOUS.has(nickname) : OF_EDITION.has(nickname)))
    .map((nickname) => ({ text: withoutSpaces(nickname), game }));
}

/** Maps each text to the only game that it belongs to, or to `undefined` for a shared text. */
function unique(texts: readonly { readonly text: string; readonly game: Game }[]) {
  const games = new Map<string, Game | undefined>();
  for (const { text, game } of texts) {
    const isOfAnother = games.has(text) && games.get(text) !== game;
    games.set(text, isOfAnother ? undefined : game);
  }
  return games;
}

function search(entries: readonly Entry[], typed: string, limit: number): readonly Game[] {
  const found = asTyped(entries, typed);
  if (found.length >= limit) return found.slice(0, limit);
  return [...found, ...withTypos(entries, typed, new Set(found))].slice(0, limit);
}

/**
 * Sorts games by rank, best first. If games have the same rank, widely known ones come first.
 * @param rankOf returns a whole number, where lower is better, or {@link NO_MATCH} to leave the game out
 */
function ranked(entries: readonly Entry[], rankOf: (entry: Entry) => number): readonly Game[] {
  const byRank: Game[][] = [];
  for (const entry of entries) {
    const rank = rankOf(entry);
    if (rank === NO_MATCH) continue;
    byRank[rank] ??= [];
    byRank[rank].push(entry.game);
  }
  return byRank.flatMap(usualFirst);
}

function asTyped(entries: readonly Entry[], typed: string): readonly Game[] {
  const typedWords = typed.split(' ');
  const typedLetters = withoutSpaces(typed);
  return ranked(entries, ({ alias, name, words, letters, nicknames, initials }) => {
    if (alias === typed) return 0;
    if (name === typed) return 1;
    if (nicknames.includes(typed)) return 2;
    if (alias.startsWith(typed) || name.startsWith(typed)) return 3;
    if (typed.length > 1 && initials.startsWith(typed)) return 3;
    if (nicknames.some((nickname) => nickname.startsWith(typed))) return 4;
    const isFrom = (_: string, first: number) => words.slice(first).join('').startsWith(typedLetters);
    if (letters.includes(typedLetters) && words.some(isFrom)) return 4;
    if (name.includes(typed) || alias.includes(typed)) return 5;
    // Each typed word must be the beginning of a word in the name, in any order. For example, "ascended ark" matches.
    const begins = (typedWord: string) => words.some((word) => word.startsWith(typedWord));
    if (typedWords.length > 1) return typedWords.every(begins) ? 6 : NO_MATCH;
    // The typed letters must occur in this order, starting with the first letter of the name. For example, "bf1942"
    // matches.
    return hasInOrder(letters, typed) ? 7 : NO_MATCH;
  });
}

function hasInOrder(letters: string, typed: string): boolean {
  if (typed.length < MIN_LENGTH_IN_ORDER || letters[0] !== typed[0]) return false;
  let found = 0;
  for (const letter of letters) if (letter === typed[found]) found += 1;
  return found === typed.length;
}

function withTypos(entries: readonly Entry[], typed: string, found: ReadonlySet<Game>): readonly Game[] {
  const compared = typed.slice(0, MAX_CHARACTERS_CHECKED_FOR_TYPOS);
  const whole = [distanceOf(compared)];
  const ofWords = compared.split(' ').map(distanceOf);
  return ranked(entries.slice(0, MAX_GAMES_CHECKED_FOR_TYPOS), ({ game, alias, name, words }) =>
    found.has(game) ? NO_MATCH : Math.min(typosIn([alias, name], whole), typosIn(words, ofWords)),
  );
}

function distanceOf(typed: string) {
  if (typed.length < 4) return prefixDistance(typed, 0);
  return prefixDistance(typed, typed.length < 8 ? 1 : 2);
}

/** Compares each typed word with the beginnings of all texts, and adds up the typos in the best matches. */
function typosIn(texts: readonly string[], typed: readonly ReturnType<typeof distanceOf>[]): number {
  let sum = 0;
  for (const distance of typed) {
    let fewest = NO_MATCH;
    for (const text of texts) fewest = Math.min(fewest, distance(text));
    sum += fewest;
  }
  return sum;
}

/**
 * Normalises text for comparison: lower case, no accents, standard width and form (a final sigma becomes a normal sigma).
 * Removes apostrophes ("garrys mod") and replaces other punctuation with spaces ("counter strike"). Text that consists only
 * of symbols keeps them, so that games with such names can be found.
 */
function fold(text: string): string {
  // Normalisation can turn one character into eighteen (U+FDFA), so the text is cut afterwards.
  const whole = text.normalize('NFKD').slice(0, 2 * MAX_GAME_NAME_LENGTH);
  const letters = whole.replace(/\p{M}/gu, '').toLowerCase().replaceAll('ς', 'σ');
  const words = letters
    .replace(/['’ʼ`]/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  return words === '' ? letters.trim() : words;
}

const KNOWN_NAMES: ReadonlySet<string> = new Set(
  [...NICKNAMES].flatMap(([name, nicknames]) => [name, ...nicknames]).map(withoutSpaces),
);

/** Whether text is the name or a nickname of a game in {@link NICKNAMES}, even if the service doesn't list the game. */
export const isKnownGame = (text: string): boolean => KNOWN_NAMES.has(withoutSpaces(fold(text)));

export const isOrdinaryWord = (text: string): boolean => ORDINARY_WORDS.has(fold(text));

/** @param allowedAliases if absent, all games are allowed */
export function gamesAmong(games: GameIndex, allowedAliases: Iterable<string> | undefined) {
  const allowed = allowedAliases && new Set(allowedAliases);
  const isAllowed = ({ alias }: Game) => allowed === undefined || allowed.has(alias);
  return {
    isAllowed,
    get all() {
      return allowed ? games.all.filter(isAllowed) : games.all;
    },
    get usualFirst() {
      return allowed ? games.usualFirst.filter(isAllowed) : games.usualFirst;
    },
    find: games.find,
    search: (text: string, limit?: number) => games.search(text, limit, allowed),
  };
}

const USUAL: ReadonlySet<string> = new Set(KNOWN_GAMES.map(({ alias }) => alias));

const isUsual = ({ alias }: Game): boolean => USUAL.has(alias);

export const usualFirst = (games: readonly Game[]): readonly Game[] => [
  ...games.filter(isUsual),
  ...games.filter((game) => !isUsual(game)),
];
