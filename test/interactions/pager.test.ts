import { expect, it } from 'vitest';
import { parseCustomId } from '../../src/interactions/controls.ts';
import { pageButtons, pageOf, readPage } from '../../src/interactions/pager.ts';
import { createWords } from '../../src/words/words.ts';

const t = createWords().wordsFor('en-US');

it('an out-of-range page number opens the nearest page', () => {
  const wanted = [1, 3, 4, 0, -1];
  const found = wanted.map((each) => pageOf({ count: 25, perPage: 10, wanted: each }));
  expect(found.map(({ number }) => number)).toEqual([1, 3, 3, 1, 1]);
  expect(found[1]).toEqual({ number: 3, pages: 3, offset: 20, limit: 10 });
});

it('an empty list has a single page without buttons', () => {
  for (const count of [0, 10]) {
    const page = pageOf({ count, perPage: 10, wanted: 1 });
    expect(page.pages).toBe(1);
    expect(pageButtons({ t }, page, { command: 'a', action: 'b' })).toEqual([]);
  }
});

it('the buttons open the previous and next pages', () => {
  const buttonsOf = (wanted: number) =>
    pageButtons({ t }, pageOf({ count: 25, perPage: 10, wanted }), {
      command: 'a',
      action: 'b',
      state: 'c:d',
    });
  const leads = buttonsOf(2).map((button) => parseCustomId('custom_id' in button ? button.custom_id : ''));
  expect(leads).toMatchObject([
    { command: 'a', action: 'b' },
    { command: 'a', action: 'b' },
  ]);
  expect(leads.map(({ argument }) => readPage(argument))).toEqual([
    { wanted: 1, state: 'c:d' },
    { wanted: 3, state: 'c:d' },
  ]);
  const labels = (wanted: number) => buttonsOf(wanted).map((each) => 'label' in each && each.label);
  expect([labels(1), labels(2), labels(3)]).toEqual([['Next'], ['Previous', 'Next'], ['Previous']]);
});

it('an invalid page argument opens page 1', () => {
  for (const argument of ['', 'x', ':x', '1.5', 'NaN', 'Infinity']) expect(readPage(argument).wanted).toBe(1);
});
