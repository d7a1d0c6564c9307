import type { KeyStatus } from '../guilds/api-keys.ts';
import type { Settings } from '../guilds/settings.ts';
import type { Game } from '../listing/contract.ts';
import { escapeText, type Reader } from './words.ts';

/** Names of games that are shown where they are chosen, and the UTF-16 units of each. */
const NAMED = 15;
const LONGEST_ALLOWED_NAME = 50;
/** The same among all settings, where they have a part of a line of a list. */
const NAMED_AMONG_ALL = 5;
const LONGEST_AMONG_ALL = 24;
const ROOM_AMONG_ALL = 40;

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

/**
 * How each setting is and what changes it, a line each that a phone shows whole; what is to be mended is at the same
 * place as what is fine. What it takes to mend it stands below, where that is more than a choice.
 */
export function settingsText(reader: Reader, shown: SettingsShown): string {
  const { t } = reader;
  const announce = t(shown.now.announce ? 'settings.state.announce.on' : 'settings.state.announce.off');
  const lines = [keyStateText(reader, shown), logText(reader, shown), roleText(reader, shown)];
  const state = [t('settings.title'), ...lines, gamesText(reader, shown), quotaText(reader, shown), announce];
  return [state.join('\n'), ...mendTexts(reader, shown)].join('\n\n');
}

function mendTexts({ t }: Reader, shown: SettingsShown): readonly string[] {
  const { now, addBotLink: link, log } = shown;
  const { logChannelId: channelId, notifyRoleId: roleId } = now;
  const texts: string[] = [];
  if (link !== undefined) texts.push(t('settings.logNeedsBot', { link }));
  else if (channelId !== undefined && log.trouble !== undefined && log.trouble !== 'gone')
    texts.push(
      t('settings.logLacks', { channelId, count: log.missing.length, names: namesText({ t }, log.missing) }),
    );
  if (roleId !== undefined && log.role === 'unmentionable')
    texts.push(t('settings.roleNotNotified', { roleId, mend: t('settings.roleMend') }));
  if (areGamesGone(shown)) texts.push(t('settings.gamesUnknown', { button: t('settings.gamesButton') }));
  return texts;
}

function keyStateText({ t, mention }: Reader, { key }: SettingsShown): string {
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
  if (link !== undefined) return t('settings.state.log.needsBot');
  if (channelId === undefined) return t('settings.state.log.none');
  if (log.trouble === undefined) return t('settings.state.log.works', { channelId });
  if (log.trouble === 'gone') return t('settings.state.log.gone');
  return t('settings.state.log.lacks', { channelId });
}

function roleText({ t }: Pick<Reader, 't'>, { now, log }: SettingsShown): string {
  const { notifyRoleId: roleId, logChannelId } = now;
  if (roleId === undefined) return t('settings.state.role.none');
  if (log.role === 'gone') return t('settings.state.role.gone');
  if (log.role === 'unmentionable') return t('settings.state.role.unmentionable', { roleId });
  return t(logChannelId === undefined ? 'settings.state.role.noLog' : 'settings.state.role.works', {
    roleId,
  });
}

/** Games were chosen, and the service's list, as far as it is known, has none of them any more. */
const areGamesGone = ({ now, games }: SettingsShown): boolean =>
  now.games !== undefined && games.length > 0 && !games.some(({ alias }) => now.games?.includes(alias));

function gamesText(reader: Reader, shown: SettingsShown): string {
  const { t } = reader;
  const { now, games } = shown;
  const button = t('settings.gamesButton');
  if (now.games === undefined) return t('settings.state.games.all', { button });
  if (areGamesGone(shown)) return t('settings.state.games.unknown', { button });
  return t('settings.state.games.some', { names: fewNames(reader, now.games, games) });
}

/** As many names as a line has room for, one at least. */
function fewNames(reader: Reader, allowed: readonly string[], games: readonly Game[]): string {
  const named = (most: number) => gameNames(reader, allowed, { games, most, longest: LONGEST_AMONG_ALL });
  for (let most = NAMED_AMONG_ALL; most > 1; most--)
    if (named(most).length <= ROOM_AMONG_ALL) return named(most);
  return named(1);
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
    names: gameNames({ t }, allowed, { games, most: NAMED, longest: LONGEST_ALLOWED_NAME }),
  });
}

function gameNames(
  { t }: Pick<Reader, 't'>,
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
