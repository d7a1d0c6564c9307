import { createBoundedMap } from '../bounded-map.ts';
import { prefixDistance } from '../prefix-distance.ts';
import { type Game, KNOWN_GAMES, LONGEST_NAME } from './contract.ts';
import { AMBIGUOUS, NICKNAMES, ORDINARY_WORDS } from './nicknames.ts';

/** Discord shows at most 25 choices (Discord docs: Application Commands, autocomplete). */
export const MAX_CHOICES = 25;
/** How many characters of what was typed are compared for typing errors. */
const MOST_COMPARED = 30;
/**
 * How many games are compared for typing errors, from the first: 20 ms at worst. Games behind them are found without
 * errors only.
 */
const MOST_GAMES_COMPARED = 1_000;
/** In shorter texts the letters in their order would find nearly every game. */
const LEAST_IN_ORDER = 3;
/** The rank of what does not fit. */
const MISSED = Number.POSITIVE_INFINITY;
/** How many searches among all games are remembered: many members begin with the same letters. Some 200 KiB. */
const MOST_REMEMBERED = 500;

/** Games to name and to look for: those of the service, or those of them that a guild allows. */
export type GameIndex = ReturnType<typeof indexGames>;

/** The games that a guild allows; any game can still be named. */
export type AllowedGames = ReturnType<typeof gamesAmong>;

/** A game with the texts that a search compares; see {@link fold}. */
interface Entry {
  readonly game: Game;
  readonly alias: string;
  readonly name: string;
  /** Of the name. */
  readonly words: readonly string[];
  /** The name without spaces: "counterstrike" finds Counter-Strike. */
  readonly letters: string;
  /** What players call the game. */
  readonly nicknames: readonly string[];
  /** The first letters of its words: "tf" finds Team Fortress 2. */
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
    // A number stays whole: "l4d2".
    initials: words.map((word) => (/^\d+$/.test(word) ? word : word.slice(0, 1))).join(''),
  };
}

/**
 * A list of games made ready for searching, since a search runs with every key stroke. In one step: 2 ms for 500 games, 150 ms for
 * 10,000, the most that are read (measured).
 */
export function indexGames(games: readonly Game[]) {
  const entries = games.map(entryOf);
  /** By the number of games that were asked for and what was typed. */
  const remembered = createBoundedMap<readonly Game[]>(MOST_REMEMBERED);
  // Backwards, so that the first of several stays.
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
    /** In the order of the list. */
    all: games,
    /** The same, with games that are known everywhere first. */
    usualFirst: usualFirst(games),
    /**
     * The games that fit to what was typed, best first; of equally good ones those that are known everywhere, then in the
     * order of the list. Without any text it is the list as it is. Case, accents and punctuation do not matter.
     * @param limit the most games to return; 25
     * @param among the aliases of the games that are looked at; absent: all of them
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
     * The one game with this alias, or else this name, or else this nickname; case, accents, punctuation and a year in
     * brackets behind it do not matter.
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

/** The nicknames that mean this game and no other of the list: "mc" does if the list has one Minecraft only. */
function ownNicknames({ game, name, nicknames }: Entry, entries: readonly Entry[]) {
  const isOne = nicknames.length > 0 && !entries.some((other) => other.name.startsWith(`${name} `));
  if (!isOne) return [];
  return nicknames
    .filter((nickname) => !AMBIGUOUS.has(nickname))
    .map((nickname) => ({ text: withoutSpaces(nickname), game }));
}

/** The games by the texts that belong to a single game; `undefined`: several have that text. */
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
  return [...found, ...withSlips(entries, typed, new Set(found))].slice(0, limit);
}

/**
 * The games with a rank, best first. Of equally good games those that are known everywhere come first.
 * @param rankOf a whole number, smaller is better; {@link MISSED}: the game is left out
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

/** The games that fit to the text without any typing error. */
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
    // Each typed word begins some word, in any order: "ascended ark".
    const begins = (typedWord: string) => words.some((word) => word.startsWith(typedWord));
    if (typedWords.length > 1) return typedWords.every(begins) ? 6 : MISSED;
    // The letters in their order, beginning with the first: "bf1942".
    return hasInOrder(letters, typed) ? 7 : MISSED;
  });
}

function hasInOrder(letters: string, typed: string): boolean {
  if (typed.length < LEAST_IN_ORDER || letters[0] !== typed[0]) return false;
  let found = 0;
  for (const letter of letters) if (letter === typed[found]) found += 1;
  return found === typed.length;
}

/** The games that were meant but for one typing error, then those with more. */
function withSlips(entries: readonly Entry[], typed: string, found: ReadonlySet<Game>): readonly Game[] {
  const compared = typed.slice(0, MOST_COMPARED);
  const whole = [distanceOf(compared)];
  const ofWords = compared.split(' ').map(distanceOf);
  return ranked(entries.slice(0, MOST_GAMES_COMPARED), ({ game, alias, name, words }) =>
    found.has(game) ? MISSED : Math.min(slipsIn([alias, name], whole), slipsIn(words, ofWords)),
  );
}

/** One typing error is forgiven in 4 letters or more, two in 8 or more. */
function distanceOf(typed: string) {
  if (typed.length < 4) return prefixDistance(typed, 0);
  return prefixDistance(typed, typed.length < 8 ? 1 : 2);
}

/** How many typing errors there are if each of what was typed begins one of these texts, in any order. */
function slipsIn(texts: readonly string[], typed: readonly ReturnType<typeof distanceOf>[]): number {
  let sum = 0;
  for (const distance of typed) {
    let fewest = MISSED;
    for (const text of texts) fewest = Math.min(fewest, distance(text));
    sum += fewest;
  }
  return sum;
}

/**
 * Text as it is compared. Letters are small, without accents, in their usual width and form (a final sigma is a sigma).
 * Apostrophes are left out ("garrys mod"), and other punctuation is a space ("counter strike"). A text that has nothing but
 * signs keeps them, so that a game with such a name is found.
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

/** Every name and nickname of known games, also of games that the service does not have. */
const KNOWN: ReadonlySet<string> = new Set(
  [...NICKNAMES].flatMap(([name, nicknames]) => [name, ...nicknames]).map(withoutSpaces),
);

/** Whether a text is a name of a known game, also of one that the service does not have. */
export const isKnownGame = (text: string): boolean => KNOWN.has(withoutSpaces(fold(text)));

/** Whether the name of a game is a word of some language as well. */
export const isOrdinaryWord = (text: string): boolean => ORDINARY_WORDS.has(fold(text));

/**
 * The games of the list that a guild allows.
 * @param aliases absent: all of them
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

/** Whether a game is known everywhere. */
const isUsual = ({ alias }: Game): boolean => USUAL.has(alias);

/** The games with games that are known everywhere first; otherwise their order stays. */
export const usualFirst = (games: readonly Game[]): readonly Game[] => [
  ...games.filter(isUsual),
  ...games.filter((game) => !isUsual(game)),
];
