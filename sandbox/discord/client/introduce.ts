import type { World } from '../world/world.ts';
import type { Actor } from './member.ts';

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
