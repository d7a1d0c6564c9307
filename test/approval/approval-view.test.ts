import { expect, it } from 'vitest';
import { decidedText } from '../../src/approval/approval-view.ts';
import { reasonNamed } from '../../src/approval/decline-reasons.ts';
import { indexGames } from '../../src/listing/game-search.ts';
import { createWords } from '../../src/words/words.ts';

it('decidedText() returns an empty string without decisions', () => {
  expect(decidedText(createWords().wordsFor('en-US'), [], indexGames([]))).toBe('');
});

it('reasonNamed() returns undefined for an unknown decline reason', () => {
  expect(['game', 'no-longer-used', '', undefined].map(reasonNamed)).toEqual([
    'game',
    undefined,
    undefined,
    undefined,
  ]);
});
