import { expect, it } from 'vitest';
import { linesNamed } from '../../src/server-lists/named-lines.ts';

const LINES = [1, 2, 3, 5, 5, 8, 9, 10];

it.each([
  ['', []],
  ['3', [3]],
  ['3, 8-9', [3, 8, 9]],
  [' 9 – 100 ;2,', [9, 10, 2]],
  ['5、1', [5, 1]],
  ['4-5', [5]],
])('the input "%s" selects the lines %j', (typed, expected) => {
  expect([...linesNamed(typed, LINES)]).toEqual(expected);
});

it.each([
  ['4', '4'],
  ['1, 11-20', '11-20'],
  ['9-8', '9-8'],
  ['1-2-3', '1-2-3'],
  ['2, all', 'all'],
  ['-3', '-3'],
  ['3 8', '3 8'],
  ['1e0', '1e0'],
])('the input "%s" selects a line that doesn\'t exist', (typed, expected) => {
  expect(linesNamed(typed, LINES)).toBe(expected);
});
