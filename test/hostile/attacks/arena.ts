import type { Person } from '../../../sandbox/discord/contract.ts';
import type { Mode } from '../../../sandbox/listing/modes.ts';
import type { ListingRequest } from '../../../sandbox/listing/stand-in.ts';
import type { World } from '../world.ts';

/** Of the guild that attacks, `discord.guilds[0]`; percent-encoded it reads otherwise. */
export const ATTACKERS_KEY = 'key/of+the=attackers&0123456789';

/** How the service answers a request; as specified where it says nothing. */
export type Hostility = (request: ListingRequest) => Mode | undefined;

/** A world with a guild that attacks, and others that only want to work. */
export interface Arena extends World {
  readonly admin: Person;
  readonly member: Person;
  /** How the service treats everybody. */
  beHostile(how: Hostility | undefined): void;
}

export interface Attack {
  readonly name: string;
  /** @throws an error that says what harm was done, besides what others saw */
  run(arena: Arena): Promise<void>;
}
