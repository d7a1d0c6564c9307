import { setImmediate as breath } from 'node:timers/promises';
import { decodeHTML } from 'entities/decode';
import type { Secret } from '../secret.ts';
import { type Game, KNOWN_GAMES } from './contract.ts';

/** Characters from which on a key is searched for in every spelling; shorter ones are like ordinary words. */
const SHORTEST = 8;
/** A key of signs only has no letters to compare: below this many it is compared with its signs. */
const FEWEST_LETTERS = 4;
/** From here on a text may have been cut, in the middle of a key. */
const MAY_BE_CUT = 100;
/** Games between two breaths: some milliseconds of work. */
const GAMES_AT_ONCE = 100;

/** Names of the specification: whatever the key is, they say nothing of it. */
const KNOWN_NAMES: ReadonlySet<string> = new Set(KNOWN_GAMES.flatMap(({ name, alias }) => [name, alias]));

/** Whether a game's name or alias holds one of the keys. It gives way to others every few milliseconds. */
export async function isKeyInGames(
  games: readonly Game[],
  keys: Iterable<Secret> | AsyncIterable<Secret>,
): Promise<boolean> {
  const searches: ((key: Secret) => boolean)[] = [];
  for (const [index, { name, alias }] of games.entries()) {
    if (index % GAMES_AT_ONCE === 0) await breath();
    if (KNOWN_NAMES.has(name) && KNOWN_NAMES.has(alias)) continue;
    searches.push(createKeySearch(`${name} ${alias}`));
  }
  let searched = 0;
  for await (const key of keys) {
    for (const search of searches) {
      searched += 1;
      if (searched % GAMES_AT_ONCE === 0) await breath();
      if (search(key)) return true;
    }
  }
  return false;
}

/** Prepares a text; what comes back tells of any key whether the text holds it. */
export function createKeySearch(text: string): (key: Secret) => boolean {
  const plain = withoutEscapes(text);
  let readings: readonly string[] | undefined;
  const reduced = new Map<Reduction, readonly string[]>();
  const reducedBy = (reduce: Reduction): readonly string[] => {
    const known = reduced.get(reduce);
    if (known !== undefined) return known;
    readings ??= readingsOf(text);
    const made = [...new Set(readings.map(reduce))];
    reduced.set(reduce, made);
    return made;
  };
  return (secret) => {
    const key = secret.reveal();
    if ([...key].length < SHORTEST) return plain.some((each) => standsAlone(each, key));
    const keys = new Set([key, withoutEscapes(key).at(-1) ?? key]);
    return [...keys].some((each) => isIn(reducedBy, each, text.length >= MAY_BE_CUT));
  };
}

/** What is left of a text to be compared. */
type Reduction = (text: string) => string;

function isIn(reducedBy: (reduce: Reduction) => readonly string[], key: string, mayBeCut: boolean): boolean {
  const letters = lettersOf(key);
  const reduce = letters.length >= FEWEST_LETTERS ? lettersOf : signsOf;
  const wanted = reduce(key);
  if (wanted === '') return false;
  return reducedBy(reduce).some((text) => text.includes(wanted) || (mayBeCut && endsWithPart(text, wanted)));
}

/** Whether the text breaks off in the middle of the key, after enough of it to be worth hiding. */
function endsWithPart(text: string, key: string): boolean {
  for (let length = Math.min(key.length - 1, text.length); length >= SHORTEST; length -= 1) {
    if (text.endsWith(key.slice(0, length))) return true;
  }
  return false;
}

/** Letters and digits alone, without case, accents and compatible forms such as full-width ones (NFKC and more). */
function lettersOf(text: string): string {
  return folded(text).replace(/[^\p{L}\p{N}]/gu, '');
}

/** As {@link lettersOf}, with signs, but without what is not seen. */
function signsOf(text: string): string {
  return folded(text).replace(/[\p{Z}\p{C}\p{M}]/gu, '');
}

function folded(text: string): string {
  // By way of the capitals: ß is SS. The sigma at a word's end depends on what is around it.
  return text.normalize('NFKD').toUpperCase().toLowerCase().normalize('NFKD').replaceAll('ς', 'σ');
}

/** Whether a short key is there exactly, with no letter or digit beside it. */
function standsAlone(text: string, key: string): boolean {
  for (let at = text.indexOf(key); at !== -1; at = text.indexOf(key, at + 1)) {
    const around = text.slice(Math.max(0, at - 1), at) + text.slice(at + key.length, at + key.length + 1);
    if (!/[\p{L}\p{N}]/u.test(around)) return true;
  }
  return false;
}

/** How often escapes are taken off a text, one layer each time: percent twice, JSON within HTML, and so on. */
const LAYERS = 4;
/** Base64 or hex within base64 or hex: how deep it is followed. */
const DEPTH = 3;
/** Decoded texts that are followed; no honest text has as many that can be read. */
const MOST_TEXTS = 400;
/** A decoded text is worth another look when so many characters of it in a row can be read. */
const READABLE = /[^\uFFFD\p{Cc}]{8}/u;

/**
 * Every text that may be meant by this one: as it stands, without its escapes (percent, HTML, JSON), and decoded from
 * base64 (also its URL alphabet, at every offset) and from hex, whatever stands in between. Linear in its length.
 */
export function readingsOf(text: string): readonly string[] {
  const found = new Set<string>();
  let latest: readonly string[] = withoutEscapes(text);
  for (let depth = 0; ; depth += 1) {
    for (const each of latest) found.add(each);
    if (depth === DEPTH || found.size > MOST_TEXTS) return [...found];
    latest = latest
      .flatMap(decodings)
      .filter((decoded) => !found.has(decoded) && READABLE.test(decoded))
      .flatMap(withoutEscapes);
    if (latest.length === 0) return [...found];
  }
}

/** The text and what is left of it after each layer of escapes. */
function withoutEscapes(text: string): readonly string[] {
  const layers = new Set([text]);
  let current = text;
  for (let layer = 0; layer < LAYERS; layer += 1) {
    const before = current;
    for (const take of [decodeHTML, withoutJsonEscapes, withoutPercent]) {
      current = take(current);
      layers.add(current);
    }
    if (current === before) break;
  }
  return [...layers];
}

const SPACES = 'bfnrt';

function withoutJsonEscapes(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(
    /\\(?:u([0-9a-f]{4})|u\{([0-9a-f]{1,6})\}|x([0-9a-f]{2})|(.))/gisu,
    (_all, four?: string, some?: string, two?: string, one = '') => {
      const code = four ?? some ?? two;
      if (code !== undefined) return character(Number.parseInt(code, 16));
      return SPACES.includes(one) ? ' ' : one;
    },
  );
}

const character = (code: number) => (code <= 0x10_ff_ff ? String.fromCodePoint(code) : '');

function withoutPercent(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      // Not UTF-8: a byte is a character then.
      return Buffer.from(run.replaceAll('%', ''), 'hex').toString('latin1');
    }
  });
}

/** Characters that may stand between those of base64 and are of its alphabets themselves. */
const BETWEEN = [/[^A-Za-z0-9+/_-]/g, /[^A-Za-z0-9+/]/g, /[^A-Za-z0-9_-]/g, /[^A-Za-z0-9]/g];

/** Of fewer letters than this come fewer bytes than {@link READABLE} asks for: four letters of base64 are three bytes, two of hex one. */
const FEWEST = { base64: 11, hex: 16 } as const;

function decodings(text: string): readonly string[] {
  const decoded = new Set<string>();
  // Most texts have no letter in which the alphabets differ.
  for (const letters of new Set(BETWEEN.map((between) => text.replace(between, '')))) {
    if (letters.length < FEWEST.base64) continue;
    // Four letters are three bytes: one of four beginnings meets theirs.
    for (let from = 0; from < 4; from += 1) {
      decoded.add(Buffer.from(letters.slice(from), 'base64').toString());
    }
  }
  const digits = text.replace(/0x/gi, ' ').replace(/[^0-9a-f]/gi, '');
  if (digits.length < FEWEST.hex) return [...decoded];
  for (const from of [0, 1]) decoded.add(Buffer.from(digits.slice(from), 'hex').toString());
  return [...decoded];
}
