import type { GuildState, Member } from '../world/guilds.ts';
import { userObject } from '../world/users.ts';

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
