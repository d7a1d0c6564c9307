import { describe, expect, it } from 'vitest';
import { KNOWN_GAMES } from '../../src/listing/contract.ts';
import { indexGames } from '../../src/listing/game-search.ts';
import { linesWithNames, withoutNumbers } from '../../src/server-lists/edited-lines.ts';
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

describe('the lines in the form for editing a list', () => {
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
    const again = rowsOf(withoutNumbers(lines).text);
    expect(again).toEqual(rows);
  });

  it.each([
    '\n',
    '\r\n',
    '\r',
    '\u2028',
    '\u2029',
  ])('keep their numbers with the line break %j', (lineBreak) => {
    const { text, numbers } = withoutNumbers(['3. 8.8.8.8:1 cs2', '5. 8.8.8.8:2 cs2'].join(lineBreak));
    expect(numbers).toEqual([3, 5]);
    expect(rowsOf(text)).toMatchObject([{ line: 1 }, { line: 2 }]);
  });

  it('are parsed as the original game for every game in the games list', () => {
    const list = games.all
      .map(({ alias }, index) => `h${index}.example.com:${3000 + index} ${alias}`)
      .join('\n');
    const rows = rowsOf(list);
    expect(rowsOf(withoutNumbers(linesWithNames(rows, games)).text)).toEqual(rows);
  });
});
