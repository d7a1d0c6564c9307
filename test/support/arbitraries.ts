import fc from 'fast-check';
import { SANDBOX_GAMES } from '../../sandbox/listing/games.ts';
import { specialRange } from '../../src/addresses/special-ranges.ts';
import { indexGames } from '../../src/listing/game-search.ts';

export const games = indexGames([
  ...SANDBOX_GAMES,
  { name: 'Warhammer 40,000: Darktide', alias: 'darktide' },
]);

export const port = fc.integer({ min: 1, max: 65_535 });

const ipv4 = fc.ipV4().filter((address) => specialRange(address) === undefined);
const ipv6 = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { minLength: 7, maxLength: 7 })
  .map((words) =>
    new URL(`http://[2606:${words.map((word) => word.toString(16)).join(':')}]`).hostname.slice(1, -1),
  )
  // In a sentence, a colon at the end of an address is punctuation.
  .filter((address) => !address.endsWith('::'));
const label = fc
  .stringMatching(/^[a-z]([a-z0-9-]{0,20}[a-z0-9])?$/)
  .filter((text) => !text.startsWith('xn--'));
const name = fc
  .tuple(
    fc.array(label, { minLength: 1, maxLength: 3 }),
    fc.constantFrom('com', 'net', 'de', 'gg', 'xn--p1ai'),
  )
  // Host names can begin with a label or command that people also write before addresses, such as "connect".
  .map(([labels, zone]) => [...labels, zone].join('.'));

/** Public hosts of every kind, in canonical form. */
export const host = fc.oneof(ipv4, ipv6, name);

export const submission = fc
  .record({
    server: host,
    port,
    named: fc.constantFrom(
      ...games.all.flatMap(({ name, alias }) => [
        { gameName: name, game: alias },
        { gameName: alias, game: alias },
      ]),
    ),
    queryPort: fc.option(port, { nil: undefined }),
  })
  .map(({ named, ...at }) => ({ ...at, ...named }));

/** The UTF-16 surrogates. Text that arrives over the network never contains a lone surrogate. */
const SURROGATES = { first: 0xd800, count: 0x800 };
const MOST = 0x10ffff;

/**
 * Any Unicode character, assigned or not. Unlike fast-check's `binary` unit, this doesn't need a table that takes a second
 * to build.
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
