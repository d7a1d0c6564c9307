import { ChannelType } from 'discord.js';
import type { Context, Reply } from '../src/discord/command.ts';
import { button, type Control, channelSelect, linkButton, rows } from '../src/discord/components/controls.ts';
import { customId } from '../src/discord/components/custom-ids.ts';
import type { Settings } from '../src/guilds/settings.ts';
import type { Game } from '../src/listing/contract.ts';
import { escapeText } from '../src/words/escape.ts';

/**
 * Discord's own guide to the Integrations page. There is no documented link to that page of a server itself (Discord
 * docs: Message Formatting has guild navigation to other pages only), so the way there is said in words.
 */
const INTEGRATIONS_GUIDE =
  'https://support-apps.discord.com/hc/en-us/articles/26501869403159-Command-Permissions';
/** Names of games that are shown, and UTF-16 units of each; a field takes 1,024 characters. */
const NAMED = 15;
const LONGEST_NAME = 50;

export interface SettingsShown {
  readonly now: Settings;
  readonly games: readonly Game[];
  /** Where the bot user can be added, when the guild has the commands alone. */
  readonly addBotLink: string | undefined;
}

/** What is set, with a component for each setting. The components carry all their state. */
export function settingsView(context: Context, { now, games, addBotLink }: SettingsShown): Reply {
  const { t } = context;
  const field = (name: string, value: string) => ({ name, value });
  return {
    embeds: [
      {
        title: t('settings.title'),
        description: t('settings.integrations'),
        fields: [
          field(
            t('settings.log'),
            addBotLink ? t('settings.logNeedsBot', { link: addBotLink }) : logText(context, now),
          ),
          field(t('settings.announce'), t(now.announce ? 'settings.announceOn' : 'settings.announceOff')),
          field(t('settings.games'), gamesText(context, now, games)),
          field(t('settings.quota'), quotaText(context, now)),
        ],
      },
    ],
    components: rows([channels(context)], buttons(context, now)),
  };
}

function logText({ t }: Context, { logChannelId: channelId, logTrouble }: Settings): string {
  if (channelId === undefined) return t('settings.logOff');
  const on = t('settings.logOn', { channelId });
  return logTrouble === undefined ? on : `${on}\n${t(`settings.trouble.${logTrouble}`)}`;
}

export function gamesText({ t }: Context, now: Settings, games: readonly Game[]): string {
  if (now.games === undefined) return t('settings.gamesAll');
  const names = now.games
    .slice(0, NAMED)
    .map((alias) => escapeText(games.find((game) => game.alias === alias)?.name ?? alias, LONGEST_NAME))
    .join(', ');
  const more = now.games.length - NAMED;
  const shown = more > 0 ? t('settings.gamesSomeMore', { names, count: more }) : names;
  return t('settings.gamesSome', { count: now.games.length, names: shown });
}

function quotaText({ t }: Context, { dailyQuota }: Settings): string {
  return dailyQuota === undefined ? t('settings.quotaNone') : t('settings.quotaSet', { count: dailyQuota });
}

const channels = ({ t }: Context): Control =>
  // Nothing is preselected: the channel may have been deleted a second ago, and whether Discord takes a message that
  // preselects an unknown one is not documented. The field above names the channel.
  channelSelect({
    id: customId('settings', 'channel'),
    placeholder: t('settings.logPlaceholder'),
    // In threads and forums other permissions count, and they end by themselves.
    types: [ChannelType.GuildText, ChannelType.GuildAnnouncement],
  });

const buttons = ({ t }: Context, now: Settings): readonly Control[] => [
  now.announce
    ? button(customId('settings', 'announce', 'off'), t('settings.announceOffButton'))
    : button(customId('settings', 'announce', 'on'), t('settings.announceOnButton')),
  button(customId('settings', 'games', '1'), t('settings.gamesButton')),
  button(customId('settings', 'quota', String(now.dailyQuota ?? '')), t('settings.quotaButton')),
  button(customId('settings', 'nolog'), t('settings.logOffButton'), {
    disabled: now.logChannelId === undefined,
  }),
  linkButton(INTEGRATIONS_GUIDE, t('settings.integrationsButton')),
];
