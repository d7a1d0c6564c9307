import assert from 'node:assert/strict';
import type { Person } from '../../../sandbox/discord/contract.ts';
import { ROLES } from '../../../sandbox/people.ts';
import { setKey, textOf } from '../../support/bot.ts';
import { pressSubmit, upload } from '../../support/people.ts';
import { answered } from '../people.ts';
import { type Arena, ATTACKERS_KEY, type Attack, type Hostility } from './arena.ts';

const slow: Hostility = ({ action }) => (action === 'add' ? { kind: 'slow', ms: 2_000 } : undefined);

/** A list of 1,000, shown and not submitted yet. */
function showList(person: Person, name: string) {
  const lines = Array.from({ length: 1_000 }, (_, n) => `${name}-${n}.example.com:27015 cs2`);
  return person.slash('addservers', { file: upload('a.txt', lines.join('\n')) });
}

/** Commands of one member at once. */
async function submitSingles({ member }: Arena, name: string, count: number): Promise<void> {
  const all = Array.from({ length: count }, (_, n) =>
    member.slash('addserver', { game: 'cs2', server: `${name}-${n}.example.com:27015` }),
  );
  for (const answer of await Promise.all(all)) answered(answer, '/addserver');
}

/** Lists of 1,000 of five guilds at once. */
async function submitLists({ discord }: Arena, name: string): Promise<void> {
  const submitFrom = async (n: number) => {
    const guild = discord.guildEvents.add({ name: `${name} ${n}` });
    const admin = discord.person({ guild, name: 'admin', permissions: ROLES.admin.permissions });
    await setKey(admin, ATTACKERS_KEY);
    const report = await pressSubmit(admin, await showList(admin, `${name}${n}`));
    assert(report.file('report.csv'), 'a list has no report');
  };
  await Promise.all(Array.from({ length: 5 }, (_, n) => submitFrom(n)));
}

/**
 * So many things at once that nobody else would get a turn. Only here is it seen what others wait for while the service is slow
 * for all, and while everything that reads is asked for at once; one kind at a time is in test/end-to-end/fairness.
 */
export const FLOODS: readonly Attack[] = [
  {
    // The slowest answer of the others is to be the service's time and at most 3 s more: 5,000 ms.
    name: 'lists and single servers, at a service that takes two seconds for everybody',
    async run(arena) {
      arena.beHostile(slow);
      await Promise.all([submitLists(arena, 'both'), submitSingles(arena, 'single', 200)]);
    },
  },
  {
    name: '300 suggestions and commands of everything',
    async run({ member, admin }) {
      const acts = [
        () => member.complete('addserver', 'game', { game: '\ufdfa'.repeat(100) }),
        () => member.slash('games', { search: 'a' }),
        () => member.slash('submissions'),
        () => admin.slash('settings'),
        () => admin.slash('keystatus'),
      ];
      await Promise.all(Array.from({ length: 300 }, (_, n) => acts[n % acts.length]?.()));
      assert.match(textOf(await member.slash('help')), /addserver/);
    },
  },
];
