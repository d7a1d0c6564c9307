import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEncryption, keyId, UndecryptableError } from '../../src/storage/encryption.ts';

const key = randomBytes(32);
const encryption = createEncryption([key]);

describe('encryption', () => {
  it('decrypts a string only in its original context', () => {
    const text = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(text, text, text, (plain, context, other) => {
        const record = JSON.parse(JSON.stringify(encryption.seal(plain, context)));
        expect(encryption.open(record, context)).toBe(plain);
        if (other !== context) expect(() => encryption.open(record, other)).toThrow(UndecryptableError);
      }),
    );
  });

  it('encrypts the same string differently each time', () => {
    const sealed = Array.from({ length: 200 }, () => encryption.seal('the-api-key', 'guild 1'));
    expect(new Set(sealed.map(({ iv }) => iv)).size).toBe(200);
    expect(new Set(sealed.map(({ data }) => data)).size).toBe(200);
    expect(Buffer.from(sealed[0]?.iv ?? '', 'base64')).toHaveLength(12);
    expect(JSON.stringify(sealed)).not.toContain('the-api-key');
    expect(JSON.stringify(sealed)).not.toContain(Buffer.from('the-api-key').toString('base64'));
  });

  it('rejects a record if any bit has changed', () => {
    const record = encryption.seal('the-api-key', 'guild 1');
    const fields = fc.constantFrom('iv', 'data', 'tag');
    fc.assert(
      fc.property(fields, fc.nat(), fc.integer({ min: 0, max: 7 }), (field, at, bit) => {
        const bytes = Buffer.from(record[field], 'base64');
        const index = at % bytes.length;
        bytes[index] = (bytes[index] ?? 0) ^ (1 << bit);
        const altered = { ...record, [field]: bytes.toString('base64') };
        expect(() => encryption.open(altered, 'guild 1')).toThrow(UndecryptableError);
      }),
    );
  });

  it('rejects a truncated authentication tag', () => {
    const record = encryption.seal('the-api-key', 'guild 1');
    const tag = Buffer.from(record.tag, 'base64').subarray(0, 4).toString('base64');
    expect(() => encryption.open({ ...record, tag }, 'guild 1')).toThrow(UndecryptableError);
  });

  it("rejects values that aren't records in the current format", () => {
    const record = encryption.seal('x', 'guild 1');
    for (const wild of [undefined, null, 'text', [], {}, { ...record, v: 2 }, { ...record, iv: '?' }]) {
      expect(() => encryption.open(wild, 'guild 1')).toThrow(/not a sealed record/);
    }
  });

  it('decrypts with any of its keys, and encrypts with the newest', () => {
    const newer = randomBytes(32);
    const old = encryption.seal('kept', 'guild 1');
    const both = createEncryption([newer, key]);
    expect(both.open(old, 'guild 1')).toBe('kept');
    expect(both.seal('x', 'guild 1').k).toBe(keyId(newer));
    expect(both.newestKeyId).toBe(keyId(newer));
  });

  it("identifies a missing key by an id that doesn't reveal the key", () => {
    const record = encryption.seal('x', 'guild 1');
    const other = createEncryption([randomBytes(32)]);
    expect(() => other.open(record, 'guild 1')).toThrow(`needs the encryption key ${keyId(key)}`);
    expect(keyId(key)).toMatch(/^[0-9a-f]{12}$/);
    expect(key.toString('hex')).not.toContain(keyId(key));
  });

  it('requires at least one key, each 32 bytes long', () => {
    expect(() => createEncryption([])).toThrow(RangeError);
    expect(() => createEncryption([key, randomBytes(16)])).toThrow(RangeError);
  });
});
