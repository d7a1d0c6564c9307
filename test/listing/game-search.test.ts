import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SANDBOX_GAMES } from '../../sandbox/listing/games.ts';
import type { Game } from '../../src/listing/contract.ts';
import { gamesAmong, indexGames } from '../../src/listing/game-search.ts';
import { NICKNAMES } from '../../src/listing/nicknames.ts';
import { prefixDistance } from '../../src/text/prefix-distance.ts';
import { anyCharacter } from '../support/arbitraries.ts';
import { stepsOf, usedMemory } from '../support/machine.ts';

const index = indexGames(SANDBOX_GAMES);
const aliases = (text: string, limit?: number) => index.search(text, limit).map(({ alias }) => alias);
const find = (text: string) => index.find(text)?.alias;

describe('the game search', () => {
  it('ranks an exact alias match first, then prefix matches', () => {
    expect(aliases('l4d')).toEqual(['l4d', 'l4d2']);
    expect(aliases('CS').slice(0, 5)).toEqual(['cs2', 'cs16', 'csgo', 'css', 'cscz']);
  });

  it.each([
    ['mc', ['minecraft', 'bedrock']],
    ['gmod', ['gm']],
    ['gta', ['samp']],
    ['tf', ['tf2']],
    ['l4d2', ['l4d2']],
    ['counterstrike', ['cs16']],
  ])('finds a game by its nickname or initials: %s', (typed, expected) => {
    expect(aliases(typed).slice(0, expected.length)).toEqual(expected);
  });

  it('ranks whole-word matches above partial matches', () => {
    const own = indexGames([
      { name: 'Frostrust', alias: 'a' },
      { name: 'Old Rust', alias: 'b' },
      { name: 'Rust Never Sleeps', alias: 'c' },
      { name: 'Rust', alias: 'd' },
    ]);
    expect(own.search('rust').map(({ alias }) => alias)).toEqual(['d', 'c', 'b', 'a']);
  });

  it.each([
    ['POKÉMON', 'cobblemon'],
    ['garrys mod', 'gm'],
    ['garry’s', 'gm'],
    ['counterstrike 2', 'cs2'],
    ['trackmania2', 'tm2stadium'],
    ['stalker', 'stalkercop'],
    // These words are in a different order or incomplete.
    ['ark ascended', 'arksa'],
    ['source counter', 'css'],
    ['tea for', 'tf2'],
    // Letters are missing from this name.
    ['bttlfld4', 'bf4'],
    // These names contain typos.
    ['mincraft', 'minecraft'],
    ['mniecraft', 'minecraft'],
    ['contre-str', 'cs2'],
    // These names are among other words.
    ['cs2 (24/7)', 'cs2'],
    ['[EU] Left 4 Dead 2 modded', 'l4d2'],
  ])('finds the intended game for %j', (typed, alias) => {
    expect(aliases(typed)).toContain(alias);
  });

  it('ranks matches with one typo above matches with two', () => {
    const far = Array.from({ length: 30 }, (_, i) => ({ name: `Battlexxeld ${i}`, alias: `far${i}` }));
    const near = Array.from({ length: 10 }, (_, i) => ({ name: `Battlexield ${i}`, alias: `near${i}` }));
    const mixed = indexGames([...far, ...near, { name: 'Battlefield', alias: 'bf' }]);
    const found = mixed.search('battlefield').map(({ alias }) => alias);
    const wanted = ['bf', ...near.map(({ alias }) => alias), ...far.map(({ alias }) => alias)];
    expect(found).toEqual(wanted.slice(0, 25));
  });

  it("doesn't allow typos in very short input", () => {
    expect(aliases('xs2')).toEqual([]);
  });

  it('returns the first 25 games for empty input', () => {
    expect(index.search('  ')).toEqual(SANDBOX_GAMES.slice(0, 25));
    expect(index.search('', 1000)).toEqual(SANDBOX_GAMES);
  });

  it('finds a name that consists only of symbols', () => {
    const own = indexGames([{ name: '???', alias: '***' }]);
    expect(own.search('*')).toHaveLength(1);
    expect(own.search('a')).toHaveLength(0);
  });

  it('limits the number of comparisons, even for long lists and long input', async () => {
    const name = (i: number) => `abcdefghijklmnopqrstuvwxyz0123456789 ${'aaa aab '.repeat(7)}${i}`;
    const games = Array.from({ length: 10_000 }, (_, i) => ({
      name: name(i).slice(0, 100),
      alias: `g${i}`,
    }));
    const own = indexGames(games);
    for (const typed of ['aaab aabaa', 'aaa aab '.repeat(12), 'ab'.repeat(50)]) {
      // 1,000 games with an alias and 18 words each, times 30 rows of 5 columns per comparison, times three letters.
      const most = 1_000 * 19 * 30 * 5 * 3;
      expect(await stepsOf(() => own.search(typed)), typed).toBeLessThan(most);
    }
  });
});

describe("a guild's allowed games", () => {
  it('include all games until an admin selects some', () => {
    const among = gamesAmong(index, undefined);
    expect(among.all).toEqual(SANDBOX_GAMES);
    expect(SANDBOX_GAMES.every(among.isAllowed)).toBe(true);
  });

  it('are the only games in search results', () => {
    const { all, search, isAllowed } = gamesAmong(index, ['rust', 'css', 'cs2', 'gone']);
    expect(all.map(({ alias }) => alias)).toEqual(['cs2', 'css', 'rust']);
    expect(search('cs').map(({ alias }) => alias)).toEqual(['cs2', 'css']);
    expect(search('cs', 1)).toHaveLength(1);
    expect(SANDBOX_GAMES.filter(isAllowed)).toEqual(all);
  });
});

it("searches with a custom limit or a list of allowed games aren't cached", () => {
  const many = Array.from({ length: 10_000 }, (_, n) => ({ name: 'a'.repeat(90), alias: `g${n}` }));
  const own = indexGames(many);
  const { search } = gamesAmong(own, ['g1', 'g2']);
  search('g');
  const before = usedMemory();
  for (let letters = 1; letters <= 40; letters += 1) search('a'.repeat(letters));
  for (let letters = 41; letters <= 80; letters += 1) own.search('a'.repeat(letters), many.length);
  expect(usedMemory() - before).toBeLessThan(2_000_000);
});

describe('the search for a single game', () => {
  it('ignores case and accents in an alias or a name', () => {
    expect(find(' CS2 ')).toBe('cs2');
    expect(find('counter-strike: SOURCE')).toBe('css');
    expect(find('Minecraft: Pokemon (Cobblemon)')).toBe('cobblemon');
  });

  it.each([
    ['gmod', 'gm'],
    ['garrysmod', 'gm'],
    ['ase', 'ark'],
    ['sdtd', '7dtd'],
    ['counterstrike2', 'cs2'],
    ['CS 1.6', 'cs16'],
    ['SA-MP', 'samp'],
    ['pz', 'zomboid'],
    ['minecraftbe', 'bedrock'],
    ['Team Fortress 2 (2007)', 'tf2'],
  ])('finds a game by any of its common names: %s', (typed, alias) => expect(find(typed)).toBe(alias));

  it('rejects a nickname that matches two games', () => {
    for (const nickname of ['cs', 'go', 'gta', 'tf', 'pw', 'mc'])
      expect(find(nickname), nickname).toBeUndefined();
    const own = indexGames([{ name: 'Minecraft', alias: 'minecraft' }]);
    expect(own.find('mc')?.alias).toBe('minecraft');
  });

  it("rejects a name that is merely similar to a game's name", () => {
    expect(find('cs')).toBeUndefined();
    expect(find('Counter-Strike')).toBeUndefined();
    expect(find('')).toBeUndefined();
  });

  it('distinguishes two aliases that differ only in case', () => {
    const own = indexGames([
      { name: 'One', alias: 'x' },
      { name: 'Two', alias: 'X' },
    ]);
    expect(own.find('X')?.name).toBe('Two');
    expect(own.find('x')?.name).toBe('One');
  });

  it('finds a name that is much longer after normalisation', () => {
    const game = { name: '\ufdfa'.repeat(99), alias: 'x' };
    const own = indexGames([game]);
    expect(own.find(game.name)).toBe(game);
    expect(own.search(game.name)).toEqual([game]);
  });

  it('prefers aliases to names, and earlier games to later ones', () => {
    const own = indexGames([
      { name: 'rust', alias: 'other' },
      { name: 'Something', alias: 'rust' },
      { name: 'Something', alias: 'second' },
    ]);
    expect(own.find('Rust')?.name).toBe('Something');
    expect(own.find('something')?.alias).toBe('rust');
  });
});

describe('searching a randomly generated list', () => {
  const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
  const list = fc.uniqueArray(fc.record<Game>({ name: word, alias: word }), {
    selector: ({ alias }) => alias,
    maxLength: 60,
  });

  it('returns up to 25 different games from the list', () => {
    fc.assert(
      fc.property(list, fc.string({ unit: anyCharacter, maxLength: 200 }), (games, text) => {
        const found = indexGames(games).search(text);
        expect(found.length).toBeLessThanOrEqual(25);
        expect(new Set(found).size).toBe(found.length);
        for (const game of found) expect(games).toContain(game);
      }),
    );
  });

  it('finds every game by its alias and by its name', () => {
    fc.assert(
      fc.property(list, (games) => {
        const own = indexGames(games);
        for (const game of games.filter(({ alias }) => alias.trim() === alias)) {
          expect(own.find(game.alias)).toBe(game);
          expect(own.search(game.alias, games.length)).toContain(game);
          expect(own.search(game.name, games.length)).toContain(game);
        }
      }),
    );
  });

  it('never ranks a worse match above a better one', () => {
    const short = fc.string({
      unit: fc.constantFrom('a', 'b', '1', ' ', '-', "'"),
      minLength: 1,
      maxLength: 8,
    });
    const text = fc.oneof(
      short,
      fc.constantFrom('Rust', 'Minecraft', 'mc', 'minecraftbe', "Garry's Mod", 'gmod'),
    );
    const own = fc.uniqueArray(fc.record<Game>({ name: text, alias: text }), {
      selector: ({ alias }) => alias,
    });
    const letters = (typed: string) => typed.toLowerCase().replaceAll("'", '').replace(/[ -]+/g, ' ').trim();
    const initial = (word: string) => (/^[0-9]+$/.test(word) ? word : word.slice(0, 1));
    const initials = (typed: string) => letters(typed).split(' ').map(initial).join('');
    const textsOf = ({ alias, name }: Game) => [letters(alias), letters(name)];
    const isCalled = (game: Game, typed: string) =>
      [...textsOf(game), ...(NICKNAMES.get(letters(game.name)) ?? [])].includes(typed);
    const begins = (game: Game, typed: string) =>
      [...textsOf(game), initials(game.name)].some((some) => some.startsWith(typed));
    fc.assert(
      fc.property(own, (games) => {
        const searched = indexGames(games);
        for (const game of games) {
          const beginnings = [...game.name].map((_, end) => game.name.slice(0, end + 1));
          for (const typed of [game.alias, ...beginnings].map(letters).filter((some) => some !== '')) {
            const found = searched.search(typed, games.length);
            expect(found, typed).toContain(game);
            const isWhole = textsOf(game).includes(typed);
            for (const other of found.slice(0, found.indexOf(game))) {
              const mayStandBefore = isCalled(other, typed) || (!isWhole && begins(other, typed));
              expect(mayStandBefore, `${typed}: ${other.name}`).toBe(true);
            }
          }
        }
      }),
    );
  });
});

describe('the prefix distance', () => {
  /** Computes the distance directly from its definition, without optimizations. */
  function plain(a: string, b: string): number {
    if (a === '' || b === '') return Math.max(a.length, b.length);
    const swapped = a.length > 1 && b.length > 1 && a[0] === b[1] && a[1] === b[0];
    return Math.min(
      plain(a.slice(1), b.slice(1)) + (a[0] === b[0] ? 0 : 1),
      plain(a.slice(1), b) + 1,
      plain(a, b.slice(1)) + 1,
      swapped ? plain(a.slice(2), b.slice(2)) + 1 : Number.POSITIVE_INFINITY,
    );
  }

  it('is the smallest edit distance to any prefix, up to the limit', () => {
    const short = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 5 });
    fc.assert(
      fc.property(short, short, fc.integer({ min: 0, max: 3 }), (typed, text, most) => {
        const beginnings = Array.from({ length: text.length + 1 }, (_, end) => text.slice(0, end));
        const fewest = Math.min(...beginnings.map((beginning) => plain(typed, beginning)));
        expect(prefixDistance(typed, most)(text)).toBe(fewest <= most ? fewest : Number.POSITIVE_INFINITY);
      }),
    );
  });
});
