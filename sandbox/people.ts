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
  moderator: { place: 14n, permissions: EVERYDAY },
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

/** Whether they see what is there for the team alone, such as #staff. */
export const isOfTeam = (role: Role): boolean => role === 'admin' || role === 'moderator';

interface Seat {
  readonly role: Role;
  readonly guild: Guild;
  /** Discord's name of the person's language, such as `en-US`. */
  readonly locale: string;
  /** Where they are; in the guild's first text channel unless said. */
  readonly channelId?: string;
}

export function createPeople(discord: Pick<DiscordStandIn, 'person' | 'roles' | 'guildEvents'>) {
  const people = new Map<string, Person>();
  return {
    /** The same person for the same seat, each time. */
    at({ role, guild, locale, channelId = guild.channelId }: Seat): Person {
      const seat = `${role} ${guild.id} ${locale} ${channelId}`;
      const known = people.get(seat);
      if (known !== undefined) return known;
      const person = discord.person({ guild, name: role, locale, channelId, ...memberOf(guild, role) });
      people.set(seat, person);
      const moderators = discord.roles(guild).find(({ name }) => name === 'Moderators');
      if (role === 'moderator' && moderators !== undefined)
        discord.guildEvents.giveRole(person, moderators.id);
      return person;
    },
  };
}
