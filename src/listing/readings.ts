import { decodeHTML } from 'entities';

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
export function withoutEscapes(text: string): readonly string[] {
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

function decodings(text: string): readonly string[] {
  const decoded = new Set<string>();
  for (const between of BETWEEN) {
    const letters = text.replace(between, '');
    // Four letters are three bytes: one of four beginnings meets theirs.
    for (let from = 0; from < 4; from += 1) {
      decoded.add(Buffer.from(letters.slice(from), 'base64').toString());
    }
  }
  const digits = text.replace(/0x/gi, ' ').replace(/[^0-9a-f]/gi, '');
  for (const from of [0, 1]) decoded.add(Buffer.from(digits.slice(from), 'hex').toString());
  return [...decoded];
}
