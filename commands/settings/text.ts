import type { KeyStatus } from '../../src/guilds/api-keys.ts';
import { secondsOf, sentences } from '../../src/words/sentences.ts';
import type { Audience, Translate } from '../../src/words/words.ts';
import { lacksApprovalLog } from './approval.ts';
import { logLine } from './log-channel.ts';
import { notifyRoleLine } from './notify-role.ts';
import { BROKEN, FINE, INCOMPLETE, type SettingsView } from './setting.ts';

export const firstDayText = ({ t }: Audience, shown: Pick<SettingsView, 'now' | 'key'>): string =>
  [keyLine(t, shown.key), logLine(t, shown), notifyRoleLine(t, shown), whoLine(t)].join('\n');

/** Returns '' if everything has been set up. */
export function nextText(
  audience: Audience,
  { now, key, panels }: Pick<SettingsView, 'now' | 'key' | 'panels'>,
): string {
  const { t, mention } = audience;
  if (lacksKey(key)) return '';
  // The settings already ask the admin to choose another channel.
  if (lacksApprovalLog(now)) return '';
  const post = panels.length === 0 ? t('setkey.postPanel', { panel: mention('panel') }) : undefined;
  if (now.logChannelId === undefined) return sentences(t('setkey.chooseLog'), post);
  return sentences(now.notifyRoleId === undefined ? t('settings.chooseRole') : undefined, post);
}

export const lacksKey = (key: KeyStatus | undefined): boolean =>
  key === undefined || !key.readable || key.invalidSince !== undefined;

export function keyLine(t: Translate, key: KeyStatus | undefined): string {
  if (key === undefined) return `${INCOMPLETE} ${t('settings.key.missing')}`;
  const { readable, invalidSince, workedAt } = key;
  if (!readable) return `${BROKEN} ${t('settings.key.unreadable')}`;
  if (invalidSince !== undefined) {
    return `${BROKEN} ${t('settings.key.rejected', { seconds: secondsOf(invalidSince) })}`;
  }
  if (workedAt === undefined) return `${FINE} ${t('settings.key.set')}`;
  return `${FINE} ${t('settings.key.works', { seconds: secondsOf(workedAt) })}`;
}

/** Refers to Discord's own settings for who can submit servers. */
export const whoLine = (t: Translate): string => `${FINE} ${t('settings.everyone')}`;
