import { describe, expect, it } from 'vitest';
import { KNOWN_GAMES } from '../../src/listing/contract.ts';
import { indexGames } from '../../src/listing/game-search.ts';
import { createPlacing, editedText, linesWithNames } from '../../src/server-lists/edited-lines.ts';
import { readList } from '../../src/server-lists/read-list.ts';

const game = (alias: string, name: string) => ({ alias, name });
const games = indexGames([
  ...KNOWN_GAMES,
  game('7dtd', '7 Days to Die'),
  game('comma', 'Salt, Sand and Stone'),
  game('same', 'Twin'),
  game('twin2', 'Twin'),
  game('digits', '2048'),
]);
const rowsOf = (text: string) => {
  const list = readList(text, games);
  return list.kind === 'rows' ? list.rows : [];
};

describe('the lines in an edit form', () => {
  it.each([
    ['a nickname', 'a.example.com:27015 gmod', "1. a.example.com:27015 Garry's Mod"],
    ['a name that begins with a number', 'a.example.com:26900 7dtd', '1. a.example.com:26900 7 Days to Die'],
    ['a name with a comma', 'a.example.com:1 comma', '1. a.example.com:1,,"Salt, Sand and Stone"'],
    ['a name that two games share', 'a.example.com:1 twin2', '1. a.example.com:1 twin2'],
    ['a query port', 'a.example.com,27015,cs2,27016', '1. a.example.com:27015,,Counter-Strike 2,27016'],
    ['an unknown game', 'a.example.com:1 Frobnicate', undefined],
  ])("show the game's name unless two games share it: %s", (_, line, shown) => {
    const rows = rowsOf(line);
    const lines = linesWithNames(rows, games);
    if (shown !== undefined) expect(lines).toBe(shown);
    const again = rowsOf(editedText(lines, [], games).text);
    expect(again).toEqual(rows);
  });

  it.each(['\n', '\r\n', '\r', '\u2028', '\u2029'])('keep their numbers if separated by %j', (lineBreak) => {
    const typed = ['3. 8.8.8.8:1 cs2', '5b. 8.8.8.8:2 cs2'].join(lineBreak);
    const { text, labels } = editedText(typed, [], games);
    expect(labels).toEqual(['3', '5b']);
    expect(rowsOf(text)).toMatchObject([{ line: 1 }, { line: 2 }]);
  });

  it('parse back into the same servers for every game', () => {
    const list = games.all
      .map(({ alias }, index) => `h${index}.example.com:${3000 + index} ${alias}`)
      .join('\n');
    const rows = rowsOf(list);
    expect(rowsOf(editedText(linesWithNames(rows, games), [], games).text)).toEqual(rows);
  });
});

describe('editedText()', () => {
  const rows = rowsOf('a.example.com:27015 gmod\nb.example.com:27016 cs2\n127.1:5 cs2');

  it('replaces unchanged lines with blank lines', () => {
    const typed =
      "2. b.example.com:27017 cs2\n1. a.example.com:27015 Garry's Mod\n3. 127.1:5 cs2\nnew.example.com:1";
    expect(editedText(typed, rows, games)).toEqual({
      text: 'b.example.com:27017 cs2\n\n\nnew.example.com:1',
      labels: ['2', '1', '3', undefined],
      unchanged: [rows[0], rows[2]],
    });
  });

  it.each([
    ['a game alias', '1. a.example.com:27015 gm'],
    ['extra spaces', "  1)  a.example.com:27015 Garry's Mod "],
  ])('treats a line with %s as unchanged', (_, line) => {
    expect(editedText(line, rows, games)).toMatchObject({ text: '', unchanged: [rows[0]] });
  });

  it('ignores a line number without any text', () => {
    expect(editedText('4. \n5.\n6. c.example.com:1', rows, games)).toMatchObject({
      text: '\n\nc.example.com:1',
      labels: ['4', '5', '6'],
    });
  });

  it('treats a duplicate line as new', () => {
    const line = '2. b.example.com:27016 Counter-Strike 2';
    expect(editedText(`${line}\n${line}`, rows, games)).toMatchObject({
      text: '\nb.example.com:27016 Counter-Strike 2',
      unchanged: [rows[1]],
    });
  });
});

describe('the line numbers after an edit', () => {
  const opened = [{ line: 3 }, { line: 12, part: 2 }, { line: 20 }];
  const others = [{ line: 12 }, { line: 12, part: 3 }, { line: 30 }];
  const placing = (...labels: (string | undefined)[]) =>
    createPlacing({ labels, opened, others, leftOut: ['8', '40'] });

  it('are taken from deleted lines if none are typed', () => {
    const { placeIn } = placing('12b', undefined, undefined, undefined);
    expect([2, 1, 3, 4].map(placeIn)).toEqual([
      { line: 3 },
      { line: 12, part: 2 },
      { line: 20 },
      { line: 41 },
    ]);
  });

  it('stay unique if a number is typed twice', () => {
    const { placeIn } = placing('12', '3', '3');
    expect([1, 2, 3].map(placeIn)).toEqual([{ line: 12, part: 2 }, { line: 3 }, { line: 20 }]);
  });

  it('differ between servers on the same line', () => {
    const { placeIn } = placing('12b', '3');
    expect([1, 1, 2, 2].map(placeIn)).toEqual([
      { line: 12, part: 2 },
      { line: 12, part: 4 },
      { line: 3 },
      { line: 3, part: 2 },
    ]);
  });

  it("aren't taken from deleted lines if a line has no server", () => {
    const { labelOf, placeIn } = placing('3', undefined, undefined);
    expect([labelOf(1), placeIn(2), labelOf(3)]).toEqual(['3', { line: 12, part: 2 }, '41']);
  });

  it('can reuse the numbers of lines that had no server', () => {
    const { labelOf, placeIn } = placing('8', '40', undefined);
    expect([labelOf(1), placeIn(2), placeIn(3)]).toEqual(['8', { line: 40 }, { line: 3 }]);
  });
});
