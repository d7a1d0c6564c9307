import { PermissionFlagsBits } from 'discord.js';
import type { DiscordStandIn, Person } from './discord/contract.ts';
import type { Guild } from './discord/world/guilds.ts';

const EVERYDAY =
  PermissionFlagsBits.ViewChannel |
  PermissionFlagsBits.SendMessages |
  PermissionFlagsBits.UseApplicationCommands;

/** Who uses the bot, and what each may do in every guild. Each is the same person in every guild, language and run. */
export const ROLES = {
  admin: { userId: '300000000000000001', permissions: EVERYDAY | PermissionFlagsBits.ManageGuild },
  member: { userId: '300000000000000002', permissions: EVERYDAY },
  other: { userId: '300000000000000003', permissions: EVERYDAY },
} as const;
export type Role = keyof typeof ROLES;
export const ROLE_NAMES = Object.keys(ROLES) as readonly Role[];

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
      const person = known.get(seat) ?? discord.person({ guild, name: role, locale, ...ROLES[role] });
      known.set(seat, person);
      return person;
    },
  };
}
