import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatAddress } from '../../src/addresses/address.ts';
import { indexGames } from '../../src/listing/game-search.ts';
import { rowsOfMessage } from '../../src/server-lists/message.ts';
import { lacksGame } from '../../src/server-lists/row.ts';
import * as arbitrary from '../support/arbitraries.ts';
import { anyCharacter } from '../support/arbitraries.ts';
import { stepsOf } from '../support/machine.ts';

const games = indexGames([
  { name: 'Rust', alias: 'rust' },
  { name: 'Minecraft', alias: 'minecraft' },
]);

/** The addresses that were found. */
const find = (text: string) =>
  rowsOfMessage(text, games)
    .filter(lacksGame)
    .map(({ typed }) => typed.server)
    .join(' ');

describe('a message', () => {
  it.each([
    ['join 8.8.8.8:27015!', '8.8.8.8:27015'],
    ['IPv6: [2606:4700::1]:27015.', '[2606:4700::1]:27015'],
    ['**play.example.com:25565** (EU)', 'play.example.com:25565'],
    ['steam://connect/8.8.8.8:27015/secret', '8.8.8.8:27015'],
    ['[Join](steam://connect/8.8.8.8:27015/secret)', '8.8.8.8:27015'],
    ['connect 8.8.8.8:27015; password x', '8.8.8.8:27015'],
    ['`connect play.example.com`', 'play.example.com'],
    ['minecraft://play.example.com', 'play.example.com'],
    ['+connect 8.8.8.8:1 +password x', '8.8.8.8:1'],
    ['IP: 8.8.8.8 Port: 27015', '8.8.8.8:27015'],
    ['IP: `8.8.8.8`\nPort: `27015`', '8.8.8.8:27015'],
    ['play.example.com port:25565', 'play.example.com:25565'],
    ['8.8.8.8 27015', '8.8.8.8:27015'],
    ['8.8.8.8', '8.8.8.8'],
    ['||8.8.8.8:1|| __8.8.4.4:2__ ~~1.1.1.1:3~~', '8.8.8.8:1 8.8.4.4:2 1.1.1.1:3'],
    ['８．８．８．８：２７０１５', '8.8.8.8:27015'],
    ['ip=8.8.8.8:1, 8.8.4.4:2;8.8.4.4:3', '8.8.8.8:1 8.8.4.4:2 8.8.4.4:3'],
    ['\u200b8.8.8.8:1\u200b 8.8.8.8:1', '8.8.8.8:1'],
    ['8.8.8.8 and 8.8.8.8:2', '8.8.8.8:2'],
    ['see https://example.com:8080/page and example.com, e.g. at 12:30', ''],
    ['mail me: me@example.com:25', ''],
    ['<:name:123456789012345678> <@123456789012345678> <t:1700000000:R>', ''],
    ['version 1.20.4, v1.2.3, std::vector, a::b, C:27015, localhost', ''],
    ['password: 8.8.8.8:1', ''],
    ['steam://connect/10.0.0.1:1/8.8.8.8:1', ''],
  ])('of %j has %j', (text, expected) => {
    expect(find(text)).toBe(expected);
  });

  it('has the games that its lines name, as a list has them, and asks for those of the others', () => {
    const text =
      'Our servers:\nMinecraft: a.example.com:25565\nRust 8.8.8.8:28015 (EU)\nalso a.example.com:1\nminecraft b.example.com';
    const rows = rowsOfMessage(text, games);
    expect(rows.map(({ line }) => line)).toEqual([1, 2, 3, 4]);
    expect(rows).toMatchObject([
      { kind: 'ready', submission: { server: 'a.example.com', port: 25565, game: 'minecraft' } },
      { kind: 'ready', submission: { server: '8.8.8.8', port: 28015, game: 'rust' } },
      { kind: 'refused', typed: { server: 'a.example.com:1' }, problem: { code: 'game-missing' } },
      { kind: 'refused', problem: { code: 'port-missing', usual: 25565 } },
    ]);
  });

  it('says what was meant as an address and cannot be one', () => {
    expect(rowsOfMessage('192.168.0.4:27015 8.8.8.8:70000 192.168.0.4:27015 8.8.8.8:1', games)).toMatchObject(
      [
        {
          line: 1,
          typed: { server: '192.168.0.4:27015' },
          problem: { code: 'not-public', range: 'private' },
        },
        { line: 2, typed: { server: '8.8.8.8:70000' }, problem: { code: 'port-too-high', port: 70_000 } },
        { line: 3, typed: { server: '8.8.8.8:1' }, problem: { code: 'game-missing' } },
      ],
    );
  });

  it('has every address with a port found, whatever stands around it', () => {
    const around = fc.constantFrom(' ', '\n', ', ', '** ', ' | ', '`', ' - ', ' (', '😀 ', ' and ');
    const addresses = fc.uniqueArray(fc.record({ host: arbitrary.host, port: arbitrary.port }), {
      maxLength: 8,
      selector: formatAddress,
    });
    fc.assert(
      fc.property(addresses, around, (all, between) => {
        const text = all.map(formatAddress).join(between);
        expect(find(text)).toBe(all.map(formatAddress).join(' '));
        expect(rowsOfMessage(text, games)).toHaveLength(all.length);
      }),
    );
  });

  it('may be any text, of which no password is kept', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter, maxLength: 200 }),
        (text) => void rowsOfMessage(text, games),
      ),
    );
    const secret = fc.stringMatching(/^[!#-:<-~]{0,10}QZJX[!#-:<-~]{0,10}$/);
    const forms = [
      'steam://connect/8.8.8.8:1/',
      'connect 8.8.8.8:1; password ',
      '8.8.8.8:1 pw:',
      'PASSWORD = ',
    ];
    fc.assert(
      fc.property(
        secret,
        fc.constantFrom(...forms),
        fc.constantFrom('', '.example.com:1'),
        (word, start, end) => {
          expect(JSON.stringify(rowsOfMessage(start + word + end, games)).toUpperCase()).not.toContain(
            'QZJX',
          );
        },
      ),
      { numRuns: 300 },
    );
  });

  it.each(
    'a|:|a://|steam://connect/|steam://@|password |password "|connect |[|1.|::1 |<a:|:1/|8.8.8.8:1 '.split(
      '|',
    ),
  )('takes work in proportion to its length: %j', async (piece) => {
    const work = (length: number) =>
      stepsOf(() => rowsOfMessage(piece.repeat(Math.ceil(length / piece.length)), games));
    expect(await work(10_000)).toBeLessThan(2.2 * (await work(5_000)));
  });
});
