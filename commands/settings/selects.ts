import { ChannelType } from 'discord.js';
import type { Context } from '../../src/interactions/command.ts';
import { type Control, channelSelect, customId, roleSelect } from '../../src/interactions/controls.ts';

/* What is chosen in these comes to /settings, whatever message they are in. */

/** Where the log channel is chosen. */
export const logChannelSelect = ({ t }: Context): Control =>
  // Nothing is preselected: the channel may have been deleted a second ago, and whether Discord takes a message that
  // preselects an unknown one is not documented. The field above names the channel.
  channelSelect(customId('settings', 'channel'), t('settings.logPlaceholder'), [
    // In threads and forums other permissions count, and they end by themselves.
    ChannelType.GuildText,
    ChannelType.GuildAnnouncement,
  ]);

/** Where the role is chosen that may decide about submissions. */
export const approvalRoleSelect = ({ t }: Context): Control =>
  roleSelect(customId('settings', 'approvalrole'), t('settings.approvalRolePlaceholder'));

/** Where the role to notify is chosen. */
export const notifyRoleSelect = ({ t }: Context): Control =>
  roleSelect(customId('settings', 'role'), t('settings.rolePlaceholder'));
