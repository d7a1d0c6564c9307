import { withoutHosts } from '../addresses/addresses-in.ts';
import { hasWords, withoutEnds } from '../addresses/pasted-text.ts';
import type { GameIndex } from '../listing/game-search.ts';
import { isKnownGame, isOrdinaryWord } from '../listing/game-search.ts';
import { gameOf } from './row.ts';

/**
 * What words say of the game. `named`: they are its name, or say "Game: …" or have it in brackets. `mentioned`: its name
 * is among them, and nobody would take it for anything else. `doubtful`: a word of some language, or a very short name.
 * `several`: more than one game. `unknown`: it is called so, and the service does not have it.
 */
export type NamedGame =
  | { readonly kind: 'named' | 'mentioned' | 'doubtful'; readonly alias: string }
  | { readonly kind: 'several' }
  | { readonly kind: 'unknown'; readonly name: string };

export const SEVERAL: NamedGame = { kind: 'several' };

/** A name of more words than this is not looked for. */
const MAX_GAME_WORDS = 8;
/** Words of one text that are looked at. */
const MOST_WORDS = 100;
/** Shorter names are words and greetings ("gm") as often as games. */
const SURE_LETTERS = 4;

/** `Game: Rust`, `"game" => "rust"`, in the bot's languages; a type may be that of anything. */
const GAME_LABEL =
  /(?<![\p{L}\p{N}])(game|type|spiel|jeu|juego|jogo|gioco|spel|gra|hra|игра|гра|oyun|játék|joc|permainan|trò chơi|ゲーム|게임|游戏|遊戲|เกม)["'*_]{0,4}\s{0,4}(?:[:=]|=>|：)[>\s"'*_]{0,6}([^"'|,;*]{2,100})/iu;
/** What says nothing of the game, beside its name. */
const GENERIC = /(?<![\p{L}\p{N}])(?:servers?|serveur|servidor|сервер|pvp|pve|our)(?![\p{L}\p{N}])/giu;

/** Without separators and signs at the ends, and without what says nothing of the game. */
export const trimmed = (text: string): string =>
  withoutEnds(text.replace(GENERIC, ' '), { start: /[^\p{L}\p{N}]/u, end: /[^\p{L}\p{N}.)\]]/u });

/** The game that words name; absent where they name none. */
export function namedGame(words: string, games: GameIndex): NamedGame | undefined {
  if (!hasWords(words)) return undefined;
  const whole = trimmed(words);
  const named = gameOf(whole, games) ?? labelledOrBracketed(words, games);
  if (named !== undefined) return { kind: 'named', alias: named };
  if (isKnownGame(whole)) return { kind: 'unknown', name: whole };
  const [, label = '', value = ''] = GAME_LABEL.exec(words) ?? [];
  if (value !== '' && label.toLowerCase() !== 'type') return { kind: 'unknown', name: trimmed(value) };
  const mentions = mentionsIn(withoutHosts(words), games);
  const [first] = mentions;
  const isOne = mentions.every(({ alias }) => alias !== undefined && alias === first?.alias);
  if (first?.alias === undefined || !isOne) return first && { kind: 'several' };
  return { kind: mentions.some(({ isSure }) => isSure) ? 'mentioned' : 'doubtful', alias: first.alias };
}

/** The game of "Game: Rust" and of "[CS2] Dust2 only". */
function labelledOrBracketed(words: string, games: GameIndex): string | undefined {
  const labelled = gameOf(trimmed(GAME_LABEL.exec(words)?.[2] ?? ''), games);
  if (labelled !== undefined) return labelled;
  const inBrackets = [...words.matchAll(/[[(]([^[\]()]{2,100})[\])]/gu)];
  const aliases = new Set(inBrackets.flatMap(([, inside = '']) => gameOf(inside, games) ?? []));
  const [alias] = aliases;
  return aliases.size === 1 ? alias : undefined;
}

interface Mention {
  /** Absent: the service does not have it. */
  readonly alias: string | undefined;
  readonly isSure: boolean;
}

/** The games whose names are among the words; the longest name wins. */
function mentionsIn(text: string, games: GameIndex): readonly Mention[] {
  const words = [...text.matchAll(/[\p{L}\p{N}'’]{1,100}/gu)].slice(0, MOST_WORDS);
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
  // "so tf" is no name of Sons of the Forest: short words with a space have a number in them, as "CS 1.6" has.
  if (/\s/u.test(name) && letters < 6 && !/\d/u.test(name)) return undefined;
  const alias = games.find(name)?.alias;
  const isSure = letters >= SURE_LETTERS && !isOrdinaryWord(name);
  return alias !== undefined || (isSure && isKnownGame(name)) ? { alias, isSure } : undefined;
}
