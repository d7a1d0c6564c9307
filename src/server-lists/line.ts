import { parseAddress, unlabelled } from '../addresses/address.ts';
import { hasWords, unwrapped, withoutEnds } from '../addresses/pasted-text.ts';
import { EMPTY_ROW, type Games, gameOf, type RowProblem, shown, type TypedRow } from './row.ts';

type LineReading = { readonly typed: TypedRow; readonly problem?: RowProblem };

/** A display name of more words than this is not looked for in front of an address. */
const MAX_GAME_WORDS = 12;

/**
 * A line of words: `host:port`, `host:port game`, `host port [game]`, `game host:port`, `game host port`. Games
 * may be names with spaces. Expects plain text without passwords.
 */
export function readWords(line: string, games: Games): LineReading {
  const bare = unlabelled(line.replace(/^(?:[-*•‣>]|\d{1,4}[.)])\s+/u, ''));
  const words = bare.split(/\s+/u).filter((word) => word !== '');
  const start = words.findIndex(hasWords);
  const at = addressIndex(words, start, games);
  if (at === undefined)
    return { typed: { ...EMPTY_ROW, server: shown(bare) }, problem: { code: 'no-address' } };
  const before = words.slice(start, at).join(' ');
  const address = words[at] ?? '';
  const after = words.slice(at + 1);
  while (after[0] !== undefined && !hasWords(after[0])) after.shift();
  const port = beginsWithPort(after, parsedPort(address) !== undefined, games) ? (after.shift() ?? '') : '';
  const game = [before, after.join(' ')].filter(hasWords).join(' ');
  return {
    typed: {
      server: shown(unwrapped(address)),
      port: shown(unwrapped(port)),
      queryPort: '',
      game: shown(trimmed(game)),
    },
  };
}

/**
 * The cells of a line in the order `host[:port], [port], [game], [query port]`, or with the game first.
 * @returns undefined when these are not the cells of a row but a line of words with punctuation in it
 */
export function readCells(record: readonly string[], games: Games): LineReading | undefined {
  const cells = record.map((cell) => cell.replace(/^'(.*)'$/su, '$1'));
  const [first = '', second = ''] = cells;
  const gameFirst = isAddress(second) && (gameOf(first, games) !== undefined || !isAddress(first));
  if (!gameFirst && !isAddress(first) && /\s/u.test(first)) return undefined;
  const [server = '', ...rest] = gameFirst ? cells.slice(1) : cells;
  const hasPort = parsedPort(server) !== undefined;
  const port = isPortCell(rest, hasPort, games) ? (rest.shift() ?? '') : '';
  const game = gameFirst ? first : (rest.shift() ?? '');
  const typed = {
    server: shown(unwrapped(server)),
    port: shown(unwrapped(port)),
    queryPort: shown(unwrapped(rest.shift() ?? '')),
    game: shown(game),
  };
  const extra = rest.filter((cell) => cell !== '').length;
  return extra === 0
    ? { typed }
    : { typed, problem: { code: 'too-many-cells', found: cells.length, most: cells.length - extra } };
}

const isNumber = (text: string) => /^[+-]?\d+$/u.test(text);

/**
 * Whether the words after an address begin with a port: a number that is not the beginning of a game's name
 * (7 Days to Die), or something unreadable with a known game after it.
 */
function beginsWithPort(words: readonly string[], hasPort: boolean, games: Games): boolean {
  const [first, ...rest] = words;
  if (first === undefined) return false;
  const isAlone = rest.length === 0;
  if (gameOf(words.join(' '), games) !== undefined) return isNumber(first) && isAlone && !hasPort;
  const isGameBehind = gameOf(trimmed(rest.join(' ')), games) !== undefined;
  if (isNumber(first)) return isGameBehind || isAlone || !hasPort;
  return isGameBehind && !hasPort;
}

/** Whether the first cell after the address stands for its port: numbers and empty ones do. */
function isPortCell([first = '', second = '']: readonly string[], hasPort: boolean, games: Games): boolean {
  if (first === '') return true;
  const isGame = gameOf(first, games) !== undefined;
  if (isNumber(first)) return !isGame || !hasPort;
  return !isGame && !hasPort && hasWords(second);
}

/** Where the address is among the words; a known game in front of it wins over a name with dots in it. */
function addressIndex(words: readonly string[], start: number, games: Games): number | undefined {
  if (start < 0) return undefined;
  for (let count = Math.min(MAX_GAME_WORDS, words.length - start - 1); count > 0; count--) {
    const next = words[start + count];
    if (next === undefined || !isAddress(next)) continue;
    if (gameOf(trimmed(words.slice(start, start + count).join(' ')), games) !== undefined)
      return start + count;
  }
  const found = words.findIndex((word, index) => index >= start && isAddress(word));
  if (found >= 0) return found;
  // Nothing reads as an address: what stands where one belongs is explained, if it can have been meant as one.
  const meant = words[start] ?? '';
  return start === words.length - 1 || /[.:]/u.test(meant) ? start : undefined;
}

/** Something meant as a public or local address, right or wrong; a word of a game's name is not. */
function isAddress(text: string): boolean {
  const result = parseAddress(text);
  if (result.ok) return true;
  const { code } = result.problem;
  return code === 'not-public' || code === 'reserved-name' || code.startsWith('port-');
}

function parsedPort(text: string): number | undefined {
  const result = parseAddress(text);
  return result.ok ? result.address.port : undefined;
}

/** Without separators such as `-` or `|` at the ends. */
const trimmed = (text: string) => withoutEnds(text, { start: /[-=>|:\s]/u, end: /[-|:\s]/u });
