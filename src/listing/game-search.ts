import type { Game } from './contract.ts';
import { type PrefixDistance, prefixDistance } from './edit-distance.ts';

/** Discord shows at most 25 choices (Discord docs: Application Commands, autocomplete). */
export const MAX_CHOICES = 25;
/** More of what a person typed than this, in UTF-16 units, does not help to find a game. */
const LONGEST_TEXT = 100;

/** A list of games made ready for searching; made once a list, since a search runs with every key stroke. */
export interface GameIndex {
  readonly games: readonly Game[];
  readonly entries: readonly Entry[];
}

interface Entry {
  readonly game: Game;
  readonly alias: string;
  readonly name: string;
  /** The name without spaces: "counterstrike" finds Counter-Strike. */
  readonly joined: string;
  /** Where a word of the name begins. */
  readonly wordStarts: readonly number[];
  /** Which letters are in it at all, a bit for each of 32 groups. */
  readonly letters: number;
}

/** Prepares a list of games for {@link searchGames} and {@link findGame}. */
export function indexGames(games: readonly Game[]): GameIndex {
  const entries = games.map((game) => {
    const name = fold(game.name);
    return {
      game,
      alias: fold(game.alias),
      name,
      joined: name.replaceAll(' ', ''),
      letters: lettersIn(fold(game.alias)) | lettersIn(name),
      wordStarts: [0, ...[...name.matchAll(/ /g)].map(({ index }) => index + 1)],
    };
  });
  return { games, entries };
}

/**
 * The games that fit best to what was typed, by alias and name, best first: equal, begins with it, a word begins
 * with it, contains it, nearly begins with it. Equally good ones stay in the order of the list, and without any
 * text all of them do. Case, accents and punctuation do not matter.
 * @param limit the most games to return
 */
export function searchGames(index: GameIndex, text: string, limit = MAX_CHOICES): readonly Game[] {
  const typed = fold(text.slice(0, LONGEST_TEXT));
  if (typed === '') return index.games.slice(0, limit);
  const found = ranked(index.entries, (entry) => rankOf(entry, typed));
  if (found.length >= limit) return found.slice(0, limit);
  // A slip of the keyboard is forgiven from 4 letters on, two from 8.
  const most = typed.length < 4 ? 0 : typed.length < 8 ? 1 : 2;
  if (most === 0) return found;
  const distance = prefixDistance(typed, most);
  const alreadyFound = new Set(found);
  const slips = ranked(index.entries, (entry) =>
    alreadyFound.has(entry.game) || lettersMissing(typed, entry) > most
      ? undefined
      : slipsIn(entry, distance),
  );
  return [...found, ...slips].slice(0, limit);
}

/** The one game with this alias or else this name; case, accents and punctuation do not matter. */
export function findGame({ games, entries }: GameIndex, text: string): Game | undefined {
  const exact = games.find(({ alias }) => alias === text.trim());
  if (exact !== undefined) return exact;
  const typed = fold(text);
  if (typed === '') return undefined;
  const entry = entries.find(({ alias }) => alias === typed) ?? entries.find(({ name }) => name === typed);
  return entry?.game;
}

/** Smaller is better; `undefined`: not there as it was typed. */
function rankOf({ alias, name, joined }: Entry, typed: string): number | undefined {
  if (alias === typed) return 0;
  if (name === typed) return 1;
  if (alias.startsWith(typed) || name.startsWith(typed)) return 2;
  if (name.includes(` ${typed}`) || alias.includes(` ${typed}`)) return 3;
  if (name.includes(typed) || alias.includes(typed)) return 4;
  const typedJoined = typed.replaceAll(' ', '');
  return joined.includes(typedJoined) || alias.includes(typedJoined) ? 5 : undefined;
}

/** How many slips away the alias, or the name from one of its words on, begins with what was typed. */
function slipsIn({ alias, name, wordStarts }: Entry, distance: PrefixDistance): number | undefined {
  let fewest = distance(alias);
  for (const start of wordStarts) {
    const slips = distance(name, start);
    if (slips !== undefined && slips < (fewest ?? Number.POSITIVE_INFINITY)) fewest = slips;
  }
  return fewest;
}

/** Each of them takes a change, so most games need no closer look. Groups may hide some; it is a lower bound. */
function lettersMissing(typed: string, { letters }: Entry): number {
  let missing = 0;
  for (let place = 0; place < typed.length; place++) {
    if ((letters & (1 << (typed.charCodeAt(place) % 32))) === 0) missing += 1;
  }
  return missing;
}

function lettersIn(text: string): number {
  let letters = 0;
  for (let place = 0; place < text.length; place++) letters |= 1 << (text.charCodeAt(place) % 32);
  return letters;
}

/** The games that have a rank, the smallest first; `sort` is stable, so equal ones keep their order. */
function ranked(entries: readonly Entry[], rank: (entry: Entry) => number | undefined): readonly Game[] {
  return entries
    .flatMap((entry) => {
      const value = rank(entry);
      return value === undefined ? [] : [{ game: entry.game, value }];
    })
    .sort((a, b) => a.value - b.value)
    .map(({ game }) => game);
}

/**
 * Text as it is compared: no case, no accents, full-width as narrow, apostrophes gone ("garrys mod") and any other
 * punctuation a space ("counter strike"). What is nothing but signs stays as it is, so that it can be found too.
 */
function fold(text: string): string {
  const letters = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const words = letters
    .replace(/['’ʼ`]/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  return words === '' ? letters.trim() : words;
}
