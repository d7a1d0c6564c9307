import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Mode } from '../../../sandbox/listing/modes.ts';
import { messageOf, modalOf, setKey } from '../../support/bot.ts';
import { answered } from '../people.ts';
import { type Arena, ATTACKERS_KEY, type Attack, beginAnew } from './arena.ts';

/** A guild's trials in any 60 seconds. */
const MOST_TRIALS = 5;

/** Requests with keys that begin like this. */
const requestsWith = ({ listing }: Arena, start: string) =>
  listing.requests.filter(({ key }) => key.startsWith(start)).length;

/** Sets keys that the service answers like this. */
const keysAnswered = (what: string, mode: Mode): Attack => ({
  name: `eight keys, answered with ${what}`,
  prepare: beginAnew,
  async run(arena) {
    arena.beHostile(({ key }) => (key === ATTACKERS_KEY ? undefined : mode));
    const keys = Array.from({ length: 8 }, (_, n) => `no-key-at-all-${what}-${n}`);
    // At once, so that nobody else's success comes in between.
    await Promise.all(keys.map(async (key) => answered(await setKey(arena.admin, key), '/setkey')));
    // Others go on working when all of these have failed.
    await sleep(3_000);
  },
});

/** The admin of one guild tries keys. */
export const ADMINS: readonly Attack[] = [
  keysAnswered("a firewall's 403", { kind: 'status', status: 403 }),
  keysAnswered('429', { kind: 'status', status: 429, retryAfter: 600 }),
  keysAnswered('nothing', { kind: 'reset' }),
  {
    name: '300 keys through one modal',
    prepare: beginAnew,
    async run(arena) {
      const modal = modalOf(await arena.admin.slash('setkey'));
      const guesses = Array.from({ length: 300 }, (_, n) => `guess-${n}-0123456789`);
      await Promise.all(guesses.map((key) => arena.admin.submit(modal, { key })));
      const tried = requestsWith(arena, 'guess-');
      assert(tried <= MOST_TRIALS, `${tried} keys were tried`);
    },
  },
  {
    name: '200 presses of Check now',
    prepare: beginAnew,
    async run(arena) {
      const message = messageOf(await arena.admin.slash('keystatus'));
      const before = requestsWith(arena, ATTACKERS_KEY);
      arena.beHostile(() => ({ kind: 'slow', ms: 500 }));
      await Promise.all(Array.from({ length: 200 }, () => arena.admin.press(message, 'Check now')));
      const tried = requestsWith(arena, ATTACKERS_KEY) - before;
      assert(tried <= MOST_TRIALS, `the key was tried ${tried} times`);
    },
  },
];
