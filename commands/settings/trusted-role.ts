import { button, roleSelect } from '../../src/interactions/controls.ts';
import { UserError } from '../../src/interactions/user-error.ts';
import type { Translate } from '../../src/words/words.ts';
import { changeId, chosenId, FINE, OFF, removal, type Setting, type SettingsView } from './setting.ts';

export const trustedRoleSetting: Setting = {
  id: 'trusted',
  name: (t) => t('settings.trusted.name'),
  line: trustedRoleLine,
  about: ({ t }) => t('settings.trusted.about'),
  notes: ({ t }, { now: { approval, trustedRoleId } }) =>
    approval || trustedRoleId === undefined ? [] : [t('settings.trusted.noEffect')],
  controls: ({ t }, { now: { trustedRoleId } }) => ({
    selects: [
      roleSelect(
        changeId('trusted', 'choose'),
        trustedRoleId === undefined ? t('settings.trusted.placeholder') : t('settings.otherRole'),
      ),
    ],
    buttons: [
      trustedRoleId !== undefined &&
        button(changeId('trusted', `none:${trustedRoleId}`), t('settings.trusted.stop')),
    ],
  }),
  handlers: {
    choose(context) {
      const { t, guildId } = context;
      const trustedRoleId = chosenId(context);
      if (trustedRoleId === guildId) throw new UserError(t('settings.trusted.everyone'));
      return { make: (before) => ({ ...before, trustedRoleId }) };
    },
    none: removal('trustedRoleId', 'settings.otherChosen'),
  },
};

export function trustedRoleLine(t: Translate, { now }: Pick<SettingsView, 'now'>): string {
  const { approval, trustedRoleId: roleId } = now;
  if (roleId === undefined) return `${OFF} ${t('settings.trusted.none')}`;
  return `${approval ? FINE : OFF} ${t('settings.trusted.role', { roleId })}`;
}
