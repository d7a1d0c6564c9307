import type { CommandDeps } from '../deps.ts';
import { announcementsSetting } from './announcements.ts';
import { apiKeySetting } from './api-key.ts';
import { approvalSetting } from './approval.ts';
import { blocksSetting } from './blocks.ts';
import { dailyQuotaSetting } from './daily-quota.ts';
import { gamesSetting } from './games.ts';
import { languageSetting } from './language.ts';
import { logChannelSetting } from './log-channel.ts';
import { notifyRoleSetting } from './notify-role.ts';
import { panelsSetting } from './panels.ts';
import type { Setting } from './setting.ts';
import { trustedRoleSetting } from './trusted-role.ts';
import { whoSetting } from './who.ts';

/** Returns all the settings in the order in which /settings shows them. */
export const allSettings = (deps: CommandDeps): readonly Setting[] => [
  apiKeySetting,
  logChannelSetting(deps),
  notifyRoleSetting,
  gamesSetting(deps),
  dailyQuotaSetting,
  approvalSetting(deps),
  trustedRoleSetting,
  blocksSetting(deps),
  announcementsSetting(deps),
  panelsSetting(deps),
  languageSetting(deps),
  whoSetting,
];
