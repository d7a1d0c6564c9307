import { describe, expect, it } from 'vitest';
import { usualPort } from '../../src/addresses/usual-ports.ts';
import { KNOWN_GAMES } from '../../src/listing/contract.ts';
import { findOrFetchGame, readOne } from '../../src/server-lists/read-one.ts';
import { isSwapped, repaired, repairsOf, withDots } from '../../src/server-lists/repair.ts';
import { readRow, rowWithoutPasswords, type TypedRow, typedOf } from '../../src/server-lists/row.ts';
import { games } from '../support/arbitraries.ts';

const typed = (server: string, more: Partial<TypedRow> = {}): TypedRow => ({
  server,
  port: '',
  queryPort: '',
  game: 'cs2',
  ...more,
});

describe('readRow()', () => {
  const read = (row: TypedRow) => readRow(row, row.game === 'Half-Life 3' ? undefined : row.game);

  it.each([
    [typed('8.8.8.8:1'), { port: 1 }],
    [typed('8.8.8.8', { port: '1' }), { port: 1 }],
    [typed('8.8.8.8:1', { port: '1' }), { port: 1 }],
    [typed('8.8.8.8', { port: '1', queryPort: '1' }), { port: 1 }],
    [typed('8.8.8.8', { port: '1', queryPort: '2' }), { port: 1, queryPort: 2 }],
  ])('parses %j as %j', (row, at) => {
    expect(read(row)).toEqual({
      ok: true,
      submission: { server: '8.8.8.8', ...at, game: 'cs2' },
    });
  });

  it.each([
    [typed('8.8.8.8:1', { port: '2' }), { code: 'port-conflict', inServer: 1, port: 2 }],
    [typed('8.8.8.8', { port: '70000' }), { code: 'port-too-high', field: 'port', port: 70_000 }],
    [typed('8.8.8.8', { port: '1', queryPort: '0' }), { code: 'port-too-low', field: 'query_port', port: 0 }],
    [typed('192.168.0.4:1'), { code: 'not-public', host: '192.168.0.4', range: 'private' }],
    [typed('8.8.8.8:1', { game: '' }), { code: 'game-missing' }],
    [typed('8.8.8.8', { game: 'Half-Life 3' }), { code: 'game-unknown', game: 'Half-Life 3' }],
    [
      typed('a.example.com', { game: 'minecraft' }),
      { code: 'port-missing', host: 'a.example.com', game: 'minecraft', usual: 25_565 },
    ],
    [
      typed('a.example.com', { game: 'constructor' }),
      { code: 'port-missing', host: 'a.example.com', game: 'constructor' },
    ],
  ])('rejects %j with the problem %j', (row, problem) => {
    expect(read(row)).toEqual({ ok: false, problem });
  });
});

it('every game in the specification has a default port', () => {
  expect(KNOWN_GAMES.filter(({ alias }) => usualPort(alias) === undefined)).toEqual([]);
  expect(usualPort('toString')).toBeUndefined();
});

describe('an unknown game', () => {
  /** Reads one server with this game. Returns its game and how many times the bot asked the service. */
  async function read(game: string, list: { readonly fresh: boolean; readonly afterwards: boolean }) {
    let asked = 0;
    let isFresh = list.fresh;
    const games = {
      find: (text: string) =>
        text === 'cs2' || (asked > 0 && text === 'new') ? { name: text, alias: text } : undefined,
      isFresh: () => isFresh,
      async refresh() {
        asked += 1;
        isFresh = list.afterwards;
        return undefined;
      },
    };
    await findOrFetchGame(game, games, '1');
    const row = readOne(typed('8.8.8.8:1', { game }), [], games);
    return {
      asked,
      game: row.kind === 'ready' ? row.submission.game : row.kind === 'invalid' && row.problem.code,
    };
  }
  const old = { fresh: false, afterwards: true };

  it('triggers a refetch of the games list unless it is fresh', async () => {
    expect(await read('cs2', old)).toEqual({ asked: 0, game: 'cs2' });
    expect(await read('new', old)).toEqual({ asked: 1, game: 'new' });
    expect(await read('other', old)).toEqual({ asked: 1, game: 'game-unknown' });
    expect(await read('new', { fresh: true, afterwards: true })).toEqual({
      asked: 0,
      game: 'game-unknown',
    });
  });

  it('is treated as an alias until the bot has fetched the games list', async () => {
    const unknown = { fresh: false, afterwards: false };
    expect(await read('some-alias', unknown)).toEqual({ asked: 1, game: 'some-alias' });
    expect(await read('No Alias', unknown)).toEqual({ asked: 1, game: 'game-unknown' });
    expect(await read('x'.repeat(51), unknown)).toEqual({ asked: 1, game: 'game-unknown' });
  });
});

it('a row contains the text that the member typed', () => {
  const known = { find: (alias: string) => ({ name: alias, alias }), isFresh: () => true };
  const read = (server: string, found: readonly string[] = []) =>
    readOne(
      typed(server),
      found.map((each, index) => ({
        kind: 'invalid',
        line: index + 1,
        problem: { code: 'game-missing' },
        typed: typed(each),
      })),
      known,
    );
  expect(read('8.8.8.8:1')).toEqual({
    kind: 'ready',
    line: 1,
    typed: typed('8.8.8.8:1'),
    submission: { server: '8.8.8.8', port: 1, game: 'cs2' },
  });
  const words = 'Dust2 | 8.8.8.8:1';
  expect(read(words, ['8.8.8.8:1'])).toMatchObject({ typed: typed(words), address: '8.8.8.8:1' });
  expect(read(words, ['8.8.8.8:1', '8.8.8.8:2'])).not.toHaveProperty('address');
  expect(read(words, ['127.1:1'])).not.toHaveProperty('address');
  expect(read('8.8.8.8', ['8.8.8.8'])).not.toHaveProperty('address');
});

describe("a row's original text", () => {
  it('is stored without passwords', () => {
    const kept = (server: string) => rowWithoutPasswords(typed(server)).server;
    expect(kept(' connect 8.8.8.8:1; password QZJX ')).toBe('connect 8.8.8.8:1');
    expect(kept('https://example.com/servers/my-server')).toBe('https://example.com/servers/my-server');
    expect(kept('https://example.com/?password=QZJX')).not.toContain('QZJX');
    expect(rowWithoutPasswords(typed('a', { port: 'pw: x', game: 'pw: x' }))).toMatchObject({
      port: '',
      game: '',
    });
  });

  it('can be reconstructed from the parsed row', () => {
    const submission = { server: '2606:4700::1', port: 1, queryPort: 2, game: 'cs2' };
    const row = { kind: 'ready', line: 1, submission } as const;
    expect(typedOf(row)).toEqual(typed('[2606:4700::1]:1', { queryPort: '2' }));
    expect(typedOf({ ...row, typed: typed('x') })).toEqual(typed('x'));
    expect(typedOf(undefined)).toEqual(typed('', { game: '' }));
  });

  it.each([
    [{ code: 'port-missing', host: 'a', game: 'rust', usual: 28015 }, 'a.example.com', 'a.example.com 28015'],
    [{ code: 'port-conflict', inServer: 1, port: 2 }, '8.8.8.8:1', '8.8.8.8 1'],
    [
      { code: 'ipv6-brackets', host: '2606:4700:0:0:0:0:0:1', port: '5' },
      '2606:4700:0:0:0:0:0:1:5',
      '2606:4700:0:0:0:0:0:1 5',
    ],
  ] as const)('can be corrected automatically if the problem is %j', (problem, server, expected) => {
    const [first] = repairsOf(problem);
    if (first === undefined) throw new Error('there is nothing to repair');
    const row = repaired(typed(server), first);
    expect(`${row.server} ${row.port}`).toBe(expected);
  });

  it('can be corrected by using a second port as the query port', () => {
    const repairs = repairsOf({ code: 'port-conflict', inServer: 1, port: 2 });
    const corrected = repairs.map((repair) => repaired(typed('8.8.8.8:1', { port: '2' }), repair));
    expect(corrected.at(-1)).toMatchObject({ server: '8.8.8.8', port: '1', queryPort: '2' });
  });

  it.each([
    [280_155, undefined, ['28015']],
    [654_321, 'rust', []],
    [280_915, 'rust', ['28015']],
    [112_233, undefined, []],
  ])('gets suggested corrections if the port is %j (game: %s): %j', (port, game, expected) => {
    const repairs = repairsOf({ code: 'port-too-high', field: 'port', port }, game);
    expect(repairs.map(({ value }) => value)).toEqual(expected);
    for (const repair of repairs)
      expect(repaired(typed(`a.example.com:${port}`), repair)).toMatchObject({
        server: 'a.example.com',
        port: '28015',
      });
  });

  it.each([
    ['28.015', ['28015']],
    ["2'302", ['2302']],
    ['70.000', []],
    ['0.123', []],
    ['28.01', []],
  ])('gets suggested corrections if the port is %j: %j', (port, expected) => {
    const repairs = repairsOf({ code: 'port-not-a-number', field: 'port', port });
    expect(repairs.map(({ value }) => value)).toEqual(expected);
  });

  it('can be corrected by swapping fields or by replacing commas with dots', () => {
    const row = { server: 'rust', port: '', queryPort: '', game: 'a.example.com:1' };
    expect(isSwapped(row, games)).toBe(true);
    expect(repaired(row, { field: 'swap', value: '' })).toEqual({
      ...row,
      server: row.game,
      game: row.server,
    });
    expect(isSwapped({ ...row, game: 'rust' }, games)).toBe(false);
    expect(withDots('play,example,com:28015')).toBe('play.example.com:28015');
    for (const text of ['play .example.com:28015', 'play. example.com:28015', 'play.example . com:28015'])
      expect(withDots(text)).toBe('play.example.com:28015');
    for (const text of ['play.example.com', 'play.example.com,rust', 'join play. example.com', 'a, b', '1,2'])
      expect(withDots(text)).toBeUndefined();
  });

  it('can be corrected by removing an invalid query port', () => {
    const problem = { code: 'port-too-high', port: 654_321 } as const;
    const [repair] = repairsOf({ ...problem, field: 'query_port' });
    expect(repair).toEqual({ field: 'queryPort', value: '' });
    expect(repairsOf({ ...problem, field: 'port' })).toEqual([]);
    expect(repairsOf({ code: 'port-missing', host: 'a', game: 'x' })).toEqual([]);
  });
});
