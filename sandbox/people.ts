import { createHash } from 'node:crypto';
import { PermissionFlagsBits } from 'discord.js';
import type { DiscordStandIn, Person } from './discord/contract.ts';
import type { Guild } from './discord/world/guilds.ts';

const EVERYDAY =
  PermissionFlagsBits.ViewChannel |
  PermissionFlagsBits.SendMessages |
  PermissionFlagsBits.UseApplicationCommands;

/** Who can sit at the prompt, and what each may do in every guild. */
export const ROLES = {
  admin: EVERYDAY | PermissionFlagsBits.ManageGuild,
  member: EVERYDAY,
  other: EVERYDAY,
} as const;
export type Role = keyof typeof ROLES;
export const ROLE_NAMES = Object.keys(ROLES) as readonly Role[];

export interface Seat {
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
        known.get(seat) ??
        discord.person({
          guild,
          name: role,
          permissions: ROLES[role],
          locale,
          userId: userIdOf(role),
        });
      known.set(seat, person);
      return person;
    },
  };
}

/** The same person in every guild, language and run: 18 digits, as Discord's ids have. */
function userIdOf(role: Role): string {
  const digest = createHash('sha256').update(role).digest();
  return String(10n ** 17n + (digest.readBigUInt64BE() % 10n ** 17n));
}
