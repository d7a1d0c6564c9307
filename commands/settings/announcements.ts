import { button } from '../../src/interactions/controls.ts';
import { changeId, FINE, OFF, type Setting } from './setting.ts';

/** Whether successful submissions are announced. */
export const announcementsSetting: Setting = {
  id: 'announce',
  name: (t) => t('settings.announce.name'),
  line: (t, { now }) =>
    now.announce ? `${FINE} ${t('settings.announce.on')}` : `${OFF} ${t('settings.announce.off')}`,
  about: (t) => t('settings.announce.about'),
  controls: ({ t }, { now }) => ({
    buttons: [
      now.announce
        ? button(changeId('announce', 'off'), t('settings.announceOffButton'))
        : button(changeId('announce', 'on'), t('settings.announceOnButton')),
    ],
  }),
  changes: {
    on: () => ({ make: (before) => ({ ...before, announce: true }) }),
    off: () => ({ make: (before) => ({ ...before, announce: false }) }),
  },
};
