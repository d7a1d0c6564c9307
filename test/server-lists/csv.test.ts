import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cellsOf, csvFile, csvFiles, rejectedCsv } from '../../src/server-lists/csv.ts';
import { readList } from '../../src/server-lists/read-list.ts';
import type { Row, RowProblem } from '../../src/server-lists/row.ts';
import { games } from '../submissions/arbitraries.ts';
import { anyCharacter } from '../support/characters.ts';

async function rowsOf(text: string) {
  const list = await readList(text, games);
  if (list.kind !== 'rows') throw new Error(`expected rows, got ${list.kind}`);
  return list.rows;
}

/** The refused ones of these rows as the file has them. */
const rejected = (rows: readonly Row[], reason: (problem: RowProblem) => string) =>
  rejectedCsv(rows.flatMap((row) => ('problem' in row ? [{ ...row, reason: reason(row.problem) }] : [])));

describe('rejected.csv', () => {
  it('has what was typed, the line and the reason, for the rows that are wrong only', async () => {
    const rows = await rowsOf(
      '8.8.8.8:1 cs2\n8.8.8.8,70000,cs2,5\n8.8.8.8:1 cs2\nconnect 10.0.0.1:1; password x\n',
    );
    expect(rejected(rows, ({ code }) => `Wrong: "${code}"`).split('\r\n')).toEqual([
      '\ufeff"server","port","query_port","game","line","reason"',
      '"8.8.8.8","70000","5","cs2","2","Wrong: ""port-too-high"""',
      '"10.0.0.1:1","","","","4","Wrong: ""not-public"""',
      '',
    ]);
  });

  it('can be corrected and sent again', async () => {
    const file = rejected(
      await rowsOf('8.8.8.8,70000,cs2,5\n8.8.4.4:1 Half-Life 3'),
      () => 'reason, "quoted"\nand more',
    );
    const corrected = file.replace('70000', '27015').replace('Half-Life 3', 'rust');
    expect(await rowsOf(corrected)).toMatchObject([
      { line: 2, submission: { server: '8.8.8.8', port: 27_015, queryPort: 5, game: 'cs2' } },
      { line: 3, submission: { server: '8.8.4.4', port: 1, game: 'rust' } },
    ]);
  });

  it('read again uncorrected, rejects the same rows with the same text', async () => {
    const piece = fc.constantFrom(
      '8.8.8.8',
      '10.0.0.1',
      ':70000',
      ' ',
      '=',
      '@',
      '+',
      "'",
      '"',
      'cs2',
      '-1',
      'a',
      '.',
    );
    const line = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join(''));
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 5 }), async (lines) => {
        const rows = (await rowsOf(lines.join('\n'))).filter((row) => 'problem' in row);
        const again = await rowsOf(rejected(rows, ({ code }) => code));
        expect(again.map(({ text }) => text)).toEqual(rows.map(({ text }) => text));
        expect(again.filter(({ ok }) => ok)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a CSV file for a spreadsheet', () => {
  it('has no cell that is run as a formula', async () => {
    const file = csvFile([['=1+1', '+1', '-1', '@x', "'=1", "it's", '\t=1']]);
    expect(file).toBe(`\ufeff"'=1+1","'+1","'-1","'@x","''=1","it's","'=1"\r\n`);
  });

  it.each([
    ...[
      '\u00a0',
      '\ufeff',
      '\u200b',
      '\u200d',
      '\u202e',
      '\u2060',
      '\u00ad',
      '\u3000',
      '\u180e',
      '\u3164',
      '\t',
      '\r',
    ],
    ...[
      '\ufe00',
      '\ufe0f',
      '\u200b\ufe0f \ufe00',
      '\n',
      '\v',
      '\f',
      '\0',
      '\u0085',
      '\u2028',
      ' ',
      "'",
      '\u00a0\u202e \ufeff\t',
    ],
  ])('has no formula behind %j', (before) => {
    for (const sign of '=+-@＝＋－＠﹦﹢﹣﹫') {
      const [first, second] = [`${before}${sign}1`, `${before.repeat(3)}${sign}cmd|' /C calc'!A0`];
      const cells = csvFile([[first, second]])
        .slice(1)
        .trimEnd()
        .slice(1, -1)
        .split('","');
      for (const cell of cells) expect(cell).toMatch(/^'+[=+\-@＝＋－＠﹦﹢﹣﹫]/u);
    }
  });

  it('never has a cell that begins with what a spreadsheet looks behind, whatever is put into it', () => {
    const text = fc.string({
      unit: fc.oneof(fc.constantFrom(...'=@＝\u00a0\u200b\ufe0f\t\n\'"'), anyCharacter),
    });
    fc.assert(
      fc.property(text, (cell) => {
        const written = csvFile([[cell]]).slice(2);
        // Signs of the class Cf that can be seen stay, such as those of Egyptian hieroglyphs.
        expect(written).not.toMatch(
          /^[=+\-@＝＋－＠﹦﹢﹣﹫\s\p{Cc}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/u,
        );
      }),
      { numRuns: 1000 },
    );
  });

  it('comes back the same when it is sent in again: what is disarmed, and what only looks so', async () => {
    const cells = ['=1', "'=1", "''@x", '＝1', '+5', "it's", "'quoted", '-', '@'];
    const file = csvFile([['server', 'game'], ...cells.map((cell) => ['8.8.8.8:1', cell])]);
    // The reader takes full-width characters for the usual ones, in every file.
    expect((await rowsOf(file)).map((row) => ('typed' in row ? row.typed.game : ''))).toEqual(
      cells.map((cell) => (/[\p{L}\p{N}]/u.test(cell) ? cell.replace('＝', '=') : cell)),
    );
  });

  it('gives back every cell when it is read', async () => {
    const cell = fc.string({ unit: fc.constantFrom(...'=+-@\'ab,; "1'), maxLength: 8 });
    fc.assert(
      fc.property(fc.array(cell, { minLength: 2, maxLength: 5 }), (cells) => {
        // Quotes around a cell's own text are taken for pasted ones.
        fc.pre(cells.every((text) => text === text.trim() && !/^["'].*["']$/u.test(text)));
        const record = csvFile([cells]).slice(1).trimEnd();
        expect(cellsOf(record, ',')).toEqual(cells);
      }),
    );
  });
});

describe('a table that is too large for one file', () => {
  const heading = ['a', 'b'];
  const row = (n: number) => [`row ${n}`, 'ä'.repeat(n % 7)];
  async function* pages(count: number) {
    for (let n = 0; n < count; n += 10)
      yield Array.from({ length: Math.min(10, count - n) }, (_, i) => row(n + i));
  }
  const read = (files: readonly Buffer[]) =>
    files.map((file) =>
      file
        .toString()
        .replace(/^\ufeff/, '')
        .trimEnd()
        .split('\r\n'),
    );

  it('is split between rows, and each file has its heading and no more bytes than it may', async () => {
    const { files, rows } = await csvFiles(pages(95), { heading, mostBytes: 300, mostFiles: 100 });
    expect(rows).toBe(95);
    expect(files.length).toBeGreaterThan(5);
    expect(Math.max(...files.map(({ length }) => length))).toBeLessThanOrEqual(300);
    const lines = read(files);
    expect(lines.every(([first]) => first === '"a","b"')).toBe(true);
    expect(lines.flatMap((file) => file.slice(1))).toEqual(
      Array.from({ length: 95 }, (_, n) => `"${row(n).join('","')}"`),
    );
  });

  it('ends where no more files are allowed, and says how far it came', async () => {
    const { files, rows } = await csvFiles(pages(95), { heading, mostBytes: 300, mostFiles: 2 });
    expect(files).toHaveLength(2);
    expect(read(files).flatMap((file) => file.slice(1))).toHaveLength(rows);
    expect(rows).toBeLessThan(95);
  });

  it('is one file as long as it fits, and has a heading when it is empty', async () => {
    const options = { heading, mostBytes: 300, mostFiles: 2 };
    expect((await csvFiles(pages(0), options)).files.map(String)).toEqual([csvFile([heading])]);
    expect((await csvFiles(pages(3), options)).files.map(String)).toEqual([
      csvFile([heading, row(0), row(1), row(2)]),
    ]);
  });
});
