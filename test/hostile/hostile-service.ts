import type { Mode } from '../../sandbox/listing/modes.ts';
import type { ListingRequest } from '../../sandbox/listing/stand-in.ts';
import type { Random } from './random.ts';
import { anyText } from './texts.ts';

/** The length of the longest response that the bot reads from the service. */
const MOST_ANSWER = 1024 * 1024;

const CROOKED: readonly (readonly [weight: number, mode: Mode])[] = [
  [1, { kind: 'huge' }],
  [1, { kind: 'gzipBomb' }],
  [1, { kind: 'wrongTypes' }],
  [1, { kind: 'truncated' }],
  [1, { kind: 'reset' }],
];

/** Returns the service's response to a request, or `undefined` if the service should behave as specified. */
export type Service = (request: ListingRequest) => Mode | undefined;

/**
 * Creates the responses of a service that an attacker controls: lists, messages and pages of up to 1 MiB that contain the
 * key.
 */
export function createHostileService(random: Random): Service {
  const json = (body: unknown): Mode => ({ kind: 'json', status: 200, body });
  const text = (body: string, status = 200): Mode => ({ kind: 'text', status, body });
  const message = () => anyText(random, random.chance(0.2) ? MOST_ANSWER - 200 : 5_000);

  function gamesList(key: string): readonly object[] {
    const longest = random.pick([
      [2, 10],
      [2, 60],
      [2, 2_000],
      [1, 60_000],
    ]);
    const most = random.chance(0.5) ? 30 : 12_000;
    const name = anyText(random, longest) || 'a';
    const length = Math.min(1 + random.below(most), Math.ceil(400_000 / (name.length + 30)));
    const list = Array.from({ length }, (_, n) => ({
      name: random.chance(0.5) ? `${name} ${n}` : name,
      alias: random.chance(0.02) ? anyText(random, 200) : `g${n}`,
    }));
    return random.chance(0.1) ? [...list, { name: key, alias: 'key' }] : list;
  }

  return ({ action, key }) => {
    if (random.chance(0.4)) return undefined;
    const said = random.chance(0.7) ? key : encodeURIComponent(key);
    return random.pick<() => Mode>([
      [action === 'games' ? 12 : 0, () => json(gamesList(said))],
      [6, () => json({ status: random.chance(0.5) ? 'success' : 'error', message: message() })],
      [3, () => json({ status: 'error', message: `${anyText(random, 50)} ${said} ${anyText(random, 50)}` })],
      [2, () => text(anyText(random, MOST_ANSWER - 10))],
      [1, () => text('['.repeat(MOST_ANSWER / 2 - 10) + ']'.repeat(MOST_ANSWER / 2 - 10))],
      [1, () => json(Array.from({ length: 200_000 }, () => ({})))],
      [1, () => text(`<html>${anyText(random, 100_000)} ${key}</html>`, 403)],
      [3, () => random.pick(CROOKED)],
      [1, () => ({ kind: 'redirect', status: 307, to: `https://elsewhere.example/?key=${key}` })],
    ])();
  };
}
