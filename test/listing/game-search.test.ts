import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SANDBOX_GAMES } from '../../sandbox/listing/games.ts';
import type { Game } from '../../src/listing/contract.ts';
import { findingIn } from '../../src/listing/game-catalog.ts';
import { indexGames, searchGames } from '../../src/listing/game-search.ts';
import { prefixDistance } from '../../src/prefix-distance.ts';
import { anyCharacter } from '../support/characters.ts';
import { stepsOf } from '../support/steps.ts';

const index = indexGames(SANDBOX_GAMES);
const aliases = (text: string, limit?: number) => searchGames(index, text, limit).map(({ alias }) => alias);
const find = (text: string) => findingIn(index)(text)?.alias;

describe('searching for a game', () => {
  it('puts the exact alias first, then what begins with it', () => {
    expect(aliases('l4d')).toEqual(['l4d', 'l4d2']);
    expect(aliases('CS').slice(0, 5)).toEqual(['cs16', 'cs2', 'cscz', 'csgo', 'css']);
  });

  it('puts the exact name before the names that begin with it', () => {
    expect(aliases('minecraft')[0]).toBe('minecraft');
    expect(aliases('left 4 dead')).toEqual(['l4d', 'l4d2']);
  });

  it('finds a word in the middle before a piece of a word', () => {
    const own = indexGames([
      { name: 'Frostrust', alias: 'a' },
      { name: 'Old Rust', alias: 'b' },
      { name: 'Rust Never Sleeps', alias: 'c' },
      { name: 'Rust', alias: 'd' },
    ]);
    expect(searchGames(own, 'rust').map(({ alias }) => alias)).toEqual(['d', 'c', 'b', 'a']);
  });

  it.each([
    ['pokemon', 'cobblemon'],
    ['POKÉMON', 'cobblemon'],
    ['garrys mod', 'gm'],
    ['garry’s', 'gm'],
    ["don't starve", 'dst'],
    ['counterstrike 2', 'cs2'],
    ['counter strike 2', 'cs2'],
    ['trackmania2', 'tm2stadium'],
    ['stalker', 'stalkercop'],
    ['mount blade', 'bannerlord'],
  ])('finds what was meant by %j', (typed, alias) => {
    expect(aliases(typed)).toContain(alias);
  });

  it.each([
    ['mincraft', 'minecraft'],
    ['mniecraft', 'minecraft'],
    ['factrio', 'factorio'],
    ['contre-str', 'cs2'],
    ['valhiem', 'valheim'],
  ])('forgives the slip in %j', (typed, alias) => {
    expect(aliases(typed)).toContain(alias);
  });

  it('puts games with one slip before those with two, wherever they are in the list', () => {
    const far = Array.from({ length: 30 }, (_, i) => ({ name: `Battlexxeld ${i}`, alias: `far${i}` }));
    const near = Array.from({ length: 30 }, (_, i) => ({ name: `Battlexield ${i}`, alias: `near${i}` }));
    const mixed = indexGames([...far, ...near.slice(0, 10), { name: 'Battlefield', alias: 'bf' }]);
    const found = searchGames(mixed, 'battlefield').map(({ alias }) => alias);
    expect(found.slice(0, 11)).toEqual(['bf', ...near.slice(0, 10).map(({ alias }) => alias)]);
    expect(found.slice(11)).toEqual(far.slice(0, 14).map(({ alias }) => alias));
    const nearest = searchGames(indexGames([...far, ...near]), 'battlefield');
    expect(nearest).toEqual(near.slice(0, 25));
  });

  it('forgives nothing in very short texts', () => {
    expect(aliases('xs2')).toEqual([]);
  });

  it('gives the list in its order for an empty text, 25 at most', () => {
    expect(searchGames(index, '  ')).toEqual(SANDBOX_GAMES.slice(0, 25));
    expect(searchGames(index, '', 1000)).toEqual(SANDBOX_GAMES);
  });

  it('takes signs of regular expressions as they are', () => {
    for (const text of ['(', '.*', '[', '\\', '^()+$', '***']) expect(aliases(text)).toEqual([]);
    expect(aliases('(a+)+$')).toEqual(aliases('a'));
    const own = indexGames([{ name: '???', alias: '***' }]);
    expect(searchGames(own, '*')).toHaveLength(1);
    expect(searchGames(own, 'a')).toHaveLength(0);
  });

  it('goes through the list once for all who type the same, and not for long', async () => {
    const games = Array.from({ length: 300 }, (_, i) => ({ name: `Game number ${i}`, alias: `game${i}` }));
    const own = indexGames(games);
    const stepsFor = (typed: string) => stepsOf(() => searchGames(own, typed));
    const first = await stepsFor('number 12');
    expect(await stepsFor('Númber 12')).toBeLessThan(first / 10);
    expect(searchGames(own, 'NUMBER 12')).toEqual(searchGames(indexGames(games), 'number 12'));
    expect(searchGames(own, 'number 12', 1)).toHaveLength(1);
    for (let i = 0; i < 1000; i++) searchGames(own, `other ${i}`);
    expect(await stepsFor('number 12')).toBe(first);
    expect(own.found.size).toBeLessThanOrEqual(500);
  });

  it('compares no more than a bounded number of letters for slips, whatever is in the list and typed', async () => {
    const name = (i: number) =>
      `abcdefghijklmnopqrstuvwxyz0123456789 ${'aaa aab '.repeat(7)}${i}`.slice(0, 100);
    const index = indexGames(Array.from({ length: 10_000 }, (_, i) => ({ name: name(i), alias: `g${i}` })));
    for (const typed of ['aaab aabaa', 'aaa aab '.repeat(12), 'ab'.repeat(50)]) {
      // A look at the letters of each game, and half a million columns of the comparison, at seven letters each.
      const most = 10_000 * typed.length + 7 * 500_000;
      expect(await stepsOf(() => searchGames(index, typed)), typed).toBeLessThan(1.2 * most);
    }
  });
});

describe('finding one game', () => {
  it('takes an alias or a name, in any case and with or without accents', () => {
    expect(find(' CS2 ')).toBe('cs2');
    expect(find('counter-strike: SOURCE')).toBe('css');
    expect(find('Minecraft: Pokemon (Cobblemon)')).toBe('cobblemon');
  });

  it('takes nothing that is only near', () => {
    expect(find('cs')).toBeUndefined();
    expect(find('Counter-Strike')).toBeUndefined();
    expect(find('')).toBeUndefined();
  });

  it('keeps apart two aliases that differ in case alone', () => {
    const own = indexGames([
      { name: 'One', alias: 'x' },
      { name: 'Two', alias: 'X' },
    ]);
    expect(findingIn(own)('X')?.name).toBe('Two');
    expect(findingIn(own)('x')?.name).toBe('One');
  });

  it('takes an alias before a name', () => {
    const own = indexGames([
      { name: 'rust', alias: 'other' },
      { name: 'Something', alias: 'rust' },
    ]);
    expect(findingIn(own)('Rust')?.name).toBe('Something');
  });
});

describe('any list and any text', () => {
  const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
  const list = fc.uniqueArray(fc.record<Game>({ name: word, alias: word }), {
    selector: ({ alias }) => alias,
    maxLength: 60,
  });

  it('gives at most 25, each from the list and none twice', () => {
    fc.assert(
      fc.property(list, fc.string({ unit: anyCharacter, maxLength: 200 }), (games, text) => {
        const found = searchGames(indexGames(games), text);
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
          expect(findingIn(own)(game.alias)).toBe(game);
          expect(searchGames(own, game.alias, games.length)).toContain(game);
          expect(searchGames(own, game.name, games.length)).toContain(game);
        }
      }),
    );
  });

  it('does not depend on case or accents', () => {
    fc.assert(
      fc.property(list, fc.string({ unit: 'grapheme-ascii' }), (games, text) => {
        const own = indexGames(games);
        const accented = text.replace(/[aeiou]/g, (vowel) => `${vowel}\u0301`);
        expect(searchGames(own, accented.toUpperCase())).toEqual(searchGames(own, text));
      }),
    );
  });
});

describe('changes to a prefix', () => {
  /** The definition, without any shortcut. */
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

  it('counts the fewest changes to any beginning of the text, or gives up beyond the bound', () => {
    const short = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 5 });
    fc.assert(
      fc.property(short, short, fc.integer({ min: 0, max: 3 }), (typed, text, most) => {
        const beginnings = Array.from({ length: text.length + 1 }, (_, end) => text.slice(0, end));
        const fewest = Math.min(...beginnings.map((beginning) => plain(typed, beginning)));
        expect(prefixDistance(typed, most)(text)).toBe(fewest <= most ? fewest : undefined);
      }),
    );
  });
});
