import type { GuildState, Member } from '../world/guilds.ts';
import { userObject } from '../world/users.ts';

/** A member of a guild, in one of its channels. */
export interface Actor {
  readonly userId: string;
  readonly name: string;
  readonly locale: string;
  readonly channelId: string;
  readonly guild: GuildState;
  readonly member: Member;
}

export const user = ({ userId, name }: Pick<Member, 'userId' | 'name'>) => userObject({ id: userId, name });

/** A member without the user, as in `resolved.members` (Discord docs: Interactions, Resolved Data). */
export const partialMember = ({ permissions, joinedAt }: Member) => ({
  roles: [],
  permissions: String(permissions),
  joined_at: joinedAt,
  premium_since: null,
  pending: false,
  nick: null,
  avatar: null,
  flags: 0,
  communication_disabled_until: null,
});
