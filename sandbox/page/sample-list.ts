/** Lines that cannot be submitted, of five kinds: no port, unknown game, private address, no address, bad port. */
const PROBLEMS = [
  'cs2,no-port.example.com',
  'rust,another.example.com',
  'cs3,typo.example.com:27015',
  'minecarft,mine.example.com:25565',
  'counterstrik,old.example.com:27015',
  'cs2,192.168.0.4:27015',
  'rust,10.0.0.7:28015',
  'ark,127.0.0.1:7777',
  'cs2,',
  'dayz,not an address',
  'cs2,big.example.com:99999',
  'tf2,zero.example.com:0',
];
const GAMES = [
  ['cs2', 27015],
  ['minecraft', 25565],
  ['rust', 28015],
  ['ark', 7777],
] as const;
const LINES = 250;

/** How many lines of the sample are wrong. */
export const PROBLEM_LINES = PROBLEMS.length;

/** A list as CSV: 250 lines, of which 12 are wrong, scattered over it. */
export function sampleList(): string {
  const apart = Math.floor(LINES / PROBLEMS.length);
  const lines = Array.from({ length: LINES }, (_, index) => {
    const problem = index % apart === apart - 1 ? PROBLEMS[Math.floor(index / apart)] : undefined;
    const [game, port] = GAMES[index % GAMES.length] ?? GAMES[0];
    return problem ?? `${game},s${index + 1}.example.com:${port}`;
  });
  return `game,server\n${lines.join('\n')}\n`;
}
