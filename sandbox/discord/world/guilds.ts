import type { APIApplicationCommandPermission } from 'discord.js';
import { type Channel, USUAL_BOT_PERMISSIONS, usualChannels } from './channels.ts';
import { type Snowflakes, snowflakeAt } from './snowflakes.ts';

/** The public part of a guild. */
export interface Guild {
  readonly id: string;
  readonly name: string;
  /** The guild's first text channel. Members are in this channel by default. */
  readonly channelId: string;
}

/** Everything that the stand-in stores about a guild. */
export interface GuildState extends Guild {
  readonly channels: Map<string, Channel>;
  locale: string;
  /**
   * - `left`: the bot was removed from the guild.
   * - `unavailable`: the guild has an outage, but the bot is still in it.
   * - `commands only`: the bot was installed with only the `applications.commands` scope. Members can use the commands, but
   *   the bot user isn't in the guild.
   */
  status: 'available' | 'unavailable' | 'left' | 'commands only';
  readonly roles: Map<string, Role>;
  readonly members: Map<string, Member>;
  /** Permissions from the Integrations page, by the id of the command or of the application. */
  readonly integrations: Map<string, readonly APIApplicationCommandPermission[]>;
}

export interface Role {
  readonly id: string;
  readonly name: string;
  /** Whether every member can mention the role. */
  readonly mentionable: boolean;
  /** The permissions that the role grants in the guild. Channels can override them. */
  readonly permissions: bigint;
}

/** Converts a role to Discord's format (Discord docs: Permissions, Role Object). */
export const roleObject = ({ id, name, mentionable, permissions }: Role) => ({
  id,
  name,
  mentionable,
  color: 0,
  colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
  hoist: false,
  icon: null,
  unicode_emoji: null,
  position: 0,
  permissions: String(permissions),
  managed: false,
  flags: 0,
});

export interface Member {
  readonly userId: string;
  readonly name: string;
  /** The member's permissions, which are the same in every channel. */
  permissions: bigint;
  /** Excludes @everyone, which every member has. */
  readonly roleIds: Set<string>;
}

interface NewRole {
  readonly name: string;
  readonly mentionable?: boolean;
}

interface NewGuild {
  readonly name: string;
  readonly locale?: string;
  /** Whether to add the bot user to the guild. If `false`, only the bot's commands are added. */
  readonly bot?: boolean;
}

/** Whether the bot user is in the guild, even during an outage. */
export const isMember = ({ status }: Pick<GuildState, 'status'>): boolean =>
  status === 'available' || status === 'unavailable';

export function createGuilds({ snowflakes }: { readonly snowflakes: Snowflakes }) {
  const all = new Map<string, GuildState>();
  // Guild ids start at a fixed time, so data from previous runs still refers to the right guilds. Each guild is one
  // millisecond newer than the previous guild, which puts it on the next shard: shard = (id >> 22) % shards.
  const firstMs = Date.UTC(2025, 0, 1);

  function known(id: string): GuildState {
    const guild = all.get(id);
    if (guild === undefined) throw new Error(`there is no guild ${id}`);
    return guild;
  }

  return {
    get: (id: string) => all.get(id),
    /** @throws Error if the guild doesn't exist */
    known,
    withChannel: (channelId: string) => [...all.values()].find((guild) => guild.channels.has(channelId)),
    /** Finds a current or former member in any guild. */
    member: (userId: string) => [...all.values()].map(({ members }) => members.get(userId)).find(Boolean),
    /** Returns the name of the member, role or channel with this id, in any guild. */
    nameOf(id: string): string | undefined {
      for (const { members, roles, channels } of all.values()) {
        const found = members.get(id) ?? roles.get(id) ?? channels.get(id);
        if (found !== undefined) return found.name;
      }
      return undefined;
    },
    /** Returns all guilds in order of creation, including guilds that the bot has left. */
    all: (): readonly GuildState[] => [...all.values()],
    /** Returns the guilds that the bot is in. */
    joined: (): readonly GuildState[] => [...all.values()].filter(isMember),
    add({ name, locale = 'en-US', bot = true }: NewGuild): GuildState {
      const snowflake = snowflakeAt(firstMs + all.size);
      const id = String(snowflake);
      // The id of the @everyone role is the guild's id.
      const roles: readonly Role[] = [
        { id, name: '@everyone', mentionable: false, permissions: USUAL_BOT_PERMISSIONS },
        { id: String(snowflake + 7n), name: 'Server news', mentionable: true, permissions: 0n },
        { id: String(snowflake + 8n), name: 'Moderators', mentionable: false, permissions: 0n },
      ];
      const guild: GuildState = {
        id,
        name,
        channelId: String(snowflake + 1n),
        channels: new Map(usualChannels(snowflake).map((channel) => [channel.id, channel])),
        locale,
        status: bot ? 'available' : 'commands only',
        roles: new Map(roles.map((role) => [role.id, role])),
        members: new Map(),
        integrations: new Map(),
      };
      all.set(id, guild);
      return guild;
    },
    addRole({ id: guildId }: Guild, { name, mentionable = false }: NewRole): string {
      const id = snowflakes.next();
      known(guildId).roles.set(id, { id, name, mentionable, permissions: 0n });
      return id;
    },
    /** Adds a member, or updates the permissions of an existing member. */
    addMember(guild: GuildState, { userId, name, permissions }: Omit<Member, 'roleIds'>): Member {
      const there = guild.members.get(userId);
      if (there !== undefined) {
        there.permissions = permissions;
        return there;
      }
      const member = { userId, name, permissions, roleIds: new Set<string>() };
      guild.members.set(userId, member);
      return member;
    },
  };
}
