import type { Settings } from '../../src/guilds/settings.ts';
import { button, type Control, roleSelect } from '../../src/interactions/controls.ts';
import { UserError } from '../../src/interactions/user-error.ts';
import type { Translate } from '../../src/words/words.ts';
import {
  changeId,
  chosenId,
  FINE,
  hasLog,
  INCOMPLETE,
  OFF,
  removal,
  type Setting,
  type SettingsView,
} from './setting.ts';

export const notifyRoleSetting: Setting = {
  id: 'role',
  name: (t) => t('settings.role.name'),
  line: notifyRoleLine,
  about: ({ t }) => t('settings.role.about'),
  needsLog: true,
  controls: ({ t }, { now }) => ({
    selects: [notifyRoleSelect(t, now)],
    buttons: [
      now.notifyRoleId !== undefined &&
        button(changeId('role', `none:${now.notifyRoleId}`), t('settings.role.stop')),
    ],
  }),
  handlers: {
    choose(context) {
      const { t, guildId, isRoleMentionable } = context;
      const notifyRoleId = chosenId(context);
      if (notifyRoleId === guildId) throw new UserError(t('settings.roleEveryone'));
      return {
        make(before) {
          if (isRoleMentionable || before.mayMentionRoles) return { ...before, notifyRoleId };
          throw new UserError(t('settings.roleNotMentionable', { roleId: notifyRoleId }));
        },
      };
    },
    none: removal('notifyRoleId', 'settings.otherChosen'),
  },
};

/** @param page as in `logChannelSelect` */
export const notifyRoleSelect = (t: Translate, now: Settings, page = 'role'): Control =>
  roleSelect(
    changeId('role', 'choose', page),
    now.notifyRoleId === undefined ? t('settings.rolePlaceholder') : t('settings.otherRole'),
  );

export function notifyRoleLine(t: Translate, { now }: Pick<SettingsView, 'now'>): string {
  const { notifyRoleId: roleId } = now;
  if (roleId === undefined) return `${OFF} ${t('settings.role.none')}`;
  return `${hasLog(now) ? FINE : INCOMPLETE} ${t('settings.role.works', { roleId })}`;
}
