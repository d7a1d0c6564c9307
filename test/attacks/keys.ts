import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { SANDBOX_GAMES } from '../../sandbox/listing/games.ts';
import type { Mode } from '../../sandbox/listing/modes.ts';
import { modalFields } from '../../sandbox/prompt/modal-line.ts';
import { messageOf, modalOf, setKey, textOf } from '../support/scene.ts';
import { type Arena, ATTACKERS_KEY, answered, beginAnew, type Campaign } from './arena.ts';

/** A guild's trials in any 60 seconds. */
const MOST_TRIALS = 5;

const requestsWith = ({ listing }: Arena, isIt: (key: string) => boolean) =>
  listing.requests.filter(({ key }) => isIt(key)).length;

/** Sets keys that the service answers like this, then tries what members do with the key that is left. */
const keysAnswered = (what: string, mode: Mode) => ({
  name: `eight keys, answered with ${what}`,
  prepare: beginAnew,
  async run(arena: Arena) {
    arena.beHostile(({ key }) => (key === ATTACKERS_KEY ? undefined : mode));
    const keys = Array.from({ length: 8 }, (_, n) => `no-key-at-all-${what}-${n}`);
    // At once, so that nobody else's success comes in between.
    await Promise.all(keys.map(async (key) => answered(await setKey(arena.admin, key), '/setkey')));
    // The breaker's pauses begin at seconds; what it does in them must not hurt anybody.
    await sleep(3_000);
  },
});

const encodings = (key: string): Readonly<Record<string, string>> => ({
  plain: key,
  'in capitals': key.toUpperCase(),
  base64: Buffer.from(key).toString('base64'),
  'base64 at another offset': Buffer.from(`x${key}`).toString('base64'),
  hex: Buffer.from(key).toString('hex'),
  spaced: [...key].join(' '),
  'with zero-width spaces': [...key].join('\u200b'),
  'in percents': [...key].map((c) => `%${c.charCodeAt(0).toString(16)}`).join(''),
  'in percents twice': [...key].map((c) => `%25${c.charCodeAt(0).toString(16)}`).join(''),
  'in entities': [...key].map((c) => `&#${c.charCodeAt(0)};`).join(''),
  'in full width': [...key].map((c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0)).join(''),
});

/** Letters and digits alone, as people would read a key out of a text. */
const letters = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');

/** Whether a text gives the key away, to somebody who looks closely. */
function givesAway(text: string, key: string): boolean {
  const wanted = letters(key);
  const seen = letters(text);
  return [wanted, ...Object.values(encodings(key)).map(letters)].some((form) => seen.includes(form));
}

/** Each brings a games list in which a key stands; a guild's key can be tried five times before a restart. */
const NAMES = Object.entries(encodings(ATTACKERS_KEY)).map(([how, text]) => ({
  name: `a service that repeats a key in the name of a game, ${how}`,
  prepare: beginAnew,
  async run(arena: Arena) {
    const stranger = arena.person({ guild: 1 });
    const games = [...SANDBOX_GAMES, { name: `Zzz ${text}`, alias: 'zzz' }];
    arena.beHostile(({ action }) =>
      action === 'games' ? { kind: 'json', status: 200, body: games } : undefined,
    );
    answered(
      await arena.admin.press(messageOf(await arena.admin.slash('keystatus')), 'Check now'),
      'Check now',
    );
    const shown = textOf(await stranger.slash('games', { search: 'zzz' }));
    const choices = await stranger.complete('addserver', 'game', { game: 'zzz' });
    assert(!givesAway(shown + JSON.stringify(choices), ATTACKERS_KEY), 'another guild reads it');
  },
}));

/** The admin of one guild misuses keys. */
export const KEYS: Campaign = {
  name: 'keys',
  // Of hundreds of presses at once an attacker's own may come too late.
  expected: { breaches: [25] },
  attacks: [
    keysAnswered("a firewall's 403", { kind: 'status', status: 403 }),
    keysAnswered('429', { kind: 'status', status: 429, retryAfter: 600 }),
    keysAnswered('a web page', { kind: 'html' }),
    keysAnswered('nothing', { kind: 'reset' }),
    {
      name: '300 keys through one modal',
      prepare: beginAnew,
      async run(arena) {
        const modal = modalOf(await arena.admin.slash('setkey'));
        const [field] = modalFields(modal.data);
        assert(field);
        await Promise.all(
          Array.from({ length: 300 }, (_, n) =>
            arena.admin.submit(modal, { [field.id]: `guess-${n}-0123456789` }),
          ),
        );
        const tried = requestsWith(arena, (key) => key.startsWith('guess-'));
        assert(tried <= MOST_TRIALS, `${tried} keys were tried`);
      },
    },
    {
      name: '200 presses of Check now',
      prepare: beginAnew,
      async run(arena) {
        const message = messageOf(await arena.admin.slash('keystatus'));
        const before = requestsWith(arena, (key) => key === ATTACKERS_KEY);
        arena.beHostile(() => ({ kind: 'slow', ms: 500 }));
        await Promise.all(Array.from({ length: 200 }, () => arena.admin.press(message, 'Check now')));
        const tried = requestsWith(arena, (key) => key === ATTACKERS_KEY) - before;
        assert(tried <= MOST_TRIALS, `the key was tried ${tried} times`);
      },
    },
    ...NAMES,
    {
      name: 'a service that repeats a key in its words',
      async run(arena) {
        arena.beHostile(undefined);
        let n = 0;
        for (const [how, text] of Object.entries(encodings(ATTACKERS_KEY))) {
          arena.beHostile(({ action }) =>
            action === 'add'
              ? { kind: 'json', status: 200, body: { status: 'error', message: `Wrong key ${text}!` } }
              : undefined,
          );
          n += 1;
          const said = textOf(
            await arena.member.slash('addserver', { game: 'cs2', server: `repeats-${n}.example.com:27015` }),
          );
          assert(!givesAway(said, ATTACKERS_KEY), `a member reads it ${how}`);
        }
      },
    },
    {
      name: 'a key that was removed is not used again',
      prepare: beginAnew,
      async run(arena) {
        arena.beHostile(({ key }) => (key === ATTACKERS_KEY ? { kind: 'status', status: 503 } : undefined));
        for (let n = 0; n < 6; n++)
          await arena.member.slash('addserver', { game: 'cs2', server: `removed-${n}.example.com:27015` });
        const message = messageOf(await arena.admin.slash('removekey'));
        await arena.admin.press(message, 'Remove the key');
        const before = requestsWith(arena, (key) => key === ATTACKERS_KEY);
        await sleep(7_000);
        const after = requestsWith(arena, (key) => key === ATTACKERS_KEY) - before;
        assert.equal(after, 0, `${after} requests carried the removed key`);
      },
    },
  ],
};
