import { describe, expect, it, onTestFinished } from 'vitest';
import { startListing } from '../../sandbox/listing/stand-in.ts';
import { createListingApi } from '../../src/listing/client.ts';
import { gamesSchema, LONGEST_MESSAGE, LONGEST_NAME, MAX_GAMES } from '../../src/listing/contract.ts';
import { findingIn } from '../../src/listing/game-catalog.ts';
import { indexGames, indexLongList, searchGames } from '../../src/listing/game-search.ts';
import { createPauses } from '../../src/pauses.ts';
import { Secret } from '../../src/secret.ts';
import { stepsOf } from '../support/steps.ts';

const manyGames = (count: number, name = 'a \ufdfa b ') =>
  Array.from({ length: count }, (_, i) => ({ name: name.repeat(60), alias: `g${i}` }));

describe('what comes from the service', () => {
  it.each([
    'success',
    'error',
  ])('is a message of at most 2,000 UTF-16 units, cut between code points (%s)', async (status) => {
    const service = await startListing({ keys: ['sandbox-key'] });
    const api = createListingApi({ baseUrl: service.url, timeoutMs: 10_000, arrayFormat: 'brackets' });
    onTestFinished(async () => {
      await api.close();
      await service.close();
    });
    const read = async (message: string) => {
      await service.behave({ kind: 'json', status: 200, body: { status, message } });
      const outcome = await api.add(
        [{ server: 'a.example.com', port: 1, game: 'cs2' }],
        new Secret('sandbox-key'),
      );
      return 'message' in outcome ? outcome.message : outcome;
    };
    expect(await read('x'.repeat(LONGEST_MESSAGE))).toBe('x'.repeat(LONGEST_MESSAGE));
    expect(await read('x'.repeat(60_000))).toBe(`${'x'.repeat(LONGEST_MESSAGE - 1)}…`);
    expect(await read(`x${'😀'.repeat(2_000)}`)).toBe(`x${'😀'.repeat(999)}…`);
    expect(await read(`${'😀'.repeat(2_000)}`)).toBe(`${'😀'.repeat(999)}…`);
  });

  it('is a name that fits in UTF-16 units and in code points', () => {
    const read = (name: string) => gamesSchema.parse([{ name, alias: 'a' }])[0]?.name;
    expect(read('😀'.repeat(50))).toBe('😀'.repeat(50));
    expect(read('😀'.repeat(51))).toBe(`${'😀'.repeat(49)}…`);
    expect(read('['.repeat(60_000))).toHaveLength(LONGEST_NAME);
  });

  it('is no game whose alias is too long to be chosen', () => {
    const games = [100, 101, 60_000].map((length) => ({ name: 'A', alias: 'a'.repeat(length) }));
    expect(gamesSchema.parse(games)).toEqual([{ name: 'A', alias: 'a'.repeat(100) }]);
  });

  it('is at most 10,000 games, and what is no game spoils the list', () => {
    expect(gamesSchema.parse(manyGames(MAX_GAMES + 1))).toHaveLength(MAX_GAMES);
    expect(gamesSchema.safeParse(Array(MAX_GAMES).fill({})).error?.issues).toMatchObject([{ path: [0] }]);
  });
});

describe('a list of games', () => {
  it('takes steps in proportion to its length to be made ready and searched, and pauses', async () => {
    const measure = async (count: number) => {
      let pauses = 0;
      const steps = await stepsOf(async () => {
        const index = await indexLongList(
          manyGames(count),
          createPauses(async () => void pauses++),
        );
        searchGames(index, 'a \ufdfb');
        findingIn(index)('none of them');
      });
      return { steps, pauses };
    };
    const [once, twice] = [await measure(2_000), await measure(4_000)];
    expect(twice.steps).toBeLessThan(2.2 * once.steps);
    expect(twice.pauses).toBe(2 * once.pauses);
    expect(once.pauses).toBeGreaterThan(0);
  });

  it('is searched for no more letters than somebody can have meant, whatever they fold to', async () => {
    const index = indexGames(manyGames(1_000));
    const steps = (text: string) => stepsOf(() => searchGames(index, text));
    expect(await steps('\ufdfa'.repeat(100))).toBeLessThan(2 * (await steps('ab '.repeat(33))));
  });

  it('finds a game that nobody can type exactly', () => {
    const [game = { name: '', alias: '' }] = gamesSchema.parse([{ name: '\ufdfa'.repeat(100), alias: 'x' }]);
    const index = indexGames([game]);
    expect(findingIn(index)(game.name)).toBe(game);
    expect(searchGames(index, game.name)).toEqual([game]);
    expect(findingIn(index)(`${'صلى '.repeat(60)}`)).toBeUndefined();
  });
});
