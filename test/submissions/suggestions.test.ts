import { describe, expect, it } from 'vitest';
import { indexGames } from '../../src/listing/game-search.ts';
import { createSuggestions } from '../../src/submissions/suggestions.ts';

const all = Array.from({ length: 300 }, (_, n) => ({ name: `Game ${n}`, alias: `g${n}` }));

/** Creates suggestions from a history that returns these games. */
function setUp(latestGames: () => Promise<readonly string[]>, games?: readonly string[]) {
  return createSuggestions({
    history: { latestGames },
    games: indexGames(all),
    settings: { rememberedOrThrow: async () => ({ ...(games && { games }) }) },
  });
}
const aliases = (games: readonly { readonly alias: string }[]) => games.map(({ alias }) => alias);

describe('suggested games', () => {
  it("start with the guild's most popular games", async () => {
    const { games } = setUp(async () => ['g299', 'g298', 'g298', 'gone']);
    const offered = aliases(await games('1', ' '));
    expect(offered.slice(0, 4)).toEqual(['g298', 'g299', 'g0', 'g1']);
    expect(new Set(offered).size).toBe(25);
  });

  it("match the user's input", async () => {
    const { games } = setUp(async () => ['g299']);
    expect(aliases(await games('1', 'Game 29')).slice(0, 2)).toEqual(['g29', 'g290']);
  });

  it('only include games that the guild allows', async () => {
    const { games } = setUp(async () => ['g7', 'g5'], ['g5', 'g6']);
    expect(aliases(await games('1', ''))).toEqual(['g5', 'g6']);
    expect(aliases(await games('1', '6'))).toEqual(['g6']);
  });

  it('are cached unless the store fails', async () => {
    let reads = 0;
    const { games } = setUp(async () => {
      reads += 1;
      if (reads === 1) throw new Error('disk');
      return ['g1'];
    });
    await expect(games('1', '')).rejects.toThrow('disk');
    expect((await games('1', ''))[0]?.alias).toBe('g1');
    expect((await games('1', ''))[0]?.alias).toBe('g1');
    expect(reads).toBe(2);
  });
});
