import assert from 'node:assert/strict';
import { SANDBOX_GAMES } from '../../sandbox/listing/games.ts';
import type { Mode } from '../../sandbox/listing/modes.ts';
import { messageOf, textOf } from '../support/scene.ts';
import { type Arena, answered, beginAnew, type Campaign } from './arena.ts';
import { UNITS } from './shapes.ts';

const MIB = 1024 * 1024;
const LONGEST = 60_000;

/** The service answers a submission with this, at that status. */
const says = (message: unknown, status = 200): Mode => ({
  kind: 'json',
  status,
  body: { status: 'error', message },
});
const lists = (games: readonly unknown[]): Mode => ({
  kind: 'json',
  status: 200,
  body: [...SANDBOX_GAMES, ...games],
});

let servers = 0;
async function submit({ member }: Arena): Promise<string> {
  servers += 1;
  const server = `hostile-${servers}.example.com:27015`;
  return textOf(answered(await member.slash('addserver', { game: 'cs2', server }), '/addserver'));
}

/** Has the games list read with the attackers' key, and looked at by them. */
async function refresh({ admin, member }: Arena): Promise<void> {
  const status = messageOf(await admin.slash('keystatus'));
  answered(await admin.press(status, 'Check now'), 'Check now');
  answered(await member.slash('games'), '/games');
  await member.complete('addserver', 'game', { game: 'a' });
  await member.slash('games', { search: 'a' });
  answered(await admin.slash('settings'), '/settings');
}

function hostileList(name: string, games: () => readonly unknown[]) {
  return {
    name,
    prepare: beginAnew,
    async run(arena: Arena) {
      const mode = lists(games());
      arena.beHostile(({ action }) => (action === 'games' ? mode : undefined));
      await refresh(arena);
    },
  };
}

const many = (count: number, of: (n: number) => object) => Array.from({ length: count }, (_, n) => of(n));

/** The service, or who took it over, is hostile to the attackers' guild. */
export const SERVICE: Campaign = {
  name: 'the service',
  attacks: [
    {
      name: `says ${LONGEST} brackets`,
      async run(arena) {
        arena.beHostile(({ action }) => (action === 'add' ? says('['.repeat(LONGEST)) : undefined));
        await submit(arena);
      },
    },
    {
      name: `says ${LONGEST} characters of every shape`,
      async run(arena) {
        for (const unit of [...Object.values(UNITS), '](', '`', '*', '_', '~', '|', '>', '#', '<@', '\n'])
          for (const status of [200, 400]) {
            const mode = says(unit.repeat(LONGEST / unit.length), status);
            arena.beHostile(({ action }) => (action === 'add' ? mode : undefined));
            await submit(arena);
          }
      },
    },
    {
      name: 'says a mebibyte of JSON in every shape',
      async run(arena) {
        const bodies = [
          `${'['.repeat(MIB / 2)}${']'.repeat(MIB / 2)}`,
          `{"a":`.repeat(MIB / 6),
          `"${'\\u005b'.repeat(MIB / 7)}"`,
          `{"status":"error","message":"${'['.repeat(MIB - 100)}"}`,
          '9'.repeat(MIB - 10),
          ' '.repeat(MIB - 10),
          '<'.repeat(MIB - 10),
        ];
        for (const body of bodies) {
          arena.beHostile(({ action }) =>
            action === 'add' ? { kind: 'text', status: 200, body } : undefined,
          );
          await submit(arena);
        }
      },
    },
    hostileList(`lists a game with a name of ${LONGEST}`, () => [
      { name: '['.repeat(LONGEST), alias: 'long' },
      { name: 'a b '.repeat(LONGEST / 4), alias: 'words' },
      { name: '\ufdfa'.repeat(LONGEST), alias: 'grows' },
    ]),
    hostileList('lists names of every shape', () =>
      Object.values(UNITS).flatMap((unit, n) => [
        { name: unit.repeat(2_000 / unit.length), alias: `shape${n}` },
        { name: unit.repeat(100 / unit.length), alias: `short${n}` },
      ]),
    ),
    hostileList('lists 14,000 games', () =>
      many(14_000, (n) => ({ name: `Game ${n} of many`, alias: `g${n}` })),
    ),
    hostileList('lists 100 emoji as names, and aliases of 101', () => [
      ...many(60, (n) => ({ name: '🎮'.repeat(51 + n), alias: `emoji${n}` })),
      { name: 'Long alias', alias: 'a'.repeat(101) },
      { name: 'Emoji alias', alias: '🎮'.repeat(51) },
    ]),
    {
      name: 'redirects, resets and floods',
      async run(arena) {
        const modes: readonly Mode[] = [
          { kind: 'redirect', status: 307, to: `https://evil.example/?api_key=${'x'.repeat(1_000)}` },
          { kind: 'reset' },
          { kind: 'huge' },
          { kind: 'gzipBomb' },
          { kind: 'truncated' },
        ];
        for (const mode of modes) {
          arena.beHostile(({ action }) => (action === 'add' ? mode : undefined));
          await submit(arena);
        }
      },
    },
    {
      name: 'did not keep the list from anybody afterwards',
      async run({ person }) {
        const shown = textOf(await person({ guild: 1 }).slash('games', { search: 'counter-strike 2' }));
        assert.match(shown, /cs2/);
      },
    },
  ],
};
