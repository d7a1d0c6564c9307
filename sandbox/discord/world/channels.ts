import { ChannelType, PermissionFlagsBits } from 'discord.js';

/** A channel or thread of a guild. */
export interface Channel {
  readonly id: string;
  readonly name: string;
  readonly type: ChannelType;
  /** The bot's permissions in the channel. */
  botPermissions: bigint;
  /** The permission overwrite for @everyone in this channel, if there is one. */
  everyone?: Overwrite | undefined;
}

interface Overwrite {
  readonly allow: bigint;
  readonly deny: bigint;
}

/** The permissions of @everyone in a new guild. A bot installed with permissions 0 has only these permissions. */
export const USUAL_BOT_PERMISSIONS =
  PermissionFlagsBits.ViewChannel |
  PermissionFlagsBits.SendMessages |
  PermissionFlagsBits.EmbedLinks |
  PermissionFlagsBits.AttachFiles |
  PermissionFlagsBits.ReadMessageHistory |
  PermissionFlagsBits.SendMessagesInThreads;

/** Returns the channels of a new guild. @param guild the guild's id, from which the channels' ids are derived */
export function usualChannels(guild: bigint): readonly Channel[] {
  const channel = (place: bigint, name: string, type: ChannelType): Channel => ({
    id: String(guild + place),
    name,
    type,
    botPermissions: USUAL_BOT_PERMISSIONS,
  });
  const forTeam = { allow: 0n, deny: PermissionFlagsBits.ViewChannel };
  return [
    channel(1n, 'general', ChannelType.GuildText),
    { ...channel(3n, 'staff', ChannelType.GuildText), everyone: forTeam },
    channel(5n, 'news', ChannelType.GuildAnnouncement),
    channel(6n, 'questions', ChannelType.PublicThread),
  ];
}
