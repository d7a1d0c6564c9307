import { describe, expect, it } from 'vitest';
import { rowsOfMessage } from '../../src/server-lists/message.ts';
import { readSource } from '../../src/server-lists/read-list.ts';
import { shapesOf } from '../hostile/texts.ts';
import { games } from '../support/arbitraries.ts';

/** Text that is repeated until it has the wanted size. */
const PIECES = [
  ...'"~"\n~8.8.8.8:1 "a\n~server,port\n"a,~,~a\t;,~[~[{~{"a":~["1.2 a",~\n~ ~1.~:1/~!~a b.c:1 '.split('~'),
  ...'a|:|a://|a://b/|steam://|steam://connect/|steam://@|connect |connect ["|::1 |<a:|8.8.8.8:1 |[a.|[a.b:1]|[b]|[a=|a@b.c\n|a .b.c'.split(
    '|',
  ),
  ...'password |password "|password: x; connect |password \'|{\'a\':|{a:|game="a"\n'.split('|'),
  ...'⭐|⭐a.|ab.cd⭐|٥.|٥a|🇵|🇵🇱|🇵🇱🇦.a|❶|a·|ᴘ.'.split('|'),
];

const repeated = (piece: string, size: number): string => piece.repeat(Math.ceil(size / piece.length));
/** Builds text in which each piece differs. */
const numbered = (piece: (n: number) => string, size: number): string =>
  Array.from({ length: Math.ceil(size / piece(10_000).length) }, (_, n) => piece(n)).join('');

/** Returns a table whose header takes up half of the size, and whose records take up the other half. */
const wide = (start: string, name: string, record: string) => (size: number) =>
  `${start}${repeated(name, size / 2)}\n${repeated(record, size / 2)}`;

/** Files of a given size, in bytes, that are meant to be slow to read. */
const FILES: Readonly<Record<string, (size: number) => string | Uint8Array>> = {
  'a wide header above empty records': wide('server;port', ';', ';\n'),
  'a wide header of equal names': wide('server,port', ',a', 'a,\n'),
  'a wide header of addresses': wide('server,port', ',ip', '8.8.8.8,1\n'),
  'a wide header of ports': wide('server,port', ',xport', '8.8.8.8,27015\n'),
  'a wide header above a wide record': wide('ip', ',port', ',8'),
  'quotes that are never closed': (size) => `server,port\n${repeated('"a\n', size)}`,
  'quotes in the middle of cells': (size) => `server,port\n"\n${repeated('a,"b" c\n', size)}`,
  'records of different lengths': (size) => `server,port\n${repeated('a,b,c\na,b\n', size)}`,
  'quoted cells of ten lines': (size) => `server,port\n${repeated('"\n\n\n\n\n\n\n\n\n",\n', size)}`,
  'several headers': (size) => repeated('server,port,\n', size),
  'servers in a table': (size) => `server,port,game\n${numbered((n) => `8.8.8.8,${n},cs2\n`, size)}`,
  'servers with unknown games': (size) => numbered((n) => `8.8.8.8:${n} game${n}\n`, size),
  'servers and games in turn': (size) => repeated('cs2\n8.8.8.8\nrust\n', size),
  'names and hosts of the same form': (size) => repeated('a | b.cd\n', size),
  'ports without a server': (size) => repeated('port 1\n', size),
  'names without a server': (size) => repeated('name: x\n', size),
  'JSON with many ports': (size) => `[{"server":"8.8.8.8","ports":[${numbered((n) => `${n},`, size)}1]}]`,
  'JSON with many keys': (size) => `{${numbered((n) => `"s${n}":"8.8.8.8:${n}",`, size)}"s":1}`,
  'JSON with many objects': (size) => `[${repeated('{"server":"8.8.8.8","port":1},', size)}{}]`,
  'lines of JSON': (size) => repeated('{"server":"8.8.8.8:1"}\n', size),
  'deeply nested JSON': (size) => '['.repeat(size / 2) + ']'.repeat(size / 2),
  'a long line in an unknown code page': (size) => Buffer.from(`\xe9${repeated('a,', size)}`, 'latin1'),
  'field names in an unknown code page': (size) =>
    Buffer.from(`\xe9${numbered((n) => `${n.toString(36).replace(/\d/gu, 'x')}xxport,`, size)}`, 'latin1'),
};

const READERS: readonly ((text: string) => unknown)[] = [
  (text) => readSource(text, games),
  (text) => readSource(`server,port,game\n${text}`, games),
  (text) => readSource(`[${JSON.stringify(text)}]`, games),
  (text) => rowsOfMessage(text, games),
];

/** The sizes that are doubled twice, for files up to the largest file that the bot accepts. */
const FILE_SIZE = 64 * 1024;
const TEXT_SIZE = 16 * 1024;
/** Faster tasks are not compared, because the garbage collector disturbs them, and because they are harmless. */
const SHORTEST_MS = 20;
/** The least work in a measurement, because the system counts processor time in steps of up to 4 ms. */
const MEASURED_MS = 20;
const MOST_RUNS = 5;
/**
 * The most that the time can grow for twice the input. It doubles if reading is linear, and grows fourfold if it's quadratic.
 * The input is doubled twice, because the second doubling makes the difference larger than the disturbances.
 */
const MOST_GROWTH = 3;
const DOUBLINGS = 2;

/** Returns how much processor time this thread needs for a task, in milliseconds. Repeats short tasks. */
function processorTime(task: () => unknown): number {
  const before = process.threadCpuUsage();
  let used = 0;
  let times = 0;
  while (used < MEASURED_MS) {
    task();
    times += 1;
    const { user, system } = process.threadCpuUsage(before);
    used = (user + system) / 1_000;
  }
  return used / times;
}

/**
 * Checks that a task doesn't take much longer for larger input, comparing the fastest of several runs. If other programs
 * disturbed the runs, repeats them.
 */
function expectLinear(size: number, taskFor: (size: number) => () => unknown): void {
  const [small, large] = [taskFor(size), taskFor(size * 2 ** DOUBLINGS)];
  const least = { small: Number.POSITIVE_INFINITY, large: Number.POSITIVE_INFINITY };
  let growth = Number.POSITIVE_INFINITY;
  for (let run = 0; run < MOST_RUNS && growth >= MOST_GROWTH; run++) {
    least.large = Math.min(least.large, processorTime(large));
    if (least.large < SHORTEST_MS) return;
    least.small = Math.min(least.small, processorTime(small));
    growth = (least.large / least.small) ** (1 / DOUBLINGS);
  }
  expect(growth).toBeLessThan(MOST_GROWTH);
}

describe('parsing takes linear time', () => {
  it.each(Object.entries(FILES))('for a file with %s', (_, shape) => {
    expectLinear(FILE_SIZE, (size) => {
      const file = shape(size);
      return () => readSource(file, games);
    });
  });

  it.each(PIECES)('for repeated %j', (piece) => {
    for (const read of READERS) {
      expectLinear(TEXT_SIZE, (size) => {
        // The number is even, because the parser might keep one of two consecutive passwords.
        const text = piece.repeat(2 * Math.ceil(size / piece.length / 2));
        return () => read(text);
      });
    }
  });

  it.each(shapesOf(16).map((start, index) => [start, index] as const))('for text such as %j', (_, index) => {
    expectLinear(TEXT_SIZE, (size) => {
      const text = shapesOf(size)[index] ?? '';
      return () => {
        readSource(text, games);
        rowsOfMessage(text, games);
      };
    });
  });
});
