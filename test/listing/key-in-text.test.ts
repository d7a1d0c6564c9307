import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutKey } from '../../src/listing/client.ts';
import { ADDED, KNOWN_ERRORS, KNOWN_GAMES, WITHHELD_WORDS } from '../../src/listing/contract.ts';
import { isKeyInGames, readingsOf } from '../../src/listing/key-in-text.ts';
import { Secret } from '../../src/secret.ts';

const KEY = 'Canary-Key/4711+äß';
const messageFor = (message: string, key = KEY) => {
  const outcome = withoutKey({ kind: 'rejected', message }, new Secret(key));
  return 'message' in outcome ? outcome.message : '';
};

const percent = (text: string) => encodeURIComponent(text.toWellFormed());
const everyByte = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
const base64 = (text: string) => Buffer.from(text).toString('base64');
const hex = (text: string) => Buffer.from(text).toString('hex');
const units = (text: string) => text.split('');
const points = (text: string) => [...text];
const code = (text: string) => text.codePointAt(0) ?? 0;

/** What a service may do to a key. Each can be done to the result of another. */
const SPELLINGS: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  percent,
  'lower-case percent': (text) => percent(text).replace(/%../g, (part) => part.toLowerCase()),
  'percent, every byte': everyByte,
  form: (text) => new URLSearchParams({ k: text }).toString().slice(2),
  'HTML entities': (text) =>
    text.replace(
      /[&<>"']/g,
      (sign) => `&${{ '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' }[sign]};`,
    ),
  'HTML numbers': (text) =>
    points(text)
      .map((one) => `&#${code(one)};`)
      .join(''),
  'HTML hex numbers': (text) =>
    points(text)
      .map((one) => `&#x${code(one).toString(16)};`)
      .join(''),
  JSON: (text) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'),
  'JSON units': (text) =>
    units(text)
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  base64,
  'base64, one letter on': (text) => base64(`x${text}`),
  'base64, two letters on': (text) => base64(`xy${text}`),
  'base64 for URLs': (text) => Buffer.from(text).toString('base64url'),
  hex,
  'hex in capitals': (text) => hex(text).toUpperCase(),
  'hex with colons': (text) => (hex(text).match(/../g) ?? []).join(':'),
};
/** These change letters, so that nothing that was encoded before could be decoded: they come first. */
const LETTERS: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  capitals: (text) => text.toUpperCase(),
  'small letters': (text) => text.toLowerCase(),
  spaced: (text) => points(text).join(' '),
  dashed: (text) => points(text).join('-'),
  'zero-width': (text) => points(text).join('\u200b'),
  'full-width': (text) => text.replace(/[!-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0)),
  decomposed: (text) => text.normalize('NFD'),
};

describe('the service’s words', () => {
  it.each(Object.keys(SPELLINGS))('are left out when they hold the key: %s', (name) => {
    const spell = SPELLINGS[name] ?? String;
    expect(messageFor(`Key ${spell(KEY)} is blocked.`)).toBe(WITHHELD_WORDS);
    expect(messageFor(`${spell(KEY)}=blocked`)).toBe(WITHHELD_WORDS);
    for (const letters of Object.values(LETTERS)) {
      expect(messageFor(`Key "${spell(letters(KEY))}" is blocked.`)).toBe(WITHHELD_WORDS);
    }
  });

  it('are left out for any key and any spelling of a spelling', () => {
    const key = fc
      .oneof(
        fc.string({ minLength: 8, maxLength: 60, unit: 'grapheme-ascii' }),
        fc.string({ minLength: 8, maxLength: 30, unit: 'grapheme' }),
        fc.base64String({ minLength: 8, maxLength: 64 }),
        fc.stringMatching(/^[a-z0-9_-]{8,64}$/),
      )
      .map((text) => text.trim())
      // A key of signs is compared with its signs, so that dashes between them hide it.
      .filter((text) => [...text].length >= 8 && (text.match(/[a-z0-9]/gi) ?? []).length >= 4);
    const sentence = fc.string({ maxLength: 30, unit: fc.constantFrom(...'abc XYZ.,:—"') });
    fc.assert(
      fc.property(
        key,
        fc.constantFrom(...Object.keys(LETTERS)),
        fc.array(fc.constantFrom(...Object.keys(SPELLINGS)), { maxLength: 2 }),
        sentence,
        sentence,
        (key, letters, names, before, after) => {
          const first = LETTERS[letters]?.(key) ?? key;
          const spelled = names.reduce((text, name) => SPELLINGS[name]?.(text) ?? text, first);
          const text = `${before} ${spelled} ${after}`;
          return text.length > 2000 || messageFor(text, key) === WITHHELD_WORDS;
        },
      ),
      { numRuns: 750 },
    );
  });

  it('pass when they are the specification’s, even for a key that is in them', () => {
    for (const words of [ADDED, ...Object.values(KNOWN_ERRORS)]) {
      for (const key of [
        'invalid',
        'api key',
        'Invalid API key.',
        'parameter',
        'Servers have been added',
        words,
      ]) {
        expect(messageFor(words, key)).toBe(words);
      }
    }
  });

  it('pass when they do not hold the key', () => {
    for (const words of [
      'Your account is locked until tomorrow; see https://example.com/help?id=4711#faq',
      'Canary key 4712 is not known here, 100% sure.',
      'Das ist leider zu schnell: höchstens 5 % der Anfragen…',
      'x'.repeat(2000),
      '%41'.repeat(600),
    ]) {
      expect(messageFor(words)).toBe(words);
    }
  });

  it('are compared exactly with a key of less than 8 characters', () => {
    expect(messageFor('The key abc-12 is blocked.', 'abc-12')).toBe(WITHHELD_WORDS);
    expect(messageFor('The key %61bc-12 is blocked.', 'abc-12')).toBe(WITHHELD_WORDS);
    expect(messageFor('The key ABC-12 is blocked, and xabc-12y.', 'abc-12')).not.toBe(WITHHELD_WORDS);
  });

  it('are left out when they break off in the middle of the key', () => {
    const long = Array.from(
      { length: 500 },
      (_, n) => 'abcdefghkmnpqrstuvwxyz23456789'[(n * 7 + (n >> 3)) % 30],
    ).join('');
    for (const spelled of [long, hex(long), base64(long)]) {
      expect(messageFor(`${'-'.repeat(1700)} ${spelled}`.slice(0, 2000), long)).toBe(WITHHELD_WORDS);
    }
  });

  it('are kept up to 2,000 characters, and the log has no part of the key either', () => {
    expect(messageFor('ha '.repeat(100_000))).toHaveLength(2_000);
    const outcome = { kind: 'unknown', reason: 'tls', detail: `not valid for ${hex(KEY)}.example` } as const;
    expect(withoutKey(outcome, new Secret(KEY)).detail).toBe('left out: the key is in it');
  });
});

describe('the readings of a text', () => {
  it('are at most 100 times as long as the text, and twice as long for twice the text', () => {
    const pieces = [
      'a',
      '%41',
      '&#65;',
      '\\u0041',
      'QUFB',
      '4142',
      '%2525',
      '\ufdfa',
      '&amp;',
      'A ',
      '\\',
      '=',
      'VjFSQ1VGWkdSbGM9',
    ];
    for (const piece of pieces) {
      const work = (length: number) => readingsOf(piece.repeat(length / piece.length)).join('').length;
      expect(work(2_000)).toBeLessThan(200_000);
      expect(work(4_000)).toBeLessThanOrEqual(2.2 * work(2_000));
    }
  });
});

describe('a games list', () => {
  it('is known to hold the key in a name or an alias, in any spelling', async () => {
    const key = new Secret('canary-key-4711');
    const others = Array.from({ length: 500 }, (_, n) => ({ name: `Game ${n}`, alias: `game${n}` }));
    expect(await isKeyInGames([...KNOWN_GAMES, ...others], [key])).toBe(false);
    for (const game of [
      { name: 'Canary Key 4711', alias: 'x' },
      { name: 'X', alias: 'canary_key_4711' },
      { name: 'canary-key', alias: '4711' },
      { name: base64('canary-key-4711'), alias: 'x' },
    ]) {
      expect(await isKeyInGames([...others, game], [key])).toBe(true);
    }
  });

  it('is not refused for the specification’s own games', async () => {
    for (const { name, alias } of KNOWN_GAMES) {
      expect(await isKeyInGames(KNOWN_GAMES, [new Secret(name)])).toBe(false);
      expect(await isKeyInGames(KNOWN_GAMES, [new Secret(alias)])).toBe(false);
    }
  });
});
