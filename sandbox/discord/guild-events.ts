import type { Guild, GuildState, NewGuild } from './world/guilds.ts';
import type { World } from './world/world.ts';

/** What happens to guilds. The bot asks for no intents, so that the gateway tells it of nothing. */
export interface GuildEvents {
  add(guild: NewGuild): Guild;
  /** The bot is removed from the guild. */
  remove(guild: Guild): void;
  /** The bot user is removed, and the guild has the commands alone from now on. */
  keepCommandsOnly(guild: Guild): void;
  /** The guild has an outage. */
  outage(guild: Guild): void;
  /** The guild comes back; also: the bot user is added. */
  recover(guild: Guild): void;
  /** From now on a page of the list of guilds has at most so many, however many are asked for. */
  shortenPages(most: number): void;
  /** @returns the id of the role */
  addRole(guild: Guild, role: { readonly name: string; readonly mentionable?: boolean }): string;
  /** What the bot may do in a channel of the guild from now on. */
  setBotPermissions(guild: Guild, channelId: string, permissions: bigint): void;
  /** The channel is deleted. */
  removeChannel(guild: Guild, channelId: string): void;
  /** Gives a member other permissions from now on. */
  setPermissions(member: { readonly guildId: string; readonly userId: string }, permissions: bigint): void;
}

export function createGuildEvents({ guilds }: World, onChange: () => void): GuildEvents {
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
    add(about) {
      const guild = guilds.add(about);
      onChange();
      return guild;
    },
    remove: become('left'),
    keepCommandsOnly: become('commands only'),
    outage: become('unavailable'),
    recover: become('available'),
    shortenPages(most) {
      guilds.pageSize = most;
    },
    addRole({ id }, { name, mentionable = false }) {
      let roleId = '';
      change(id, (guild) => {
        roleId = guilds.addRole(guild, { name, mentionable }).id;
      });
      return roleId;
    },
    setBotPermissions: ({ id }, channelId, permissions) =>
      change(id, ({ channels }) => {
        const channel = channels.get(channelId);
        if (channel !== undefined) channel.botPermissions = permissions;
      }),
    removeChannel: ({ id }, channelId) => change(id, ({ channels }) => channels.delete(channelId)),
    setPermissions: ({ guildId, userId }, permissions) =>
      change(guildId, ({ members }) => {
        const member = members.get(userId);
        if (member !== undefined) member.permissions = permissions;
      }),
  };
}
