import { ChannelType } from 'discord.js';
import type { Context } from '../../src/interactions/command.ts';
import { type Control, channelSelect, customId } from '../../src/interactions/controls.ts';

/** Where the log channel is chosen; what is chosen in it comes to /settings, whatever message it is in. */
export const logChannelSelect = ({ t }: Context): Control =>
  // Nothing is preselected: the channel may have been deleted a second ago, and whether Discord takes a message that
  // preselects an unknown one is not documented. The field above names the channel.
  channelSelect({
    id: customId('settings', 'channel'),
    placeholder: t('settings.logPlaceholder'),
    // In threads and forums other permissions count, and they end by themselves.
    types: [ChannelType.GuildText, ChannelType.GuildAnnouncement],
  });
