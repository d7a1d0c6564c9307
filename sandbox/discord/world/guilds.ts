import { type Channel, usualChannels } from './channels.ts';
import { type Snowflakes, snowflakeAt } from './snowflakes.ts';

/** What everybody knows of a guild. */
export interface Guild {
  readonly id: string;
  readonly name: string;
  /** Of its first text channel, where its members are. */
  readonly channelId: string;
}

/** A guild as the stand-in keeps it. */
export interface GuildState extends Guild {
  readonly channels: Map<string, Channel>;
  locale: string;
  /**
   * `left`: the bot was removed. `unavailable`: an outage, the bot is still in it. `commands only`: installed with the
   * scope `applications.commands` alone, so that members use the commands and the bot is no member.
   */
  status: 'available' | 'unavailable' | 'left' | 'commands only';
  readonly roles: Map<string, Role>;
  readonly members: Map<string, Member>;
  /** What its Integrations page allows besides: ids of a command and a member, with a space between. */
  readonly allowed: Set<string>;
}

export interface Role {
  readonly id: string;
  readonly name: string;
  /** Whether anyone may mention it. */
  readonly mentionable: boolean;
}

export interface Member {
  readonly userId: string;
  readonly name: string;
  /** Everything the member may do in the channel. */
  permissions: bigint;
  /** Without @everyone, which everybody has. */
  readonly roleIds: Set<string>;
}

interface NewRole {
  readonly name: string;
  readonly mentionable?: boolean;
}

interface NewGuild {
  readonly name: string;
  readonly locale?: string;
  /** `false`: the guild has the commands without the bot user. */
  readonly bot?: boolean;
}

/** Whether the bot user is in it, also while it has an outage. */
export const isMember = ({ status }: Pick<GuildState, 'status'>): boolean =>
  status === 'available' || status === 'unavailable';

export function createGuilds({ snowflakes }: { readonly snowflakes: Snowflakes }) {
  const all = new Map<string, GuildState>();
  // The same guilds in every run, so that data which a bot kept belongs to them in the next run too. Each is a millisecond
  // younger than the one before, and so on the next shard: shard = (id >> 22) % shards.
  const firstMs = Date.UTC(2025, 0, 1);

  function known(id: string): GuildState {
    const guild = all.get(id);
    if (guild === undefined) throw new Error(`there is no guild ${id}`);
    return guild;
  }

  return {
    get: (id: string) => all.get(id),
    /** @throws Error when there is no such guild */
    known,
    withChannel: (channelId: string) => [...all.values()].find((guild) => guild.channels.has(channelId)),
    /** Somebody who is, or was, in a guild of the bot's. */
    member: (userId: string) => [...all.values()].map(({ members }) => members.get(userId)).find(Boolean),
    /** The name of a member, a role or a channel of any guild, by its id. */
    nameOf(id: string): string | undefined {
      for (const { members, roles, channels } of all.values()) {
        const found = members.get(id) ?? roles.get(id) ?? channels.get(id);
        if (found !== undefined) return found.name;
      }
      return undefined;
    },
    /** Every guild there ever was, also those that the bot has left, in the order in which they came. */
    all: (): readonly GuildState[] => [...all.values()],
    /** Guilds that the bot is in. */
    joined: (): readonly GuildState[] => [...all.values()].filter(isMember),
    add({ name, locale = 'en-US', bot = true }: NewGuild): GuildState {
      const snowflake = snowflakeAt(firstMs + all.size);
      const id = String(snowflake);
      // @everyone is the role with the guild's own id.
      const roles: readonly Role[] = [
        { id, name: '@everyone', mentionable: false },
        { id: String(snowflake + 7n), name: 'Server news', mentionable: true },
        { id: String(snowflake + 8n), name: 'Moderators', mentionable: false },
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
      known(guildId).roles.set(id, { id, name, mentionable });
      return id;
    },
    /** Somebody who sits down again, perhaps in another language, stays the same member. */
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
