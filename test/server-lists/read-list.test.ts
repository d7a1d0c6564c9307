import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatAddress } from '../../src/addresses/address.ts';
import { createPauses } from '../../src/pauses.ts';
import { csvFile, MAX_RECORD } from '../../src/server-lists/csv.ts';
import { MAX_ROWS, type ReadList, readList } from '../../src/server-lists/read-list.ts';
import * as arbitrary from '../submissions/arbitraries.ts';
import { anyCharacter } from '../support/characters.ts';
import { stepsOf } from '../support/steps.ts';

const { games } = arbitrary;

function rowsOf(list: ReadList) {
  if (list.kind !== 'rows') throw new Error(`expected rows, got ${list.kind}`);
  return list.rows;
}
/** A row as `line host:port game [query]`, `line code`, or `line =first`. */
const summary = (list: ReadList) =>
  rowsOf(list).map((row) => {
    if ('problem' in row) return `${row.line} ${row.problem.code}`;
    if ('duplicateOf' in row) return `${row.line} =${row.duplicateOf}`;
    const { server, port, game, queryPort } = row.submission;
    return [row.line, formatAddress({ host: server, port }), game, queryPort].filter(Boolean).join(' ');
  });
const read = async (text: string | Uint8Array, defaultGame?: string) =>
  summary(await readList(text, { ...games, ...(defaultGame && { defaultGame }) }));

describe('a line', () => {
  it.each([
    ['8.8.8.8:27015', '8.8.8.8:27015 rust'],
    ['8.8.8.8:27015 cs2', '8.8.8.8:27015 cs2'],
    ['8.8.8.8 27015', '8.8.8.8:27015 rust'],
    ['8.8.8.8 27015 cs2', '8.8.8.8:27015 cs2'],
    ['8.8.8.8,27015,cs2,27016', '8.8.8.8:27015 cs2 27016'],
    ['8.8.8.8;27015;cs2', '8.8.8.8:27015 cs2'],
    ['8.8.8.8\t27015\tcs2', '8.8.8.8:27015 cs2'],
    ['8.8.8.8, 27015', '8.8.8.8:27015 rust'],
    ['8.8.8.8:27015,cs2', '8.8.8.8:27015 cs2'],
    ['8.8.8.8:27015,cs2,27016', '8.8.8.8:27015 cs2 27016'],
    ['8.8.8.8:27015,,cs2,27016', '8.8.8.8:27015 cs2 27016'],
    ['8.8.8.8,27015,,', '8.8.8.8:27015 rust'],
    ['cs2,8.8.8.8:27015', '8.8.8.8:27015 cs2'],
    ['cs2 8.8.8.8:27015', '8.8.8.8:27015 cs2'],
    ['cs2 8.8.8.8 27015', '8.8.8.8:27015 cs2'],
    ['8.8.8.8:27015 Counter-Strike 2', '8.8.8.8:27015 cs2'],
    ['Counter-Strike 2 8.8.8.8:27015', '8.8.8.8:27015 cs2'],
    ['Counter-Strike: Source 8.8.8.8:27015', '8.8.8.8:27015 css'],
    ['S.T.A.L.K.E.R. 2 8.8.8.8:27015', '8.8.8.8:27015 stalker2'],
    ['8.8.8.8:27015 7 Days to Die', '8.8.8.8:27015 7dtd'],
    ['8.8.8.8 27015 7 Days to Die', '8.8.8.8:27015 7dtd'],
    ['7 Days to Die 8.8.8.8 27015', '8.8.8.8:27015 7dtd'],
    ['8.8.8.8:27015 Warhammer 40,000: Darktide', '8.8.8.8:27015 darktide'],
    ['8.8.8.8,27015,"Warhammer 40,000: Darktide"', '8.8.8.8:27015 darktide'],
    ['8.8.8.8:27015 27015 cs2', '8.8.8.8:27015 cs2'],
    ['[2606:4700::1]:27015 cs2', '[2606:4700::1]:27015 cs2'],
    ['2606:4700::1 27015 cs2', '[2606:4700::1]:27015 cs2'],
    ['steam://connect/8.8.8.8:27015/secret cs2', '8.8.8.8:27015 cs2'],
    ['connect 8.8.8.8:27015; password secret', '8.8.8.8:27015 rust'],
    ['cs2 minecraft://play.example.com:25565', 'play.example.com:25565 cs2'],
    ['"8.8.8.8","27015","cs2",""', '8.8.8.8:27015 cs2'],
    ['“8.8.8.8”，“27015”，“cs2”', '8.8.8.8:27015 cs2'],
    ['８．８．８．８：２７０１５　ＣＳ２', '8.8.8.8:27015 cs2'],
    ['8.8.8.8:27015 Garry’s Mod', '8.8.8.8:27015 gm'],
    ['- **8.8.8.8:27015** - `cs2`', '8.8.8.8:27015 cs2'],
    ['1. 8.8.8.8:27015 | cs2', '8.8.8.8:27015 cs2'],
    ['| 8.8.8.8 | 27015 | cs2 |', '8.8.8.8:27015 cs2'],
    ['||8.8.8.8:27015|| cs2', '8.8.8.8:27015 cs2'],
    ['🎮 8.8.8.8:27015 → cs2', '8.8.8.8:27015 cs2'],
    ['> IP: 8.8.8.8:27015', '8.8.8.8:27015 rust'],
    ['\u200b8.8.8.8:27015\u00a0cs2\u200f', '8.8.8.8:27015 cs2'],
    ['8.8.8.8:27015 cs2 # the one in Berlin', '8.8.8.8:27015 cs2'],
    ['"8.8.8.8:27015', '8.8.8.8:27015 rust'],
  ])('%j is a row', async (line, expected) => expect(await read(line, 'rust')).toEqual([`1 ${expected}`]));

  it.each([
    ['8.8.8.8:70000 cs2', { code: 'port-too-high', field: 'port', port: 70_000 }],
    ['8.8.8.8,27015,cs2,0', { code: 'port-too-low', field: 'query_port', port: 0 }],
    ['8.8.8.8 27o15 cs2', { code: 'port-not-a-number', field: 'port', port: '27o15' }],
    ['8.8.8.8 cs2', { code: 'port-missing', host: '8.8.8.8', game: 'cs2', usual: 27_015 }],
    ['8.8.8.8:27015 27016 cs2', { code: 'port-conflict', inServer: 27_015, port: 27_016 }],
    ['8.8.8.8:27015', { code: 'game-missing' }],
    ['8.8.8.8:27015 Half-Life 3', { code: 'game-unknown', game: 'Half-Life 3' }],
    ['Half-Life 3 8.8.8.8:27015', { code: 'game-unknown', game: 'Half-Life 3' }],
    ['10.0.0.1:27015 cs2', { code: 'not-public', host: '10.0.0.1', range: 'private' }],
    [',27015,cs2', { code: 'server-missing' }],
    ['here are our servers', { code: 'no-address' }],
    ['8.8.8.8,27015,cs2,27016,more', { code: 'too-many-cells', found: 5, most: 4 }],
    ['x'.repeat(1001), { code: 'line-too-long', length: 1001, most: 1000 }],
  ])('%j is explained', async (line, problem) => {
    expect(rowsOf(await readList(line, games))).toMatchObject([{ line: 1, ok: false, problem }]);
  });
});

describe('a pasted text', () => {
  it('keeps its line numbers over comments, blank lines, rules and every kind of line end', async () => {
    const text =
      '\ufeff# servers\r\n\r\n8.8.8.8:1 cs2\r8.8.8.8:2 cs2\n-----\n  # more\n8.8.8.8:3\tcs2\u20288.8.8.8:70000 cs2';
    expect(await read(text)).toEqual([
      '3 8.8.8.8:1 cs2',
      '4 8.8.8.8:2 cs2',
      '7 8.8.8.8:3 cs2',
      '8 port-too-high',
    ]);
  });

  it('sends the same row once and names the line where it stood first', async () => {
    const text = '8.8.8.8:1 cs2\n8.8.8.8 1 Counter-Strike 2\n8.8.8.8:1 rust\nsteam://connect/8.8.8.8:1/x cs2';
    expect(await read(text)).toEqual(['1 8.8.8.8:1 cs2', '2 =1', '3 8.8.8.8:1 rust', '4 =1']);
  });

  it('reads lines of every form below each other, in a code block', async () => {
    expect(await read('```txt\n8.8.8.8:1 cs2\n8.8.8.8;2;rust\nrust,8.8.8.8:3\n```')).toEqual([
      '2 8.8.8.8:1 cs2',
      '3 8.8.8.8:2 rust',
      '4 8.8.8.8:3 rust',
    ]);
  });

  it('has no rows when there is nothing in it', async () => {
    for (const text of ['', ' \n\t\n', '# only\n# comments', '\ufeff', '[]'])
      expect(await read(text)).toEqual([]);
  });

  it('takes 1,000 rows, and refuses more with their count', async () => {
    const lines = (count: number) =>
      Array.from({ length: count }, (_, index) => `8.8.8.8:${index + 1} cs2`).join('\n\n');
    expect(rowsOf(await readList(lines(MAX_ROWS), games)).filter((row) => row.ok)).toHaveLength(1000);
    expect(await readList(lines(1001), games)).toEqual({ kind: 'too-many', count: 1001, most: 1000 });
    expect(await readList(lines(2500), games)).toEqual({ kind: 'too-many', count: 2500, most: 1000 });
    expect((await readList(`server,port\n${lines(1000)}`, games)).kind).toBe('rows');
    const json = (count: number) =>
      JSON.stringify(Array(count).fill({ server: '8.8.8.8', port: 1, game: 'cs2' }));
    expect(rowsOf(await readList(json(1000), games))).toHaveLength(1000);
    expect(await readList(json(1001), games)).toEqual({ kind: 'too-many', count: 1001, most: 1000 });
  });
});

describe('a table', () => {
  it.each([
    ',',
    ';',
    '\t',
  ])('with a header is read by its names in any order, cells parted by %j', async (delimiter) => {
    const text = [
      ['Game', 'QUERY_PORT', 'note', 'Port', '"Server"'],
      ['cs2', '27016', 'x', '27015', '8.8.8.8'],
      ['"Counter-Strike: Source"', '', '', '', '8.8.8.8:2'],
      ['', '', '', '3', '2606:4700::1'],
    ];
    expect(await read(text.map((cells) => cells.join(delimiter)).join('\r\n'), 'rust')).toEqual([
      '2 8.8.8.8:27015 cs2 27016',
      '3 8.8.8.8:2 css',
      '4 [2606:4700::1]:3 rust',
    ]);
  });

  it('takes the column that names the server most exactly: a hostname may be what players see', async () => {
    expect(await read('hostname,ip,port,game\nMy server,8.8.8.8,1,cs2')).toEqual(['2 8.8.8.8:1 cs2']);
  });

  it('may be what Excel saves: a separator line, a mark, empty cells at the end', async () => {
    expect(await read('\ufeffsep=;\r\nserver;port;game;;\r\n8.8.8.8;1;cs2;;\r\n;;;;\r\n')).toEqual([
      '3 8.8.8.8:1 cs2',
    ]);
  });

  it('keeps its line numbers over cells with line breaks in them', async () => {
    const text =
      'server,port,game,about\n8.8.8.8,1,cs2,"first\nsecond, ""third""\n"\n8.8.8.8,2,cs2,x\n8.8.8.8,70000,cs2,';
    expect(await read(text)).toEqual(['2 8.8.8.8:1 cs2', '5 8.8.8.8:2 cs2', '6 port-too-high']);
  });

  it('loses no row to a quote that is never closed', async () => {
    expect(
      await read('server,port,game,about\n8.8.8.8,1,cs2,"open\n8.8.8.8,2,cs2,x\n8.8.8.8,3,cs2,y'),
    ).toEqual(['2 8.8.8.8:1 cs2', '3 8.8.8.8:2 cs2', '4 8.8.8.8:3 cs2']);
  });

  it('explains a row with more cells than the header, and reads a line of words below it', async () => {
    expect(await read('server,port,game\n8.8.8.8,1,Warhammer 40,000: Darktide\n8.8.8.8:2 cs2')).toEqual([
      '2 too-many-cells',
      '3 8.8.8.8:2 cs2',
    ]);
  });

  it('shows and keeps nothing of the columns it does not know', async () => {
    const list = await readList('server,port,game,password\n8.8.8.8,0,cs2,QZJX\n8.8.8.8,1,cs2,QZJX', games);
    expect(rowsOf(list)).toHaveLength(2);
    expect(JSON.stringify(list)).not.toContain('QZJX');
  });
});

describe('JSON', () => {
  it('is an array of objects with the field names of the API, each on its line', async () => {
    const text = `[
      {"server": "8.8.8.8", "port": 1, "query_port": 2, "game": "cs2"}, {"server": "8.8.8.8:3", "game": "Rust"},

      {"Server": "2606:4700::1", "port": "4", "queryPort": null, "name": "x,]}\\"", "tags": [{}]},
      "8.8.8.8:5 rust", 7, null, {"server": ["8.8.8.8"]}, {"server": "8.8.8.8", "port": 6.5}
    ]`;
    expect(await read(text, 'cs2')).toEqual([
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

  it('may be a single object, have a mark in front or stand in a code block', async () => {
    expect(await read('\ufeff{"server":"8.8.8.8:1","game":"cs2"}')).toEqual(['1 8.8.8.8:1 cs2']);
    expect(await read('```json\n[{"server":"8.8.8.8:1","game":"cs2"}]\n```')).toEqual(['2 8.8.8.8:1 cs2']);
  });

  it('does not take an IPv6 address in brackets for an array', async () => {
    expect(await read('[2606:4700::1]:1 cs2\n[2606:4700::1]:2 cs2')).toHaveLength(2);
  });

  it.each([
    ['[{"server":"8.8.8.8",}]', 1, 22],
    ['[{"server":"8.8.8.8"}\n {"server":"8.8.4.4"}]', 2, 2],
    ['[\r\n{"server": 8.8.8.8}]', 2, 15],
    ['[{"server":"8.8.8.8"}', 1, 22],
    ["{'server':'8.8.8.8'}", 1, 2],
    ['[{"a":"\n"}]', 1, 7],
    ['[{}]]', 1, 5],
    ['{}{}', 1, 3],
    ['[{"a":01}]', 1, 8],
  ])('%j is not JSON from line %i, column %i on', async (text, line, column) => {
    expect(await readList(text, games)).toEqual({ kind: 'bad-json', line, column });
  });

  it('is judged as JSON.parse judges it', async () => {
    const broken = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', ']', '}', '"', '0', '\\', ':', ' ', '\n'))
      .map(([json, at, put]) => {
        const text = `[{"a":${json}}]`;
        const index = at % text.length;
        return text.slice(0, index) + put + text.slice(index + 1);
      })
      .filter((text) => /^\s*(\[\s*[\]{["]|\{)/.test(text));
    await fc.assert(
      fc.asyncProperty(broken, async (text) => {
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        expect((await readList(text, games)).kind === 'bad-json').toBe(!valid);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('a file', () => {
  const line = '8.8.8.8:1 Garry’s Mod';
  it('is read as UTF-8, and as UTF-16 when its mark says so', async () => {
    const little = Buffer.from(`\ufeff${line}`, 'utf16le');
    for (const bytes of [
      Buffer.from(line),
      Buffer.from(`\ufeff${line}`),
      little,
      Buffer.from(little).swap16(),
    ]) {
      expect(await read(bytes)).toEqual(['1 8.8.8.8:1 gm']);
    }
  });

  it('is read as code page 1252 when it is text but not UTF-8', async () => {
    expect(
      await read(Buffer.concat([Buffer.from('8.8.8.8:1 Garry'), Buffer.from([0x92]), Buffer.from('s Mod')])),
    ).toEqual(['1 8.8.8.8:1 gm']);
  });

  it('is refused when it is no text', async () => {
    const png = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13];
    for (const bytes of [
      Uint8Array.from(png),
      Buffer.from(line, 'utf16le'),
      readFileSync(process.execPath).subarray(0, 4096),
    ]) {
      expect(await readList(bytes, games)).toEqual({ kind: 'binary' });
    }
    expect(await readList('8.8.8.8:1\0', games)).toEqual({ kind: 'binary' });
  });
});

describe('any text', () => {
  const wild = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 200 }),
    fc.string({
      unit: fc.constantFrom(...'0123456789.:[]{}/%@;,#=\t\n\r "\'`<>|*_-+acsx\u200b：，。😀'),
      maxLength: 200,
    }),
    fc
      .array(
        fc.constantFrom(
          '8.8.8.8',
          ':1',
          ' ',
          ',',
          ';',
          '\n',
          '"',
          'cs2',
          'server',
          'port',
          'password',
          '27015',
          '#',
          '7 days to die',
          '\t',
          '[',
          '{',
        ),
        { maxLength: 40 },
      )
      .map((pieces) => pieces.join('')),
  );

  it('never throws, and gives rows in the order of their lines that survive being stored', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(wild, fc.uint8Array({ maxLength: 200 })), async (input) => {
        const list = await readList(input, { ...games, defaultGame: 'cs2' });
        expect(JSON.parse(JSON.stringify(list))).toEqual(list);
        if (list.kind !== 'rows') return;
        const lines = list.rows.map(({ line }) => line);
        expect(lines).toEqual(lines.toSorted((a, b) => a - b));
        for (const row of list.rows) {
          if ('duplicateOf' in row) expect(row.duplicateOf).toBeLessThanOrEqual(row.line);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('reads every valid row in every form of a line', async () => {
    type Written = Parameters<Parameters<typeof arbitrary.submission.map>[0]>[0];
    const quoted = (text: string) => `"${text}"`;
    const bare = ({ server }: Written) => server;
    const joined = ({ server, port }: Written) => formatAddress({ host: server, port });
    const withQuery: readonly ((row: Written) => string)[] = [
      (row) => [bare(row), row.port, quoted(row.gameName), row.queryPort ?? ''].join(','),
      (row) => [joined(row), '', quoted(row.gameName), row.queryPort ?? ''].join(','),
      (row) => [bare(row), row.port, row.gameName, row.queryPort ?? ''].join('\t'),
      (row) => [joined(row), quoted(row.gameName), row.queryPort ?? ''].join(';'),
      (row) =>
        `server,port,query_port,game\n${[bare(row), row.port, row.queryPort ?? '', quoted(row.gameName)].join(',')}`,
      (row) => `game;server;query_port\n${[row.gameName, joined(row), row.queryPort ?? ''].join(';')}`,
      (row) =>
        JSON.stringify([
          { server: bare(row), port: row.port, query_port: row.queryPort, game: row.gameName },
        ]),
      (row) =>
        csvFile([
          ['port', 'game', 'queryport', 'host'],
          [`${row.port}`, row.gameName, `${row.queryPort ?? ''}`, bare(row)],
        ]),
    ];
    const withoutQuery: readonly ((row: Written) => string)[] = [
      (row) => `${joined(row)} ${row.gameName}`,
      (row) => `${bare(row)} ${row.port} ${row.gameName}`,
      (row) => `${row.gameName} ${joined(row)}`,
      (row) => `${row.gameName} ${bare(row)} ${row.port}`,
      (row) => `steam://connect/${joined(row)}/secret ${row.gameName}`,
      (row) => `- **${joined(row)}** | ${row.gameName.toUpperCase()} # a comment`,
      (row) => `${row.gameName}\t${joined(row)}`,
    ];
    await fc.assert(
      fc.asyncProperty(arbitrary.submission, fc.nat(), fc.boolean(), async (row, choice, query) => {
        const forms = query ? withQuery : withoutQuery;
        const text = forms[choice % forms.length]?.(row) ?? '';
        const { server, port, game, queryPort } = row;
        const keptQuery = query && queryPort !== undefined && queryPort !== port ? { queryPort } : {};
        expect(
          rowsOf(await readList(text, games)).map((read) => ('submission' in read ? read.submission : read)),
        ).toEqual([{ server, port, ...keptQuery, game }]);
      }),
      { numRuns: 1000 },
    );
  });

  it('has no password in its rows, right or wrong', async () => {
    const target = fc.constantFrom(
      '8.8.8.8:1',
      '10.0.0.1:1',
      'x',
      '8.8.8.8:70000',
      '127.1:5',
      '[2606:4700::1]:3',
      'a..b:1',
      'no address',
    );
    const anything = fc.stringMatching(/^[ -:<-~äß]{0,10}QZJX[ -:<-~äß]{0,10}$/);
    const inLink = fc.stringMatching(/^[!#-:<-~]{0,10}QZJX[!#-:<-~]{0,10}$/);
    const line = fc.oneof(
      fc.tuple(target, inLink).map(([at, secret]) => `steam://connect/${at.replace(' ', '')}/${secret} cs2`),
      fc
        .tuple(target, inLink)
        .map(([at, secret]) => `cs2,"steam://connect/${at.replace(' ', '')}/${secret}"`),
      fc.tuple(target, anything).map(([at, secret]) => `connect ${at}; password ${secret}`),
      fc.tuple(target, anything).map(([at, secret]) => `${at} cs2 PW: ${secret}`),
      fc.tuple(target, anything).map(([at, secret]) => `${at},1,cs2 # password=${secret}`),
      fc
        .tuple(target, anything)
        .map(([at, secret]) => JSON.stringify([{ server: at, port: 0, password: secret }])),
      fc.tuple(target, anything).map(([at, secret]) => JSON.stringify([`connect ${at}; password ${secret}`])),
      fc.tuple(target, anything).map(([at, secret]) =>
        csvFile([
          ['server', 'port'],
          [`connect ${at};password ${secret}`, '1'],
        ]),
      ),
    );
    await fc.assert(
      fc.asyncProperty(line, async (text) => {
        const list = await readList(text, games);
        expect(JSON.stringify(list)).not.toContain('QZJX');
        expect(rowsOf(list)).toHaveLength(1);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    'admin:QZJX@8.8.8.8:70000 cs2',
    'cs2,admin:QZ@JX@8.8.8.8:70000',
    '8.8.8.8:70000,cs2,password,QZJX',
    '8.8.8.8:70000;cs2;"Passwort";"QZJX"',
    '8.8.8.8:70000 | pw | QZJX',
    '8.8.8.8:70000 cs2 contrasena: QZJX',
    '8.8.8.8:70000 cs2 Wachtwoord QZJX',
    '8.8.8.8:70000 cs2 pswd=QZJX',
  ])('keeps no password of %j, whose port is wrong', async (line) => {
    const list = await readList(line, games);
    expect(JSON.stringify(list)).not.toMatch(/QZ|JX/);
    expect(rowsOf(list)).toMatchObject([{ problem: { code: 'port-too-high' } }]);
  });

  it.each([
    '8.8.8.8:1, no password, cs2',
    'no password, 8.8.8.8:1',
    'no password; 8.8.8.8:1 cs2',
  ])('finds the address in %j', async (line) => {
    expect(JSON.stringify(await readList(line, games))).toContain('8.8.8.8');
  });

  // Each of these held the bot for minutes: a search for the end of a run began anew at each of its characters.
  it.each([
    'a"b,',
    '8.8.8.8 ',
    'server,port,game\na,',
    '{"server": "',
    '',
  ])('reads %j, a long run of one character and another one', async (start) => {
    for (const run of ['!', ' ', '|', '.', '%', '/', '\t;,']) {
      const text = `${start}${run.repeat(Math.floor((256 * 1024 - 20) / run.length))}x`;
      expect((await readList(text, games)).kind).toMatch(/^(?:rows|bad-json)$/);
    }
  });

  const PIECES = [
    ...[
      '"',
      '"\n',
      '8.8.8.8:1 "a\n',
      'server,port\n"a,',
      ',',
      'server,',
      'a\t;,',
      '[',
      '[{',
      '{"a":',
      '["1.2 a",',
      '\n',
    ],
    ...[
      'password ',
      'password: x; connect ',
      'a://',
      'a://b/',
      'steam://',
      'connect ',
      ' ',
      '1.',
      ':1/',
      'a b.c:1 ',
      '!',
    ],
  ];

  // Twice the text takes twice the steps, and twice the pauses; up to 4 KiB there may be none.
  it.each(PIECES)('takes steps in proportion to its length, and pauses, over %j', async (piece) => {
    const measure = async (length: number) => {
      const text = piece.repeat(Math.ceil(length / piece.length));
      let pauses = 0;
      const count = () => createPauses(async () => void pauses++);
      const steps = await stepsOf(async () => {
        await readList(text, games, count());
        await readList(`server,port,game\n${text}`, games, count());
        await readList(`[${JSON.stringify(text)}]`, games, count());
      });
      return { steps, pauses };
    };
    const [once, twice] = [await measure(16 * 1024), await measure(32 * 1024)];
    expect(twice.steps).toBeLessThan(2.3 * once.steps);
    expect(twice.pauses).toBeGreaterThan(1);
  });

  it('pauses after each of the longest rows', async () => {
    const rows = 10;
    const row = `"${'a b.c:1 '.repeat(MAX_RECORD / 8 - 1)}",2`;
    let pauses = 0;
    const text = `server,port,game\n${`${row}\n`.repeat(rows)}`;
    await readList(
      text,
      games,
      createPauses(async () => void pauses++),
    );
    expect(pauses).toBeGreaterThanOrEqual(rows);
  });

  it('names a row that is too long, and reads the others', async () => {
    const long = 'x'.repeat(MAX_RECORD);
    expect(await read(`server,port,game\n8.8.8.8,1,cs2\n${long},1,cs2\n8.8.8.8,2,cs2`)).toEqual([
      '2 8.8.8.8:1 cs2',
      '3 line-too-long',
      '4 8.8.8.8:2 cs2',
    ]);
    expect(await read(`${long}y 8.8.8.8:1\n8.8.8.8:2 cs2`)).toEqual(['1 line-too-long', '2 8.8.8.8:2 cs2']);
    expect(await read(JSON.stringify([`${long}y`, '8.8.8.8:2 cs2']))).toEqual([
      '1 line-too-long',
      '1 8.8.8.8:2 cs2',
    ]);
    const fields = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`field${i}`, i]));
    expect(await read(JSON.stringify([fields]))).toEqual(['1 too-many-cells']);
  });
});
