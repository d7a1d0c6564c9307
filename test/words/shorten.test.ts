import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shorten, shortenMarkup } from '../../src/words/shorten.ts';
import { rendered } from '../support/rendered.ts';

const graphemes = (text: string) => [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);

describe('shorten', () => {
  it('counts as discord.js does, which is never less than Discord counts', () => {
    expect(shorten('🎮'.repeat(10), 20)).toBe('🎮'.repeat(10));
    expect(shorten('🎮'.repeat(10), 10)).toBe('🎮🎮🎮🎮…');
  });

  it.each(['👨‍👩‍👧', '👍🏽', '🇩🇪', 'é', '각', 'क्षि'])('leaves %s whole', (character) => {
    for (let max = 2; max < 40; max++) {
      const kept = shorten(`ab${character.repeat(20)}`, max).slice(0, -1);
      expect(['a', 'b', character]).toEqual(expect.arrayContaining(graphemes(kept)));
    }
  });

  it('never exceeds the limit, never cuts a character in half, and marks the cut', () => {
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

  it('cuts a pile of marks that has no end between code points', () => {
    const piles = [`a${'\u0301'.repeat(500)}`, `a${'\ud834\udd65'.repeat(500)}`];
    for (const pile of piles) {
      for (const max of [200, 201]) {
        expect(shorten(pile, max).length).toBeGreaterThan(195);
        expect(shorten(pile, max).length).toBeLessThanOrEqual(max);
        expect(shorten(pile, max).isWellFormed()).toBe(true);
      }
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
  ])('cuts %j at %i as %j', (text, max, expected) => {
    expect(shortenMarkup(text, max)).toBe(expected);
  });

  it('lets nothing out of the code that it cuts', () => {
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
