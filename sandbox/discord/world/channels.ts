import { ChannelType, PermissionFlagsBits } from 'discord.js';

/** A channel of a guild, or a thread. */
export interface Channel {
  readonly id: string;
  readonly name: string;
  readonly type: ChannelType;
  /** What the bot may do in it. */
  botPermissions: bigint;
}

/** An installation with permissions 0 may what @everyone may, and this is what @everyone may in a new server. */
export const USUAL_BOT_PERMISSIONS =
  PermissionFlagsBits.ViewChannel |
  PermissionFlagsBits.SendMessages |
  PermissionFlagsBits.EmbedLinks |
  PermissionFlagsBits.AttachFiles |
  PermissionFlagsBits.ReadMessageHistory |
  PermissionFlagsBits.SendMessagesInThreads;

/** What every guild has from the start. @param guild the guild's own id, from which those of its channels follow */
export function usualChannels(guild: bigint): readonly Channel[] {
  const channel = (place: bigint, name: string, type: ChannelType): Channel => ({
    id: String(guild + place),
    name,
    type,
    botPermissions: USUAL_BOT_PERMISSIONS,
  });
  return [
    channel(1n, 'general', ChannelType.GuildText),
    channel(3n, 'staff', ChannelType.GuildText),
    channel(5n, 'news', ChannelType.GuildAnnouncement),
    channel(6n, 'questions', ChannelType.PublicThread),
  ];
}
