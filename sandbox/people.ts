import { PermissionFlagsBits } from 'discord.js';
import type { DiscordStandIn, Person } from './discord/contract.ts';
import type { Guild } from './discord/world/guilds.ts';

const EVERYDAY =
  PermissionFlagsBits.ViewChannel |
  PermissionFlagsBits.SendMessages |
  PermissionFlagsBits.UseApplicationCommands;

/** The users of the bot with their permissions. `place` is the offset of a user's id from the guild's. */
export const ROLES = {
  admin: { place: 11n, permissions: EVERYDAY | PermissionFlagsBits.ManageGuild },
  moderator: { place: 14n, permissions: EVERYDAY },
  member: { place: 12n, permissions: EVERYDAY },
  other: { place: 13n, permissions: EVERYDAY },
} as const;
export type Role = keyof typeof ROLES;
export const ROLE_NAMES = Object.keys(ROLES) as readonly Role[];

/**
 * Returns the member with this role. A member is the same in every language and run. Each guild has its own members,
 * so the bot's data about a member stays in the guild.
 */
export function memberOf({ id }: Pick<Guild, 'id'>, role: Role) {
  const { place, permissions } = ROLES[role];
  return { userId: String(BigInt(id) + place), permissions };
}

/** Whether the role can see channels for the team only, such as #staff. */
export const isOfTeam = (role: Role): boolean => role === 'admin' || role === 'moderator';

interface Seat {
  readonly role: Role;
  readonly guild: Guild;
  /** Discord's code of the user's language, such as `en-US`. */
  readonly locale: string;
  /** The user's channel; by default the guild's first text channel. */
  readonly channelId?: string;
}

export function createPeople(discord: Pick<DiscordStandIn, 'person' | 'roles' | 'guildEvents'>) {
  const people = new Map<string, Person>();
  return {
    /** Returns the user of a seat, which stays the same. */
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
