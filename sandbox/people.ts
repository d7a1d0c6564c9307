import { PermissionFlagsBits } from 'discord.js';
import type { DiscordStandIn, Person } from './discord/contract.ts';
import type { Guild } from './discord/world/guilds.ts';

const EVERYDAY =
  PermissionFlagsBits.ViewChannel |
  PermissionFlagsBits.SendMessages |
  PermissionFlagsBits.UseApplicationCommands;

/** The sandbox's users and their permissions. A user's id is the guild's id plus `place`. */
export const ROLES = {
  admin: { place: 11n, permissions: EVERYDAY | PermissionFlagsBits.ManageGuild },
  moderator: { place: 14n, permissions: EVERYDAY },
  member: { place: 12n, permissions: EVERYDAY },
  other: { place: 13n, permissions: EVERYDAY },
} as const;
export type Role = keyof typeof ROLES;
export const ROLE_NAMES = Object.keys(ROLES) as readonly Role[];

/**
 * Returns the guild's member with this role. The user's id depends only on the role and the guild, so the bot's data for
 * each guild stays separate.
 */
export function memberOf({ id }: Pick<Guild, 'id'>, role: Role) {
  const { place, permissions } = ROLES[role];
  return { userId: String(BigInt(id) + place), permissions };
}

/** Whether this role can see staff channels, such as #staff. */
export const isOfTeam = (role: Role): boolean => role === 'admin' || role === 'moderator';

interface Seat {
  readonly role: Role;
  readonly guild: Guild;
  /** Discord's code for the user's language, such as `en-US`. */
  readonly locale: string;
  /** The channel that the user is in. The default is the guild's first text channel. */
  readonly channelId?: string;
}

export function createPeople(discord: Pick<DiscordStandIn, 'person' | 'roles' | 'guildEvents'>) {
  const people = new Map<string, Person>();
  return {
    /** Returns the user with this role in this place. The same seat always returns the same user. */
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
