import assert from 'node:assert/strict';
import { ROLES } from '../../sandbox/people.ts';
import { submit } from '../support/lists.ts';
import { messageOf, setKey, textOf } from '../support/scene.ts';
import { type Arena, ATTACKERS_KEY, answered, type Campaign, file } from './arena.ts';

const list = (name: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${name}-${n}.example.com:27015 cs2`).join('\n');

/** 200 commands of one member at once. */
async function submitSingles({ member }: Arena, name: string): Promise<void> {
  const all = Array.from({ length: 200 }, (_, n) =>
    member.slash('addserver', { game: 'cs2', server: `${name}-${n}.example.com:27015` }),
  );
  for (const answer of await Promise.all(all)) answered(answer, '/addserver');
}

/** Lists of 1,000 of five guilds at once. */
async function submitLists(arena: Arena, name: string): Promise<void> {
  await Promise.all(
    Array.from({ length: 5 }, async (_, n) => {
      const guild = arena.discord.guildEvents.add({ name: `${name} ${n}` });
      const admin = arena.discord.person({ guild, name: 'admin', permissions: ROLES.admin });
      await setKey(admin, ATTACKERS_KEY);
      const preview = await admin.slash('addservers', { file: file('a.txt', list(`${name}${n}`, 1_000)) });
      const { current } = await submit(admin, preview);
      assert(current, 'a list has no report');
    }),
  );
}

/** So many things at once that nobody else would get a turn. */
export const FLOODS: Campaign = {
  name: 'a flood of',
  // An attacker's own interactions may come too late.
  expected: { breaches: [25] },
  attacks: [
    {
      name: '200 /addserver of one member',
      run: (arena) => submitSingles(arena, 'flood'),
    },
    {
      name: '40 /addserver at a service that takes two seconds',
      async run(arena) {
        arena.beHostile(({ action }) => (action === 'add' ? { kind: 'slow', ms: 2_000 } : undefined));
        const all = Array.from({ length: 40 }, (_, n) =>
          arena.member.slash('addserver', { game: 'cs2', server: `slow-${n}.example.com:27015` }),
        );
        for (const answer of await Promise.all(all)) answered(answer, '/addserver');
      },
    },
    {
      name: "five guilds' lists of 1,000",
      run: (arena) => submitLists(arena, 'list'),
    },
    {
      // The slowest answer of the others is to be the service's time and at most 3 s more: 5,000 ms.
      name: 'both, at a service that takes two seconds for everybody',
      async run(arena) {
        arena.beHostile(
          ({ action }) => (action === 'add' ? { kind: 'slow', ms: 2_000 } : undefined),
          'everybody',
        );
        await Promise.all([submitLists(arena, 'both'), submitSingles(arena, 'single')]);
      },
    },
    {
      name: '300 suggestions and commands of everything',
      async run({ member, admin }: Arena) {
        const acts = [
          () => member.complete('addserver', 'game', { game: 'counter' }),
          () => member.slash('games', { search: 'a' }),
          () => member.slash('submissions'),
          () => admin.slash('settings'),
          () => admin.slash('keystatus'),
        ];
        await Promise.all(Array.from({ length: 300 }, (_, n) => acts[n % acts.length]?.()));
        assert.match(textOf(await member.slash('help')), /addserver/);
        messageOf(await member.slash('games'));
      },
    },
  ],
};
