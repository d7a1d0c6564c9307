import { expect, it } from 'vitest';
import { readSubmitId } from '../../commands/submit/ids.ts';
import { gameControls, readRepair } from '../../commands/submit/repairs.ts';
import { parseCustomId } from '../../src/interactions/controls.ts';
import { anyContext } from './context.ts';

it('a button puts in the game that it names, however long its alias is, while the list has it', () => {
  // An id of 100 characters has room for an alias of 61.
  const games = [30, 61, 62, 100].map((length) => {
    return { name: `Longest of ${length}`, alias: `:${length}:`.padEnd(length, 'x') };
  });
  const id = '1234567890123456789';
  const typed = { server: 'a.example.com:1', port: '', queryPort: '', game: 'x' };
  const row = { kind: 'refused', line: 1, problem: { code: 'game-unknown', game: 'x' }, typed } as const;
  for (const [source, action] of [
    ['options', 'use'],
    ['text', 'repair'],
  ] as const) {
    const choices = { near: games, games: [] };
    const { buttons } = gameControls(anyContext().t, { id, draft: { source } }, row, choices);
    const used = buttons.map((each) => {
      const customId = 'custom_id' in each ? each.custom_id : '';
      expect(customId.length).toBeLessThanOrEqual(100);
      expect(parseCustomId(customId).action).toBe(action);
      return readSubmitId(parseCustomId(customId).argument);
    });
    expect(used.map((argument) => argument.id)).toEqual(games.map(() => id));
    expect(used.map(({ more }) => readRepair(more, games))).toEqual(
      games.map(({ alias }) => ({ field: 'game', value: alias })),
    );
    expect(readRepair(used.at(-1)?.more ?? '', games.slice(0, 2))).toBeUndefined();
  }
});
