import type { GuildState, Member } from '../world/guilds.ts';
import { userObject } from '../world/users.ts';
import type { World } from '../world/world.ts';

export const ADMINISTRATOR = 1n << 3n;

/** Somebody who uses the bot: a member of a guild in one of its channels, or (no guild) in the bot's direct messages. */
export interface Actor {
  readonly userId: string;
  readonly name: string;
  readonly locale: string;
  readonly channelId: string;
  readonly guild: GuildState | undefined;
  readonly member: Member | undefined;
  /** Has the application for themselves, wherever they are (rule 43). */
  readonly userInstall: boolean;
}

export const user = ({ userId, name }: Pick<Actor, 'userId' | 'name'>) => userObject({ id: userId, name });

/** A member without the user, as in `resolved.members` (Discord docs: Interactions, Resolved Data). */
export const partialMember = (member: Member) => ({
  roles: [...member.roles],
  permissions: String(member.permissions),
  joined_at: member.joinedAt,
  premium_since: null,
  pending: false,
  nick: null,
  avatar: null,
  banner: null,
  collectibles: null,
  avatar_decoration_data: null,
  flags: 0,
  communication_disabled_until: null,
});

/** A new member of a guild. */
export function introduce(
  world: World,
  who: {
    readonly guild: { readonly id: string };
    readonly name: string;
    readonly permissions: bigint;
    readonly locale?: string;
    readonly channelId?: string;
    readonly roles?: readonly string[];
    readonly userId?: string;
  },
): Actor {
  const guild = world.guilds.get(who.guild.id);
  if (guild === undefined) throw new Error(`there is no guild ${who.guild.id}`);
  const { name, permissions, locale = 'en-US', roles = [] } = who;
  const member = world.guilds.addMember(guild, { name, permissions, locale, roles, userId: who.userId });
  return {
    userId: member.userId,
    name,
    locale,
    channelId: who.channelId ?? guild.channelId,
    guild,
    member,
    userInstall: false,
  };
}

/** Somebody who writes to the bot directly. */
export const joinDirectMessages = (
  { snowflakes }: World,
  who: { readonly name: string; readonly locale?: string; readonly userInstall?: boolean },
): Actor => ({
  userId: snowflakes.next(),
  name: who.name,
  locale: who.locale ?? 'en-US',
  channelId: snowflakes.next(),
  guild: undefined,
  member: undefined,
  userInstall: who.userInstall ?? false,
});
