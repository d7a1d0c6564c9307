import { expect, it } from 'vitest';
import { readSubmitId } from '../../commands/submit/ids.ts';
import { gameControls, readRepair } from '../../commands/submit/repairs.ts';
import { parseCustomId } from '../../src/interactions/controls.ts';
import { anyContext } from './context.ts';

const id = '1234567890123456789';

it.each([
  ['options', 'use', 64],
  ['text', 'repair', 61],
] as const)('a game gets a button only if its alias fits into the custom id: %s', (source, action, longest) => {
  const games = [30, longest, longest + 1, 100].map((length) => {
    return { name: `Longest of ${length}`, alias: `:${length}:`.padEnd(length, 'x') };
  });
  const typed = { server: 'a.example.com:1', port: '', queryPort: '', game: 'x' };
  const row = { kind: 'invalid', line: 1, problem: { code: 'game-unknown', game: 'x' }, typed } as const;
  const choices = { near: games, games: [] };
  const { buttons } = gameControls(anyContext().t, { id, source, rows: [] }, row, choices);
  const used = buttons.map((each) => {
    const customId = 'custom_id' in each ? each.custom_id : '';
    expect(customId.length).toBeLessThanOrEqual(100);
    expect(parseCustomId(customId).action).toBe(action);
    return readSubmitId(parseCustomId(customId).argument);
  });
  expect(used.map((argument) => argument.id)).toEqual([id, id]);
  expect(used.map(({ more }) => readRepair(more))).toEqual(
    games.slice(0, 2).map(({ alias }) => ({ field: 'game', value: alias })),
  );
});

it('the select menu lists each game once after the games are fetched again', () => {
  const list = () => [1, 2, 3, 4, 5].map((number) => ({ name: `Game ${number}`, alias: `game${number}` }));
  const typed = { server: 'a.example.com:1', port: '', queryPort: '', game: 'game' };
  const row = { kind: 'invalid', line: 1, problem: { code: 'game-unknown', game: 'game' }, typed } as const;
  const choices = { near: list().slice(0, 2), games: list() };
  const { choice } = gameControls(anyContext().t, { id, source: 'options', rows: [] }, row, choices);
  expect(choice).toHaveProperty('options.length', 5);
});
