import { expect, it } from 'vitest';
import { buttonsAfterProblem, readUse } from '../../commands/submit/repairs.ts';
import { parseCustomId } from '../../src/interactions/controls.ts';
import { anyContext } from './context.ts';

it('a button puts in the game that it names, however long its alias is, while the list has it', () => {
  // An id of 100 characters has room for an alias of 61.
  const games = [30, 61, 62, 100].map((length) => {
    return { name: `Longest of ${length}`, alias: `:${length}:`.padEnd(length, 'x') };
  });
  const id = '1234567890123456789';
  const problem = { code: 'game-unknown', game: 'x' } as const;
  const typed = { server: 'a.example.com:1', port: '', queryPort: '', game: 'x' };
  const meant = { typed, near: games, address: 'x'.repeat(100) };
  const buttons = JSON.stringify(buttonsAfterProblem(anyContext().t, id, problem, meant));
  const used = [...buttons.matchAll(/"custom_id":"(addserver:use:[^"]+)"/g)].map(([, customId = '']) => {
    expect(customId.length).toBeLessThanOrEqual(100);
    return parseCustomId(customId).argument;
  });
  expect(used.map((argument) => readUse(argument, games))).toEqual(
    games.map(({ alias }) => ({ id, repair: { field: 'game', value: alias } })),
  );
  expect(readUse(used.at(-1) ?? '', games.slice(0, 2))).toEqual({ id, repair: undefined });
});
