import { type Channel, USUAL_BOT_PERMISSIONS, usualChannels } from './channels.ts';
import { type Snowflakes, snowflakeAt } from './snowflakes.ts';

/** The public properties of a guild. */
export interface Guild {
  readonly id: string;
  readonly name: string;
  /** The guild's first text channel, where its members are. */
  readonly channelId: string;
}

/** A guild in the stand-in's state. */
export interface GuildState extends Guild {
  readonly channels: Map<string, Channel>;
  locale: string;
  /**
   * - `left`: the bot was removed.
   * - `unavailable`: the guild has an outage; the bot is still in it.
   * - `commands only`: installed with the scope `applications.commands` only, so members use the commands, but the bot isn't
   *   a member.
   */
  status: 'available' | 'unavailable' | 'left' | 'commands only';
  readonly roles: Map<string, Role>;
  readonly members: Map<string, Member>;
  /** Permissions from the Integrations page: ids of a command and a member, separated by a space. */
  readonly allowed: Set<string>;
}

export interface Role {
  readonly id: string;
  readonly name: string;
  /** Whether anyone can mention it. */
  readonly mentionable: boolean;
  /** Its permissions in the guild, before the overwrites of a channel. */
  readonly permissions: bigint;
}

export interface Member {
  readonly userId: string;
  readonly name: string;
  /** The member's permissions in the channel. */
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
  /** Whether the bot user is in the guild; if `false`, the guild has only the commands. */
  readonly bot?: boolean;
}

/** Whether the bot user is in the guild, even during an outage. */
export const isMember = ({ status }: Pick<GuildState, 'status'>): boolean =>
  status === 'available' || status === 'unavailable';

export function createGuilds({ snowflakes }: { readonly snowflakes: Snowflakes }) {
  const all = new Map<string, GuildState>();
  // Gives guilds the same ids in every run, so that a bot's stored data belongs to them in the next run. Each is a
  // millisecond younger than the previous one, and so on the next shard: shard = (id >> 22) % shards.
  const firstMs = Date.UTC(2025, 0, 1);

  function known(id: string): GuildState {
    const guild = all.get(id);
    if (guild === undefined) throw new Error(`there is no guild ${id}`);
    return guild;
  }

  return {
    get: (id: string) => all.get(id),
    /** @throws Error if there is no such guild */
    known,
    withChannel: (channelId: string) => [...all.values()].find((guild) => guild.channels.has(channelId)),
    /** Returns a current or previous member of a guild that the bot is or was in. */
    member: (userId: string) => [...all.values()].map(({ members }) => members.get(userId)).find(Boolean),
    /** Returns the name of a member, role or channel of any guild by its id. */
    nameOf(id: string): string | undefined {
      for (const { members, roles, channels } of all.values()) {
        const found = members.get(id) ?? roles.get(id) ?? channels.get(id);
        if (found !== undefined) return found.name;
      }
      return undefined;
    },
    /** Returns every guild so far in order of creation, including those that the bot has left. */
    all: (): readonly GuildState[] => [...all.values()],
    /** Returns the guilds that the bot is in. */
    joined: (): readonly GuildState[] => [...all.values()].filter(isMember),
    add({ name, locale = 'en-US', bot = true }: NewGuild): GuildState {
      const snowflake = snowflakeAt(firstMs + all.size);
      const id = String(snowflake);
      // @everyone is the role with the guild's id.
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
        allowed: new Set(),
      };
      all.set(id, guild);
      return guild;
    },
    addRole({ id: guildId }: Guild, { name, mentionable = false }: NewRole): string {
      const id = snowflakes.next();
      known(guildId).roles.set(id, { id, name, mentionable, permissions: 0n });
      return id;
    },
    /** Keeps a user who joins again, perhaps in another language, as the same member. */
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
