import type { KeyStatus } from '../../src/guilds/api-keys.ts';
import { enterText } from '../../src/words/keys.ts';
import { sentences } from '../../src/words/sentences.ts';
import type { Audience, Translate } from '../../src/words/words.ts';
import { lacksApprovalLog } from './approval.ts';
import { logLine } from './log-channel.ts';
import { notifyRoleLine } from './notify-role.ts';
import { BROKEN, FINE, INCOMPLETE, type SettingsView } from './setting.ts';

/** What an admin sets up first, a line each. */
export const firstDayText = ({ t }: Audience, shown: Pick<SettingsView, 'now' | 'key'>): string =>
  [keyLine(t, shown.key), logLine(t, shown), notifyRoleLine(t, shown), whoLine(t)].join('\n');

/** What an admin may want to set up next; `undefined` when it is all there. */
export function nextText(
  audience: Audience,
  { now, key, panels }: Pick<SettingsView, 'now' | 'key' | 'panels'>,
): string | undefined {
  const { t, mention } = audience;
  if (lacksKey(key)) return enterText(audience);
  if (now.logChannelId === undefined) {
    const post = panels.length === 0 ? t('setkey.postPanel', { panel: mention('panel') }) : undefined;
    return sentences(t('setkey.chooseLog'), post);
  }
  // That another channel is to be chosen stands there already.
  if (lacksApprovalLog(now)) return undefined;
  return now.notifyRoleId === undefined ? t('settings.chooseRole') : undefined;
}

/** Whether an admin has to enter the key: there is none, or none that can be used. */
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

/** Who may submit is set in Discord itself. */
export const whoLine = (t: Translate): string => `${FINE} ${t('settings.who')}`;

/** Discord's unit for times. @param time ISO 8601 */
export const secondsOf = (time: string) => Math.floor(Date.parse(time) / 1000);
