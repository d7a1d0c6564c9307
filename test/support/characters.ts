import fc from 'fast-check';

/** Lone surrogates, which no text has that comes over the wire, are left out. */
const SURROGATES = { first: 0xd800, count: 0x800 };
const MOST = 0x10ffff;

/**
 * Any character of Unicode, also one that nobody has assigned: what fast-check calls `binary`, but without its table of
 * all of them, which takes a second to make in each process.
 */
export const anyCharacter = fc.integer({ min: 0, max: MOST - SURROGATES.count }).map(
  (n) => String.fromCodePoint(n < SURROGATES.first ? n : n + SURROGATES.count),
  (text) => {
    const code = typeof text === 'string' ? text.codePointAt(0) : undefined;
    if (code === undefined || String.fromCodePoint(code) !== text || !String(text).isWellFormed())
      throw new Error('this is not one character');
    return code < SURROGATES.first ? code : code - SURROGATES.count;
  },
);
