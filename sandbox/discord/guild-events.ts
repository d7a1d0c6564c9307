import type { Guild, GuildState, NewGuild } from './world/guilds.ts';
import type { World } from './world/world.ts';

/** What happens to guilds. The bot asks for no intents, so that the gateway tells it of nothing. */
export function createGuildEvents({ guilds }: World, onChange: () => void) {
  /** @throws Error when there is no such guild */
  function change(guildId: string, make: (guild: GuildState) => void): void {
    const guild = guilds.get(guildId);
    if (guild === undefined) throw new Error(`there is no guild ${guildId}`);
    make(guild);
    onChange();
  }
  const become =
    (status: GuildState['status']) =>
    ({ id }: Guild) =>
      change(id, (guild) => {
        guild.status = status;
      });

  return {
    add(about: NewGuild): Guild {
      const guild = guilds.add(about);
      onChange();
      return guild;
    },
    /** The bot is removed from the guild. */
    remove: become('left'),
    /** The bot user is removed, and the guild has the commands alone from now on. */
    keepCommandsOnly: become('commands only'),
    outage: become('unavailable'),
    /** From now on a page of the list of guilds has at most so many, however many are asked for. */
    shortenPages(most: number) {
      guilds.pageSize = most;
    },
    /** @returns the id of the role */
    addRole(
      { id }: Guild,
      { name, mentionable = false }: { readonly name: string; readonly mentionable?: boolean },
    ) {
      let roleId = '';
      change(id, (guild) => {
        roleId = guilds.addRole(guild, { name, mentionable }).id;
      });
      return roleId;
    },
    /** What the bot may do in a channel of the guild from now on. */
    setBotPermissions: ({ id }: Guild, channelId: string, permissions: bigint) =>
      change(id, ({ channels }) => {
        const channel = channels.get(channelId);
        if (channel !== undefined) channel.botPermissions = permissions;
      }),
    removeChannel: ({ id }: Guild, channelId: string) =>
      change(id, ({ channels }) => channels.delete(channelId)),
    giveRole: ({ guildId, userId }: { readonly guildId: string; readonly userId: string }, roleId: string) =>
      change(guildId, ({ members }) => void members.get(userId)?.roleIds.add(roleId)),
    /** Gives a member other permissions from now on. */
    setPermissions: (
      { guildId, userId }: { readonly guildId: string; readonly userId: string },
      permissions: bigint,
    ) =>
      change(guildId, ({ members }) => {
        const member = members.get(userId);
        if (member !== undefined) member.permissions = permissions;
      }),
  };
}
