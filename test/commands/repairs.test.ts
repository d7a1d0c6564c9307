import { expect, it } from 'vitest';
import { readSubmitId } from '../../commands/submit/ids.ts';
import { gameControls, readRepair, repairButtons } from '../../commands/submit/repairs.ts';
import { parseCustomId } from '../../src/interactions/controls.ts';
import { KNOWN_GAMES } from '../../src/listing/contract.ts';
import { indexGames } from '../../src/listing/game-search.ts';
import { readOne } from '../../src/server-lists/read-one.ts';
import { type InvalidRow, isInvalid } from '../../src/server-lists/row.ts';
import { anyContext } from './context.ts';

const id = '1234567890123456789';
const known = { find: () => undefined, isFresh: () => true };

it.each([
  ['options', 'use', 64],
  ['text', 'repair', 61],
] as const)('a game has a button only if its alias fits in the custom id: %s', (source, action, longest) => {
  const games = [30, longest, longest + 1, 100].map((length) => {
    return { name: `Longest of ${length}`, alias: `:${length}:`.padEnd(length, 'x') };
  });
  const typed = { server: 'a.example.com:1', port: '', queryPort: '', game: 'x' };
  const row = { kind: 'invalid', line: 1, problem: { code: 'game-unknown', game: 'x' }, typed } as const;
  const choices = { near: games, games: [] };
  const { buttons } = gameControls(anyContext().t, { id, source, rows: [] }, row, choices, known);
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

it('the select menu omits games with buttons, even after the games list is refreshed', () => {
  const list = () => [1, 2, 3, 4, 5].map((number) => ({ name: `Game ${number}`, alias: `game${number}` }));
  const typed = { server: 'a.example.com:1', port: '', queryPort: '', game: 'game' };
  const row = { kind: 'invalid', line: 1, problem: { code: 'game-unknown', game: 'game' }, typed } as const;
  const choices = { near: list().slice(0, 2), games: list() };
  const { choice } = gameControls(anyContext().t, { id, source: 'options', rows: [] }, row, choices, known);
  expect(choice).toHaveProperty('options.length', 3);
});

const games = { ...indexGames(KNOWN_GAMES), isFresh: () => true };
const LONG = `${'very-'.repeat(10)}long.example.com:27015`;

/** Returns the labels of the buttons that fix the typed line. */
function labelsFor(
  typed: { game?: string; server?: string; port?: string; queryPort?: string },
  source = 'options',
) {
  const row: InvalidRow | undefined = [
    readOne({ game: 'cs2', server: 'a.example.com', port: '', queryPort: '', ...typed }, [], games),
  ].find(isInvalid);
  if (row === undefined) throw new Error('the line is valid');
  const draft = { id, source: source === 'text' ? 'text' : 'options', rows: [] } as const;
  const near = games.search(row.typed.game, 1);
  const { buttons } = gameControls(anyContext().t, draft, row, { near, games: [] }, games);
  const all = row.problem.code === 'game-unknown' ? buttons : [];
  return [...all, ...repairButtons(anyContext().t, draft, row, games)].map((each) => Object(each).label);
}

it.each([
  ['a missing port', {}, ['Submit with port 27015']],
  ['port 0', { server: 'a.example.com:0' }, ['Submit with port 27015']],
  [
    'two ports',
    { server: 'a.example.com:1', port: '2' },
    ['Submit with port 1', 'Submit with port 2', 'Submit with port 1 and query port 2'],
  ],
  [
    'two ports and a query port',
    { server: 'a.example.com:1', port: '2', queryPort: '3' },
    ['Submit with port 1', 'Submit with port 2'],
  ],
  ['an invalid query port', { port: '1', queryPort: 'x' }, ['Submit without a query port']],
  ['letters', { server: 'plаy.example.com:27015' }, ['Submit play.example.com:27015 (Counter-Strike 2)']],
  ['an unknown game', { game: 'rusd', port: '1' }, ['Submit as Rust']],
  ['a game without a port', { game: 'rusd' }, ['Submit as Rust, port 28015']],
  ['swapped fields', { game: 'a.example.com:1', server: 'rust' }, ['Submit a.example.com:1 (Rust)']],
])('a button\'s label starts with "Submit" if nothing else needs fixing: %s', (_, typed, labels) => {
  expect(labelsFor(typed)).toEqual(labels);
});

it.each([
  ['two mistakes', { port: '288015', queryPort: 'x' }, ['Use 28015']],
  ['an unknown game and a wrong port', { game: 'rusd', port: '99999' }, ['Use Rust']],
])('a button\'s label starts with "Use" if something else needs fixing: %s', (_, typed, labels) => {
  expect(labelsFor(typed)).toEqual(labels);
});

it('no fix is offered for a port with more than one doubled digit', () => {
  expect(labelsFor({ port: '99999' })).toEqual([]);
});

it('a button\'s label starts with "Use" if the line comes from pasted text', () => {
  expect(labelsFor({}, 'text')).toEqual(['Use 27015']);
  const twoPorts = { server: 'a.example.com:1', port: '2' };
  expect(labelsFor(twoPorts, 'text')).toEqual(['Use 1', 'Use 2', '2 is the query port']);
});

it("a long host name in a button's label is truncated in the middle", () => {
  const label = labelsFor({ game: LONG, server: 'rust' }).join();
  expect(label).toMatch(/^Submit very-[\w-]+…[\w.-]+:27015 \(Rust\)$/);
  expect(label.length).toBeLessThanOrEqual(80);
});
