import assert from 'node:assert/strict';
import type { Person } from '../../../sandbox/discord/contract.ts';
import type { Mode } from '../../../sandbox/listing/modes.ts';
import type { ListingRequest } from '../../../sandbox/listing/stand-in.ts';
import { messageOf, setKey, textOf } from '../../support/bot.ts';
import { answered } from '../people.ts';
import type { Random } from '../random.ts';
import type { World } from '../world.ts';

/** Of the guild that attacks, `discord.guilds[0]`; percent-encoded it reads otherwise. */
export const ATTACKERS_KEY = 'key/of+the=attackers&0123456789';

/** How the service answers a request; as specified where it says nothing. */
export type Hostility = (request: ListingRequest) => Mode | undefined;

/** A world with a guild that attacks, and others that only want to work. */
export interface Arena extends World {
  readonly admin: Person;
  readonly member: Person;
  readonly random: Random;
  /** How the service treats every key but the others', or everybody. */
  beHostile(how: Hostility | undefined, whom?: 'attackers' | 'everybody'): void;
}

export interface Attack {
  readonly name: string;
  /** Others may be told that their game is unknown, and the like. */
  readonly mayRefuseOthers?: boolean;
  /** What has to be so before; nobody else uses the bot meanwhile, so it may be restarted. */
  prepare?(arena: Arena): Promise<void>;
  /** @throws an error that says what harm was done, besides what others saw */
  run(arena: Arena): Promise<void>;
}

/** Begins anew: what was counted of the attackers is forgotten, and their key works. */
export async function beginAnew(arena: Arena): Promise<void> {
  arena.beHostile(undefined);
  await arena.restart();
  assert.match(textOf(await setKey(arena.admin, ATTACKERS_KEY)), /works and (is saved|replaces)/);
}

let servers = 0;

/** A member of the attackers submits a server; what they read. */
export async function submitOne({ member }: Arena): Promise<string> {
  servers += 1;
  const server = `attack-${servers}.example.com:27015`;
  return textOf(answered(await member.slash('addserver', { game: 'cs2', server }), '/addserver'));
}

/** Has the attackers' key checked, and the games list read with it. */
export async function checkKey({ admin }: Arena): Promise<void> {
  const status = messageOf(await admin.slash('keystatus'));
  answered(await admin.press(status, 'Check now'), 'Check now');
}
