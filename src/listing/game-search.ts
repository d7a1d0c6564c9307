import { createPauses } from '../pauses.ts';
import { type PrefixDistance, prefixDistance } from '../prefix-distance.ts';
import type { Game } from './contract.ts';

/** Discord shows at most 25 choices (Discord docs: Application Commands, autocomplete). */
export const MAX_CHOICES = 25;
/** More of what a person typed than this, in UTF-16 units, does not help to find a game. */
const LONGEST_TEXT = 100;
/** Folding makes 18 letters of a U+FDFA. Of what comes of a name, and of what was typed, this much is compared. */
export const LONGEST_FOLDED = 200;
/**
 * Columns that a search compares for slips of the keyboard: some 5 ms on a small machine. A list of 10,000 ordinary games takes a tenth of
 * it; beyond, later games are found only as they were typed.
 */
const MOST_COMPARED = 500_000;
/** How many searches are kept at hand: whoever looks for a game begins with the same letters. Some 200 KiB. */
const MOST_FOUND = 500;

/** A list of games made ready for searching; made once a list, since a search runs with every key stroke. */
export interface GameIndex {
  readonly games: readonly Game[];
  readonly entries: readonly Entry[];
  /** What the latest searches found, by what was typed and how many were asked for. */
  readonly found: Map<string, readonly Game[]>;
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

/** Prepares a short list of games for {@link searchGames}. */
export const indexGames = (games: readonly Game[]): GameIndex => indexOf(games, games.map(entryOf));

/** As {@link indexGames}, with pauses: 10,000 games take a while. */
export async function indexLongList(games: readonly Game[], pauses = createPauses()): Promise<GameIndex> {
  const entries: Entry[] = [];
  for (const game of games) {
    await pauses(ENTRY_WORK);
    entries.push(entryOf(game));
  }
  return indexOf(games, entries);
}

/** What a game costs, in characters to read: up to 15 µs were measured. */
const ENTRY_WORK = 10;

function entryOf(game: Game): Entry {
  const [alias, name] = [fold(game.alias), fold(game.name)];
  return {
    game,
    alias,
    name,
    joined: name.replaceAll(' ', ''),
    letters: lettersIn(alias) | lettersIn(name),
    wordStarts: [0, ...[...name.matchAll(/ /g)].map(({ index }) => index + 1)],
  };
}

const indexOf = (games: readonly Game[], entries: readonly Entry[]): GameIndex => ({
  games,
  entries,
  found: new Map(),
});

/**
 * The games that fit best to what was typed, by alias and name, best first: equal, begins with it, a word begins
 * with it, contains it, nearly begins with it. Equally good ones stay in the order of the list, and without any
 * text all of them do. Case, accents and punctuation do not matter.
 * @param limit the most games to return
 */
export function searchGames(index: GameIndex, text: string, limit = MAX_CHOICES): readonly Game[] {
  const typed = fold(text.slice(0, LONGEST_TEXT));
  if (typed === '') return index.games.slice(0, limit);
  const { found } = index;
  const asked = `${limit} ${typed}`;
  const known = found.get(asked);
  if (known) return known;
  const [oldest] = found.keys();
  if (oldest !== undefined && found.size >= MOST_FOUND) found.delete(oldest);
  const games = search(index, typed, limit);
  found.set(asked, games);
  return games;
}

function search(index: GameIndex, typed: string, limit: number): readonly Game[] {
  const found = asTyped(index.entries, typed);
  if (found.length >= limit) return found.slice(0, limit);
  // A slip of the keyboard is forgiven from 4 letters on, two from 8.
  const most = typed.length < 4 ? 0 : typed.length < 8 ? 1 : 2;
  if (most === 0) return found;
  const distance = prefixDistance(typed, most);
  const alreadyFound = new Set(found);
  const bySlips = lists(most + 1);
  let compared = 0;
  for (const entry of index.entries) {
    if (alreadyFound.has(entry.game) || lettersMissing(typed, entry) > most) continue;
    if (compared > MOST_COMPARED) break;
    compared += (entry.wordStarts.length + 1) * typed.length * (2 * most + 1);
    const slips = slipsIn(entry, distance);
    if (slips !== undefined) bySlips[slips]?.push(entry.game);
    // What has no slip was found above, so no later game is better than these.
    if (bySlips[1]?.length === limit - found.length) break;
  }
  return [...found, ...bySlips.flat()].slice(0, limit);
}

const lists = (count: number): Game[][] => Array.from({ length: count }, () => []);

/** The games in which the text is as it was typed, best first. Equally good ones keep their order. */
function asTyped(entries: readonly Entry[], typed: string): readonly Game[] {
  const typedWord = ` ${typed}`;
  const typedJoined = typed.replaceAll(' ', '');
  /** Smaller is better; `undefined`: not there as it was typed. */
  function rankOf({ alias, name, joined }: Entry): number | undefined {
    if (alias === typed) return 0;
    if (name === typed) return 1;
    if (alias.startsWith(typed) || name.startsWith(typed)) return 2;
    if (name.includes(typedWord) || alias.includes(typedWord)) return 3;
    if (name.includes(typed) || alias.includes(typed)) return 4;
    return joined.includes(typedJoined) || alias.includes(typedJoined) ? 5 : undefined;
  }

  const byRank = lists(6);
  for (const entry of entries) {
    const rank = rankOf(entry);
    if (rank !== undefined) byRank[rank]?.push(entry.game);
  }
  return byRank.flat();
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
  for (let at = 0; at < typed.length; at++) {
    if ((letters & (1 << (typed.charCodeAt(at) % 32))) === 0) missing += 1;
  }
  return missing;
}

function lettersIn(text: string): number {
  let letters = 0;
  for (let at = 0; at < text.length; at++) letters |= 1 << (text.charCodeAt(at) % 32);
  return letters;
}

/**
 * Text as it is compared: no case, no accents, full-width as narrow, apostrophes gone ("garrys mod") and any other
 * punctuation a space ("counter strike"). What is nothing but signs stays as it is, so that it can be found too.
 */
export function fold(text: string): string {
  const whole = text.normalize('NFKD').slice(0, LONGEST_FOLDED);
  const letters = whole.replace(/\p{M}/gu, '').toLowerCase();
  const words = letters
    .replace(/['’ʼ`]/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  return words === '' ? letters.trim() : words;
}

/** A list of games that can be searched. */
interface SearchedList {
  list(): { readonly games: readonly Game[] };
  search(text: string, limit?: number): readonly Game[];
}

/**
 * The games of the list that a guild allows.
 * @param allowed their aliases; absent: all of them
 */
export function gamesAmong<Games extends SearchedList>(
  games: Games,
  allowed: Iterable<string> | undefined,
): Games & { readonly all: readonly Game[]; isAllowed(game: Game): boolean } {
  const all = games.list().games;
  if (allowed === undefined) return { ...games, all, isAllowed: () => true };
  const aliases = new Set(allowed);
  const isAllowed = ({ alias }: Game) => aliases.has(alias);
  return {
    ...games,
    isAllowed,
    search: (text, limit) => games.search(text, all.length).filter(isAllowed).slice(0, limit),
    all: all.filter(isAllowed),
  };
}
