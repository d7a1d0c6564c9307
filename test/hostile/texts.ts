import type { Random } from './random.ts';

/** Strings that parsers might read slowly or incorrectly. Each one is repeated as often as it fits. */
const UNITS: readonly string[] = [
  ...' \u00a0\u200b\t",;[{:.@%\\/-!1a\r\0\ufdfa\u0130\ud800\u202e',
  ...['a.', '1.', 'a:', 'a b ', '"a""",', 'a\t;,', 'a"b,', 'a\u0301\u0316', '👩‍👩‍👧‍👦', 'steam://connect/'],
];

/** Repeats `unit` until the result has at most this many bytes of UTF-8. */
export const filled = (unit: string, bytes: number): string =>
  unit.repeat(Math.floor(bytes / Buffer.byteLength(unit)));

/** The longest possible host name. */
const LONGEST_HOST = `${[63, 63, 63, 57].map((length) => 'a'.repeat(length)).join('.')}.com`;

/**
 * Returns two JSON strings about a server with as many ports as fit into this many UTF-16 units. The first repeats long
 * invalid strings for each port. The second has the longest possible address and game.
 */
export function manyPorts(most: number): readonly string[] {
  const json = (server: string, game: string, ports: readonly number[]) =>
    JSON.stringify([{ server, game, ports }]).slice(0, most);
  const long = '一'.repeat(Math.min(950, most / 4));
  const ports = Array.from({ length: most / 10 }, (_, n) => 1 + n);
  return [json(long, long, Array(Math.floor(most / 4)).fill(1)), json(LONGEST_HOST, '一'.repeat(100), ports)];
}

/** Returns strings of at most this many bytes that are slow to parse or grow when they are processed. */
export const shapesOf = (bytes: number): readonly string[] => [
  // Each string appears once as it is, and once inside a quoted cell.
  ...UNITS.flatMap((unit) => [filled(unit, bytes), `a"b,${filled(unit, bytes - 5)}x`]),
  ...manyPorts(bytes),
];

/** Separates samples within a string. */
const BETWEEN = '¦';
const MARKUP =
  '[a](https://e.example/) ¦**¦__¦~~¦`¦```\n¦# ¦> ¦@everyone ¦<@1> ¦<a:¦https://¦\n¦\r\n¦|¦=¦(¦)¦]¦<¦>¦""';
const LISTS =
  'server,port,game\n¦"server";"port"\n¦sep=;\n¦{"server":"¦{"a":¦["¦[{¦}¦],¦null,¦\\u0041¦cs2 ¦counter-strike ';
const ADDRESSES =
  '8.8.8.8:1 cs2\n¦8.8.8.8 ¦s.example.com:27015 ¦[2606:4700::1]:1 ¦::1 ¦1.2 a¦a b.c:1 ¦x.y ¦10.0.0.1:1\n';
const LINKS = 'a://¦a://b/¦minecraft://?addExternalServer=¦password ¦password: x; connect ¦connect ';
const SIGNS = "😀¦\ufeff¦＝¦！¦ı¦ß¦\u2028¦aaaa¦ab ¦zz¦7 Days to Die ¦%20¦&lt;¦'¦'='";
const PIECES = [
  ...UNITS,
  ...[MARKUP, LISTS, ADDRESSES, LINKS, SIGNS].flatMap((group) => group.split(BETWEEN)),
];

/** Known and unknown field names in several languages, and values that don't always match the field. */
const NAMES =
  'server¦ip¦host¦hostname¦address¦port¦ports¦Port (UDP)¦game_port¦beacon_port¦queryPort¦steam_port¦game¦Spiel¦Abfrageport¦Endereço IP¦Порт¦ゲーム¦クエリポート¦เกม¦địa chỉ¦rcon¦sftp_details¦database¦type¦name¦players¦8.8.8.8:1¦cs2¦__proto__'.split(
    BETWEEN,
  );
const VALUES: readonly unknown[] = [
  ...['8.8.8.8', '8.8.8.8:1', 's.example.com', 'localhost', '10.0.0.1', 'cs2', 'Half-Life 3', '?1', ''],
  ...[27015, 0, -1, 70_000, 6.5, '27015', '27015/udp', '28015.0', true, null, [], {}],
];

/** Returns random JSON, in which many fields have values of the wrong type. */
function anyValue(random: Random, depth: number): unknown {
  const some = <Value>(values: readonly Value[]): Value | undefined => values[random.below(values.length)];
  const several = <Value>(make: () => Value) => Array.from({ length: random.below(6) }, make);
  return random.pick<() => unknown>([
    [4, () => some(VALUES)],
    [depth, () => Object.fromEntries(several(() => [some(NAMES), anyValue(random, depth - 1)]))],
    [depth, () => several(() => anyValue(random, depth - 1))],
  ])();
}

/** Returns a table of random cells below a random header. */
function anyTable(random: Random, size: number): string {
  const delimiter = [',', ';', '\t', '|'][random.below(4)] ?? ',';
  const columns = 2 + random.below(5);
  const row = (cells: readonly unknown[]) =>
    Array.from({ length: columns }, () => String(cells[random.below(cells.length)])).join(delimiter);
  const lines = [row(NAMES)];
  for (let length = 0; length < size && lines.length < 1_100; length += lines.at(-1)?.length ?? 0)
    lines.push(row(VALUES));
  return lines.join('\n');
}

/** Returns random text of at most this many UTF-16 units: repeated pieces, mixed pieces, lines, a table or JSON. */
export function anyText(random: Random, most: number): string {
  const share = random.pick([
    [2, 0.001],
    [3, 0.02],
    [3, 0.3],
    [4, 1],
  ]);
  const size = Math.ceil(most * share);
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
    const longest = random.pick([
      [3, 40],
      [2, 1_000],
      [1, 20_000],
    ]);
    const each = 2 + random.below(longest);
    return Array.from({ length: Math.min(1_100, Math.ceil(size / each)) }, () => make(each - 1)).join('\n');
  };
  const json = () => {
    const each = Math.max(1, Math.floor(size / (1 + random.below(1_000))) - 20);
    const names = Array.from({ length: Math.ceil(each / 8) }, (_, n) => [`k${n}`, n]);
    const value = random.pick<() => unknown>([
      [3, () => run(each)],
      [2, () => ({ server: mixed(each / 2), game: mixed(each / 2) })],
      [1, () => ({ [mixed(each)]: 1 })],
      [1, () => Object.fromEntries(names)],
    ]);
    return JSON.stringify(Array.from({ length: Math.max(1, Math.floor(size / (each + 20))) }, value));
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
    [2, () => JSON.stringify(Array.from({ length: Math.ceil(size / 200) }, () => anyValue(random, 5)))],
    [2, () => anyTable(random, size)],
    [1, () => '['.repeat(size / 2) + ']'.repeat(size / 2)],
    [1, () => manyPorts(size)[random.below(2)] ?? ''],
  ])();
  return text.slice(0, most);
}

const COMMANDS = 'games submit settings submissions setkey addserver privacy __proto__'.split(' ');
const ACTIONS = 'page send choose use game previous erase include edit constructor'.split(' ');

/** Returns a custom id of at most 100 characters, either random or similar to one of the bot's own. */
export function anyCustomId(random: Random): string {
  const command = COMMANDS[random.below(COMMANDS.length)];
  const action = ACTIONS[random.below(ACTIONS.length)];
  const text = random.chance(0.3) ? anyText(random, 100) : `${command}:${action}:${anyText(random, 60)}`;
  return text.slice(0, 100).toWellFormed() || 'x';
}
