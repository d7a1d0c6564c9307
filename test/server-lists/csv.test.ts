import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cellsOf } from '../../src/server-lists/csv.ts';
import { boundedCsv, csvFile, rejectedCsv } from '../../src/server-lists/csv-file.ts';
import { readList } from '../../src/server-lists/read-list.ts';
import { isInvalid, type Row, rowText, typedOf } from '../../src/server-lists/row.ts';
import { anyCharacter, games } from '../support/arbitraries.ts';
import { formulasIn } from '../support/spreadsheets.ts';

function rowsOf(text: string): readonly Row[] {
  const list = readList(text, games);
  if (list.kind !== 'rows') throw new Error(`expected rows, got ${list.kind}`);
  return list.rows;
}

/** Returns the rejected.csv files with the invalid rows. */
const rejectedFiles = (
  rows: readonly Row[],
  reason: (code: string) => string,
  limits = { mostBytes: 10_000, mostFiles: 1 },
) =>
  rejectedCsv(
    rows.filter(isInvalid).map((row) => ({ ...row, reason: reason(row.problem.code) })),
    limits,
  );
const rejected = (...some: Parameters<typeof rejectedFiles>) => rejectedFiles(...some).join('');

describe('the rejected.csv file', () => {
  it('contains the line number, reason and original cells of each invalid row', () => {
    const rows = rowsOf('8.8.8.8:1 cs2\n8.8.8.8,70000,cs2,5005\nconnect 10.0.0.1:1; password x\n');
    expect(rejected(rows, (code) => `Wrong: "${code}"`).split('\r\n')).toEqual([
      '\ufeff"server","port","query_port","game","line","reason"',
      '"8.8.8.8","70000","5005","cs2","2","Wrong: ""port-too-high"""',
      '"10.0.0.1:1","","","","3","Wrong: ""not-public"""',
      '',
    ]);
  });

  it('is split into as few parts as the size limit allows', () => {
    const lines = Array.from({ length: 10 }, (_, n) => `8.8.8.8:0 game ${n}`);
    const invalid = rowsOf(lines.join('\n'));
    const split = (mostFiles: number) =>
      rejectedFiles(invalid, () => 'ä', { mostBytes: 200, mostFiles }).map((file) => ({
        bytes: file.length,
        rows: rowsOf(String(file)).map(typedOf).map(rowText),
      }));
    const files = split(6);
    expect(files.map(({ rows }) => rows.length)).toEqual([3, 3, 3, 1]);
    expect(files.flatMap(({ rows }) => rows)).toEqual(lines);
    expect(Math.max(...files.map(({ bytes }) => bytes))).toBeLessThanOrEqual(200);
    expect(split(2).map(({ rows }) => rows.length)).toEqual([3, 7]);
  });

  it('can be corrected and resubmitted', () => {
    const rows = rowsOf('8.8.8.8,70000,cs2,5005\n8.8.4.4:1 Half-Life 3');
    const file = rejected(rows, () => 'reason, "quoted"\nand more');
    expect(rowsOf(file.replace('70000', '27015').replace('Half-Life 3', 'rust'))).toMatchObject([
      { line: 2, submission: { server: '8.8.8.8', port: 27_015, queryPort: 5005, game: 'cs2' } },
      { line: 3, submission: { server: '8.8.4.4', port: 1, game: 'rust' } },
    ]);
  });

  it('yields the same invalid rows if resubmitted unchanged', () => {
    const piece = fc.constantFrom(...'8.8.8.8 10.0.0.1 :70000 = @ + \' " cs2 -1 a . ; ,'.split(' '), ' ');
    const line = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 5 }), (lines) => {
        const rows = rowsOf(lines.join('\n')).filter(isInvalid);
        const again = rowsOf(rejected(rows, (code) => code));
        expect(again.map(typedOf).map(rowText)).toEqual(rows.map(typedOf).map(rowText));
        expect(again.filter(({ kind }) => kind === 'ready')).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the CSV writer', () => {
  const marks = fc.constantFrom(...'=+-@＝＋－＠﹦﹢﹣﹫');
  const ignored = fc.constantFrom(
    ...'\u00a0\ufeff\u200b\u200d\u202e\u2060\u00ad\u3000\u3164\ufe0f\t\r\n\0\u2028 ',
  );
  const splits = fc.constantFrom(...',;|\t"\'');

  it('puts an apostrophe before each cell that looks like a formula', () => {
    const file = csvFile(['=1+1', '+1', '-1', '@x', "'=1", "it's", '\t=1', 'a;-1, = 2|b'], []);
    expect(file).toBe(`\ufeff"'=1+1","'+1","'-1","'@x","''=1","it's","'=1","a;'-1, '= 2|b"\r\n`);
  });

  it('never writes a formula, whichever delimiter the spreadsheet uses', () => {
    const cell = fc.string({ unit: fc.oneof(marks, ignored, splits, anyCharacter) });
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1, maxLength: 9 }), (cells) => {
        expect(formulasIn(csvFile(cells, [cells]))).toEqual([]);
      }),
      { numRuns: 2000, examples: [[['\ufe0f\u200d＝1', 'x;\u200d"=1', 'x,\ufe0f=1', 'x\t=1']]] },
    );
  });

  it('writes cells that parse back unchanged', () => {
    const cell = fc.string({ unit: fc.constantFrom(...'=+-@\'ab,;| "1'), maxLength: 8 });
    fc.assert(
      fc.property(fc.array(cell, { minLength: 2, maxLength: 5 }), (cells) => {
        // The parser assumes that quotes around a whole cell were pasted with it, and removes them.
        fc.pre(cells.every((text) => text === text.trim() && !/^["'].*["']$/u.test(text)));
        const [, row = ''] = csvFile(cells, [cells]).split('\r\n');
        expect(cellsOf(row, ',')).toEqual(cells);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('a table with a size limit', () => {
  const heading = ['a', 'b'];
  const row = (n: number) => [`row ${n}`, 'ä'.repeat(n % 7)];
  async function* pages(count: number) {
    for (let n = 0; n < count; n += 10) {
      yield Array.from({ length: Math.min(10, count - n) }, (_, i) => row(n + i));
    }
  }
  const write = async (count: number) => {
    const { data, isWhole } = await boundedCsv(heading, pages(count), 300);
    return { text: String(data), bytes: data.length, isWhole };
  };

  it('contains all rows if they fit', async () => {
    expect(await write(0)).toMatchObject({ text: csvFile(heading, []), isWhole: true });
    expect(await write(3)).toMatchObject({ text: csvFile(heading, [row(0), row(1), row(2)]), isWhole: true });
  });

  it("ends before the first row that doesn't fit", async () => {
    const { text, bytes, isWhole } = await write(95);
    expect(isWhole).toBe(false);
    expect(bytes).toBeLessThanOrEqual(300);
    const some = text.split('\r\n').length - 2;
    expect(text).toBe(
      csvFile(
        heading,
        Array.from({ length: some }, (_, n) => row(n)),
      ),
    );
    expect(bytes + Buffer.byteLength(`"${row(some).join('","')}"\r\n`)).toBeGreaterThan(300);
  });
});
