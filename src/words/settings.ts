import type { Settings } from '../guilds/settings.ts';
import type { Game } from '../listing/contract.ts';
import { escapeText } from './escape.ts';
import type { Reader } from './words.ts';

/** Names of games that are shown, and UTF-16 units of each; a field takes 1,024 characters. */
const NAMED = 15;
const LONGEST_NAME = 50;

export interface SettingsShown {
  readonly now: Settings;
  /** The service's list. */
  readonly games: readonly Game[];
  /** Where the bot user can be added, when the guild has the commands alone. */
  readonly addBotLink: string | undefined;
}

/** What is set, each with its name. */
export function settingsTexts(
  context: Reader,
  { now, games, addBotLink }: SettingsShown,
): { name: string; value: string }[] {
  const { t } = context;
  const log = addBotLink ? t('settings.logNeedsBot', { link: addBotLink }) : logText(context, now);
  const announce = t(now.announce ? 'settings.announceOn' : 'settings.announceOff');
  return [
    { name: t('settings.log'), value: log },
    { name: t('settings.announce'), value: announce },
    { name: t('settings.games'), value: allowedGamesText(context, now, games) },
    { name: t('settings.quota'), value: quotaText(context, now) },
  ];
}

function logText({ t }: Reader, { logChannelId: channelId, logTrouble }: Settings): string {
  if (channelId === undefined) return t('settings.logOff');
  const on = t('settings.logOn', { channelId });
  return logTrouble === undefined ? on : `${on}\n${t(`settings.trouble.${logTrouble}`)}`;
}

/** Which games may be submitted; a game that the service no longer has goes by its alias. */
export function allowedGamesText(
  { t }: Reader,
  { games: allowed }: Settings,
  games: readonly Game[],
): string {
  if (allowed === undefined) return t('settings.gamesAll');
  const names = allowed
    .slice(0, NAMED)
    .map((alias) => escapeText(games.find((game) => game.alias === alias)?.name ?? alias, LONGEST_NAME))
    .join(', ');
  const more = allowed.length - NAMED;
  const shown = more > 0 ? t('settings.gamesSomeMore', { names, count: more }) : names;
  return t('settings.gamesSome', { count: allowed.length, names: shown });
}

function quotaText({ t }: Reader, { dailyQuota }: Settings): string {
  return dailyQuota === undefined ? t('settings.quotaNone') : t('settings.quotaSet', { count: dailyQuota });
}

/** What the bot needs in the log's channel: its entries are embeds. */
export type LogPermission = 'ViewChannel' | 'SendMessages' | 'EmbedLinks';

export function missingText({ t }: Reader, channelId: string, names: readonly LogPermission[]): string {
  return t('settings.missing', {
    count: names.length,
    channelId,
    names: names.map((name) => `**${t(`permission.${name}`)}**`).join(', '),
  });
}
