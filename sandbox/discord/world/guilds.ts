import { type Channel, USUAL_BOT_PERMISSIONS, usualChannels } from './channels.ts';
import type { Clock } from './clock.ts';
import { type Snowflakes, snowflakeAt } from './snowflakes.ts';
import { timestamp } from './users.ts';

/** What everybody knows of a guild. */
export interface Guild {
  readonly id: string;
  readonly name: string;
  /** Of its first text channel. */
  readonly channelId: string;
}

/** A guild as the stand-in keeps it. */
export interface GuildState {
  readonly id: string;
  name: string;
  /** The first of its text channels, where its members are. */
  readonly channelId: string;
  /** By id; see {@link usualChannels}. */
  readonly channels: Map<string, Channel>;
  readonly locale: string;
  readonly ownerId: string;
  /**
   * `left`: the bot was removed (rule 53). `unavailable`: an outage, the bot is still in it. `commands only`: installed
   * with the scope `applications.commands` alone, so that members use the commands and the bot is no member.
   */
  status: 'available' | 'unavailable' | 'left' | 'commands only';
  /** Whether the application may have commands of its own here (rule 23). */
  readonly authorised: boolean;
  readonly roles: Map<string, Role>;
  readonly members: Map<string, Member>;
}

export interface Role {
  readonly id: string;
  readonly name: string;
  readonly permissions: bigint;
  /** Whether anyone may mention it. */
  mentionable: boolean;
}

/** Discord docs: Role Object. */
export const roleObject = ({ id, name, permissions, mentionable }: Role, position: number) => ({
  id,
  name,
  position,
  permissions: String(permissions),
  description: null,
  color: 0,
  colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
  icon: null,
  unicode_emoji: null,
  hoist: false,
  managed: false,
  mentionable,
  flags: 0,
});

export interface Member {
  readonly userId: string;
  readonly name: string;
  /** Everything the member may do in the channel, overwrites included. */
  permissions: bigint;
  readonly roles: readonly string[];
  readonly locale: string;
  readonly joinedAt: string;
}

export interface NewGuild {
  readonly name: string;
  readonly authorised?: boolean;
  readonly locale?: string;
  /** `false`: the guild has the commands without the bot user. */
  readonly bot?: boolean;
}

export interface NewRole {
  readonly name: string;
  readonly permissions?: bigint;
  readonly mentionable?: boolean;
}

export interface Guilds {
  /** The most guilds that a page of the list has, however many are asked for: Discord's may be short. */
  pageSize: number;
  get(id: string): GuildState | undefined;
  withChannel(channelId: string): GuildState | undefined;
  /** The name of a member, a role or a channel of any guild, by its id. */
  nameOf(id: string): string | undefined;
  /** Every guild there ever was, also those that the bot has left, in the order in which they came. */
  all(): readonly GuildState[];
  /** Guilds the bot is in, ascending by id as `GET /users/@me/guilds` lists them. */
  joined(): readonly GuildState[];
  add(guild: NewGuild): GuildState;
  addRole(guild: GuildState, role: NewRole): Role;
  addMember(
    guild: GuildState,
    member: Omit<Member, 'userId' | 'joinedAt'> & { readonly userId?: string | undefined },
  ): Member;
}

/** Whether the bot user is in it, also while it has an outage. */
export const isMember = ({ status }: Pick<GuildState, 'status'>): boolean =>
  status === 'available' || status === 'unavailable';

export function createGuilds(deps: { readonly clock: Clock; readonly snowflakes: Snowflakes }): Guilds {
  const { clock, snowflakes } = deps;
  const all = new Map<string, GuildState>();
  // The same guilds in every run, so that data which a bot kept belongs to them in the next one too. Each is
  // a millisecond younger than the one before it, and so on the next shard: shard = (id >> 22) % shards.
  const firstMs = Date.UTC(2025, 0, 1);

  return {
    pageSize: 200,
    get: (id) => all.get(id),
    withChannel: (channelId) => [...all.values()].find((guild) => guild.channels.has(channelId)),
    nameOf(id) {
      for (const { members, roles, channels } of all.values()) {
        const name = (members.get(id) ?? roles.get(id) ?? channels.get(id))?.name;
        if (name !== undefined) return name;
      }
      return undefined;
    },
    all: () => [...all.values()],
    joined: () => [...all.values()].filter(isMember),
    add({ name, authorised = true, locale = 'en-US', bot = true }) {
      const snowflake = snowflakeAt(firstMs + all.size);
      const id = String(snowflake);
      const guild: GuildState = {
        id,
        name,
        channelId: String(snowflake + 1n),
        channels: new Map(usualChannels(snowflake).map((channel) => [channel.id, channel])),
        locale,
        ownerId: String(snowflake + 2n),
        status: bot ? 'available' : 'commands only',
        authorised,
        // @everyone is the role with the guild's own id (rule 50).
        roles: new Map([
          [id, { id, name: '@everyone', permissions: USUAL_BOT_PERMISSIONS, mentionable: false }],
        ]),
        members: new Map(),
      };
      all.set(id, guild);
      return guild;
    },
    addRole(guild, { name, permissions = 0n, mentionable = false }) {
      const role = { id: snowflakes.next(), name, permissions, mentionable };
      guild.roles.set(role.id, role);
      return role;
    },
    addMember(guild, member) {
      const userId = member.userId ?? snowflakes.next();
      const there = guild.members.get(userId);
      // Also who sits down in another language: what happens to the one happens to the other.
      if (there !== undefined) return Object.assign(there, member, { userId });
      const added = { ...member, userId, joinedAt: timestamp(clock.now()) };
      guild.members.set(added.userId, added);
      return added;
    },
  };
}
