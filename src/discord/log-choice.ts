import { PermissionFlagsBits } from 'discord.js';
import { UserError } from '../user-error.ts';
import { memberText } from '../words/guild-log.ts';
import { missingText } from '../words/settings.ts';
import type { PressContext } from './command.ts';
import type { ChannelPosts } from './guild-log.ts';
import { type InspectLog, LOG_NEEDS } from './log-channel.ts';

export interface LogChoiceDeps {
  readonly posts: ChannelPosts;
  readonly inspectLog: InspectLog;
  /** Where the bot user can be added to a guild that has the commands alone; `undefined` when it is there, or nobody knows. */
  readonly addBotLink: (guildId: string) => Promise<string | undefined>;
}

/**
 * The channel that was chosen for the log, after a first message in it.
 * @throws UserError when the log cannot be there; the permissions that are missing are named
 */
export async function chosenLogChannel(
  context: PressContext,
  { posts, addBotLink }: LogChoiceDeps,
): Promise<string> {
  const { t, guildT, user } = context;
  const [chosen] = context.channels;
  if (!chosen) throw new UserError(t('settings.channelGone'));
  const channelId = chosen.id;
  const link = await addBotLink(context.guildId);
  if (link !== undefined) throw new UserError(t('settings.logNeedsBot', { link }));
  // Discord says what the bot may do there; should it not, the first message tells.
  const missing = LOG_NEEDS.filter((name) => chosen.botPermissions?.has(PermissionFlagsBits[name]) === false);
  if (missing.length > 0) throw new UserError(missingText(context, channelId, missing));
  const description = guildT('guildLog.opened', { member: memberText(user) });
  switch (await posts.post(channelId, { embed: { description } })) {
    case 'gone':
      throw new UserError(t('settings.channelGone'));
    case 'no-access':
      throw new UserError(missingText(context, channelId, ['ViewChannel']));
    case 'no-permission':
      throw new UserError(missingText(context, channelId, ['SendMessages', 'EmbedLinks']));
    case 'failed':
      throw new UserError(t('settings.channelUntested', { channelId }));
    case 'posted':
      return channelId;
  }
}

/**
 * The role that was chosen to be notified.
 * @throws UserError when it cannot be: @everyone never, and none that the bot may not mention
 */
export async function chosenRole(
  context: PressContext,
  { inspectLog, addBotLink }: Pick<LogChoiceDeps, 'inspectLog' | 'addBotLink'>,
  logChannelId: string | undefined,
): Promise<string> {
  const { t, guildId } = context;
  const [roleId] = context.roles;
  if (roleId === undefined) throw new UserError(t('settings.roleGone'));
  if (roleId === guildId) throw new UserError(t('settings.roleEveryone'));
  const found = await inspectLog({ guildId, channelId: logChannelId, roleId });
  if (found === undefined) {
    const link = await addBotLink(guildId);
    throw new UserError(
      link === undefined ? t('settings.roleUntested', { roleId }) : t('settings.logNeedsBot', { link }),
    );
  }
  if (found.role === 'gone') throw new UserError(t('settings.roleGone'));
  if (found.role === 'unmentionable')
    throw new UserError(t('settings.roleUnmentionable', { roleId, mend: t('settings.roleMend') }));
  return roleId;
}
