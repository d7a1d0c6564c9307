import fc from 'fast-check';
import { specialRange } from '../../src/addresses/special-ranges.ts';

/** The games of these tests: what people write → alias. */
const GAME_NAMES: Readonly<Record<string, string>> = {
  cs2: 'cs2',
  'counter-strike 2': 'cs2',
  css: 'css',
  'counter-strike: source': 'css',
  rust: 'rust',
  minecraft: 'minecraft',
  "garry's mod": 'gm',
  '7 days to die': '7dtd',
  'warhammer 40,000: darktide': 'darktide',
  's.t.a.l.k.e.r. 2': 'stalker2',
};

export const games = {
  find(text: string): { readonly name: string; readonly alias: string } | undefined {
    const name = text.toLowerCase();
    const isAlias = Object.values(GAME_NAMES).includes(name);
    const alias = Object.hasOwn(GAME_NAMES, name) ? GAME_NAMES[name] : isAlias ? name : undefined;
    return alias === undefined ? undefined : { name, alias };
  },
};

export const port = fc.integer({ min: 1, max: 65_535 });

const ipv4 = fc.ipV4().filter((address) => specialRange(address) === undefined);
const ipv6 = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { minLength: 7, maxLength: 7 })
  .map((words) =>
    new URL(`http://[2606:${words.map((word) => word.toString(16)).join(':')}]`).hostname.slice(1, -1),
  );
const label = fc
  .stringMatching(/^[a-z]([a-z0-9-]{0,20}[a-z0-9])?$/)
  .filter((text) => !text.startsWith('xn--'));
const name = fc
  .tuple(
    fc.array(label, { minLength: 1, maxLength: 3 }),
    fc.constantFrom('com', 'net', 'de', 'gg', 'xn--p1ai'),
  )
  // A name that begins like the label or command people put in front is a name all the same.
  .map(([labels, zone]) => [...labels, zone].join('.'));

/** Canonical public hosts of every kind. */
export const host = fc.oneof(ipv4, ipv6, name);

export const gameName = fc.constantFrom(...Object.keys(GAME_NAMES));

export const submission = fc
  .record({ server: host, port, game: gameName, queryPort: fc.option(port, { nil: undefined }) })
  .map(({ server, port, game, queryPort }) => ({
    server,
    port,
    gameName: game,
    game: GAME_NAMES[game] ?? '',
    queryPort,
  }));

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
