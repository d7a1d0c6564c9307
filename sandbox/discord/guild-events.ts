import type { APIApplicationCommandPermission } from 'discord.js';
import type { Channel } from './world/channels.ts';
import type { Guild, GuildState } from './world/guilds.ts';
import type { World } from './world/world.ts';

type MemberOf = { readonly guildId: string; readonly userId: string };

/** Creates functions that change guilds. The bot isn't notified of the changes, because it doesn't request any intents. */
export function createGuildEvents({ guilds, commands, applicationId }: World) {
  const become =
    (status: GuildState['status']) =>
    ({ id }: Guild) => {
      guilds.known(id).status = status;
    };

  return {
    add: guilds.add,
    /** Removes the bot from the guild. */
    remove: become('left'),
    /** Removes the bot user but keeps its commands in the guild. */
    keepCommandsOnly: become('commands only'),
    outage: become('unavailable'),
    /** Changes the guild's preferred locale in Discord. */
    setLocale({ id }: Guild, locale: string) {
      guilds.known(id).locale = locale;
    },
    /** @returns the id of the new role */
    addRole: guilds.addRole,
    removeRole({ id }: Guild, roleId: string) {
      const { roles, members } = guilds.known(id);
      roles.delete(roleId);
      for (const { roleIds } of members.values()) roleIds.delete(roleId);
    },
    /** Sets the bot's permissions in one of the guild's channels. */
    setBotPermissions({ id }: Guild, channelId: string, permissions: bigint) {
      const channel = guilds.known(id).channels.get(channelId);
      if (channel !== undefined) channel.botPermissions = permissions;
    },
    /** Sets the permission overwrite for @everyone in a channel, or removes it if `everyone` is absent. */
    setOverwrite({ id }: Guild, channelId: string, everyone?: Channel['everyone']) {
      const channel = guilds.known(id).channels.get(channelId);
      if (channel !== undefined) channel.everyone = everyone;
    },
    /** Sets the permissions of a role in the guild. The id of the @everyone role is the guild's id. */
    setRolePermissions({ id }: Guild, roleId: string, permissions: bigint) {
      const { roles } = guilds.known(id);
      const role = roles.get(roleId);
      if (role !== undefined) roles.set(roleId, { ...role, permissions });
    },
    /**
     * Sets who can use a command on the guild's Integrations page.
     * @param command the command's name, or '' for all commands without entries of their own
     */
    setIntegrations({ id }: Guild, command: string, entries: readonly APIApplicationCommandPermission[]) {
      const { integrations } = guilds.known(id);
      const own = commands.list().find(({ name }) => name === command);
      integrations.set(command === '' ? applicationId : (own?.id ?? ''), entries);
    },
    removeChannel: ({ id }: Guild, channelId: string) => guilds.known(id).channels.delete(channelId),
    giveRole: ({ guildId, userId }: MemberOf, roleId: string) =>
      guilds.known(guildId).members.get(userId)?.roleIds.add(roleId),
    takeRole: ({ guildId, userId }: MemberOf, roleId: string) =>
      guilds.known(guildId).members.get(userId)?.roleIds.delete(roleId),
    /** Sets a member's permissions. */
    setPermissions({ guildId, userId }: MemberOf, permissions: bigint) {
      const member = guilds.known(guildId).members.get(userId);
      if (member !== undefined) member.permissions = permissions;
    },
  };
}
