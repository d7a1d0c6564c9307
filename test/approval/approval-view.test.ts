import { expect, it } from 'vitest';
import { decidedText } from '../../src/approval/approval-view.ts';
import { reasonNamed } from '../../src/approval/decline-reasons.ts';
import { indexGames } from '../../src/listing/game-search.ts';
import { createWords } from '../../src/words/words.ts';

it("nothing is shown about decisions if there aren't any", () => {
  expect(decidedText(createWords().wordsFor('en-US'), [], indexGames([]))).toBe('');
});

it('only the keys of existing decline reasons are recognised', () => {
  expect(['game', 'no-longer-used', '', undefined].map(reasonNamed)).toEqual([
    'game',
    undefined,
    undefined,
    undefined,
  ]);
});
