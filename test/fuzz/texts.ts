import type { Random } from '../soak/random.ts';

/** What has cost time somewhere, or is read in a way of its own. */
const PIECES = [
  ...[
    'a"b,',
    '!',
    '"',
    '""',
    ',',
    ';',
    '\t',
    'a\t;,',
    ' ',
    '.',
    ':',
    '|',
    '-',
    '=',
    '%',
    '/',
    '\\',
    '[',
    ']',
    '(',
    ')',
    '<',
    '>',
  ],
  ...[
    '[a](https://e.example/) ',
    '**',
    '__',
    '~~',
    '`',
    '```\n',
    '# ',
    '> ',
    '@everyone ',
    '<@1> ',
    '<a:',
    'https://',
    '\n',
    '\r\n',
  ],
  ...[
    'server,port,game\n',
    '"server";"port"\n',
    'sep=;\n',
    '{"server":"',
    '{"a":',
    '["',
    '[{',
    '}',
    '],',
    'null,',
    '\\u0041',
  ],
  ...[
    '8.8.8.8:1 cs2\n',
    '8.8.8.8 ',
    's.example.com:27015 ',
    '[2606:4700::1]:1 ',
    '::1 ',
    '1.',
    '1.2 a',
    'a b.c:1 ',
    'x.y ',
    '10.0.0.1:1\n',
  ],
  ...[
    'steam://connect/',
    'a://',
    'a://b/',
    'minecraft://?addExternalServer=',
    'password ',
    'password: x; connect ',
    'connect ',
  ],
  ...[
    '\ufdfa',
    '😀',
    '👨‍👩‍👧‍👦',
    'a\u0301\u0323',
    '\u200b',
    '\u202e',
    '\ufeff',
    '\u00a0',
    '＝',
    '！',
    '\ud800',
    'ı',
    'ß',
    '\u2028',
    '\0',
  ],
  ...['cs2 ', 'counter-strike ', 'aaaa', 'ab ', 'zz', '7 Days to Die ', '%20', '&lt;', "'", "'='"],
];

/** Any text of at most so many UTF-16 units: of one piece, of many, a run with something else behind it, lines, JSON. */
export function anyText(random: Random, most: number): string {
  const size = Math.ceil(
    most *
      random.pick([
        [2, 0.001],
        [3, 0.02],
        [3, 0.3],
        [4, 1],
      ]),
  );
  const piece = () => PIECES[random.below(PIECES.length)] ?? '';
  const run = (length: number) => {
    const one = piece();
    return one.repeat(Math.max(1, Math.ceil(length / one.length))).slice(0, Math.max(1, length));
  };
  const mixed = (length: number) => {
    let text = '';
    while (text.length < length) text += piece().repeat(1 + random.below(4));
    return text.slice(0, length);
  };
  const lines = (make: (length: number) => string) => {
    const each =
      2 +
      random.below(
        random.pick([
          [3, 40],
          [2, 1_000],
          [1, 20_000],
        ]),
      );
    return Array.from({ length: Math.min(1_100, Math.ceil(size / each)) }, () => make(each - 1)).join('\n');
  };
  const json = () => {
    const each = Math.max(1, Math.floor(size / (1 + random.below(1_000))) - 20);
    const count = Math.max(1, Math.floor(size / (each + 20)));
    const value = () =>
      random.pick<() => unknown>([
        [3, () => run(each)],
        [2, () => ({ server: mixed(each / 2), game: mixed(each / 2) })],
        [1, () => ({ [mixed(each)]: 1 })],
        [1, () => Object.fromEntries(Array.from({ length: Math.ceil(each / 8) }, (_, n) => [`k${n}`, n]))],
      ])();
    return JSON.stringify(Array.from({ length: count }, value));
  };
  const text = random.pick<() => string>([
    [3, () => run(size)],
    [3, () => piece() + run(size - 20) + piece()],
    [3, () => mixed(size)],
    [2, () => lines(run)],
    [2, () => lines(mixed)],
    [2, () => `server,port,game\n${lines(random.chance(0.5) ? run : mixed)}`],
    [2, () => `[${JSON.stringify(run(size / 2))}]`],
    [3, json],
    [1, () => '['.repeat(size / 2) + ']'.repeat(size / 2)],
  ])();
  return text.slice(0, most);
}

/** Any file of at most so many bytes. */
export function anyFile(random: Random, most: number): Buffer {
  const bytes = random.pick<() => Buffer>([
    [8, () => Buffer.from(anyText(random, most))],
    [1, () => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(anyText(random, most / 2), 'utf16le')])],
    [1, () => Buffer.from(anyText(random, most), 'latin1')],
    [1, () => Buffer.from(Array.from({ length: 1_000 }, () => random.below(256)))],
  ])();
  return bytes.subarray(0, most);
}

/** A custom id of at most 100 characters: made up, or like one of the bot's own. */
export function anyCustomId(random: Random): string {
  const command = random.pick([
    [1, 'games'],
    [1, 'addservers'],
    [1, 'settings'],
    [1, 'submissions'],
    [1, 'setkey'],
    [1, 'addserver'],
    [1, 'privacy'],
    [1, '__proto__'],
  ]);
  const action = random.pick([
    [1, 'page'],
    [1, 'submit'],
    [1, 'choose'],
    [1, 'again'],
    [1, 'game'],
    [1, 'previous'],
    [1, 'erase'],
    [1, 'constructor'],
  ]);
  const text = random.chance(0.3) ? anyText(random, 100) : `${command}:${action}:${anyText(random, 60)}`;
  return text.slice(0, 100).toWellFormed() || 'x';
}
