import { describe, expect, it } from 'vitest';
import { rowsOfMessage } from '../../src/server-lists/message.ts';
import { type ReadRows, readList } from '../../src/server-lists/read-list.ts';
import { rowText, typedOf } from '../../src/server-lists/row.ts';
import { games } from '../support/arbitraries.ts';

type Values = Readonly<Record<string, string | number>>;

/** Writes one object per record. @param write writes a field */
const objects = (write: (key: string, value: string) => string, quote = "'") => {
  const fields = (values: Values) =>
    Object.entries(values).map(([key, value]) =>
      write(key, typeof value === 'number' ? String(value) : quote + value + quote),
    );
  return {
    inOneLine: (records: readonly Values[]) =>
      records.map((values) => `{${fields(values).join(', ')}}`).join(', '),
    inLines: (records: readonly Values[]) =>
      records.map((values) => `  {\n    ${fields(values).join(',\n    ')}\n  }`).join(',\n'),
  };
};
const python = objects((key, value) => `'${key}': ${value}`);
const js = objects((key, value) => `${key}: ${value}`);
const json = objects((key, value) => `"${key}": ${value}`, '"');
const lua = objects((key, value) => `${key} = ${value}`, '"');
const php = objects((key, value) => `'${key}' => ${value}`);
const inBrackets = (text: string) => text.replaceAll('{', '[').replaceAll('}', ']');
const listOf = (values: Values, write: (key: string, value: string | number) => string) =>
  Object.entries(values).map(([key, value]) => write(key, value));

/** Ways to write records that the bot reads like JSON. */
const LIKE_JSON: Readonly<Record<string, (records: readonly Values[]) => string>> = {
  "Python's lists of dictionaries": (records) => `[${python.inOneLine(records)}]`,
  'Python dictionaries in lines': (records) => python.inOneLine(records).replaceAll('}, ', '}\n'),
  'JavaScript objects': (records) => `[\n${js.inLines(records)},\n]`,
  'JSON that is cut off': (records) => `[${json.inOneLine(records)}`,
  'JSON that is cut off, in lines': (records) => `[\n${json.inLines(records)}`,
  'JSON without commas': (records) => json.inOneLine(records).replaceAll('}, ', '} '),
  'JSON with typographic quotes': (records) => json.inOneLine(records).replaceAll('"', '”'),
  'JSON without commas, in lines': (records) => `[\n${json.inLines(records)}\n]`.replaceAll(',\n', '\n'),
  'JSON with comments': (records) =>
    `// Our servers\n[\n// EU\n${json.inLines(records)}\n] // the end`.replace('},', '}, // first'),
};
/** Ways to write records that the bot reads as text. */
const AS_TEXT: Readonly<Record<string, (records: readonly Values[]) => string>> = {
  'JavaScript with a variable': (records) => `const servers = [${js.inOneLine(records)}];`,
  'JavaScript with a variable, in lines': (records) => `const servers = [\n${js.inLines(records)}\n];`,
  'Lua tables': (records) => `servers = { ${lua.inOneLine(records)} }`,
  'PHP arrays': (records) => `$servers = [${inBrackets(php.inOneLine(records))}];`,
  'PHP arrays in lines': (records) => `$servers = [\n${inBrackets(php.inLines(records))}\n];`,
  'Python tuples': (records) =>
    `[${records.map((values) => `(${listOf(values, (_, value) => `'${value}'`).join(', ')})`).join(', ')}]`,
  XML: (records) =>
    records
      .map((values) => `<server ${listOf(values, (key, value) => `${key}="${value}"`).join(' ')}/>`)
      .join(''),
  YAML: (records) =>
    records
      .map((values) => `- ${listOf(values, (key, value) => `${key}: ${value}`).join('\n  ')}`)
      .join('\n'),
  TOML: (records) =>
    records
      .map((values) => `[[server]]\n${listOf(values, (key, value) => `${key} = "${value}"`).join('\n')}`)
      .join('\n'),
};

const A = { host: 'a.example.com', port: 27015 };
const B = { host: 'b.example.com', port: 28015 };
const C = { host: 'c.example.com', port: 27017 };
const RECORDS: readonly (readonly Values[])[] = [
  [
    { ...A, game: 'cs2' },
    { ...B, game: 'rust' },
    { ...C, game: 'gm' },
  ],
  [
    { game: 'cs2', ...A },
    { game: 'rust', ...B },
    { game: 'gm', ...C },
  ],
  [{ game: 'cs2', ...A }, B, { game: 'gm', ...C }],
  [{ ...A, game: 'cs2' }, B, { ...C, game: 'gm' }],
  [{ game: 'cs2', ...A }, { ...B, game: 'rust' }, C],
];

function read(text: string): readonly ReadRows[] {
  const list = readList(text, games);
  if (list.kind !== 'rows') throw new Error(`expected rows, got ${list.kind}`);
  return [list, rowsOfMessage(text, games)];
}

const gameIn = (records: readonly Values[], server: string) =>
  records.find(({ host }) => server.startsWith(String(host)))?.game ?? '';

describe('the list parser', () => {
  it.each(Object.entries(LIKE_JSON))('reads each object in %s as a game server', (_, write) => {
    for (const records of RECORDS) {
      for (const { rows, unchosen } of read(write(records))) {
        expect(unchosen).toEqual([]);
        expect(rows.map((row) => [typedOf(row).server.replace(/:\d+$/u, ''), typedOf(row).game])).toEqual(
          records.map(({ host, game = '' }) => [host, game]),
        );
      }
    }
  });

  it.each(Object.entries(AS_TEXT))('never uses the game from another record: %s', (_, write) => {
    for (const records of RECORDS) {
      for (const { rows, unchosen } of read(write(records))) {
        const found = [...rows.map(typedOf), ...unchosen.map(({ typed }) => typed)];
        expect(found.map(({ server }) => server.replace(/:\d+$/u, ''))).toEqual(
          records.map(({ host }) => host),
        );
        for (const { server, game } of found) expect(['', gameIn(records, server)]).toContain(game);
      }
    }
  });

  it.each(
    Object.entries(AS_TEXT),
  )('never applies the default game to a record that names a game: %s', (_, write) => {
    for (const records of RECORDS.slice(0, 2)) {
      const list = readList(write(records), { ...games, defaultGame: 'minecraft' });
      if (list.kind !== 'rows') throw new Error(`expected rows, got ${list.kind}`);
      const found = [...list.rows.map(typedOf), ...list.unchosen.map(({ typed }) => typed)];
      expect(found).toHaveLength(records.length);
      for (const { server, game } of found) expect(['', gameIn(records, server)]).toContain(game);
    }
  });

  it("applies a heading's game to every record below it", () => {
    for (const text of [
      `"cs2": [\n{"host": "a.example.com:1"},\n{"host": "b.example.com:2"}\n],`,
      'Game: CS2\nIP: a.example.com:1\nIP: b.example.com:2',
      'CS2:\n- host: a.example.com\n  port: 1\n- host: b.example.com\n  port: 2',
    ]) {
      for (const { rows } of read(text))
        expect(rows.map((row) => rowText(typedOf(row)))).toEqual([
          'a.example.com:1 cs2',
          'b.example.com:2 cs2',
        ]);
    }
  });

  it('never exposes a single-quoted password', () => {
    const text = `[{'password': 'QZ "JX" it\\'s QZ', 'host': 'a.example.com', 'port': 1, 'game': 'cs2'}]`;
    for (const each of [text, text.slice(0, -1), text.replace("'QZ", "'QZ, '")])
      for (const list of read(each)) expect(JSON.stringify(list)).not.toMatch(/QZ|JX/u);
    expect(read(text).map(({ rows }) => rows.map((row) => rowText(typedOf(row))))).toEqual([
      ['a.example.com:1 cs2'],
      ['a.example.com:1 cs2'],
    ]);
  });
});
