import assert from 'node:assert/strict';
import { domainToUnicode } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../src/addresses/address.ts';
import { lookAlikeOf } from '../../src/addresses/look-alikes.ts';
import { problemOfLetters } from '../../src/addresses/name-letters.ts';
import { readRow } from '../../src/server-lists/row.ts';
import { anyCharacter } from '../support/arbitraries.ts';

function problemIn(text: string) {
  const result = parseAddress(text);
  if (!result.ok) return result.problem;
  return problemOfLetters(result.address.host);
}

const accepted = (server: string): string | undefined => {
  const read = readRow({ server, port: '1', queryPort: '', game: 'x' }, 'x');
  return read.ok ? read.submission.server : undefined;
};

describe('a host name', () => {
  it.each([
    ...['play.example.com', 'my_server.example.com', '8.8.8.8', '2606:4700::1'],
    ...[
      'пример.рф',
      'münchen.de',
      '例え.jp',
      'サーバー2.example.jp',
      'ゲームサーバーabc.jp',
      '게임.kr',
      'qq游戏.cn',
    ],
    ...['παίζω.gr', 'україна.укр', 'lịch.vn', 'łódź.pl', 'kızıl.com.tr', 'ɔkyerɛ.gh', 'bakı-əla.az'],
    ...[
      'سيرفر.com',
      'משחק.co.il',
      'เกม.ไทย',
      'खेल.भारत',
      'l·lustre.cat',
      'xn--mnchen-3ya.de',
      'xn--e1afmkfd.xn--p1ai',
    ],
  ])('is accepted if it uses a single script: %s', (name) => expect(problemIn(name)).toBeUndefined());

  it.each([
    ['😀.example.com', 'symbols'],
    ['xn--e28h.example.com', 'symbols'],
    ['xn--ipplay-ce54e.example.com', 'symbols'],
    ['₱lay.example.com', 'symbols'],
    ['⒫lay.example.com', 'bad-name'],
    ['playเกม.example.com', 'script'],
    ['ꦮꦶ.example.com', 'script'],
    ['xn--a.example.com', 'bad-name'],
    ['ᄀᄀ.example.com', 'script'],
    ['plᴁy.example.com', 'look-alikes'],
    ['pla\u0300\u0301\u0302\u0303y.example.com', 'look-alikes'],
  ])('is rejected if it mixes scripts or contains symbols: %s', (name, code) =>
    expect(problemIn(name)).toMatchObject({ code }));

  it.each([
    ...['ᴘʟᴀʏ.ᴇxᴀᴍᴘʟᴇ.ᴄᴏᴍ', 'xn--cpa5a507myc.example.com', 'рlау.ехаmрlе.соm', 'ρlαγ.εxαmρlε.cοm'],
    ...['🅿🅻🅰🆈.example.com', '🅟🅛🅐🅨.example.com', '🇵🇱🇦🇾.example.com'],
    ...['ᑭᒪᗩY.example.com', 'ꓑꓡꓮꓬ.example.com', 'Ꮲlay.example.com', 'p̶l̶a̶y̶.example.com', 'p⃣l⃣a⃣y⃣.example.com'],
    ...['plɑy.example.com', 'plаy.example.com'],
  ])('is rejected with a suggested spelling if it contains look-alike letters: %s', (name) =>
    expect(problemIn(name)).toMatchObject({ code: 'look-alikes', meant: 'play.example.com' }));

  it('is rejected if it contains a symbol that looks like a letter', () => {
    const symbols = Array.from({ length: 0x2_00_00 }, (_, code) => String.fromCodePoint(code)).filter(
      (character) => /[^\p{L}\p{M}\0-\x7f]/u.test(character) && lookAlikeOf(character) !== undefined,
    );
    expect(symbols.length).toBeGreaterThan(78);
    for (const symbol of symbols)
      expect(problemIn(`${symbol}lay.example.com`)).toMatchObject({ code: 'look-alikes' });
  });

  it.each([
    '𝓹𝓵𝓪𝔂.example.com',
    'ｐｌａｙ．example．com',
    'ⓟⓛⓐⓨ.example.com',
    'ᵖˡᵃʸ.example.com',
    '🄿🄻🄰🅈.example.com',
    'play․example․com',
  ])('is converted to ASCII the way browsers do it: %s', (name) =>
    expect(accepted(name)).toBe('play.example.com'));
});

/** The scripts that a label of an accepted name can contain, together with digits, hyphens and marks. */
const SCRIPTS = [
  ...'Arabic Armenian Bengali Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Hebrew Kannada Khmer'.split(
    ' ',
  ),
  ...'Lao Latin Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai Tibetan'.split(' '),
].map((script) => [script]);
const MIXTURES = ['Latin Han Hiragana Katakana', 'Latin Han Bopomofo', 'Latin Han Hangul'].map((some) =>
  some.split(' '),
);
const isOfScripts = [...SCRIPTS, ...MIXTURES].map((scripts) => {
  const all = scripts.map((script) => `\\p{scx=${script}}`).join('');
  return new RegExp(`^[${all}\\p{scx=Common}\\p{scx=Inherited}]+$`, 'u');
});

function expectName(host: string): void {
  const labels = domainToUnicode(host).split('.');
  for (const label of labels.filter((each) => /[^\0-\x7f]/u.test(each))) {
    assert.match(label, /^(?:[\p{L}\p{M}\p{Nd}_·・-]|\u200c|\u200d)+$/u);
    assert.doesNotMatch(
      label,
      /[ɐ-ɒɕɘɚɜ-ɢɥ-ɧɪ-ɱɳ-ʈʌ-ʑʓ-ʯᴀ-ᶿ\p{Script=Cherokee}\p{Script=Lisu}\p{Script=Canadian_Aboriginal}]/u,
    );
    assert(
      isOfScripts.some((each) => each.test(label)),
      label,
    );
  }
}

describe('an accepted host name', () => {
  /** Checks the name if it is accepted. */
  function isChecked(name: string): boolean {
    const host = accepted(name);
    if (host !== undefined) expectName(host);
    return host !== undefined;
  }

  it('never mixes scripts, no matter which Unicode characters it contains', () => {
    const characters = Array.from({ length: 0x11_00_00 }, (_, code) => String.fromCodePoint(code)).filter(
      (character) => !/[\0-\x7f\p{Cn}\p{Co}\p{Cs}]/u.test(character),
    );
    /** Checks both names, even if the first one is accepted. */
    const isOneChecked = (character: string): boolean =>
      [`${character}.example.com`, `a${character}.example.com`].filter(isChecked).length > 0;
    /** Counts the characters that are accepted. Most are ideographs, which can be checked together. */
    function checkedIn(some: readonly string[], [together = 1, ...smaller]: readonly number[]): number {
      let checked = 0;
      for (let at = 0; at < some.length; at += together) {
        const part = some.slice(at, at + together);
        if (together === 1) checked += Number(isOneChecked(part.join('')));
        else if (isChecked(`a${part.join('')}.example.com`)) checked += part.length;
        else checked += checkedIn(part, smaller);
      }
      return checked;
    }
    const checked = checkedIn(characters, [36, 12]);
    expect(checked).toBeGreaterThan(100_000);
  });

  it('never mixes scripts, even if the input is random', () => {
    const letters = fc.constantFrom(...'aeɑаᴀα例え게เ٥५-_·・ʻ\u0301\u0337\u200d⭐🅰'.split(/(?:)/u));
    const label = fc.string({ unit: fc.oneof(letters, anyCharacter), minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(label, label, (one, other) => {
        const host = accepted(`${one}.${other}.com`);
        if (host !== undefined) expectName(host);
      }),
      { numRuns: 2_000 },
    );
  });
});
