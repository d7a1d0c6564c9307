import type { KeyStatus } from '../guilds/api-keys.ts';
import type { Settings } from '../guilds/settings.ts';
import type { Game } from '../listing/contract.ts';
import { escapeText } from './escape.ts';
import type { Reader } from './words.ts';

/** Names of games that are shown: where they are chosen, and among all settings. */
const NAMED = 15;
const NAMED_AMONG_ALL = 5;
/** UTF-16 units of the name of a game. */
const LONGEST_NAME = 50;

/** What the bot needs in the log's channel: its entries are embeds. */
export type LogPermission = 'ViewChannel' | 'SendMessages' | 'EmbedLinks';

export interface SettingsShown {
  readonly now: Settings;
  /** What is known of the guild's key; `undefined`: it has none. */
  readonly key: KeyStatus | undefined;
  /** The service's list. */
  readonly games: readonly Game[];
  /** Where the bot user can be added, when the guild has the commands alone. */
  readonly addBotLink: string | undefined;
  /** What Discord says of the log channel and the role: why it cannot be used. */
  readonly log: {
    readonly trouble: Settings['logTrouble'];
    /** What the bot lacks in the channel. */
    readonly missing: readonly LogPermission[];
    readonly role: 'gone' | 'unmentionable' | undefined;
  };
}

/** How each setting is and what changes it, a line each; what is to be mended is at the same place as what is fine. */
export function settingsText(reader: Reader, shown: SettingsShown): string {
  const { t } = reader;
  const announce = t(shown.now.announce ? 'settings.state.announce.on' : 'settings.state.announce.off');
  const lines = [keyText(reader, shown), logText(reader, shown), roleText(reader, shown)];
  return [t('settings.title'), ...lines, gamesText(reader, shown), quotaText(reader, shown), announce].join(
    '\n',
  );
}

function keyText({ t, mention }: Reader, { key }: SettingsShown): string {
  const setkey = mention('setkey');
  if (key === undefined) return t('settings.state.key.missing', { setkey });
  const { readable, invalidSince, workedAt } = key;
  if (!readable) return t('settings.state.key.unreadable', { setkey });
  if (invalidSince !== undefined)
    return t('settings.state.key.refused', { setkey, seconds: secondsOf(invalidSince) });
  return workedAt === undefined
    ? t('settings.state.key.set', { setkey })
    : t('settings.state.key.works', { setkey, seconds: secondsOf(workedAt) });
}

function logText({ t }: Reader, { now, addBotLink: link, log }: SettingsShown): string {
  const { logChannelId: channelId } = now;
  if (link !== undefined)
    return t('settings.state.log.needsBot', { why: t('settings.logNeedsBot', { link }) });
  if (channelId === undefined) return t('settings.state.log.none');
  if (log.trouble === undefined) return t('settings.state.log.works', { channelId });
  if (log.trouble === 'gone') return t('settings.state.log.gone');
  return t('settings.state.log.lacks', { channelId, names: namesText({ t }, log.missing) });
}

function roleText({ t }: Pick<Reader, 't'>, { now, log }: SettingsShown): string {
  const { notifyRoleId: roleId, logChannelId } = now;
  if (roleId === undefined) return t('settings.state.role.none');
  if (log.role === 'gone') return t('settings.state.role.gone');
  if (log.role === 'unmentionable')
    return t('settings.state.role.unmentionable', { roleId, mend: t('settings.roleMend') });
  return t(logChannelId === undefined ? 'settings.state.role.noLog' : 'settings.state.role.works', {
    roleId,
  });
}

function gamesText(reader: Reader, { now, games }: SettingsShown): string {
  const { t } = reader;
  const button = t('settings.gamesButton');
  if (now.games === undefined) return t('settings.state.games.all', { button });
  const isThere = games.length === 0 || games.some(({ alias }) => now.games?.includes(alias));
  return isThere
    ? t('settings.state.games.some', {
        button,
        count: now.games.length,
        names: gameNames(reader, now.games, { games, most: NAMED_AMONG_ALL }),
      })
    : t('settings.state.games.unknown', { button });
}

/** Which games may be submitted; a game that the service no longer has goes by its alias. */
export function allowedGamesText(
  { t }: Pick<Reader, 't'>,
  { games: allowed }: Settings,
  games: readonly Game[],
): string {
  if (allowed === undefined) return t('settings.gamesAll');
  return t('settings.gamesSome', {
    count: allowed.length,
    names: gameNames({ t }, allowed, { games, most: NAMED }),
  });
}

function gameNames(
  { t }: Pick<Reader, 't'>,
  allowed: readonly string[],
  { games, most }: { readonly games: readonly Game[]; readonly most: number },
): string {
  const names = allowed
    .slice(0, most)
    .map((alias) => escapeText(games.find((game) => game.alias === alias)?.name ?? alias, LONGEST_NAME))
    .join(', ');
  const more = allowed.length - most;
  return more > 0 ? t('settings.gamesSomeMore', { names, count: more }) : names;
}

function quotaText({ t }: Reader, { now: { dailyQuota: count } }: SettingsShown): string {
  const button = t('settings.quotaButton');
  return count === undefined
    ? t('settings.state.quota.none', { button })
    : t('settings.state.quota.set', { button, count });
}

export const missingText = (
  { t }: Pick<Reader, 't'>,
  channelId: string,
  names: readonly LogPermission[],
): string => t('settings.missing', { count: names.length, channelId, names: namesText({ t }, names) });

const namesText = ({ t }: Pick<Reader, 't'>, names: readonly LogPermission[]): string =>
  names.map((name) => `**${t(`permission.${name}`)}**`).join(', ');

const secondsOf = (time: string) => Math.floor(Date.parse(time) / 1000);
