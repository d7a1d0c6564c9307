import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitChoices, fitReply, LIMITS, shorten, shortenMarkup } from '../../src/discord/limits.ts';
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

describe('fitChoices', () => {
  it('leaves out what Discord would refuse the whole answer for', () => {
    const choice = (value: string) => ({ name: value, value });
    const values = ['', ' ', '🎮'.repeat(51), '🎮'.repeat(50), 'a'.repeat(101)];
    expect(fitChoices(values.map(choice)).map(({ value }) => value)).toEqual(['🎮'.repeat(50)]);
  });

  it('leaves out a second choice of the same name, and names one that shows nothing by its value', () => {
    const names = ['x'.repeat(101), 'x'.repeat(102), '', 'y'];
    const fit = fitChoices(names.map((name, n) => ({ name, value: String(n) })));
    expect(fit.map(({ name, value }) => `${name.length} ${value}`)).toEqual(['100 0', '1 2', '1 3']);
  });
});

describe('fitReply', () => {
  it('keeps a message and its embed inside Discord’s limits, in UTF-16 units too', () => {
    for (const character of ['x', '🎮', '\\*', '`']) {
      const long = (length: number) => character.repeat(length);
      const { content = '', embeds = [] } = fitReply({
        content: long(3000),
        embeds: [
          {
            title: long(300),
            description: long(5000),
            footer: { text: long(2500) },
            fields: Array.from({ length: 30 }, () => ({ name: long(300), value: long(1100) })),
          },
        ],
      });
      const [{ title = '', description = '', footer, fields = [] } = {}] = embeds;
      expect(content.length).toBeLessThanOrEqual(LIMITS.content);
      expect(title.length).toBeLessThanOrEqual(LIMITS.embedTitle);
      expect(description.length).toBeLessThanOrEqual(LIMITS.embedDescription);
      expect(fields.length).toBeLessThanOrEqual(LIMITS.embedFields);
      for (const { name, value } of fields) {
        expect(name.length).toBeLessThanOrEqual(LIMITS.embedFieldName);
        expect(value.length).toBeLessThanOrEqual(LIMITS.embedFieldValue);
        expect(Math.min(name.length, value.length)).toBeGreaterThan(0);
      }
      const texts = [
        title,
        description,
        footer?.text ?? '',
        ...fields.flatMap(({ name, value }) => [name, value]),
      ];
      expect(texts.join('').length).toBeLessThanOrEqual(LIMITS.embedTotal);
    }
  });

  it('keeps the fields of an embed that fits', () => {
    const embed = { title: 'a', description: 'b', fields: [{ name: 'c', value: 'd', inline: true }] };
    expect(fitReply({ embeds: [embed] })).toEqual({ embeds: [embed] });
  });
});
