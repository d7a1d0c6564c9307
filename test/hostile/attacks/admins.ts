import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { InteractionType } from 'discord.js';
import { SANDBOX_GAMES } from '../../../sandbox/listing/games.ts';
import type { Mode } from '../../../sandbox/listing/modes.ts';
import { messageOf, modalOf, setKey, textOf } from '../../support/scene.ts';
import { answered } from '../people.ts';
import { type Arena, ATTACKERS_KEY, type Attack, answers, beginAnew, checkKey, submitOne } from './arena.ts';

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
    // What the breaker does in its pauses, which begin at seconds, must not hurt anybody.
    await sleep(3_000);
  },
});

/** The spellings in which a key that the service repeats is masked: it is trusted with keys (see SECURITY.md). */
const SPELLINGS = {
  'as it is': ATTACKERS_KEY,
  'percent-encoded': encodeURIComponent(ATTACKERS_KEY),
};

const repeatsKey = ([how, text]: [string, string]): Attack => ({
  name: `a service that repeats a key ${how}`,
  prepare: beginAnew,
  async run(arena) {
    const stranger = arena.person('member', 1);
    const body = [...SANDBOX_GAMES, { name: `Zzz ${text}`, alias: 'zzz' }];
    arena.beHostile(answers('games', { kind: 'json', status: 200, body }));
    await checkKey(arena);
    const shown = textOf(await stranger.slash('games', { search: 'zzz' }));
    assert.match(shown, /zzz/, 'the list was not read');
    const choices = JSON.stringify(await stranger.complete('addserver', 'game', { game: 'zzz' }));
    assert(!`${shown} ${choices}`.includes(text), 'another guild reads it');
    const error = { status: 'error', message: `Wrong key ${text}!` };
    arena.beHostile(answers('add', { kind: 'json', status: 200, body: error }));
    assert(!(await submitOne(arena)).includes(text), 'a member reads it');
  },
});

/** The admin of one guild, or the service, misuses keys and settings. */
export const ADMINS: readonly Attack[] = [
  keysAnswered("a firewall's 403", { kind: 'status', status: 403 }),
  keysAnswered('429', { kind: 'status', status: 429, retryAfter: 600 }),
  keysAnswered('a web page', { kind: 'html' }),
  keysAnswered('nothing', { kind: 'reset' }),
  ...Object.entries(SPELLINGS).map(repeatsKey),
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
  {
    name: 'a key that was removed is not used again',
    prepare: beginAnew,
    async run(arena) {
      arena.beHostile(() => ({ kind: 'status', status: 503 }));
      for (let n = 0; n < 6; n++) await submitOne(arena);
      await arena.admin.press(messageOf(await arena.admin.slash('removekey')), 'Remove the key');
      const before = requestsWith(arena, ATTACKERS_KEY);
      await sleep(7_000);
      const after = requestsWith(arena, ATTACKERS_KEY) - before;
      assert.equal(after, 0, `${after} requests carried the removed key`);
    },
  },
  {
    name: "another guild's channel as the log, by a forged select",
    prepare: beginAnew,
    async run({ discord, admin }) {
      const channelId = discord.guilds[1]?.channelId ?? '';
      const settings = messageOf(await admin.slash('settings'));
      discord.gateway.disturbDispatch({
        alter(payload) {
          const { guild_id, type, data } = Object(payload);
          const isOwn = guild_id === admin.guildId && type === InteractionType.MessageComponent;
          return isOwn ? { ...payload, data: { ...data, values: [channelId] } } : payload;
        },
      });
      const answer = await admin.pick(settings, ['#staff']);
      discord.gateway.disturbDispatch({});
      answered(answer, 'the forged select');
      const posts = discord.messages({ channelId });
      assert.equal(posts.length, 0, 'something was posted in another guild');
    },
  },
];
