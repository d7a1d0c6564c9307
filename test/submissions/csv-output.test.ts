import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cellsOf } from '../../src/submissions/bulk-csv.ts';
import { parseBulk } from '../../src/submissions/bulk-text.ts';
import { csvFile, rejectedCsv } from '../../src/submissions/csv-output.ts';
import { games } from './arbitraries.ts';

async function rowsOf(text: string) {
  const bulk = await parseBulk(text, games);
  if (bulk.kind !== 'rows') throw new Error(`expected rows, got ${bulk.kind}`);
  return bulk.rows;
}

describe('rejected.csv', () => {
  it('has what was typed, the line and the reason, for the rows that are wrong only', async () => {
    const rows = await rowsOf(
      '8.8.8.8:1 cs2\n8.8.8.8,70000,cs2,5\n8.8.8.8:1 cs2\nconnect 10.0.0.1:1; password x\n',
    );
    expect(rejectedCsv(rows, ({ code }) => `Wrong: "${code}"`).split('\r\n')).toEqual([
      '\ufeff"server","port","query_port","game","line","reason"',
      '"8.8.8.8","70000","5","cs2","2","Wrong: ""port-too-high"""',
      '"10.0.0.1:1","","","","4","Wrong: ""not-public"""',
      '',
    ]);
  });

  it('can be corrected and sent again', async () => {
    const rejected = rejectedCsv(
      await rowsOf('8.8.8.8,70000,cs2,5\n8.8.4.4:1 Half-Life 3'),
      () => 'reason, "quoted"\nand more',
    );
    const corrected = rejected.replace('70000', '27015').replace('Half-Life 3', 'rust');
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
        const again = await rowsOf(rejectedCsv(rows, ({ code }) => code));
        expect(again.map(({ text }) => text)).toEqual(rows.map(({ text }) => text));
        expect(again.filter(({ ok }) => ok)).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('a CSV file for a spreadsheet', () => {
  it('has no cell that is run as a formula', async () => {
    const file = csvFile([['=1+1', '+1', '-1', '@x', "'=1", "it's", '\t=1']]);
    expect(file).toBe(`\ufeff"'=1+1","'+1","'-1","'@x","''=1","it's"," =1"\r\n`);
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
