import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shorten, visibleLine } from '../../src/text/one-line.ts';
import { escapeCode, escapeText, shortenMarkup } from '../../src/words/escape.ts';
import { anyCharacter } from '../support/arbitraries.ts';
import { stepsOf } from '../support/machine.ts';
import { rendered } from './rendered.ts';

const EVIL = 'https://evil.example/x';

/** Attempts to trigger Discord's features, some of them disguised. */
const attacks: readonly string[] = [
  `[[Staff login](${EVIL})](${EVIL})`,
  `[a]: ${EVIL}`,
  `![a](<${EVIL}> "title")`,
  `\\\\[Staff login](${EVIL})`,
  EVIL,
  `<${EVIL}> HTTPS://EVIL.EXAMPLE https:/evil.example steam://connect/1.2.3.4`,
  'discord.gg/abcdef discord.com/invite\\abcdef dis\u200bcord.gg/abcdef discord\u00ad.gg/abcdef',
  'evil.example who@evil.example <who@evil.example> <+15551234567> <tel:+15551234567>',
  '@everyone and @here @\u200beveryone',
  '<@123456789012345678> <@!123456789012345678> <@&123456789012345678> <#123456789012345678>',
  '</setkey:123456789012345678> <id:browse> <id:guide> <123456789012345678:customize> <t:1700000000:R>',
  '<:x:123456789012345678> <a:x:123456789012345678> :smile: x:smile::joy:',
  '### Big',
  '\u2028# Big',
  'x\u0085# Big',
  'x\r\n# Big\n- a\n-# small\n1. one\n> quote\n>>> more',
  '-# small',
  '> quote',
  '* item',
  '123) item',
  '``co`de`` ```js\ncode\n```',
  '||spoiler|| **a** *b* __c__ _d_ ~~e~~ ***f*** a*b*c snake_case_name __init__',
  '\\\\\\',
  'ends with \\',
  '¯\\_(ツ)_/¯',
  '\u202egpj.exe \u2066x\u2069 \u200fy\u061c',
  '{{name}} $t(failure.store) $& $1',
  '👨‍👩‍👧 ❤️‍🔥 🏳️‍🌈 👍🏽 می‌خواهم',
];

/** The ways in which the bot's sentences can contain a value. */
const places: readonly ((value: string) => string)[] = [
  (value) => value,
  (value) => `✅ ${value}\n**Rust** — \`1.2.3.4:5\``,
  (value) => `❌ The listing service says:\n> ${value}\nnext line`,
  (value) => `**${value}** — \`1.2.3.4:5\`, query port 5`,
  (value) => `“${value}” is not a game. Did you mean ${value} (\`x\`), ${value} (\`y\`)?`,
  (value) => `- ${value}\n- ${value}`,
  (value) => `<@123456789012345678> (${value}): ${value} / ${value}`,
];

const nasty = fc.string({
  unit: fc.oneof(
    fc.constantFrom(...'\\*_~`|[](){}<>@#:/.-+&!"\'=1a \t\n\r\u0085\u2028\u200b\u202e\u200d\ufe0f'),
    fc.constantFrom(
      '://',
      'https://',
      'discord.gg/',
      '-# ',
      '# ',
      '1. ',
      '](',
      'everyone',
      'x',
      '👍🏽',
      '\ud800',
    ),
    fc.string({ unit: anyCharacter, minLength: 1, maxLength: 2 }),
  ),
  maxLength: 40,
});

describe('escapeText', () => {
  it.each(attacks)('escapes the markup in %j', (attack) => {
    for (const place of places) {
      const shown = rendered(place(escapeText(attack)));
      const around = rendered(place('VALUE'));
      expect(shown.active).toEqual(around.active);
      expect(shown.text).toBe(around.text.replaceAll('VALUE', () => visibleLine(attack)));
    }
  });

  it('makes any text appear literally in any message', () => {
    fc.assert(
      fc.property(nasty, fc.constantFrom(...places), (text, place) => {
        fc.pre(visibleLine(text) !== '');
        const shown = rendered(place(escapeText(text)));
        const around = rendered(place('VALUE'));
        expect(shown.active).toEqual(around.active);
        expect(shown.text).toBe(around.text.replaceAll('VALUE', () => visibleLine(text)));
      }),
      { numRuns: 1000 },
    );
  });

  it('only inserts backslashes', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const line = visibleLine(text);
        expect(escapeText(text).replace(/\\(.)/gu, '$1')).toBe(line);
      }),
    );
  });

  it('truncates long text without splitting characters or escapes', () => {
    fc.assert(
      fc.property(nasty, fc.integer({ min: 4, max: 40 }), (text, most) => {
        const short = escapeText(text, most);
        expect(short.length).toBeLessThanOrEqual(most);
        const { text: read, active } = rendered(short);
        expect(active).toEqual([]);
        const line = visibleLine(text);
        if (read !== line) expect(line.startsWith(read.slice(0, -1)) && read.endsWith('…')).toBe(true);
        expect(read.isWellFormed()).toBe(true);
      }),
      { examples: [['\u{10000}1. :', 5]] },
    );
  });

  it('keeps as much text as fits', () => {
    expect(escapeText('['.repeat(1_000), 100)).toBe(`${'\\['.repeat(49)}…`);
  });

  it.each(
    '[|1|\\|`|:|a.|\u200d| \u202e|\n|\ud800|🎮'.split('|'),
  )('takes linear time for repeated %j', async (piece) => {
    const steps = (length: number) => stepsOf(() => escapeText(piece.repeat(length)));
    const once = await steps(10_000);
    expect(once).toBeGreaterThan(10_000);
    expect(await steps(20_000)).toBeLessThan(2.5 * once);
  });
});

describe('text with invisible characters', () => {
  it.each([
    ['zero\u200bwidth\u2060\ufeff', 'zerowidth'],
    ['\u202eright\u202c \u2066to\u2069 \u200eleft\u200f\u061c', 'right to left'],
    ['a\u0000b\u0007c\u009f', 'abc'],
    ['one\u2028two\u2029three\u0085four\r\nfive\tsix', 'one two three four five six'],
    ['\u00a0 around \u3000', 'around'],
    ['dis\u200dcord', 'discord'],
    ['half \ud83d a pair', 'half \ufffd a pair'],
    // Invisible characters that belong to an emoji or a letter aren't removed.
    ['👨‍👩‍👧 ❤️‍🔥 می‌خواهم 1️⃣ क्‍ष', '👨‍👩‍👧 ❤️‍🔥 می‌خواهم 1️⃣ क्‍ष'],
  ])('is converted to a single visible line: %j', (text, expected) => {
    expect(visibleLine(text)).toBe(expected);
  });
});

describe('escapeCode', () => {
  it('keeps all content inside the code span', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const shown = rendered(`\`${escapeCode(text)}\` is wrong\nnext \`line\``);
        expect(shown.active.filter((type) => type !== 'inlineCode')).toEqual([]);
        expect(shown.active.length).toBe(2);
        expect(shown.text.trim()).toBe(
          `${visibleLine(text).replaceAll('`', "'")} is wrong\nnext line`.trim(),
        );
      }),
      { numRuns: 1000 },
    );
  });
});

const graphemes = (text: string) => [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);

describe('shorten', () => {
  it('never exceeds the limit or splits a character', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 60 }),
        fc.integer({ min: 1, max: 30 }),
        (text, max) => {
          const short = shorten(text, max);
          expect(short.length).toBeLessThanOrEqual(max);
          expect(short.isWellFormed()).toBe(true);
          if (text.length <= max) {
            expect(short).toBe(text);
            return;
          }
          expect(short.endsWith('…')).toBe(true);
          expect(graphemes(text).slice(0, graphemes(short).length - 1)).toEqual(
            graphemes(short.slice(0, -1)),
          );
        },
      ),
    );
  });

  it('counts a letter with 500 combining marks as one character', () => {
    for (const pile of [`b${'\u0301'.repeat(500)}`, `b${'\ud834\udd65'.repeat(500)}`]) {
      expect(shorten(`a${pile}`, 200)).toBe('a…');
      expect(shorten(pile, 200)).toBe('…');
    }
  });
});

describe('shortenMarkup', () => {
  it.each([
    ['one `two three` four', 9, 'one …'],
    ['one `two` `three` four', 15, 'one `two` …'],
    ['one <@123456789> two', 12, 'one …'],
    ['one \\*two', 6, 'one …'],
    ['one \\` <b \\<c', 12, 'one \\` …'],
    ['code `a\\` and `b` c', 18, 'code `a\\` and `b`…'],
  ])('shortens %j to %i characters: %j', (text, max, expected) => {
    expect(shortenMarkup(text, max)).toBe(expected);
  });

  it('closes a truncated code span', () => {
    const text = `- line 1: \`${'[a](https://evil.example) @everyone **b** '.repeat(3)}\` is wrong`;
    for (let max = 1; max <= text.length; max++) {
      expect(rendered(shortenMarkup(text, max)).active.filter((kind) => kind !== 'list')).toEqual(
        max === text.length
          ? ['inlineCode']
          : expect.not.arrayContaining(['link', 'url', 'everyone', 'strong']),
      );
    }
  });
});
