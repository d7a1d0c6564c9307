import { expect, it } from 'vitest';
import { linesNamed, withParts } from '../../src/server-lists/named-lines.ts';

const at = (line: number, part?: number) => ({ line, ...(part !== undefined && { part }) });
const PLACES = [at(1), at(2), at(3), at(5), at(5, 2), at(8), at(9), at(10), at(12, 27)];

it.each([
  ['', []],
  ['3', [2]],
  ['3, 8-9', [2, 5, 6]],
  [' 9 – 11 ;2,', [6, 7, 1]],
  ['8、1', [5, 0]],
  ['4-5', [3, 4]],
  ['9-8', [5, 6]],
  ['5-5', [3, 4]],
  ['5a', [3]],
  ['5B', [4]],
  ['1a, 12aa', [0, 8]],
  ['12', [8]],
])('the input "%s" selects the servers %j', (typed, expected) => {
  expect(linesNamed(typed, PLACES)).toEqual({ kind: 'selected', indices: new Set(expected) });
});

it.each([
  ['4', '4'],
  ['1, 13-20', '13-20'],
  ['1-2-3', '1-2-3'],
  ['2, all', 'all'],
  ['-3', '-3'],
  ['3 8', '3 8'],
  ['1e0', '1e0'],
  ['1b', '1b'],
])('the input "%s" is rejected because "%s" doesn\'t match any line', (typed, expected) => {
  expect(linesNamed(typed, PLACES)).toMatchObject({
    kind: 'not-selected',
    typed: expected,
    possible: [],
  });
});

it('a line number shared by several servers is ambiguous', () => {
  expect(linesNamed('1, 5', PLACES)).toMatchObject({ kind: 'not-selected', typed: '5', possible: [3, 4] });
});

it('servers stored by version 0.4.0 get distinct labels if they share a line', () => {
  const servers = withParts([at(1), at(1), at(1), at(2), at(5), at(5, 2)]);
  expect(servers).toEqual([at(1), at(1, 2), at(1, 3), at(2), at(5), at(5, 2)]);
  expect(linesNamed('1', servers)).toMatchObject({ kind: 'not-selected', typed: '1', possible: [0, 1, 2] });
  expect(linesNamed('1b', servers)).toEqual({ kind: 'selected', indices: new Set([1]) });
});
