import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fewRanges, groupItem, groupsOf } from '../../src/words/list-lines.ts';
import { createWords } from '../../src/words/words.ts';
import { PHONE_WIDTH, widthOf } from '../support/phone.ts';
import { rendered } from '../support/rendered.ts';

const numbersOf = (text: string): number[] =>
  text.split(', ').flatMap((range) => {
    const [first = 0, last = first] = range.split('–\u2060').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });

const value = fc.oneof(fc.string({ maxLength: 40 }), fc.constantFrom('cs2', '``', '**', 'x'.repeat(80)));
const problem = fc.oneof(
  fc.constant({ code: 'no-address' } as const),
  fc.constant({ code: 'game-missing' } as const),
  fc.record({ code: fc.constant('game-unknown' as const), game: value }),
  fc.record({ code: fc.constant('port-missing' as const), host: value, game: value, usual: fc.nat(65_535) }),
  fc.record({ code: fc.constant('reserved-name' as const), host: value, zone: value }),
  fc.record({ code: fc.constant('unknown-scheme' as const), scheme: value }),
  fc.constant({ code: 'not-public', host: '10.0.0.1', range: 'shared' } as const),
);
const row = fc.record({
  line: fc.integer({ min: 1, max: 262_144 }),
  problem,
  typed: fc.record({ server: value, port: fc.constant(''), queryPort: fc.constant(''), game: value }),
});
const games = {
  find: () => undefined,
  search: () => [
    { name: 'The Longest Name of a Game That Anybody Ever Gave to One: Definitive Edition', alias: 'long' },
    { name: 'Rust', alias: 'rust' },
  ],
};

describe('lines that are refused alike', () => {
  it('are in one group, each of them once, whatever their order', () => {
    fc.assert(
      fc.property(fc.uniqueArray(row, { selector: ({ line }) => line, maxLength: 60 }), (rows) => {
        const groups = groupsOf(rows);
        const lines = groups.flatMap((group) => group.lines);
        expect(lines.toSorted((one, other) => one - other)).toEqual(
          rows.map(({ line }) => line).toSorted((one, other) => one - other),
        );
        for (const group of groups)
          expect(numbersOf(fewRanges(group.lines, Number.POSITIVE_INFINITY))).toEqual(group.lines);
      }),
    );
  });

  it.each(['en', 'de'])('are an item no line of which is wider than a phone (%s)', (locale) => {
    const t = createWords().wordsFor(locale);
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 60 }), (rows) => {
        for (const group of groupsOf(rows)) {
          for (const line of groupItem(t, group, games).split('\n')) {
            expect(widthOf(rendered(line).text)).toBeLessThanOrEqual(PHONE_WIDTH);
          }
        }
      }),
    );
  });
});

describe('a few ranges of numbers', () => {
  it('say how many more there are, and lose none', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 1, max: 5_000 }), { minLength: 1, maxLength: 200 }),
        fc.integer({ min: 8, max: 40 }),
        (numbers, most) => {
          const sorted = numbers.toSorted((one, other) => one - other);
          const [, named = '', rest = '0'] = /^(.*?)(?: \(\+(\d+)\))?$/.exec(fewRanges(sorted, most)) ?? [];
          expect(numbersOf(named)).toEqual(sorted.slice(0, sorted.length - Number(rest)));
        },
      ),
    );
  });

  it('are broken over lines between ranges only', () => {
    const graphemes = [...fewRanges([2, 3, 4, 7, 9, 10], 40)];
    const afterDashes = graphemes.filter((_, index) => graphemes[index - 1] === '–');
    expect(afterDashes).toEqual(['\u2060', '\u2060']);
  });
});
