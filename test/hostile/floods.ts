import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Person } from '../../sandbox/discord/contract.ts';
import { ROLES } from '../../sandbox/people.ts';
import { setKey, textOf } from '../support/bot.ts';
import { paste, pressSubmit, upload } from '../support/people.ts';
import type { Service } from './hostile-service.ts';
import { answered, labelsOf } from './people.ts';
import { manyPorts } from './texts.ts';
import type { World } from './world.ts';

/** A world in which one guild floods the bot and others use it normally. */
export interface Arena extends World {
  readonly admin: Person;
  readonly member: Person;
  /** The key that all flooding guilds use. */
  readonly key: string;
  /** Sets how the service responds to everyone from now on. */
  serve(service: Service): void;
}

interface Flood {
  readonly name: string;
  /** The maximum wait for a first response in other guilds during the flood, in milliseconds. */
  readonly mostResponseMs?: number;
  /** @throws Error that describes any harm except harm to other guilds */
  run(arena: Arena): Promise<void>;
}

const slow: Service = ({ action }) => (action === 'add' ? { kind: 'slow', ms: 2_000 } : undefined);

/** How many times each member pastes each kind of text. */
const PASTES = 4;

function showList(person: Person, name: string) {
  const lines = Array.from({ length: 1_000 }, (_, n) => `${name}-${n}.example.com:27015 cs2`);
  return person.slash('addservers', { file: upload('a.txt', lines.join('\n')) });
}

/** Submits single servers with simultaneous commands from one member. */
async function submitSingles({ member }: Arena, name: string, count: number): Promise<void> {
  const all = Array.from({ length: count }, (_, n) =>
    member.slash('addserver', { game: 'cs2', server: `${name}-${n}.example.com:27015` }),
  );
  for (const answer of await Promise.all(all)) answered(answer, '/addserver');
}

/** Submits lists of 1,000 servers from five guilds at the same time. */
async function submitLists({ discord, key }: Arena, name: string): Promise<void> {
  const submitFrom = async (n: number) => {
    const guild = discord.guildEvents.add({ name: `${name} ${n}` });
    const admin = discord.person({ guild, name: 'admin', permissions: ROLES.admin.permissions });
    await setKey(admin, key);
    const report = await pressSubmit(admin, await showList(admin, `${name}${n}`));
    assert(report.file('report.csv'), 'a list has no report');
  };
  await Promise.all(Array.from({ length: 5 }, (_, n) => submitFrom(n)));
}

/** Pastes one text per second as a new member, and presses a button below each preview. */
async function pastePorts({ discord }: Arena, name: string): Promise<void> {
  const [guild] = discord.guilds;
  assert(guild, 'there is no guild');
  const member = discord.person({ guild, name, permissions: ROLES.member.permissions });
  for (let n = 0; n < PASTES; n += 1) {
    for (const text of manyPorts(4_000)) {
      const preview = answered(await paste(member, text), 'a paste');
      const [label] = labelsOf(preview);
      if (preview.kind === 'message' && label !== undefined) await member.press(preview.message, label);
      await sleep(1_000);
    }
  }
}

/**
 * Floods that could keep other guilds waiting. They combine several kinds of load; test/end-to-end/fairness tests one kind
 * at a time.
 */
export const FLOODS: readonly Flood[] = [
  {
    // Other guilds should get replies within 5,000 ms: 2 s for the service and 3 s for the bot.
    name: 'lists and single servers, at a service that takes two seconds for everybody',
    async run(arena) {
      arena.serve(slow);
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
  {
    name: 'five members who paste as many ports as fit',
    mostResponseMs: 250,
    async run(arena) {
      await Promise.all(Array.from({ length: 5 }, (_, n) => pastePorts(arena, `paster ${n}`)));
    },
  },
];
