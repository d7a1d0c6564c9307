import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Game, KNOWN_GAMES } from '../../src/listing/contract.ts';
import { createListParser, type NotRead } from '../../src/server-lists/list-parser.ts';
import type { ReadList } from '../../src/server-lists/read-list.ts';

/** This file is large enough to be parsed in a worker. */
const FILE = '8.8.8.8:1 rust\n'.padEnd(5_000, '\n');
/** These games keep a worker busy for minutes, because it iterates over every empty slot. */
const ENDLESS: readonly Game[] = Object.assign([], { length: 2 ** 32 - 1 });

// The timer is fake. On a busy machine, a worker can take as long as it needs, until the test advances the clock.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** Creates a parser. Once the parser has asked the service for its games, the list has one more game. */
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
  const read = (text: string, defaultGame = '', guildId = '1') =>
    parser.read({ guildId, sources: [text], defaultGame });
  /** Starts parsing a file that keeps a worker busy. */
  async function beginHostile(guildId: string): Promise<{ readonly list: Promise<ReadList | NotRead> }> {
    games = ENDLESS;
    const list = read(FILE, '', guildId);
    list.catch(() => undefined);
    await setImmediate();
    games = KNOWN_GAMES;
    return { list };
  }
  return { asked, parser, read, beginHostile };
}

const shown = (list: ReadList | NotRead) =>
  list.kind === 'rows'
    ? list.rows.map((row) =>
        row.kind === 'ready' ? row.submission.game : row.kind === 'invalid' && row.problem.code,
      )
    : list.kind;

describe('the list parser', () => {
  it.each([
    '\n',
    '\r\n',
    '\r',
    '\u2028',
  ])('numbers lines continuously across the typed text and a file (line break %j)', async (lineBreak) => {
    const { parser } = setUp(true);
    const typed = ['8.8.8.8:1 rust', '8.8.8.8:2 rust'].join(lineBreak);
    const list = await parser.read({ guildId: '1', sources: [typed, '8.8.8.8:3 rust'], defaultGame: '' });
    expect(list).toMatchObject({ rows: [{ line: 1 }, { line: 2 }, { line: 3 }] });
  });

  it.each([
    '8.8.8.8:1\n8.8.8.8:2 rust',
    `8.8.8.8:1\n8.8.8.8:2 rust\n${'#'.repeat(4_000)}`,
  ])('uses the default game for lines without a game', async (text) => {
    const { asked, read } = setUp(true);
    expect(shown(await read(text, 'cs2'))).toEqual(['cs2', 'rust']);
    expect(shown(await read(text))).toEqual(['game-missing', 'rust']);
    expect(asked).toEqual(['soon', 'soon']);
  });

  it.each([
    '8.8.8.8:1 new',
    `8.8.8.8:1 new\n${'#'.repeat(4_000)}`,
  ])('refreshes the games list and tries again if a game is unknown', async (text) => {
    const { asked, read } = setUp();
    expect(shown(await read(text))).toEqual(['new']);
    expect(asked).toEqual(['refresh']);
  });

  it('refreshes the games list if words next to an address could be a game', async () => {
    const { asked, read } = setUp();
    expect(shown(await read('new 8.8.8.8:1', 'rust'))).toEqual(['new']);
    expect(asked).toEqual(['refresh']);
  });

  it('only returns the text if it fits in a form', async () => {
    const { read } = setUp(true);
    for (const [length, kept] of [
      [4_000, expect.any(String)],
      [4_001, undefined],
    ] as const) {
      expect(await read('#'.repeat(length))).toHaveProperty('lastText', kept);
    }
  });

  it("doesn't force a refresh while the games list is fresh", async () => {
    const fresh = setUp(true);
    expect(shown(await fresh.read('8.8.8.8:1 new'))).toEqual(['game-unknown']);
    expect(fresh.asked).toEqual(['soon']);
  });
});

it('the parser aborts a malicious file without delaying other lists', async () => {
  const { read, beginHostile } = setUp(true);
  const ended: string[] = [];
  const note = (name: string, list: Promise<Awaited<ReturnType<typeof read>>>) =>
    list.then(({ kind }) => ended.push(`${name}: ${kind}`));
  const hostile = note('hostile', (await beginHostile('1')).list);
  await note('file', read(FILE, '', '2'));
  await note('paste', read('8.8.8.8:1 rust', '', '2'));
  // The parser gives up on a file after five seconds.
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

it('the parser returns "busy" if too many lists are waiting', async () => {
  const { read } = setUp(true);
  const all = await Promise.all(Array.from({ length: 23 }, () => read(FILE)));
  // Two lists are parsed at the same time, and 20 more can wait.
  expect(all.filter(({ kind }) => kind === 'busy')).toHaveLength(1);
});
