import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatAddress } from '../../src/addresses/address.ts';
import { rowsOfMessage } from '../../src/server-lists/message.ts';
import * as arbitrary from '../submissions/arbitraries.ts';
import { anyCharacter } from '../support/characters.ts';
import { stepsOf } from '../support/steps.ts';

/** The addresses that were found: rows that lack nothing but a game. */
const find = (text: string) =>
  rowsOfMessage(text).flatMap((row) =>
    'problem' in row && row.problem.code === 'game-missing' ? [row.typed.server] : [],
  );

describe('addresses in a message', () => {
  it.each([
    ['join 8.8.8.8:27015!', ['8.8.8.8:27015']],
    ['IPv6: [2606:4700::1]:27015.', ['[2606:4700::1]:27015']],
    ['**play.example.com:25565** (EU)', ['play.example.com:25565']],
    ['steam://connect/8.8.8.8:27015/secret', ['8.8.8.8:27015']],
    ['<steam://connect/8.8.8.8:27015>', ['8.8.8.8:27015']],
    ['[Join](steam://connect/8.8.8.8:27015/secret)', ['8.8.8.8:27015']],
    ['connect 8.8.8.8:27015; password x', ['8.8.8.8:27015']],
    ['`connect play.example.com`', ['play.example.com']],
    ['minecraft://play.example.com:25565', ['play.example.com:25565']],
    ['minecraft://play.example.com', ['play.example.com']],
    ['minecraft://?addExternalServer=Mine|play.example.com:19132', ['play.example.com:19132']],
    ['+connect 8.8.8.8:1 +password x', ['8.8.8.8:1']],
    ['IP: 8.8.8.8 Port: 27015', ['8.8.8.8:27015']],
    ['IP: `8.8.8.8`\nPort: `27015`', ['8.8.8.8:27015']],
    ['play.example.com port 25565', ['play.example.com:25565']],
    ['8.8.8.8 27015', ['8.8.8.8:27015']],
    ['8.8.8.8', ['8.8.8.8']],
    ['```\n8.8.8.8:1\n8.8.4.4:2\n```', ['8.8.8.8:1', '8.8.4.4:2']],
    ['||8.8.8.8:1|| __8.8.4.4:2__ ~~1.1.1.1:3~~', ['8.8.8.8:1', '8.8.4.4:2', '1.1.1.1:3']],
    ['８．８．８．８：２７０１５', ['8.8.8.8:27015']],
    ['ip=8.8.8.8:1, 8.8.4.4:2;8.8.4.4:3', ['8.8.8.8:1', '8.8.4.4:2', '8.8.4.4:3']],
    ['\u200b8.8.8.8:1\u200b', ['8.8.8.8:1']],
  ])('%j has %j', (text, expected) => expect(find(text)).toEqual(expected));

  it.each([
    'see https://example.com:8080/page and example.com, e.g. at 12:30',
    'mail me: me@example.com:25',
    '<:name:123456789012345678> <@123456789012345678> <t:1700000000:R>',
    'version 1.20.4, v1.2.3, std::vector, a::b, C:27015, localhost',
    'password: 8.8.8.8:1',
    'steam://connect/10.0.0.1:1/8.8.8.8:1',
  ])('%j has none', (text) => expect(find(text)).toEqual([]));

  it('finds three in different forms, folds repeated ones and keeps the order', () => {
    const text = `New servers! connect 8.8.8.8:27015; password hunter2
      [2606:4700::1]:27016 and steam://connect/play.example.com:27017/hunter2 — once more: 8.8.8.8:27015,
      PLAY.example.com:27017 or connect play.example.com`;
    expect(find(text)).toEqual(['8.8.8.8:27015', '[2606:4700::1]:27016', 'play.example.com:27017']);
  });

  it('says what was meant as an address and cannot be one', () => {
    expect(rowsOfMessage('192.168.0.4:27015 8.8.8.8:70000 192.168.0.4:27015')).toMatchObject([
      {
        line: 1,
        text: '192.168.0.4',
        problem: { code: 'not-public', host: '192.168.0.4', range: 'private' },
      },
      { line: 2, text: '', problem: { code: 'port-too-high', field: 'port', port: 70_000 } },
    ]);
  });

  it('finds every address with a port, whatever stands around it', () => {
    const around = fc.constantFrom(' ', '\n', ', ', '** ', ' | ', '`', ' - ', ' (', '😀 ', ' and ');
    const addresses = fc.uniqueArray(fc.record({ host: arbitrary.host, port: arbitrary.port }), {
      maxLength: 8,
      selector: formatAddress,
    });
    fc.assert(
      fc.property(addresses, around, (all, between) => {
        const text = all.map(formatAddress).join(between);
        expect(find(text)).toEqual(all.map(formatAddress));
        expect(rowsOfMessage(text)).toHaveLength(all.length);
      }),
    );
  });

  it('never throws and has no password in its answer', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 200 }), (text) => {
        expect(() => rowsOfMessage(text)).not.toThrow();
      }),
    );
    const secret = fc.stringMatching(/^[!#-:<-~]{0,10}QZJX[!#-:<-~]{0,10}$/);
    const form = fc.constantFrom(
      'steam://connect/8.8.8.8:1/',
      'connect 8.8.8.8:1; password ',
      '8.8.8.8:1 pw:',
      'PASSWORD = ',
    );
    fc.assert(
      fc.property(secret, form, fc.constantFrom('', '.example.com:1'), (password, start, end) => {
        expect(JSON.stringify(rowsOfMessage(`${start}${password}${end}`)).toUpperCase()).not.toContain(
          'QZJX',
        );
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    'a',
    ':',
    'a://',
    'steam://connect/',
    'steam://@',
    'password ',
    'password "',
    'password x;',
    'connect ',
    '[',
    '1.',
    '::1 ',
    '<a:',
    ':1/',
    '8.8.8.8:1 ',
    ' ',
    '"',
  ])('does work in proportion to the length of a text of %j', async (piece) => {
    const work = (length: number) =>
      stepsOf(() => rowsOfMessage(piece.repeat(Math.ceil(length / piece.length))));
    expect(await work(40_000)).toBeLessThan(2.2 * (await work(20_000)));
  });
});
