import type { KeyStatus } from '../../src/guilds/api-keys.ts';
import type { Settings } from '../../src/guilds/settings.ts';
import type { Game } from '../../src/listing/contract.ts';
import { escapeText } from '../../src/words/escape.ts';
import type { Reader, Translate } from '../../src/words/words.ts';

/** Names of games that are shown where they are chosen, and the UTF-16 units of each. */
const NAMED = 15;
const LONGEST_ALLOWED_NAME = 50;
/** The same among all settings. */
const NAMED_AMONG_ALL = 2;
const LONGEST_AMONG_ALL = 24;

export interface SettingsShown {
  readonly now: Settings;
  /** What is known of the guild's key; `undefined`: it has none. */
  readonly key: KeyStatus | undefined;
  /** The service's list. */
  readonly games: readonly Game[];
}

/** How each setting is, a line each; what is to be mended is at the same place as what is fine. */
export function settingsText(reader: Reader, shown: SettingsShown): string {
  const { t } = reader;
  return [
    t('settings.title'),
    keyText(t, shown),
    logText(t, shown),
    roleText(t, shown),
    gamesText(t, shown),
    quotaText(t, shown),
    t(shown.now.announce ? 'settings.announce.on' : 'settings.announce.off'),
  ].join('\n');
}

/** Whether an admin has to enter the key: there is none, or none that can be used. */
export const lacksKey = ({ key }: SettingsShown): boolean =>
  key === undefined || !key.readable || key.invalidSince !== undefined;

function keyText(t: Translate, { key }: SettingsShown): string {
  if (key === undefined) return t('settings.key.missing');
  const { readable, invalidSince, workedAt } = key;
  if (!readable) return t('settings.key.unreadable');
  if (invalidSince !== undefined) return t('settings.key.refused', { seconds: secondsOf(invalidSince) });
  if (workedAt === undefined) return t('settings.key.set');
  return t('settings.key.works', { seconds: secondsOf(workedAt) });
}

function logText(t: Translate, { now }: SettingsShown): string {
  const { logChannelId: channelId, logTrouble: trouble } = now;
  if (channelId === undefined) return t('settings.log.none');
  if (trouble === undefined) return t('settings.log.works', { channelId });
  if (trouble === 'gone') return t('settings.log.gone');
  return t('settings.log.lacks', { channelId, names: missingNames(t, trouble) });
}

function roleText(t: Translate, { now }: SettingsShown): string {
  const { notifyRoleId: roleId, logChannelId, logTrouble } = now;
  if (roleId === undefined) return t('settings.role.none');
  const isLogged = logChannelId !== undefined && logTrouble === undefined;
  return t(isLogged ? 'settings.role.works' : 'settings.role.noLog', { roleId });
}

/** Games were chosen, and the service's list, as far as it is known, has none of them any more. */
const areGamesGone = ({ now, games }: SettingsShown): boolean =>
  now.games !== undefined && games.length > 0 && !games.some(({ alias }) => now.games?.includes(alias));

function gamesText(t: Translate, shown: SettingsShown): string {
  const { now, games } = shown;
  if (now.games === undefined) return t('settings.games.all');
  if (areGamesGone(shown)) return t('settings.games.unknown');
  const names = gameNames(t, now.games, { games, most: NAMED_AMONG_ALL, longest: LONGEST_AMONG_ALL });
  return t('settings.games.some', { names });
}

/** Which games may be submitted; a game that the service no longer has goes by its alias. */
export function allowedGamesText(t: Translate, { games: allowed }: Settings, games: readonly Game[]): string {
  if (allowed === undefined) return t('settings.gamesAll');
  return t('settings.gamesSome', {
    count: allowed.length,
    names: gameNames(t, allowed, { games, most: NAMED, longest: LONGEST_ALLOWED_NAME }),
  });
}

function gameNames(
  t: Translate,
  allowed: readonly string[],
  about: { readonly games: readonly Game[]; readonly most: number; readonly longest: number },
): string {
  const { games, most, longest } = about;
  const names = allowed
    .slice(0, most)
    .map((alias) => escapeText(games.find((game) => game.alias === alias)?.name ?? alias, longest))
    .join(', ');
  const more = allowed.length - most;
  return more > 0 ? t('settings.gamesSomeMore', { names, count: more }) : names;
}

function quotaText(t: Translate, { now: { dailyQuota: count } }: SettingsShown): string {
  return count === undefined ? t('settings.quota.none') : t('settings.quota.set', { count });
}

/** What the bot lacks in a channel that refuses its messages: the log's entries are embeds. */
const MISSING = {
  'no-access': ['ViewChannel'],
  'no-permission': ['SendMessages', 'EmbedLinks'],
} as const;

/** The permissions that the bot lacks in a channel. */
export const missingNames = (t: Translate, trouble: keyof typeof MISSING): string =>
  MISSING[trouble].map((name) => `**${t(`permission.${name}`)}**`).join(', ');

const secondsOf = (time: string) => Math.floor(Date.parse(time) / 1000);
