import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../src/addresses/address.ts';
import { plainText } from '../../src/addresses/pasted-text.ts';
import { parsePort } from '../../src/addresses/port.ts';
import { anyCharacter } from '../support/arbitraries.ts';

describe('a typed number', () => {
  it('can use digits from any script', () => {
    for (const numberingSystem of Intl.supportedValuesOf('numberingSystem')) {
      const { format } = new Intl.NumberFormat('en', { numberingSystem, useGrouping: false });
      const digits = Array.from({ length: 10 }, (_, digit) => format(digit)).join('');
      if (!/^\p{Nd}{10}$/u.test(digits)) continue;
      expect(parsePort(format(27_015)), numberingSystem).toEqual({ ok: true, port: 27_015 });
      const address = [8, 8, 4, 4].map((part) => format(part)).join('.');
      expect(parseAddress(`${address}:${format(19_036)}`), numberingSystem).toEqual({
        ok: true,
        address: { host: '8.8.4.4', port: 19_036 },
      });
      expect(plainText(digits), numberingSystem).toBe('0123456789');
    }
  });

  it.each([
    '2️⃣7️⃣0️⃣1️⃣5️⃣',
    '②⃣⑦⃣⓪⃣①⃣⑤⃣',
    '②⑦⓪①⑤',
    '𝟐𝟕𝟎𝟏𝟓',
    '🯲🯷🯰🯱🯵',
  ])('can be written in keycap emoji, circled digits or similar symbols: %s', (text) =>
    expect(parsePort(text)).toEqual({ ok: true, port: 27_015 }));
});

describe('plainText', () => {
  it('preserves the original digits in a host name', () =>
    expect(plainText('खेल५.भारत खेल.५५ ५५.खेल')).toBe('खेल५.भारत खेल.५५ ५५.खेल'));

  it('returns its own output unchanged', () => {
    const text = fc.string({
      unit: fc.oneof(fc.constantFrom(...'a1.: ⭐·٥🇵❶①ㅤ\u20e3#'), anyCharacter),
      maxLength: 20,
    });
    fc.assert(
      fc.property(text, (any) => {
        expect(plainText(plainText(any))).toBe(plainText(any));
      }),
      { numRuns: 5_000, examples: [['🇵🇵.ㅤ']] },
    );
  });
});
