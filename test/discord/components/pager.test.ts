import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  pageButtons,
  pageFooter,
  pageOf,
  readPage,
  writePage,
} from '../../../src/discord/components/pager.ts';
import { createWords } from '../../../src/words/words.ts';

const words = { t: createWords().wordsFor('en-US') };
const turn = { command: 'games', action: 'page', state: 'a:b' };

describe('a page', () => {
  it('is within what there is, whatever was asked for', () => {
    fc.assert(
      fc.property(fc.nat(500), fc.integer({ min: 1, max: 40 }), fc.double(), (count, perPage, wanted) => {
        const { number, pages, offset, limit } = pageOf({ count, perPage, wanted });
        expect(number).toBeGreaterThanOrEqual(1);
        expect(number).toBeLessThanOrEqual(pages);
        expect(count === 0 || offset < count).toBe(true);
        expect(limit).toBe(perPage);
      }),
    );
  });

  it('shows every entry on exactly one page', () => {
    const entries = Array.from({ length: 41 }, (_, i) => i);
    const shown = [1, 2, 3].flatMap((wanted) => {
      const { offset, limit } = pageOf({ count: entries.length, perPage: 20, wanted });
      return entries.slice(offset, offset + limit);
    });
    expect(shown).toEqual(entries);
  });

  it('has a button to each page beside it, and says which it is', () => {
    const page = pageOf({ count: 41, perPage: 20, wanted: 1 });
    expect(pageButtons(words, page, turn)).toMatchObject([
      { label: 'Previous', custom_id: 'games:page:0:a:b', disabled: true },
      { label: 'Next', custom_id: 'games:page:2:a:b' },
    ]);
    expect(pageFooter(words, page)).toEqual({ footer: { text: 'Page 1 of 3' } });
  });

  it('has neither when it is the only one', () => {
    const page = pageOf({ count: 20, perPage: 20, wanted: 1 });
    expect(pageButtons(words, page, turn)).toEqual([]);
    expect(pageFooter(words, page)).toEqual({});
  });

  it('comes back from a custom id with its state, and is the first for what is no number', () => {
    expect(readPage(writePage(3, 'a:b'))).toEqual({ wanted: 3, state: 'a:b' });
    expect(readPage('2')).toEqual({ wanted: 2, state: '' });
    expect(readPage('x:y')).toEqual({ wanted: 1, state: 'y' });
  });
});
