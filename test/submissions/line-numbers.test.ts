import { expect, it } from 'vitest';
import { labelsIn, withNumbers, withoutNumbers } from '../../src/submissions/line-numbers.ts';

const numbers = (from: number, to: number, step = 1) =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, n) => String(from + n * step));

it('consecutive lines are stored as a range', () => {
  expect(withNumbers(undefined, ['1', '3', '4', '5', '12b', '13'])).toEqual({
    lines: ['1', '3-5', '12b', '13'],
    more: 0,
    count: 6,
  });
});

it('lines after the first 20 entries are counted but not stored', () => {
  const found = withNumbers(undefined, [...numbers(1, 10), ...numbers(100, 200_000, 2)]);
  expect(found?.lines).toHaveLength(20);
  expect(found).toMatchObject({ more: 99_951 - 19, count: 99_961 });
  const later = withNumbers(found, ['7', '8']);
  expect(later).toEqual({ ...found, more: 99_951 - 17, count: 99_963 });
});

it("an empty list of lines isn't stored", () => {
  expect(withNumbers(undefined, [])).toBeUndefined();
});

it('a line can be removed from a range', () => {
  const found = withNumbers(undefined, ['1', '3', '4', '5', '12b']);
  expect(found && labelsIn(found)).toEqual(['1', '3', '4', '5', '12b']);
  expect(withoutNumbers(found, new Set(['1', '4']))).toEqual({ lines: ['3', '5', '12b'], more: 0, count: 3 });
  expect(withoutNumbers(found && { ...found, more: 2 }, new Set(['12b']))).toEqual({
    lines: ['1', '3-5'],
    more: 2,
    count: 6,
  });
  expect(withoutNumbers(found, new Set(found && labelsIn(found)))).toBeUndefined();
});
