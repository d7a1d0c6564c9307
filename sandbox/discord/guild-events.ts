import type { Guild, GuildState } from './world/guilds.ts';
import type { World } from './world/world.ts';

type MemberOf = { readonly guildId: string; readonly userId: string };

/** What happens to guilds. The bot asks for no intents, so that the gateway tells it of nothing. */
export function createGuildEvents({ guilds }: World) {
  const become =
    (status: GuildState['status']) =>
    ({ id }: Guild) => {
      guilds.known(id).status = status;
    };

  return {
    add: guilds.add,
    /** The bot is removed from the guild. */
    remove: become('left'),
    /** The bot user is removed, and the guild has the commands alone from now on. */
    keepCommandsOnly: become('commands only'),
    outage: become('unavailable'),
    /** Its admins choose another language in Discord. */
    setLocale({ id }: Guild, locale: string) {
      guilds.known(id).locale = locale;
    },
    /** @returns the id of the role */
    addRole: guilds.addRole,
    removeRole({ id }: Guild, roleId: string) {
      const { roles, members } = guilds.known(id);
      roles.delete(roleId);
      for (const { roleIds } of members.values()) roleIds.delete(roleId);
    },
    /** What the bot may do in a channel of the guild from now on. */
    setBotPermissions({ id }: Guild, channelId: string, permissions: bigint) {
      const channel = guilds.known(id).channels.get(channelId);
      if (channel !== undefined) channel.botPermissions = permissions;
    },
    removeChannel: ({ id }: Guild, channelId: string) => guilds.known(id).channels.delete(channelId),
    giveRole: ({ guildId, userId }: MemberOf, roleId: string) =>
      guilds.known(guildId).members.get(userId)?.roleIds.add(roleId),
    /** Gives a member other permissions from now on. */
    setPermissions({ guildId, userId }: MemberOf, permissions: bigint) {
      const member = guilds.known(guildId).members.get(userId);
      if (member !== undefined) member.permissions = permissions;
    },
  };
}
