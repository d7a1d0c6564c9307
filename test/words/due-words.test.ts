import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { markedDue } from '../../ops/due-words.ts';
import { ENGLISH } from '../../src/words/languages.ts';

const NOTHING = { english: {}, due: {} };
const german = (words: object) => new Map([['de', { ...words }]]);
const keysOf = ({ due }: ReturnType<typeof markedDue>) => Object.keys(due.de ?? {});

it('a translation is marked as due for an update when the English text changes', () => {
  const ENGLISH_BEFORE = { a: 'One.', b_one: 'A line.', b_other: 'Lines.' };
  const GERMAN = { a: 'Eins.', b_one: 'Eine Zeile.', b_other: 'Zeilen.' };
  const { english } = markedDue(NOTHING, ENGLISH_BEFORE, german(GERMAN));
  const known = { english, due: {} };
  expect(keysOf(markedDue(known, ENGLISH_BEFORE, german(GERMAN)))).toEqual([]);

  const changed = { ...ENGLISH_BEFORE, b_other: 'The lines.', c: 'New.' };
  const copied = { ...GERMAN, c: 'New.' };
  const due = markedDue(known, changed, german(copied));
  expect(keysOf(due)).toEqual(['b', 'c']);
  expect(keysOf(markedDue(due, changed, german(copied)))).toEqual(['b', 'c']);
  expect(keysOf(markedDue(due, changed, german({ ...copied, b_other: 'Die Zeilen.' })))).toEqual(['c']);
  expect(keysOf(markedDue(due, ENGLISH_BEFORE, german(GERMAN)))).toEqual(['b']);
});

it('all changes to the English text have been recorded with npm run words', () => {
  const due = JSON.parse(readFileSync(join(import.meta.dirname, '../../src/words/due.json'), 'utf8'));
  expect(due.english).toEqual(markedDue(NOTHING, ENGLISH.sentences, new Map()).english);
});
