import { createBoundedMap } from '../bounded-map.ts';
import { prefixDistance } from '../prefix-distance.ts';
import { type Game, KNOWN_GAMES, LONGEST_NAME } from './contract.ts';
import { AMBIGUOUS, NICKNAMES, ORDINARY_WORDS } from './nicknames.ts';

/** The maximum number of choices that Discord shows (Discord docs: Application Commands, autocomplete). */
export const MAX_CHOICES = 25;
/** How many characters of the input are checked for typos. */
const MOST_COMPARED = 30;
/**
 * The number of games that are checked for typos, from the start of the list. This takes 20 ms at most. Games further down
 * the list are only found without typos.
 */
const MOST_GAMES_COMPARED = 1_000;
/** The minimum input length for matching letters in order. A shorter input would match nearly every game. */
const LEAST_IN_ORDER = 3;
/** The rank of a game that doesn't match. */
const MISSED = Number.POSITIVE_INFINITY;
/**
 * The number of searches among all games that are cached, because many members begin with the same letters. They use about
 * 200 KiB.
 */
const MOST_REMEMBERED = 500;

/** The searchable games: all of the service's games, or those that a guild allows. */
export type GameIndex = ReturnType<typeof indexGames>;

/** The games that a guild allows. `find` also returns games that the guild doesn't allow. */
export type AllowedGames = ReturnType<typeof gamesAmong>;

/** A game with the normalised texts that a search compares; see {@link fold}. */
interface Entry {
  readonly game: Game;
  readonly alias: string;
  readonly name: string;
  /** The words of the name. */
  readonly words: readonly string[];
  /** The name without spaces: "counterstrike" finds Counter-Strike. */
  readonly letters: string;
  /** The names that players use for the game. */
  readonly nicknames: readonly string[];
  /** The first letters of the words: "tf" finds Team Fortress 2. */
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
    // A number isn't shortened: "l4d2".
    initials: words.map((word) => (/^\d+$/.test(word) ? word : word.slice(0, 1))).join(''),
  };
}

/**
 * Prepares a list of games for searching, because a search runs at every keystroke. Blocks the event loop for 2 ms with 500
 * games, and for 150 ms with the maximum of 10,000 (measured).
 */
export function indexGames(games: readonly Game[]) {
  const entries = games.map(entryOf);
  /** The key consists of the number of games requested and the input. */
  const remembered = createBoundedMap<readonly Game[]>(MOST_REMEMBERED);
  // Reversed, so that the first of several games with the same text wins.
  const last = entries.toReversed();
  const byAlias = new Map(last.map(({ game }) => [game.alias, game]));
  const byFoldedAlias = new Map(last.map(({ alias, game }) => [alias, game]));
  const byFoldedName = new Map(last.map(({ name, game }) => [name, game]));
  // The alias and the name without spaces, as other tools write them.
  const byJoined = unique(
    entries.flatMap(({ alias, letters, game }) => [
      { text: withoutSpaces(alias), game },
      { text: letters, game },
    ]),
  );
  const byNickname = unique(entries.flatMap((entry) => ownNicknames(entry, entries)));

  return {
    /** All games, in the order of the list. */
    all: games,
    /** The same games, with widely known ones first. */
    usualFirst: usualFirst(games),
    /**
     * Returns the games that match the input, best first. Of equally good matches, widely known games come first; the rest
     * keep the order of the list. Without input, it returns the list unchanged. Ignores case, accents and punctuation.
     * @param limit the maximum number of games to return; 25 by default
     * @param among the aliases to search; all if absent
     */
    search(text: string, limit: number = MAX_CHOICES, among?: ReadonlySet<string>): readonly Game[] {
      const typed = fold(text.slice(0, LONGEST_NAME));
      const some = among ? entries.filter(({ game }) => among.has(game.alias)) : entries;
      if (typed === '') return some.slice(0, limit).map(({ game }) => game);
      if (among || limit > MAX_CHOICES) return search(some, typed, limit);
      const cacheKey = `${limit} ${typed}`;
      const found = remembered.get(cacheKey) ?? search(entries, typed, limit);
      remembered.set(cacheKey, found);
      return found;
    },
    /**
     * Returns the one game with this alias. If there is none, tries the name, then the nickname. Ignores case, accents,
     * punctuation and a year in brackets at the end.
     */
    find(text: string): Game | undefined {
      const typed = text.trim();
      if (typed === '') return undefined;
      const exact = byAlias.get(typed);
      if (exact) return exact;
      const folded = fold(typed.replace(/\(\d{4}\)$/u, ''));
      const joined = withoutSpaces(folded);
      return (
        byFoldedAlias.get(folded) ??
        byFoldedName.get(folded) ??
        byJoined.get(joined) ??
        byNickname.get(joined)
      );
    },
  };
}

const withoutSpaces = (text: string): string => text.replaceAll(' ', '');

/** Returns the nicknames that identify only this game. For example, "mc" does if the list has just one Minecraft. */
function ownNicknames({ game, name, nicknames }: Entry, entries: readonly Entry[]) {
  const isOne = nicknames.length > 0 && !entries.some((other) => other.name.startsWith(`${name} `));
  if (!isOne) return [];
  return nicknames
    .filter((nickname) => !AMBIGUOUS.has(nickname))
    .map((nickname) => ({ text: withoutSpaces(nickname), game }));
}

/** Maps texts to the one game they belong to; `undefined` if several games share a text. */
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
 * Sorts the games by rank, best first. Of games with equal rank, widely known ones come first.
 * @param rankOf a whole number, smaller is better; {@link MISSED} omits the game
 */
function ranked(entries: readonly Entry[], rankOf: (entry: Entry) => number): readonly Game[] {
  const byRank: Game[][] = [];
  for (const entry of entries) {
    const rank = rankOf(entry);
    if (rank === MISSED) continue;
    byRank[rank] ??= [];
    byRank[rank].push(entry.game);
  }
  return byRank.flatMap(usualFirst);
}

/** Returns the games that match the text without typos. */
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
    // Each typed word is the beginning of some word of the name, in any order: "ascended ark".
    const begins = (typedWord: string) => words.some((word) => word.startsWith(typedWord));
    if (typedWords.length > 1) return typedWords.every(begins) ? 6 : MISSED;
    // The letters occur in this order, starting with the first letter of the name: "bf1942".
    return hasInOrder(letters, typed) ? 7 : MISSED;
  });
}

function hasInOrder(letters: string, typed: string): boolean {
  if (typed.length < LEAST_IN_ORDER || letters[0] !== typed[0]) return false;
  let found = 0;
  for (const letter of letters) if (letter === typed[found]) found += 1;
  return found === typed.length;
}

/** Returns the games that match with one typo, followed by those that match with more. */
function withTypos(entries: readonly Entry[], typed: string, found: ReadonlySet<Game>): readonly Game[] {
  const compared = typed.slice(0, MOST_COMPARED);
  const whole = [distanceOf(compared)];
  const ofWords = compared.split(' ').map(distanceOf);
  return ranked(entries.slice(0, MOST_GAMES_COMPARED), ({ game, alias, name, words }) =>
    found.has(game) ? MISSED : Math.min(typosIn([alias, name], whole), typosIn(words, ofWords)),
  );
}

/** Allows one typo in 4 or more letters, and two in 8 or more. */
function distanceOf(typed: string) {
  if (typed.length < 4) return prefixDistance(typed, 0);
  return prefixDistance(typed, typed.length < 8 ? 1 : 2);
}

/** Counts the typos if each typed word is the beginning of one of these texts, in any order. */
function typosIn(texts: readonly string[], typed: readonly ReturnType<typeof distanceOf>[]): number {
  let sum = 0;
  for (const distance of typed) {
    let fewest = MISSED;
    for (const text of texts) fewest = Math.min(fewest, distance(text));
    sum += fewest;
  }
  return sum;
}

/**
 * Normalises text for comparison: lower case, no accents, standard width and form (a final sigma becomes a sigma). Removes
 * apostrophes ("garrys mod"), and replaces other punctuation with a space ("counter strike"). Text that consists only of
 * symbols keeps them, so that a game with such a name can be found.
 */
function fold(text: string): string {
  // One character can become eighteen (U+FDFA).
  const whole = text.normalize('NFKD').slice(0, 2 * LONGEST_NAME);
  const letters = whole.replace(/\p{M}/gu, '').toLowerCase().replaceAll('ς', 'σ');
  const words = letters
    .replace(/['’ʼ`]/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  return words === '' ? letters.trim() : words;
}

/** Every name and nickname of known games, including games that the service doesn't list. */
const KNOWN: ReadonlySet<string> = new Set(
  [...NICKNAMES].flatMap(([name, nicknames]) => [name, ...nicknames]).map(withoutSpaces),
);

/** Whether a text is the name of a known game, even if the service doesn't list that game. */
export const isKnownGame = (text: string): boolean => KNOWN.has(withoutSpaces(fold(text)));

/** Whether the name of a game is also an ordinary word in some language. */
export const isOrdinaryWord = (text: string): boolean => ORDINARY_WORDS.has(fold(text));

/**
 * Returns the games of the list that a guild allows.
 * @param aliases the allowed aliases; all if absent
 */
export function gamesAmong(games: GameIndex, aliases: Iterable<string> | undefined) {
  const allowed = aliases && new Set(aliases);
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

/** Whether a game is widely known. */
const isUsual = ({ alias }: Game): boolean => USUAL.has(alias);

/** Moves widely known games to the front, and keeps the order otherwise. */
export const usualFirst = (games: readonly Game[]): readonly Game[] => [
  ...games.filter(isUsual),
  ...games.filter((game) => !isUsual(game)),
];
