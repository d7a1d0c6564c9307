import { withoutHosts } from '../addresses/addresses-in.ts';
import { hasWords, withoutEnds } from '../addresses/pasted-text.ts';
import type { GameIndex } from '../listing/game-search.ts';
import { isKnownGame, isOrdinaryWord } from '../listing/game-search.ts';
import { gameOf } from './row.ts';

/**
 * The game named in a text.
 * - `named`: the text is the game's name, or contains it in brackets or after a label, as in "Game: …".
 * - `mentioned`: the text contains a game's name that is unlikely to mean anything else.
 * - `doubtful`: the name is also an ordinary word in some language, or is very short.
 * - `several`: the text mentions more than one game.
 * - `unknown`: the text names a game that the service doesn't have.
 */
export type NamedGame =
  | { readonly kind: 'named' | 'mentioned' | 'doubtful'; readonly alias: string }
  | { readonly kind: 'several' }
  | { readonly kind: 'unknown'; readonly name: string };

export const SEVERAL: NamedGame = { kind: 'several' };

const MAX_GAME_WORDS = 8;
const MAX_WORDS_SEARCHED = 100;
/** Shorter names are just as likely to be ordinary words or greetings ("gm") as games. */
const SURE_LETTERS = 4;

/**
 * A label for the game in the bot's languages, such as `Game: Rust` or `"game" => "rust"`. "type" can describe anything, so
 * its value must be a known game. The value ends at a quote or a comma, unless that's part of a word or a number.
 */
const GAME_LABEL =
  /(?<![\p{L}\p{N}])(game|type|spiel|jeu|juego|jogo|gioco|spel|gra|hra|игра|гра|oyun|játék|joc|permainan|trò chơi|ゲーム|게임|游戏|遊戲|เกม)["'*_]{0,4}\s{0,40}(?:[:=]|=>|：)[>\s"'*_]{0,6}((?:[^"'|,;*]|(?<=\p{L})'(?=\p{L})|(?<=\d),(?=\d)){2,100})/iu;
/** Words that appear next to a game's name but don't identify the game. */
const GENERIC = /(?<![\p{L}\p{N}])(?:servers?|serveur|servidor|сервер|pvp|pve|our)(?![\p{L}\p{N}])/giu;

/** Removes words that don't identify the game, and the separators and symbols at both ends. */
export const trimmed = (text: string): string =>
  withoutEnds(text.replace(GENERIC, ' '), { start: /[^\p{L}\p{N}]/u, end: /[^\p{L}\p{N}.)\]]/u });

export function namedGame(words: string, games: GameIndex): NamedGame | undefined {
  if (!hasWords(words)) return undefined;
  const whole = trimmed(words);
  const named = gameOf(whole, games) ?? labelledOrBracketed(words, games);
  if (named !== undefined) return { kind: 'named', alias: named };
  if (isKnownGame(whole)) return { kind: 'unknown', name: whole };
  const [, label = '', value = ''] = GAME_LABEL.exec(words) ?? [];
  if (hasWords(value) && label.toLowerCase() !== 'type') return { kind: 'unknown', name: trimmed(value) };
  const mentions = mentionsIn(withoutHosts(words), games);
  const [first] = mentions;
  const isOne = mentions.every(({ alias }) => alias !== undefined && alias === first?.alias);
  if (first?.alias === undefined || !isOne) return first && { kind: 'several' };
  return { kind: mentions.some(({ isSure }) => isSure) ? 'mentioned' : 'doubtful', alias: first.alias };
}

/** Finds the game in text such as "Game: Rust" or "[CS2] Dust2 only". */
function labelledOrBracketed(words: string, games: GameIndex): string | undefined {
  const labelled = gameOf(trimmed(GAME_LABEL.exec(words)?.[2] ?? ''), games);
  if (labelled !== undefined) return labelled;
  const inBrackets = [...words.matchAll(/[[(]([^[\]()]{2,100})[\])]/gu)];
  const aliases = new Set(inBrackets.flatMap(([, inside = '']) => gameOf(inside, games) ?? []));
  const [alias] = aliases;
  return aliases.size === 1 ? alias : undefined;
}

interface Mention {
  /** Undefined if the service doesn't have the game. */
  readonly alias: string | undefined;
  readonly isSure: boolean;
}

/** Finds the games that a text mentions. If several names match at the same position, the longest wins. */
function mentionsIn(text: string, games: GameIndex): readonly Mention[] {
  const words = [...text.matchAll(/[\p{L}\p{N}'’]{1,100}/gu)].slice(0, MAX_WORDS_SEARCHED);
  const mentions: Mention[] = [];
  let at = 0;
  while (at < words.length) {
    const found = longestFrom(at);
    if (found) mentions.push(found.mention);
    at += found?.count ?? 1;
  }
  return mentions;

  function longestFrom(start: number): { readonly mention: Mention; readonly count: number } | undefined {
    for (let count = Math.min(MAX_GAME_WORDS, words.length - start); count > 0; count--) {
      const last = words[start + count - 1];
      const name = text.slice(words[start]?.index, last && last.index + last[0].length);
      const mention = mentionOf(name, games);
      if (mention) return { mention, count };
    }
    return undefined;
  }
}

function mentionOf(name: string, games: GameIndex): Mention | undefined {
  const letters = name.replace(/[^\p{L}\p{N}]/gu, '').length;
  if (letters < 3) return undefined;
  const alias = games.find(name)?.alias;
  const isSure = letters >= SURE_LETTERS && !isOrdinaryWord(name);
  return alias !== undefined || (isSure && isKnownGame(name)) ? { alias, isSure } : undefined;
}
