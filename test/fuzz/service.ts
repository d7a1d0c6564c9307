import type { Mode } from '../../sandbox/listing/modes.ts';
import type { ListingRequest } from '../../sandbox/listing/stand-in.ts';
import type { Random } from '../soak/random.ts';
import { anyText } from './texts.ts';

/** The longest answer that the bot reads. */
const MOST = 1024 * 1024;

/** Answers of the service that somebody else has written: lists, messages and pages up to 1 MiB; the key in them. */
export function createHostileService(random: Random) {
  return (_count: number, { action, key }: ListingRequest): Mode | undefined => {
    if (random.chance(0.4)) return undefined;
    const json = (body: unknown): Mode => ({ kind: 'json', status: 200, body });
    const message = () => anyText(random, random.chance(0.2) ? MOST - 200 : 5_000);
    const spelled = () =>
      random.pick([
        [3, key],
        [1, encodeURIComponent(key)],
        [1, key.toUpperCase()],
        [1, Buffer.from(key).toString('base64')],
        [1, Buffer.from(key).toString('hex')],
        [1, [...key].join(' ')],
        [1, [...key].join('\u200b')],
      ]);
    const games = () => {
      const longest = random.pick([
        [2, 10],
        [2, 60],
        [2, 2_000],
        [1, 60_000],
      ]);
      const count =
        1 +
        random.below(
          random.pick([
            [2, 30],
            [2, 12_000],
          ]),
        );
      const name = anyText(random, longest) || 'a';
      const list = Array.from(
        { length: Math.min(count, Math.ceil(400_000 / (name.length + 30))) },
        (_, n) => ({
          name: random.chance(0.5) ? `${name} ${n}` : name,
          alias: random.chance(0.02) ? anyText(random, 200) : `g${n}`,
        }),
      );
      return random.chance(0.1) ? [...list, { name: spelled(), alias: 'key' }] : list;
    };
    return random.pick<() => Mode>([
      [action === 'games' ? 12 : 0, () => json(games())],
      [6, () => json({ status: random.chance(0.5) ? 'success' : 'error', message: message() })],
      [
        3,
        () =>
          json({ status: 'error', message: `${anyText(random, 50)} ${spelled()} ${anyText(random, 50)}` }),
      ],
      [2, () => ({ kind: 'text', status: 200, body: anyText(random, MOST - 10) })],
      [1, () => ({ kind: 'text', status: 200, body: '['.repeat(MOST / 2 - 10) + ']'.repeat(MOST / 2 - 10) })],
      [1, () => json(Array.from({ length: 200_000 }, () => ({})))],
      [1, () => ({ kind: 'text', status: 403, body: `<html>${anyText(random, 100_000)} ${key}</html>` })],
      [1, () => ({ kind: 'huge' })],
      [1, () => ({ kind: 'gzipBomb' })],
      [1, () => ({ kind: 'wrongTypes' })],
      [1, () => ({ kind: 'redirect', status: 307, to: `https://elsewhere.example/?key=${key}` })],
    ])();
  };
}
