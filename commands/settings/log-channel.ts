import { ChannelType, PermissionFlagsBits } from 'discord.js';
import type { PostResult } from '../../src/discord/channel-posts.ts';
import type { Settings } from '../../src/guilds/settings.ts';
import type { Context, PressContext } from '../../src/interactions/command.ts';
import { button, type Control, channelSelect } from '../../src/interactions/controls.ts';
import { UserError } from '../../src/interactions/user-error.ts';
import { memberText } from '../../src/words/escape.ts';
import { withSign } from '../../src/words/servers.ts';
import type { Translate } from '../../src/words/words.ts';
import type { CommandDeps } from '../deps.ts';
import { notifyRoleSelect } from './notify-role.ts';
import {
  BROKEN,
  type Change,
  changeId,
  checkShown,
  chosenId,
  FINE,
  hasLog,
  OFF,
  type Setting,
  type SettingsView,
  UnconfirmedError,
} from './setting.ts';

export function logChannelSetting(deps: CommandDeps): Setting {
  const { posts, approvalMessages, guildLog, addBotLink, isPublicChannel } = deps;

  /**
   * @throws UserError with the reason if the channel can't be the log channel
   * @throws UnconfirmedError if everyone can read the channel
   */
  async function choose(context: PressContext): Promise<Change> {
    const { t, guildId, channelPermissions, isFollowable } = context;
    const channelId = chosenId(context);
    await demandPermissions(context, channelId, deps);
    const mayMentionRoles = ((channelPermissions ?? 0n) & PermissionFlagsBits.MentionEveryone) !== 0n;
    const isPublic = await isPublicChannel(guildId, channelId);
    // The channel could be public.
    if (isPublic === undefined) throw new UserError(await whyReadersUnknown(context, channelId));
    const followed = isFollowable && withSign('not-sent', t('settings.log.followed', { channelId }));
    if (isPublic) {
      throw new UnconfirmedError(
        [t('settings.log.public', { channelId }), followed].filter(Boolean).join('\n'),
        {
          change: `anyway:${channelId}:${mayMentionRoles ? 'mention' : ''}`,
          label: t('settings.log.anyway'),
        },
      );
    }
    const change = await use(context, channelId, mayMentionRoles);
    return followed ? { ...change, textAbove: followed } : change;
  }

  /**
   * Uses a channel that everyone can read, after the admin has confirmed the choice.
   * @param about the channel, and whether the bot can mention every role there
   */
  async function chooseAnyway(context: PressContext, _now: Settings, about: string): Promise<Change> {
    const [channelId = '', mention] = about.split(':');
    // The id can be forged, so the channel is only used if Discord confirms that it exists in this guild.
    if ((await isPublicChannel(context.guildId, channelId)) === undefined) {
      throw new UserError(await whyReadersUnknown(context, channelId));
    }
    return use(context, channelId, mention === 'mention');
  }

  const whyReadersUnknown = (context: PressContext, channelId: string): Promise<string> =>
    addBotOr(context.t('settings.log.unchecked', { channelId }), context, deps);

  async function use(context: PressContext, logChannelId: string, mayMentionRoles: boolean): Promise<Change> {
    const words = await context.guildWords();
    const greeting = `⚙️ ${words('guildLog.opened', { member: memberText(context.user) })}`;
    const result = await postText(logChannelId, greeting);
    if (result !== 'posted') {
      const text = troubleText(context.t, logChannelId, result);
      throw new UserError(result === 'failed' ? text : await addBotOr(text, context, deps));
    }
    return { make: ({ logTrouble: _former, ...before }) => ({ ...before, logChannelId, mayMentionRoles }) };
  }

  /**
   * Posts a line in the current log channel and stores the result.
   * @param line `works` if no admin asked for the test
   */
  async function test(
    context: Context,
    { logChannelId: channelId }: Settings,
    line: 'tested' | 'works',
  ): Promise<Change> {
    const { t, guildWords, user } = context;
    if (channelId === undefined) throw new UserError(t('settings.log.turnedOff'));
    const words = await guildWords();
    const result = await postText(channelId, `⚙️ ${words(`guildLog.${line}`, { member: memberText(user) })}`);
    if (result === 'failed') throw new UserError(troubleText(t, channelId, result));
    const logTrouble = result === 'posted' ? undefined : result;
    return {
      // A different channel may have been chosen in the meantime.
      make: (before) => (before.logChannelId === channelId ? { ...before, logTrouble } : before),
      textAbove: logTrouble
        ? testFailedText(t, channelId, logTrouble)
        : t('settings.logTested', { channelId }),
    };
  }

  const postText = (channelId: string, description: string) =>
    posts.post(channelId, { embed: { description } });

  return {
    id: 'log',
    name: (t) => t('settings.log.name'),
    line: logLine,
    about: ({ t }) => t('settings.log.about'),
    notes: ({ t }, { now }) => [
      ...lackingPermissionTexts(t, now.logChannelId, now.logTrouble),
      ...(now.approval ? [t('settings.log.needed')] : []),
      ...(lacksRole(now) ? [t('settings.chooseRole')] : []),
    ],
    controls: ({ t }, { now }) => ({
      selects: [logChannelSelect(t, now), lacksRole(now) && notifyRoleSelect(t, now)],
      buttons: [
        now.logChannelId !== undefined &&
          now.logTrouble !== 'gone' &&
          button(changeId('log', 'test'), t('settings.logTestButton')),
        now.logChannelId !== undefined &&
          !now.approval &&
          button(changeId('log', `off:${now.logChannelId}`), t('settings.logOffButton')),
      ],
    }),
    handlers: {
      choose,
      anyway: chooseAnyway,
      test: (context, now) => test(context, now, 'tested'),
      // While approval is on, the page explains why the button is missing.
      off: ({ t }, _now, shownId) => ({
        make(before) {
          if (before.approval) return before;
          checkShown(shownId, before.logChannelId, t('settings.otherChannelChosen'));
          return withoutLog(before);
        },
      }),
    },
    /** The bot isn't notified if it is removed, or if everyone can read the channel now. */
    async opened({ t, guildId }, { logChannelId: channelId }) {
      if (channelId === undefined) return {};
      const [isPublic, link] = await Promise.all([isPublicChannel(guildId, channelId), addBotLink(guildId)]);
      if (link !== undefined) return { textAbove: withSign('not-sent', t('settings.logNeedsBot', { link })) };
      return isPublic ? { textAbove: withSign('not-sent', t('settings.log.isPublic', { channelId })) } : {};
    },
    retry: (context, now) => (now.logTrouble === undefined ? undefined : test(context, now, 'works')),
    /** Only notifies the previous channel, because the new channel already got its first message. */
    async report({ guildId, guildWords, user }, { logChannelId: former }, now) {
      const { logChannelId: channelId } = now;
      if (hasLog(now)) await approvalMessages.moved(guildId);
      if (former === undefined || former === channelId) return;
      const member = memberText(user);
      if (channelId === undefined) {
        await guildLog.farewell(guildId, former, (words) => `🔕 ${words('guildLog.logOff', { member })}`);
        return;
      }
      const words = await guildWords();
      await postText(former, `⚙️ ${words('guildLog.moved', { member, channelId })}`);
    },
  };
}

/**
 * Builds the select menu for the log channel, for use in any message.
 * @param page the setting to show afterwards, or '' for the overview
 */
export const logChannelSelect = (t: Translate, now: Settings, page = 'log'): Control =>
  // No channel is preselected: the log channel may have been deleted, and Discord doesn't document whether it accepts an
  // unknown default. The line above the menu names the channel.
  channelSelect(
    changeId('log', 'choose', page),
    now.logChannelId === undefined ? t('settings.logPlaceholder') : t('settings.otherChannel'),
    MESSAGE_CHANNELS,
  );

/** Channel types the bot can post in. Excludes threads and forums: their permissions differ, and threads auto-archive. */
export const MESSAGE_CHANNELS = [ChannelType.GuildText, ChannelType.GuildAnnouncement] as const;

const withoutLog = ({ logChannelId: _former, logTrouble: _trouble, ...others }: Settings): Settings => others;

const lacksRole = (now: Settings): boolean => hasLog(now) && now.notifyRoleId === undefined;

export function logLine(t: Translate, { now }: Pick<SettingsView, 'now'>): string {
  const { logChannelId: channelId, logTrouble: trouble } = now;
  if (channelId === undefined) return `${OFF} ${t('settings.log.none')}`;
  if (trouble === undefined) return `${FINE} ${t('settings.log.works', { channelId })}`;
  if (trouble === 'gone') return `${BROKEN} ${t('settings.log.gone')}`;
  return `${BROKEN} ${t('settings.log.rejected', { channelId })}`;
}

export const lackingPermissionTexts = (
  t: Translate,
  channelId: string | undefined,
  trouble: Settings['logTrouble'],
): readonly string[] =>
  channelId === undefined || trouble === undefined || trouble === 'gone'
    ? []
    : [lackingText(t, channelId, MISSING[trouble])];

/** Adds the bot's problems in the interaction's own channel, because Discord sends the bot's permissions there. */
export function withTroubleHere({ channelId, botPermissions }: Context, now: Settings): Settings {
  const [lacking] = missingIn(botPermissions);
  if (lacking === undefined) return now;
  const trouble = lacking === 'ViewChannel' ? 'no-access' : 'no-permission';
  return {
    ...now,
    ...(now.logChannelId === channelId && { logTrouble: trouble }),
    ...(now.announceChannelId === channelId && { announceTrouble: trouble }),
  };
}

/** @throws UserError if the bot can't post in the channel */
export async function demandPermissions(
  context: PressContext,
  channelId: string,
  deps: Pick<CommandDeps, 'addBotLink'>,
): Promise<void> {
  const lacking = missingIn(context.channelPermissions);
  if (lacking.length === 0) return;
  throw new UserError(await addBotOr(lackingText(context.t, channelId, lacking), context, deps));
}

/** Asks the admin to add the bot. Returns the given text, which explains another problem, if the bot is in the guild. */
async function addBotOr(
  text: string,
  { t, guildId }: Pick<Context, 't' | 'guildId'>,
  { addBotLink }: Pick<CommandDeps, 'addBotLink'>,
): Promise<string> {
  const link = await addBotLink(guildId);
  return link === undefined ? text : t('settings.logNeedsBot', { link });
}

function troubleText(t: Translate, channelId: string, trouble: Exclude<PostResult, 'posted'>): string {
  if (trouble === 'failed') return t('settings.channelUntested', { channelId });
  if (trouble === 'gone') return t('settings.choiceGone');
  return lackingText(t, channelId, MISSING[trouble]);
}

function testFailedText(t: Translate, channelId: string, trouble: Exclude<PostResult, 'posted' | 'failed'>) {
  return trouble === 'gone' ? t('settings.log.deleted') : t('settings.testFailed', { channelId });
}

/**
 * Permissions that the bot may lack if Discord rejects a message with an embed. Without `ViewChannel`, it lacks the others
 * too.
 */
const MISSING = {
  'no-access': ['ViewChannel', 'SendMessages', 'EmbedLinks'],
  'no-permission': ['SendMessages', 'EmbedLinks'],
} as const;

type NeededPermission = (typeof MISSING)[keyof typeof MISSING][number];

/** Returns [] if the bot's permissions are unknown. */
function missingIn(permissions: bigint | undefined): readonly NeededPermission[] {
  if (permissions === undefined || (permissions & PermissionFlagsBits.Administrator) !== 0n) return [];
  return MISSING['no-access'].filter((name) => (permissions & PermissionFlagsBits[name]) === 0n);
}

function lackingText(t: Translate, channelId: string, lacking: readonly NeededPermission[]): string {
  const names = t.and(lacking.map((name) => `**${t(`permission.${name}`)}**`));
  return t('settings.missing', { channelId, names });
}
