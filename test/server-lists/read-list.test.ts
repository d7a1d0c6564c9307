import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatAddress } from '../../src/addresses/address.ts';
import { decodeText, type ReadList, readList } from '../../src/server-lists/read-list.ts';
import * as arbitrary from '../support/arbitraries.ts';
import { anyCharacter } from '../support/arbitraries.ts';
import { stepsOf } from '../support/machine.ts';

const { games } = arbitrary;

function rowsOf(list: ReadList) {
  if (list.kind !== 'rows') throw new Error(`expected rows, got ${list.kind}`);
  return list.rows;
}

/** Each row as `line host:port game [query]`, `line code`, or `line =first`. */
const read = (text: string, defaultGame?: string) =>
  rowsOf(readList(text, { ...games, ...(defaultGame && { defaultGame }) })).map((row) => {
    if (row.kind === 'refused') return `${row.line} ${row.problem.code}`;
    if (row.kind === 'repeated') return `${row.line} =${row.firstLine}`;
    const { server, port, game, queryPort } = row.submission;
    return [row.line, formatAddress({ host: server, port }), game, queryPort].filter(Boolean).join(' ');
  });

describe('a line', () => {
  it.each([
    ['8.8.8.8:27015', '8.8.8.8:27015 rust'],
    ['8.8.8.8:27015 cs2', '8.8.8.8:27015 cs2'],
    ['8.8.8.8 27015', '8.8.8.8:27015 rust'],
    ['8.8.8.8 27015 cs2', '8.8.8.8:27015 cs2'],
    ['8.8.8.8;27015;cs2', '8.8.8.8:27015 cs2'],
    ['8.8.8.8\t27015\tcs2', '8.8.8.8:27015 cs2'],
    ['8.8.8.8, 27015', '8.8.8.8:27015 rust'],
    ['8.8.8.8:27015,cs2', '8.8.8.8:27015 cs2'],
    ['8.8.8.8:27015,cs2,27016', '8.8.8.8:27015 cs2 27016'],
    ['8.8.8.8:27015,,cs2,27016', '8.8.8.8:27015 cs2 27016'],
    ['8.8.8.8,27015,,', '8.8.8.8:27015 rust'],
    ['cs2,8.8.8.8:27015', '8.8.8.8:27015 cs2'],
    ['cs2 8.8.8.8:27015', '8.8.8.8:27015 cs2'],
    ['8.8.8.8:27015 Counter-Strike 2', '8.8.8.8:27015 cs2'],
    ['Counter-Strike: Source 8.8.8.8:27015', '8.8.8.8:27015 css'],
    ['S.T.A.L.K.E.R. 2 8.8.8.8:27015', '8.8.8.8:27015 stalker2'],
    ['8.8.8.8:27015 7 Days to Die', '8.8.8.8:27015 7dtd'],
    ['8.8.8.8 27015 7 Days to Die', '8.8.8.8:27015 7dtd'],
    ['8.8.8.8:27015 Warhammer 40,000: Darktide', '8.8.8.8:27015 darktide'],
    ['8.8.8.8:27015 27015 cs2', '8.8.8.8:27015 cs2'],
    ['2606:4700::1 27015 cs2', '[2606:4700::1]:27015 cs2'],
    ['steam://connect/8.8.8.8:27015/secret cs2', '8.8.8.8:27015 cs2'],
    ['connect 8.8.8.8:27015; password secret', '8.8.8.8:27015 rust'],
    ['cs2 minecraft://play.example.com:25565', 'play.example.com:25565 cs2'],
    ['"8.8.8.8","27015","cs2",""', '8.8.8.8:27015 cs2'],
    ['“8.8.8.8”，“27015”，“cs2”', '8.8.8.8:27015 cs2'],
    ['８．８．８．８：２７０１５　ＣＳ２', '8.8.8.8:27015 cs2'],
    ['8.8.8.8:27015 Garry’s Mod', '8.8.8.8:27015 gm'],
    ['1. 8.8.8.8:27015 | cs2', '8.8.8.8:27015 cs2'],
    ['| 8.8.8.8 | 27015 | cs2 |', '8.8.8.8:27015 cs2'],
    ['||8.8.8.8:27015|| cs2', '8.8.8.8:27015 cs2'],
    ['🎮 8.8.8.8:27015 → cs2', '8.8.8.8:27015 cs2'],
    ['> IP: 8.8.8.8:27015', '8.8.8.8:27015 rust'],
    ['\u200b8.8.8.8:27015\u00a0cs2\u200f', '8.8.8.8:27015 cs2'],
    ['"8.8.8.8:27015', '8.8.8.8:27015 rust'],
  ])('%j is a row', (line, expected) => expect(read(line, 'rust')).toEqual([`1 ${expected}`]));

  it.each([
    ['8.8.8.8 27o15 cs2', { code: 'port-not-a-number', field: 'port', port: '27o15' }],
    ['8.8.8.8 cs2', { code: 'port-missing', host: '8.8.8.8', game: 'cs2', usual: 27_015 }],
    ['8.8.8.8:27015 27016 cs2', { code: 'port-conflict', inServer: 27_015, port: 27_016 }],
    ['8.8.8.8:27015', { code: 'game-missing' }],
    ['8.8.8.8:27015 Half-Life 3', { code: 'game-unknown', game: 'Half-Life 3' }],
    ['Half-Life 3 8.8.8.8:27015', { code: 'game-unknown', game: 'Half-Life 3' }],
    [',27015,cs2', { code: 'server-missing' }],
    ['8.8.8.8,27015,cs2,27016,more', { code: 'too-many-cells', found: 5, most: 4 }],
    ['x'.repeat(1001), { code: 'line-too-long', length: 1001, most: 1000 }],
  ])('%j is explained', (line, problem) => {
    expect(rowsOf(readList(line, games))).toMatchObject([{ kind: 'refused', line: 1, problem }]);
  });
});

describe('a pasted text', () => {
  it('keeps its line numbers over comments, blank lines, rules and every kind of line end', () => {
    const text =
      '\ufeff# servers\r\n\r\n8.8.8.8:1 cs2\r8.8.8.8:2 cs2\n-----\n  # more\n8.8.8.8:3\tcs2\u20288.8.8.8:70000 cs2';
    expect(read(text)).toEqual(['3 8.8.8.8:1 cs2', '4 8.8.8.8:2 cs2', '7 8.8.8.8:3 cs2', '8 port-too-high']);
  });

  it('sends the same row once and names the line where it stood first', () => {
    const text = '8.8.8.8:1 cs2\n8.8.8.8 1 Counter-Strike 2\n8.8.8.8:1 rust\nsteam://connect/8.8.8.8:1/x cs2';
    expect(read(text)).toEqual(['1 8.8.8.8:1 cs2', '2 =1', '3 8.8.8.8:1 rust', '4 =1']);
  });

  it('reads lines of every form below each other, in a code block', () => {
    expect(read('```txt\n8.8.8.8:1 cs2\n8.8.8.8;2;rust\nrust,8.8.8.8:3\n```')).toEqual([
      '2 8.8.8.8:1 cs2',
      '3 8.8.8.8:2 rust',
      '4 8.8.8.8:3 rust',
    ]);
  });

  it('has no rows when there is nothing in it', () => {
    for (const text of ['', ' \n\t\n', '# only\n# comments', '\ufeff', '[]']) expect(read(text)).toEqual([]);
  });

  it('takes 1,000 rows, and refuses more with their count', () => {
    const lines = (count: number) =>
      Array.from({ length: count }, (_, index) => `8.8.8.8:${index + 1} cs2`).join('\n\n');
    expect(rowsOf(readList(lines(1000), games))).toHaveLength(1000);
    expect(readList(lines(1001), games)).toEqual({ kind: 'too-many', count: 1001, most: 1000 });
    expect(readList(`server,port\n${lines(1000)}`, games).kind).toBe('rows');
    const json = (count: number) => JSON.stringify(Array(count).fill('8.8.8.8:1 cs2'));
    expect(rowsOf(readList(json(1000), games))).toHaveLength(1000);
    expect(readList(json(1001), games)).toEqual({ kind: 'too-many', count: 1001, most: 1000 });
  });
});

it('the game of all lines stays with those that are refused and name none', () => {
  const text = '8.8.8.8:70000\n8.8.8.8:70000 rust\nnonsense here\n8.8.8.8:1 rust';
  const rows = rowsOf(readList(text, { ...games, defaultGame: 'cs2' }));
  const typed = rows.map((row) => (row.kind === 'refused' ? row.typed.game : 'ready'));
  expect(typed).toEqual(['cs2', 'rust', 'ready']);
});

describe('a table', () => {
  it.each([
    ',',
    ';',
    '\t',
  ])('with a header is read by its names in any order, cells parted by %j', (delimiter) => {
    const text = [
      ['Game', 'QUERY_PORT', 'note', 'Port', '"Server"'],
      ['cs2', '27016', 'x', '27015', '8.8.8.8'],
      ['"Counter-Strike: Source"', '', '', '', '8.8.8.8:2'],
      ['', '', '', '3', '2606:4700::1'],
    ];
    expect(read(text.map((cells) => cells.join(delimiter)).join('\r\n'), 'rust')).toEqual([
      '2 8.8.8.8:27015 cs2 27016',
      '3 8.8.8.8:2 css',
      '4 [2606:4700::1]:3 rust',
    ]);
  });

  it('takes the column that names the server most exactly: a hostname may be what players see', () => {
    expect(read('hostname,ip,port,game\nMy server,8.8.8.8,1,cs2')).toEqual(['2 8.8.8.8:1 cs2']);
  });

  it('may be what Excel saves: a separator line, a mark, empty cells at the end', () => {
    expect(read('\ufeffsep=;\r\nserver;port;game;;\r\n8.8.8.8;1;cs2;;\r\n;;;;\r\n')).toEqual([
      '3 8.8.8.8:1 cs2',
    ]);
  });

  it('keeps its line numbers over cells with line breaks in them', () => {
    const text =
      'server,port,game,about\n8.8.8.8,1,cs2,"first\nsecond, ""third""\n"\n8.8.8.8,2,cs2,x\n8.8.8.8,70000,cs2,';
    expect(read(text)).toEqual(['2 8.8.8.8:1 cs2', '5 8.8.8.8:2 cs2', '6 port-too-high']);
  });

  it('loses no row to a quote that is never closed', () => {
    expect(read('server,port,game,about\n8.8.8.8,1,cs2,"open\n8.8.8.8,2,cs2,x\n8.8.8.8,3,cs2,y')).toEqual([
      '2 8.8.8.8:1 cs2',
      '3 8.8.8.8:2 cs2',
      '4 8.8.8.8:3 cs2',
    ]);
  });

  it('loses no row to quotes that are closed many lines later', () => {
    const rows = Array.from({ length: 12 }, (_, n) => `8.8.8.8,${n + 1},cs2,${n % 11 === 0 ? '"' : ''}`);
    expect(read(`server,port,game,about\n${rows.join('\n')}`)).toHaveLength(12);
  });

  it('may have quotes in its comments', () => {
    const text = 'server,port,game,about\n# don\'t "\n8.8.8.8,1,cs2,"first\nsecond"';
    expect(read(text)).toEqual(['3 8.8.8.8:1 cs2']);
  });

  it('begins with no header where only one column is named', () => {
    expect(read('server;x\n8.8.8.8:1 cs2')).toEqual(['2 8.8.8.8:1 cs2']);
  });

  it('explains a row with more cells than the header, and reads a line of words below it', () => {
    expect(read('server,port,game\n8.8.8.8,1,Warhammer 40,000: Darktide\n8.8.8.8:2 cs2')).toEqual([
      '2 too-many-cells',
      '3 8.8.8.8:2 cs2',
    ]);
  });

  it('shows and keeps nothing of the columns it does not know', () => {
    const list = readList('server,port,game,password\n8.8.8.8,0,cs2,QZJX\n8.8.8.8,1,cs2,QZJX', games);
    expect(rowsOf(list)).toHaveLength(2);
    expect(JSON.stringify(list)).not.toContain('QZJX');
  });
});

describe('JSON', () => {
  it('is an array of objects with the field names of the API, each on its line', () => {
    const text = `[
      {"server": "8.8.8.8", "port": 1, "query_port": 2, "game": "cs2"}, {"server": "8.8.8.8:3", "game": "Rust"},

      {"Server": "2606:4700::1", "port": "4", "queryPort": null, "name": "x,]}\\"", "tags": [{}]},
      "8.8.8.8:5 rust", 7, null, {"server": ["8.8.8.8"]}, {"server": "8.8.8.8", "port": 6.5}
    ]`;
    expect(read(text, 'cs2')).toEqual([
      '2 8.8.8.8:1 cs2 2',
      '2 8.8.8.8:3 rust',
      '4 [2606:4700::1]:4 cs2',
      '5 8.8.8.8:5 rust',
      '5 not-an-object',
      '5 not-an-object',
      '5 wrong-type',
      '5 port-not-a-number',
    ]);
  });

  it('may be a single object, have a mark in front or stand in a code block', () => {
    expect(read('\ufeff{"server":"8.8.8.8:1","game":"cs2"}')).toEqual(['1 8.8.8.8:1 cs2']);
    expect(read('```json\n[{"server":"8.8.8.8:1","game":"cs2"}]\n```')).toEqual(['2 8.8.8.8:1 cs2']);
  });

  it('does not take an IPv6 address in brackets for an array', () => {
    expect(read('[2606:4700::1]:1 cs2\n[2606:4700::1]:2 cs2')).toHaveLength(2);
  });

  it('is read line by line where it is broken', () => {
    const broken = '[\n{"server": "8.8.8.8",\n"port": 1,},\n{"server": "8.8.4.4", "port": 2}\n';
    expect(read(broken, 'cs2')).toEqual(['2 8.8.8.8:1 cs2', '4 8.8.4.4:2 cs2']);
    expect(read('[{"port": 1, "ip": "8.8.8.8"}, {"port": 2, "ip": "8.8.4.4"}', 'cs2')).toEqual([
      '1 port-missing',
      '1 port-missing',
    ]);
  });
});

describe('a file', () => {
  const line = '8.8.8.8:1 Garry’s Mod';

  it('is text in UTF-8, in UTF-16 where its mark says so, or else in code page 1252', () => {
    const little = Buffer.from(`\ufeff${line}`, 'utf16le');
    const windows = Buffer.from('8.8.8.8:1 Garry\x92s Mod', 'latin1');
    const marked = Buffer.from(`\ufeff${line}`);
    const files = [Buffer.from(line), marked, little, Buffer.from(little).swap16(), windows];
    for (const file of files) expect(read(decodeText(file) ?? '')).toEqual(['1 8.8.8.8:1 gm']);
  });

  it('is refused where it is no text', () => {
    const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]);
    const program = readFileSync(process.execPath).subarray(0, 4096);
    for (const file of [png, Buffer.from(line, 'utf16le'), program]) expect(decodeText(file)).toBeUndefined();
  });
});

describe('any text', () => {
  const pieces = '8.8.8.8|:1| |,|;|\n|"|cs2|server|port|password|27015|#|7 days to die|\t|[|{'.split('|');
  const wild = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 200 }),
    fc.string({ unit: fc.constantFrom(...'01.:[]{}/%@;,#=\t\n\r "\'`<>|*_-+acs\u200b：，。😀') }),
    fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((some) => some.join('')),
  );

  it('gives rows in the order of their lines that survive being stored, and no fault', () => {
    fc.assert(
      fc.property(wild, (text) => {
        const list = readList(text, { ...games, defaultGame: 'cs2' });
        expect(JSON.parse(JSON.stringify(list))).toEqual(list);
        if (list.kind !== 'rows') return;
        const lines = list.rows.map(({ line }) => line);
        expect(lines).toEqual(lines.toSorted((one, other) => one - other));
      }),
      { numRuns: 300 },
    );
  });

  it('is read as the server that it names, with any address', () => {
    type Written = typeof arbitrary.submission extends fc.Arbitrary<infer Each> ? Each : never;
    const joined = ({ server: host, port }: Written) => formatAddress({ host, port });
    const forms: readonly ((row: Written) => string)[] = [
      // A smaller number in the fourth place is asked about.
      (row) =>
        [row.server, row.port, `"${row.gameName}"`, row.queryPort ? row.queryPort | 1024 : ''].join(','),
      (row) => `game;server;query_port\n${[row.gameName, joined(row), row.queryPort ?? ''].join(';')}`,
      ({ server, port, queryPort, gameName }) =>
        JSON.stringify([{ server, port, query_port: queryPort, game: gameName }]),
      (row) => `${row.gameName} ${row.server} ${row.port}`,
      (row) => `- **${joined(row)}** | ${row.gameName.toUpperCase()} # a comment`,
    ];
    fc.assert(
      fc.property(arbitrary.submission, fc.constantFrom(...forms), (row, write) => {
        const { server, port, game } = row;
        const list = readList(write(row), games);
        expect(rowsOf(list)).toMatchObject([{ kind: 'ready', submission: { server, port, game } }]);
      }),
      { numRuns: 500 },
    );
  });

  it('has no password in its rows, right or wrong', () => {
    const target = fc.constantFrom(
      ...'8.8.8.8:1 10.0.0.1:1 x 8.8.8.8:70000 127.1:5 [2606:4700::1]:3 a..b:1'.split(' '),
    );
    const anything = fc.stringMatching(/^[ -:<-~äß]{0,10}QZJX[ -:<-~äß]{0,10}$/);
    const inLink = fc.stringMatching(/^[!#-:<-~]{0,10}QZJX[!#-:<-~]{0,10}$/);
    const line = fc.oneof(
      fc.tuple(target, inLink).map(([at, secret]) => `steam://connect/${at}/${secret} cs2`),
      fc.tuple(target, inLink).map(([at, secret]) => `cs2,"steam://connect/${at}/${secret}"`),
      fc.tuple(target, anything).map(([at, secret]) => `connect ${at}; password ${secret}`),
      fc.tuple(target, anything).map(([at, secret]) => `${at} cs2 PW: ${secret}`),
      fc.tuple(target, anything).map(([at, secret]) => `${at},1,cs2 # password=${secret}`),
      fc.tuple(target, anything).map(([at, secret]) => JSON.stringify([{ server: at, password: secret }])),
      fc.tuple(target, anything).map(([at, secret]) => JSON.stringify([`connect ${at}; password ${secret}`])),
    );
    fc.assert(
      fc.property(line, (text) => {
        const list = readList(text, games);
        expect(JSON.stringify(list)).not.toContain('QZJX');
        expect(list).toMatchObject({ kind: 'rows' });
        const noise = list.kind === 'rows' ? list.noise : 0;
        expect(rowsOf(list).length + noise).toBe(1);
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    'admin:QZJX@8.8.8.8:70000 cs2',
    'cs2,admin:QZ@JX@8.8.8.8:70000',
    '8.8.8.8:70000,cs2,password,QZJX',
    '8.8.8.8:70000;cs2;"Passwort";"QZJX"',
    '8.8.8.8:70000 cs2 pw:QZ@JX',
    '8.8.8.8:70000 | pw | QZJX',
    '8.8.8.8:70000 cs2 contrasena: QZJX',
    '8.8.8.8:70000 cs2 Wachtwoord QZJX',
  ])('keeps no password of %j, whose port is wrong', (line) => {
    const list = readList(line, games);
    expect(JSON.stringify(list)).not.toMatch(/QZ|JX/);
    expect(rowsOf(list)).toMatchObject([{ problem: { code: 'port-too-high' } }]);
  });

  const MARKS = '"~"\n~8.8.8.8:1 "a\n~server,port\n"a,~,~a\t;,~[~[{~{"a":~["1.2 a",~\n~ ~1.~:1/~!';
  const WORDS_OF_LINKS = 'password ~password: x; connect ~a://b/~steam://~connect ~a b.c:1 ';
  it.each(
    `${MARKS}~${WORDS_OF_LINKS}`.split('~'),
  )('takes steps in proportion to its length: %j', async (piece) => {
    const measure = (length: number) =>
      stepsOf(() => {
        const text = piece.repeat(Math.ceil(length / piece.length));
        readList(text, games);
        readList(`server,port,game\n${text}`, games);
        readList(`[${JSON.stringify(text)}]`, games);
      });
    expect(await measure(8 * 1024)).toBeLessThan(2.3 * (await measure(4 * 1024)));
  });

  it('has rows that are too long named, and the others read', () => {
    const long = 'x'.repeat(1_001);
    expect(read(`${long} 8.8.8.8:1\n8.8.8.8:2 cs2`)).toEqual(['1 line-too-long', '2 8.8.8.8:2 cs2']);
    expect(read(JSON.stringify([long, '8.8.8.8:2 cs2']))).toEqual(['1 line-too-long', '1 8.8.8.8:2 cs2']);
  });

  it('is kept of an address and of a game as far as a message can show them', () => {
    const x = 'x'.repeat(1_990);
    const cells = { server: `8.8.8.8/${x}`, port: x, query_port: x, game: x };
    const table = `server,port,query_port,game\n${Object.values(cells).join(',')}`;
    const json = JSON.stringify([{ ...cells, [`game${'.'.repeat(200)}alias`]: [] }]);
    for (const text of [table, json, `8.8.8.8:1,cs2,${x.slice(0, 900)}`]) {
      const [row] = rowsOf(readList(text, games));
      if (row?.kind !== 'refused') throw new Error(`expected a refused row of ${text.slice(0, 50)}`);
      const { server, ...others } = row.typed;
      expect(server.length).toBeLessThanOrEqual(1_000);
      for (const cell of Object.values(others)) expect(cell.length).toBeLessThanOrEqual(100);
      expect(JSON.stringify(row.problem).length).toBeLessThan(200);
    }
  });

  it('may have anything in the columns of a table that are not read', () => {
    const about = 'x'.repeat(20_000);
    expect(read(`server,port,game,about\n8.8.8.8,1,cs2,${about}\n8.8.8.8,2,cs2,x`)).toEqual([
      '2 8.8.8.8:1 cs2',
      '3 8.8.8.8:2 cs2',
    ]);
  });
});
