import { describe, expect, it } from 'vitest';
import { fitChoices } from '../../src/discord/limits.ts';
import { gameChoices } from '../../src/words/games.ts';

describe('games as choices', () => {
  it('can all be chosen, though their names are the same where Discord cuts them', () => {
    const games = Array.from({ length: 25 }, (_, n) => ({ name: 'x'.repeat(100), alias: `game${n}` }));
    const fit = fitChoices(gameChoices(games));
    expect(fit.map(({ value }) => value)).toEqual(games.map(({ alias }) => alias));
    for (const { name, value } of fit) {
      expect(name.length).toBeLessThanOrEqual(100);
      expect(name.endsWith(`… (${value})`)).toBe(true);
    }
  });

  it('are shown by their alias where it leaves no room for a name, or is the name', () => {
    const alias = 'a'.repeat(97);
    expect(
      gameChoices([
        { name: 'Game', alias },
        { name: 'rust', alias: 'rust' },
        { name: 'Rust', alias: 'rust' },
      ]),
    ).toEqual([
      { name: alias, value: alias },
      { name: 'rust', value: 'rust' },
      { name: 'Rust (rust)', value: 'rust' },
    ]);
  });
});
