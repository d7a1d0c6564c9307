import { PermissionFlagsBits } from 'discord.js';
import type { DiscordStandIn, Person } from './discord/contract.ts';
import type { Guild } from './discord/world/guilds.ts';

const EVERYDAY =
  PermissionFlagsBits.ViewChannel |
  PermissionFlagsBits.SendMessages |
  PermissionFlagsBits.UseApplicationCommands;

/** Who uses the bot, and what each may do. `place` is how far a person's id is from the guild's. */
export const ROLES = {
  admin: { place: 11n, permissions: EVERYDAY | PermissionFlagsBits.ManageGuild },
  member: { place: 12n, permissions: EVERYDAY },
  other: { place: 13n, permissions: EVERYDAY },
} as const;
export type Role = keyof typeof ROLES;
export const ROLE_NAMES = Object.keys(ROLES) as readonly Role[];

/**
 * Who has the role in a guild: the same person in every language and run, and nobody of another guild, so that what the bot
 * keeps of a person stays in their guild.
 */
export function memberOf({ id }: Pick<Guild, 'id'>, role: Role) {
  const { place, permissions } = ROLES[role];
  return { userId: String(BigInt(id) + place), permissions };
}

interface Seat {
  readonly role: Role;
  readonly guild: Guild;
  /** Discord's name of the person's language, such as `en-US`. */
  readonly locale: string;
}

export function createPeople(discord: Pick<DiscordStandIn, 'person'>) {
  const known = new Map<string, Person>();
  return {
    /** The same person for the same seat, each time. */
    at({ role, guild, locale }: Seat): Person {
      const seat = `${role} ${guild.id} ${locale}`;
      const person =
        known.get(seat) ?? discord.person({ guild, name: role, locale, ...memberOf(guild, role) });
      known.set(seat, person);
      return person;
    },
  };
}
