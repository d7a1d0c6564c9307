import { PermissionFlagsBits } from 'discord.js';
import type { KeyStatus } from '../../src/guilds/api-keys.ts';
import type { Settings } from '../../src/guilds/settings.ts';
import type { Game } from '../../src/listing/contract.ts';
import { escapeText } from '../../src/words/escape.ts';
import { enterText } from '../../src/words/keys.ts';
import { namedText } from '../../src/words/sentences.ts';
import { LOOK } from '../../src/words/servers.ts';
import type { Reader, Translate } from '../../src/words/words.ts';

/** How many games are named, and the UTF-16 units of each: where games are chosen, and among all settings. */
export const MANY_GAMES = { most: 15, longest: 50 };
const FEW_GAMES: typeof MANY_GAMES = { most: 2, longest: 24 };

export interface SettingsShown {
  readonly now: Settings;
  /** What is known of the guild's key; `undefined`: it has none. */
  readonly key: KeyStatus | undefined;
  /** The service's list. */
  readonly games: readonly Game[];
}

/** Whether submissions would wait in a log channel that takes no messages. */
export const lacksApprovalLog = ({ approval, logTrouble }: Settings): boolean =>
  approval === true && logTrouble !== undefined;

/** Says where what waits is decided, if that is not clear. @param count the submissions that wait */
export function waitingTexts({ t, mention }: Reader, now: Settings, count: number): readonly string[] {
  const submissions = mention('submissions');
  return [
    ...(lacksApprovalLog(now) ? [`${BROKEN} ${t('settings.approval.noLog', { submissions })}`] : []),
    ...(count > 0 ? [t('settings.approval.stillWaiting', { count, submissions })] : []),
  ];
}

/** What most settings are about: the settings themselves, and the service's list. */
type Shown = Pick<SettingsShown, 'now' | 'games'>;

const FINE = LOOK.accepted.sign;
const BROKEN = LOOK.rejected.sign;
const INCOMPLETE = LOOK['not-sent'].sign;
const OFF = '➖';

/**
 * One line for each setting, always in the same order, whether it is fine or not; then what to do next.
 * @param waiting the submissions that wait for a moderator
 */
export function settingsText(reader: Reader, shown: SettingsShown, waiting: number): string {
  const { t } = reader;
  const next = [...waitingTexts(reader, shown.now, waiting), nextText(reader, shown)].filter(Boolean);
  return [
    `**${t('settings.title')}**`,
    firstDayText(reader, shown),
    gamesText(t, shown),
    quotaText(t, shown),
    announceText(t, shown),
    approvalText(t, shown),
    ...(next.length === 0 ? [] : ['', ...next]),
  ].join('\n');
}

/** What an admin sets up first, a line each. */
export const firstDayText = ({ t }: Reader, shown: SettingsShown): string =>
  [keyText(t, shown), logText(t, shown), roleText(t, shown), `${FINE} ${t('settings.who')}`].join('\n');

/** What an admin may want to set up next; `undefined` when it is all there. */
export function nextText(reader: Reader, shown: SettingsShown): string | undefined {
  const { t } = reader;
  const { logChannelId, notifyRoleId } = shown.now;
  if (lacksKey(shown)) return enterText(reader);
  if (logChannelId === undefined) return t('setkey.chooseLog');
  // That another channel is to be chosen stands there already.
  if (lacksApprovalLog(shown.now)) return undefined;
  return notifyRoleId === undefined ? t('settings.chooseRole') : undefined;
}

/** Whether an admin has to enter the key: there is none, or none that can be used. */
export const lacksKey = ({ key }: Pick<SettingsShown, 'key'>): boolean =>
  key === undefined || !key.readable || key.invalidSince !== undefined;

function keyText(t: Translate, { key }: SettingsShown): string {
  if (key === undefined) return `${INCOMPLETE} ${t('settings.key.missing')}`;
  const { readable, invalidSince, workedAt } = key;
  if (!readable) return `${BROKEN} ${t('settings.key.unreadable')}`;
  if (invalidSince !== undefined) {
    return `${BROKEN} ${t('settings.key.refused', { seconds: secondsOf(invalidSince) })}`;
  }
  if (workedAt === undefined) return `${FINE} ${t('settings.key.set')}`;
  return `${FINE} ${t('settings.key.works', { seconds: secondsOf(workedAt) })}`;
}

function logText(t: Translate, { now }: Shown): string {
  const { logChannelId: channelId, logTrouble: trouble } = now;
  if (channelId === undefined) return `${OFF} ${t('settings.log.none')}`;
  if (trouble === undefined) return `${FINE} ${t('settings.log.works', { channelId })}`;
  if (trouble === 'gone') return `${BROKEN} ${t('settings.log.gone')}`;
  return `${BROKEN} ${t('settings.log.lacks', { channelId, names: missingNames(t, trouble) })}`;
}

export function roleText(t: Translate, { now }: Shown): string {
  const { notifyRoleId: roleId, logChannelId, logTrouble } = now;
  if (roleId === undefined) return `${OFF} ${t('settings.role.none')}`;
  const isLogged = logChannelId !== undefined && logTrouble === undefined;
  return isLogged
    ? `${FINE} ${t('settings.role.works', { roleId })}`
    : `${INCOMPLETE} ${t('settings.role.noLog', { roleId })}`;
}

/** Which games may be submitted. A game that the service no longer has is named by its alias. */
export function gamesText(t: Translate, { now, games }: Shown, { most, longest } = FEW_GAMES): string {
  const { games: allowed } = now;
  if (allowed === undefined) return `${FINE} ${t('settings.games.all')}`;
  const known = games.filter(({ alias }) => allowed.includes(alias));
  // The service's list, as far as it is known, has none of them any more.
  if (games.length > 0 && known.length === 0) return `${BROKEN} ${t('settings.games.unknown')}`;
  const names = allowed
    .slice(0, most)
    .map((alias) => escapeText(known.find((game) => game.alias === alias)?.name ?? alias, longest));
  return `${FINE} ${t('settings.games.some', { names: namedText(t, names, allowed.length) })}`;
}

export function quotaText(t: Translate, { now: { dailyQuota: count } }: Shown): string {
  return count === undefined
    ? `${OFF} ${t('settings.quota.none')}`
    : `${FINE} ${t('settings.quota.set', { count })}`;
}

export function approvalText(t: Translate, { now: { approval, approvalRoleId: roleId } }: Shown): string {
  if (!approval) return `${OFF} ${t('settings.approval.off')}`;
  if (roleId === undefined) return `${FINE} ${t('settings.approval.on')}`;
  return `${FINE} ${t('settings.approval.onRole', { roleId })}`;
}

export const announceText = (t: Translate, { now }: Shown): string =>
  now.announce ? `${FINE} ${t('settings.announce.on')}` : `${OFF} ${t('settings.announce.off')}`;

/** The permissions that the bot lacks in a channel that refuses its messages, which are embeds. */
const MISSING = {
  'no-access': ['ViewChannel'],
  'no-permission': ['SendMessages', 'EmbedLinks'],
} as const;

type Needed = (typeof MISSING)[keyof typeof MISSING][number];

/** The permissions that the bot lacks in a channel that has refused a message so. */
export const missingNames = (t: Translate, trouble: keyof typeof MISSING): string =>
  namesOf(t, MISSING[trouble]);

/** What the bot lacks for the log of what it may do in a channel; none where that is unknown. */
export function missingIn(permissions: bigint | undefined): readonly Needed[] {
  if (permissions === undefined || (permissions & PermissionFlagsBits.Administrator) !== 0n) return [];
  const needed = [...MISSING['no-access'], ...MISSING['no-permission']];
  return needed.filter((name) => (permissions & PermissionFlagsBits[name]) === 0n);
}

export const namesOf = (t: Translate, permissions: readonly Needed[]): string =>
  t.and(permissions.map((name) => `**${t(`permission.${name}`)}**`));

/** Discord's unit for times. @param time ISO 8601 */
export const secondsOf = (time: string) => Math.floor(Date.parse(time) / 1000);
