import assert from 'node:assert/strict';
import { textOf } from '../support/scene.ts';
import { type Arena, answered, type Campaign, file, filled, MOST_BYTES } from './arena.ts';
import { UNITS } from './shapes.ts';

async function submitFile({ member }: Arena, filename: string, content: string): Promise<void> {
  const answer = answered(await member.slash('addservers', { file: file(filename, content) }), filename);
  assert.doesNotMatch(
    textOf(answer),
    /not where Discord keeps|could not be read from/,
    'the file was not read',
  );
}

/** A header that leaves the shape in the middle of a record, of a cell, of a value. */
const ENDS = {
  alone: ['', ''],
  'in a quoted cell': ['a"b,', 'x'],
  'behind a server': ['a.example.com:1 ', '\n'],
};

const jsonOf = (count: number, value: string) => JSON.stringify(Array.from({ length: count }, () => value));

const JSONS: Readonly<Record<string, string>> = {
  '1,000 texts': jsonOf(1_000, filled('a.b ', 240)),
  'texts of brackets': jsonOf(1_000, '['.repeat(240)),
  'lists in lists': `${'['.repeat(MOST_BYTES / 2)}${']'.repeat(MOST_BYTES / 2)}`,
  'objects in objects': filled('{"a":', MOST_BYTES),
  'one text': JSON.stringify(filled('a ', MOST_BYTES - 10)),
  'many names': `[{${Array.from({ length: 15_000 }, (_, n) => `"k${n}":1`).join(',')}}]`,
  'many empty objects': `[${filled('{},', MOST_BYTES - 10)}{}]`,
  numbers: `[${'9'.repeat(MOST_BYTES - 10)}]`,
  escapes: `["${filled('\\u005b', MOST_BYTES - 10)}"]`,
};

/** A member uploads files, each of them as large as may be. */
export const LISTS: Campaign = {
  name: 'a file of 256 KiB',
  attacks: [
    {
      name: 'a"b, !!!… x',
      run: (arena) => submitFile(arena, 'a.csv', `a"b,${'!'.repeat(MOST_BYTES - 5)}x`),
    },
    ...Object.entries(ENDS).map(([where, [before = '', after = '']]) => ({
      name: `${Object.keys(UNITS).length} shapes, ${where}`,
      async run(arena: Arena) {
        for (const [what, unit] of Object.entries(UNITS)) {
          const content = before + filled(unit, MOST_BYTES - 40) + after;
          await submitFile(arena, `${what}.csv`, content);
        }
      },
    })),
    {
      name: 'short lines of every shape',
      async run(arena) {
        for (const [what, unit] of Object.entries(UNITS)) {
          await submitFile(arena, `${what}.txt`, filled(`${unit.repeat(3)}\n`, MOST_BYTES - 10));
        }
      },
    },
    ...Object.entries(JSONS).map(([what, content]) => ({
      name: `JSON, ${what}`,
      run: (arena: Arena) => submitFile(arena, 'a.json', content.slice(0, MOST_BYTES)),
    })),
    {
      name: 'twenty at once',
      async run(arena) {
        const content = filled('a.example.com:27015 cs2\n', MOST_BYTES);
        await Promise.all(Array.from({ length: 20 }, () => submitFile(arena, 'a.txt', content)));
      },
    },
  ],
};
