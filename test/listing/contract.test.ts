import { expect, it } from 'vitest';
import { gamesSchema, KNOWN_ERRORS, knownError } from '../../src/listing/contract.ts';

it.each([
  ...Object.entries(KNOWN_ERRORS).map(([known, message]) => [message, known] as const),
  ['Another reason.', undefined],
] as const)('the error "%s" is recognised as %s', (message, known) =>
  expect(knownError(message)).toBe(known));

it("a game's name is truncated to 100 UTF-16 code units without splitting a character", () => {
  const read = (name: string) => gamesSchema.parse([{ name, alias: 'a' }]).games[0]?.name;
  expect(read('😀'.repeat(50))).toBe('😀'.repeat(50));
  expect(read('😀'.repeat(51))).toBe(`${'😀'.repeat(49)}…`);
});

it('a game is omitted from the games list if its alias is longer than 100 characters', () => {
  const games = [100, 101].map((length) => ({ name: 'A', alias: 'a'.repeat(length) }));
  expect(gamesSchema.parse(games).games).toEqual([{ name: 'A', alias: 'a'.repeat(100) }]);
});

it.each([
  {},
  { name: '', alias: 'b' },
  { name: ' ', alias: 'b' },
  { name: 'B', alias: '' },
  null,
])('the invalid game %j is omitted from the games list', (game) => {
  const good = { name: 'A', alias: 'a' };
  expect(gamesSchema.parse([game, good]).games).toEqual([good]);
  expect(gamesSchema.safeParse([game]).success).toBe(false);
});

it('numeric names and aliases are converted to strings', () => {
  const games = [
    { name: 1942, alias: 'bf1942' },
    { name: 'Seven', alias: 7 },
  ];
  expect(gamesSchema.parse(games).games).toEqual([
    { name: '1942', alias: 'bf1942' },
    { name: 'Seven', alias: '7' },
  ]);
});

it('only the first of two games with the same alias is kept', () => {
  const rust = { name: 'Rust', alias: 'rust' };
  expect(gamesSchema.parse([rust, { name: 'Rust again', alias: 'rust' }]).games).toEqual([rust]);
});
