import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatAddress } from '../../src/addresses/address.ts';
import { csvFile } from '../../src/server-lists/csv-file.ts';
import { rowsOfMessage } from '../../src/server-lists/message.ts';
import { decodeText, type ReadList, readList } from '../../src/server-lists/read-list.ts';
import { isReady, type Row, rowText, typedOf } from '../../src/server-lists/row.ts';
import * as arbitrary from '../support/arbitraries.ts';
import { anyCharacter, games } from '../support/arbitraries.ts';

/** The default game for a list. None of the samples contains it. */
const DEFAULT_GAME = 'mordhau';
/** This matches the password in every sample that has one. */
const SECRET = /QZ|JX/i;

const [ofAll = '', ofNone = ''] = readFileSync(join(import.meta.dirname, 'corpus.txt'), 'utf8').split(
  '== Lists without a default game ==\n',
);
const unescaped = (text: string) =>
  text.replace(/\\(n|r|t|u[\da-f]{4})/gu, (sign) => JSON.parse(`"${sign}"`));
const casesOf = (part: string) =>
  part.split('\n').flatMap((line) => {
    const [text = '', list = '', message] = line.split(' ⇒ ');
    const { rows = '' } = /^(?<rows>.*?)(?:(?:, |^)\+\d+)?$/.exec(list)?.groups ?? {};
    const inMessage = message ?? rows.replace(/\[\d+\] | \?(?=,|$)/gu, '');
    if (list === '' || text.startsWith('== ')) return [];
    return [{ shown: text, text: unescaped(text), list, message: inMessage || 'nothing' }];
  });
const CASES = casesOf(ofAll);

function rowsOf(list: ReadList) {
  if (list.kind !== 'rows') throw new Error(`expected rows, got ${list.kind}`);
  return list.rows;
}

function inWords(row: Row): string {
  if (row.kind === 'repeated') return `=${row.firstLine}`;
  const own = (game: string) => (game === DEFAULT_GAME ? '' : game);
  if (row.kind === 'ready') {
    const { server: host, port, game, queryPort } = row.submission;
    return [formatAddress({ host, port }), own(game), queryPort].filter(Boolean).join(' ');
  }
  const { code, ...details } = row.problem;
  const typed = rowText({ ...row.typed, game: own(row.typed.game) });
  if (code === 'game-missing') return `${typed} ?`;
  const values = Object.values(details).filter((detail) => detail !== DEFAULT_GAME);
  return `${code}${values.length > 0 ? `(${values.join(' ')})` : ''}: ${typed}`.trimEnd();
}

function read(text: string, defaultGame?: string): string {
  const list = readList(text, { ...games, defaultGame });
  const rows = rowsOf(list).map((row) => (row.line === 1 ? '' : `[${row.line}] `) + inWords(row));
  const noise = list.kind === 'rows' && list.leftOut.length > 0 ? [`+${list.leftOut.length}`] : [];
  return [...rows, ...shownUnchosen(list), ...noise].join(', ') || 'nothing';
}

function shownUnchosen(list: ReadList): readonly string[] {
  if (list.kind !== 'rows') return [];
  const sign = list.shape === 'people' ? '!' : '~';
  const addresses = list.unchosen.map(({ typed }) => `${sign}${rowText(typed)}`);
  return list.hidden > 0 ? [...addresses, `hidden ${list.hidden}`] : addresses;
}

describe('the list parser', () => {
  it.each(CASES)('finds the servers in this text: $shown', ({ text, list }) =>
    expect(read(text, DEFAULT_GAME)).toBe(list));
  it.each(casesOf(ofNone))('finds the servers without a default game: $shown', ({ text, list }) =>
    expect(read(text)).toBe(list));

  it('finds no rows in an empty list', () => {
    for (const text of ['', ' \n\t\n', '\ufeff']) expect(read(text)).toBe('nothing');
  });

  it('rejects a list of more than 1,000 rows', () => {
    const lines = (count: number) =>
      Array.from({ length: count }, (_, index) => `8.8.8.8:${index + 1} cs2`).join('\n\n');
    const json = (count: number) => JSON.stringify(Array(count).fill('8.8.8.8:1 cs2'));
    for (const text of [lines(1000), `server,port\n${lines(1000)}`, json(1000)])
      expect(rowsOf(readList(text, games))).toHaveLength(1000);
    for (const text of [lines(1001), json(1001)])
      expect(readList(text, games)).toEqual({ kind: 'too-many', count: 1001, most: 1000 });
  });

  it('finds all rows even if a quote is closed many lines later', () => {
    const rows = Array.from({ length: 12 }, (_, n) => `8.8.8.8,${n + 1},cs2,${n % 11 === 0 ? '"' : ''}`);
    expect(rowsOf(readList(`server,port,game,about\n${rows.join('\n')}`, games))).toHaveLength(12);
  });

  it('reports a row that is too long or nested too deeply', () => {
    const long = 'x'.repeat(4_001);
    const problem = { code: 'line-too-long', length: 4_011, most: 4_000 };
    const [first, second] = rowsOf(readList(`${long} 8.8.8.8:1\n8.8.8.8:2 cs2`, games));
    expect([first, second?.kind]).toMatchObject([{ problem }, 'ready']);
    expect(rowsOf(readList(JSON.stringify([long, '8.8.8.8:2 cs2']), games))).toHaveLength(2);
    expect(read(`${'['.repeat(10_000)}${']'.repeat(10_000)}`, DEFAULT_GAME)).toBe('+1');
    const about = 'x'.repeat(20_000);
    expect(read(`server,port,game,about\n8.8.8.8,1,cs2,${about}`)).toBe('[2] 8.8.8.8:1 cs2');
  });

  it('truncates addresses and games that are too long for a message', () => {
    const x = 'x'.repeat(1_990);
    const cells = { server: `8.8.8.8/${x}`, port: x, query_port: x, game: x };
    const table = `server,port,query_port,game\n${Object.values(cells).join(',')}`;
    const json = JSON.stringify([{ ...cells, [`game${'.'.repeat(200)}alias`]: [] }]);
    for (const text of [table, json, `8.8.8.8:1,cs2,${x.slice(0, 900)}`]) {
      const [row] = rowsOf(readList(text, games));
      if (row?.kind !== 'invalid') throw new Error(`expected an invalid row of ${text.slice(0, 50)}`);
      const { server, ...others } = row.typed;
      expect(server.length).toBeLessThanOrEqual(1_000);
      for (const cell of Object.values(others)) expect(cell.length).toBeLessThanOrEqual(100);
      expect(JSON.stringify(row.problem).length).toBeLessThan(200);
    }
  });
});

describe('the message parser', () => {
  it.each(CASES)('finds the servers in this text: $shown', ({ text, message }) => {
    const list = rowsOfMessage(text, games);
    const lines = [...list.rows, ...list.unchosen].map(({ line }) => line);
    expect(lines.toSorted((one, other) => one - other)).toEqual(lines.map((_, index) => index + 1));
    const words = list.rows.map((row) => inWords(row).replace(/ \?$/, ''));
    expect([...words, ...shownUnchosen(list)].join(', ') || 'nothing').toBe(message);
  });

  it('finds every address with a port, whatever text surrounds it', () => {
    const around = fc.constantFrom(' ', '\n', ', ', '** ', ' | ', '`', ' - ', ' (', '😀 ', ' and ');
    const addresses = fc.uniqueArray(fc.record({ host: arbitrary.host, port: arbitrary.port }), {
      maxLength: 8,
      selector: formatAddress,
    });
    fc.assert(
      fc.property(addresses, around, (all, between) => {
        const { rows, unchosen } = rowsOfMessage(all.map(formatAddress).join(between), games);
        const found = [...rows.map(typedOf), ...unchosen.map(({ typed }) => typed)].map(
          ({ server }) => server,
        );
        expect(found.toSorted()).toEqual(all.map(formatAddress).toSorted());
      }),
    );
  });
});

describe('the file decoder', () => {
  const line = '8.8.8.8:1 Garry’s Mod';

  const inLatin = (text: string) => Buffer.from(text, 'latin1');

  it('decodes UTF-8, code page 1252, and UTF-16 with a byte-order mark', () => {
    const little = Buffer.from(`\ufeff${line}`, 'utf16le');
    const marked = Buffer.from(`\ufeff${line}`);
    const windows = inLatin('8.8.8.8:1 Garry\x92s Mod');
    const files = [Buffer.from(line), marked, little, Buffer.from(little).swap16(), windows];
    for (const file of files) expect(read(decodeText(file) ?? '')).toBe('8.8.8.8:1 gm');
  });

  it.each([
    ['Shift_JIS', '\x83T\x81[\x83o\x81[,\x83|\x81[\x83g,\x83Q\x81[\x83\x80\n8.8.8.8,1,Rust'],
    ['code page 437', 'server;port;game;Notiz\n8.8.8.8;1;Rust;f\x81r sp\x84ter'],
    ['code page 850, with an old end of file', '8.8.8.8;1;Rust\n\x90\x81\x9d\x8d\x8f\x1a'],
    ['code page 1250', 'Game,Pozn\x9d,\xddIP,Port,Adresa\nRust,x,y,1,8.8.8.8'],
    ['code page 1251', '\xcf\xee\xf0\xf2;\xc8\xe3\xf0\xe0;\xc0\xe4\xf0\xe5\xf1\n1;Rust;8.8.8.8'],
    ['GB 18030', '\xb6\xcb\xbf\xda,\xd3\xce\xcf\xb7,\xb5\xd8\xd6\xb7\n1,Rust,8.8.8.8'],
  ])('decodes %s', (_, text) => {
    expect(read(decodeText(inLatin(text)) ?? '')).toMatch(/^(?:\[2\] )?8\.8\.8\.8:1 rust/);
  });

  it('rejects a file with NUL bytes or only control characters', () => {
    const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]);
    const program = readFileSync(process.execPath).subarray(0, 4096);
    const signs = inLatin('\x01\x02--\x03');
    for (const file of [png, Buffer.from(line, 'utf16le'), program, signs])
      expect(decodeText(file)).toBeUndefined();
  });
});

describe('the list and message parsers', () => {
  const pieces = '8.8.8.8|:1| |,|;|\n|"|cs2|server|port|password|27015|#|7 days to die|\t|[|{'.split('|');
  const wild = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 200 }),
    fc.string({ unit: fc.constantFrom(...'01.:[]{}/%@;,#=\t\n\r "\'`<>|*_-+acs\u200b：，。😀') }),
    fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((some) => some.join('')),
  );

  it('never throw, and return rows in line order', () => {
    fc.assert(
      fc.property(wild, (text) => {
        const list = readList(text, { ...games, defaultGame: 'cs2' });
        expect(JSON.parse(JSON.stringify(list))).toEqual(list);
        const lines = list.kind === 'rows' ? list.rows.map(({ line }) => line) : [];
        expect(lines).toEqual(lines.toSorted((one, other) => one - other));
        const { rows } = rowsOfMessage(text, games);
        expect(JSON.parse(JSON.stringify(rows))).toEqual(rows);
      }),
      { numRuns: 300 },
    );
  });

  it('find the same servers after a round trip through CSV', () => {
    for (const { text, list } of CASES) {
      const servers = rowsOf(readList(text, { ...games, defaultGame: DEFAULT_GAME })).filter(isReady);
      const cells = servers.map(({ submission: { server, port, queryPort, game } }) => {
        return [formatAddress({ host: server, port }), '', queryPort ? `${queryPort}` : '', game];
      });
      const again = rowsOf(readList(csvFile(['server', 'port', 'query_port', 'game'], cells), games));
      expect(again, list).toMatchObject(servers.map(({ submission }) => ({ kind: 'ready', submission })));
    }
  });

  it('find the same server in every row format', () => {
    type Written = typeof arbitrary.submission extends fc.Arbitrary<infer Each> ? Each : never;
    const joined = ({ server: host, port }: Written) => formatAddress({ host, port });
    const forms: readonly ((row: Written) => string)[] = [
      (row) => `game;server;query_port\n${[row.gameName, joined(row), row.queryPort ?? ''].join(';')}`,
      ({ server, port, queryPort, gameName }) =>
        JSON.stringify([{ server, port, query_port: queryPort, game: gameName }]),
      (row) => `${row.gameName} ${row.server} ${row.port}`,
      (row) => `${joined(row)} ${row.gameName}`,
      (row) => `[${row.gameName}] connect ${joined(row)}`,
      (row) => `Game: ${row.gameName}\nIP: ${row.server}\nPort: ${row.port}`,
      (row) =>
        `**Game:** ${row.gameName}\n**Server IP:** ${row.server}\n**Query port:** ${row.queryPort ?? 1}\n**Game port:** ${row.port}`,
      (row) => `| Game | IP | Port |\n|---|---|---|\n| ${row.gameName} | ${row.server} | ${row.port} |`,
    ];
    const formsOfLists: typeof forms = [
      // If a query port is below 1,024, the parser reports that it might be a player count.
      (row) =>
        [row.server, row.port, `"${row.gameName}"`, row.queryPort ? row.queryPort | 1024 : ''].join(','),
      (row) => `- **${joined(row)}** | ${row.gameName.toUpperCase()} # a comment`,
    ];
    const inList = (text: string) => rowsOf(readList(text, games));
    const inMessage = (text: string) => rowsOfMessage(text, games).rows;
    const written = (some: typeof forms, ...readers: readonly (typeof inList)[]) =>
      fc.record({ write: fc.constantFrom(...some), rows: fc.constantFrom(...readers) });
    const ways = fc.oneof(written(forms, inList, inMessage), written(formsOfLists, inList));
    fc.assert(
      fc.property(arbitrary.submission, ways, (row, { write, rows }) => {
        const { server, port, game } = row;
        expect(rows(write(row))).toMatchObject([{ kind: 'ready', submission: { server, port, game } }]);
      }),
      { numRuns: 1000 },
    );
  });

  it('remove all passwords from the rows', () => {
    const targets = '8.8.8.8:1 10.0.0.1:1 x 8.8.8.8:70000 127.1:5 [2606:4700::1]:3 a..b:1'.split(' ');
    // In a line without another address, a name with a dot after a space could be an address.
    const anything = fc.stringMatching(/^[ -,\-/-:<-~äß]{0,10}QZJX[ -,\-/-:<-~äß]{0,10}$/);
    const inLink = fc.stringMatching(/^[!#-:<-~]{0,10}QZJX[!#-:<-~]{0,10}$/);
    const links: readonly ((at: string, secret: string) => string)[] = [
      (at, secret) => `steam://connect/${at}/${secret} cs2`,
      (at, secret) => `cs2,"steam://connect/${at}/${secret}"`,
      (at, secret) => `${at} pw:${secret}`,
      (at, secret) => `${at} PASSWORD = ${secret}`,
      (at, secret) => `${at} pw:${secret}.example.com:1`,
    ];
    const words: readonly ((at: string, secret: string) => string)[] = [
      (at, secret) => `connect ${at}; password ${secret}`,
      (at, secret) => `${at} cs2 PW: ${secret}`,
      (at, secret) => `${at},1,cs2 # password=${secret}`,
      (at, secret) => JSON.stringify([{ server: at, password: secret }]),
      (at, secret) => JSON.stringify([`connect ${at}; password ${secret}`]),
    ];
    const written = (secret: fc.Arbitrary<string>, forms: typeof words) =>
      fc
        .tuple(fc.constantFrom(...targets), secret, fc.constantFrom(...forms))
        .map(([at, word, write]) => write(at, word));
    fc.assert(
      fc.property(fc.oneof(written(inLink, links), written(anything, words)), (text) => {
        const list = readList(text, games);
        expect(JSON.stringify([list, rowsOfMessage(text, games)])).not.toMatch(/QZJX/i);
        if (list.kind !== 'rows') throw new Error('expected rows');
        expect(list.rows.length + list.unchosen.length + list.leftOut.length).toBe(1);
      }),
      { numRuns: 300 },
    );
  });

  it.each(CASES.filter(({ text }) => SECRET.test(text)))('remove every part of a password: $shown', ({
    text,
  }) => expect(JSON.stringify([readList(text, games), rowsOfMessage(text, games)])).not.toMatch(SECRET));
});
