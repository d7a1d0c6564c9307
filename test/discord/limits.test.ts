import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitReply, harmless, LIMITS, shorten } from '../../src/discord/limits.ts';

const points = (text: string) => [...text].length;

describe('shorten', () => {
  it('leaves a text that fits as it is, counted in code points', () => {
    expect(shorten('🎮'.repeat(10), 10)).toBe('🎮'.repeat(10));
  });

  it('never exceeds the limit, never cuts a character in half, and marks the cut', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 60 }),
        fc.integer({ min: 1, max: 30 }),
        (text, max) => {
          const short = shorten(text, max);
          expect(points(short)).toBeLessThanOrEqual(max);
          expect(short.isWellFormed()).toBe(true);
          if (points(text) > max) expect(short.endsWith('…')).toBe(true);
          else expect(short).toBe(text);
        },
      ),
    );
  });
});

/** What Discord shows: a backslash before a punctuation character is dropped. */
const shown = (text: string) => text.replace(/\\([^0-9A-Za-z\s])/g, '$1');

describe('harmless', () => {
  it('leaves the service’s own sentences as they are', () => {
    expect(harmless('Servers have been added for review.')).toBe('Servers have been added for review.');
  });

  it('shows every text word for word', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab1 *_~`|>#-+[]()<@:/!.,') }), (text) => {
        expect(shown(harmless(text))).toBe(text.replace(/\s+/g, ' ').trim());
      }),
    );
  });

  it.each([
    ['@everyone', '\\@everyone'],
    ['<@123456789012345678>', '\\<\\@123456789012345678>'],
    ['# Big', '\\# Big'],
    ['https://example.com', 'https\\://example.com'],
    ['two\nlines', 'two lines'],
  ])('takes the effect out of %s', (text, expected) => {
    expect(harmless(text)).toBe(expected);
  });
});

describe('fitReply', () => {
  it('keeps a message and its embed inside Discord’s limits', () => {
    const { content = '', embeds = [] } = fitReply({
      content: 'x'.repeat(3000),
      embeds: [{ title: 't'.repeat(300), description: 'd'.repeat(5000), footer: { text: 'f'.repeat(2500) } }],
    });
    const [embed] = embeds;
    expect(points(content)).toBe(LIMITS.content);
    expect(points(embed?.title ?? '')).toBe(LIMITS.embedTitle);
    const total =
      points(embed?.title ?? '') + points(embed?.description ?? '') + points(embed?.footer?.text ?? '');
    expect(total).toBeLessThanOrEqual(LIMITS.embedTotal);
  });
});
