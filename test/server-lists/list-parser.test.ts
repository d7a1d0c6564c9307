import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Game, KNOWN_GAMES } from '../../src/listing/contract.ts';
import { createListParser, type NotRead } from '../../src/server-lists/list-parser.ts';
import type { ReadList } from '../../src/server-lists/read-list.ts';

/** Is read in a worker. */
const FILE = '8.8.8.8:1 rust\n'.padEnd(5_000, '\n');
/** With these games a worker is busy for minutes, whatever it reads: it passes each of the holes. */
const ENDLESS: readonly Game[] = Object.assign([], { length: 2 ** 32 - 1 });

// A worker that reads has as long as it needs, on however busy a machine, until the test lets the time pass.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** A parser whose service knows one more game once it is asked. */
function setUp(fresh = false) {
  const asked: string[] = [];
  let games: readonly Game[] = KNOWN_GAMES;
  const parser = createListParser({
    games: {
      get all() {
        return games;
      },
      usualFirst: [],
      search: () => [],
      isFresh: () => fresh,
      find: (text) => games.find(({ alias }) => alias === text),
      async refresh() {
        asked.push('refresh');
        games = [...games, { name: 'New', alias: 'new' }];
        return undefined;
      },
      refreshSoon: () => void asked.push('soon'),
    },
  });
  const read = (text: string, game = '', guildId = '1') => parser.read({ guildId, texts: [text], game });
  /** Reads a file that keeps a worker busy, in a turn that is free. */
  async function beginHostile(guildId: string): Promise<{ readonly list: Promise<ReadList | NotRead> }> {
    games = ENDLESS;
    const list = read(FILE, '', guildId);
    list.catch(() => undefined);
    await setImmediate();
    games = KNOWN_GAMES;
    return { list };
  }
  return { asked, read, beginHostile };
}

const shown = (list: ReadList | NotRead) =>
  list.kind === 'rows'
    ? list.rows.map((row) =>
        row.kind === 'ready' ? row.submission.game : row.kind === 'invalid' && row.problem.code,
      )
    : list.kind;

describe('a list', () => {
  it.each([
    '8.8.8.8:1\n8.8.8.8:2 rust',
    `8.8.8.8:1\n8.8.8.8:2 rust\n${'#'.repeat(4_000)}`,
  ])('is read with the game of lines that name none, in place or in a worker', async (text) => {
    const { asked, read } = setUp(true);
    expect(shown(await read(text, 'cs2'))).toEqual(['cs2', 'rust']);
    expect(shown(await read(text))).toEqual(['game-missing', 'rust']);
    expect(asked).toEqual(['soon', 'soon']);
  });

  it.each([
    '8.8.8.8:1 new',
    `8.8.8.8:1 new\n${'#'.repeat(4_000)}`,
  ])('is read anew once the service was asked for a game that is not known', async (text) => {
    const { asked, read } = setUp();
    expect(shown(await read(text))).toEqual(['new']);
    expect(asked).toEqual(['refresh']);
  });

  it('is read anew where words beside an address may be a new game, though all lines have one', async () => {
    const { asked, read } = setUp();
    expect(shown(await read('new 8.8.8.8:1', 'rust'))).toEqual(['new']);
    expect(asked).toEqual(['refresh']);
  });

  it('does not wait for the service where its games are fresh', async () => {
    const fresh = setUp(true);
    expect(shown(await fresh.read('8.8.8.8:1 new'))).toEqual(['game-unknown']);
    expect(fresh.asked).toEqual(['soon']);
  });
});

it('a hostile file is ended, and keeps nobody else waiting meanwhile', async () => {
  const { read, beginHostile } = setUp(true);
  const ended: string[] = [];
  const note = (name: string, list: Promise<Awaited<ReturnType<typeof read>>>) =>
    list.then(({ kind }) => ended.push(`${name}: ${kind}`));
  const hostile = note('hostile', (await beginHostile('1')).list);
  await note('file', read(FILE, '', '2'));
  await note('paste', read('8.8.8.8:1 rust', '', '2'));
  // Reading a file is ended after five seconds.
  vi.advanceTimersByTime(4_999);
  await note('second file', read(FILE, '', '2'));
  vi.advanceTimersByTime(1);
  await hostile;
  await note('next file', read(FILE, '', '1'));
  expect(ended).toEqual([
    'file: rows',
    'paste: rows',
    'second file: rows',
    'hostile: too-slow',
    'next file: rows',
  ]);
});

it('a list beyond those that may wait is not read, and says so', async () => {
  const { read } = setUp(true);
  const all = await Promise.all(Array.from({ length: 23 }, () => read(FILE)));
  // Two are read at once, and 20 wait.
  expect(all.filter(({ kind }) => kind === 'busy')).toHaveLength(1);
});
