import { button, channelSelect } from '../../src/interactions/controls.ts';
import type { CommandDeps } from '../deps.ts';
import { demandPermissions, lackingPermissionTexts, MESSAGE_CHANNELS } from './log-channel.ts';
import { BROKEN, changeId, chosenId, FINE, INCOMPLETE, OFF, removal, type Setting } from './setting.ts';

export const announcementsSetting = (deps: CommandDeps): Setting => ({
  id: 'announce',
  name: (t) => t('settings.announce.name'),
  line(t, { now: { announce, announceChannelId: channelId, announceTrouble: trouble, approval } }) {
    if (!announce && channelId !== undefined) return `${OFF} ${t('settings.announce.offIn', { channelId })}`;
    if (!announce) return `${OFF} ${t('settings.announce.off')}`;
    if (trouble === 'gone') return `${BROKEN} ${t('settings.announce.gone')}`;
    if (trouble !== undefined && channelId !== undefined) {
      return `${BROKEN} ${t('settings.announce.rejected', { channelId })}`;
    }
    if (channelId !== undefined) return `${FINE} ${t('settings.announce.onIn', { channelId })}`;
    return approval
      ? `${INCOMPLETE} ${t('settings.announce.needsChannel')}`
      : `${FINE} ${t('settings.announce.on')}`;
  },
  about: ({ t }) => t('settings.announce.about'),
  notes: ({ t }, { now: { announce, announceChannelId, announceTrouble } }) =>
    announce ? lackingPermissionTexts(t, announceChannelId, announceTrouble) : [],
  controls: ({ t }, { now }) => ({
    selects: [
      channelSelect(
        changeId('announce', 'choose'),
        now.announceChannelId === undefined ? t('settings.announcePlaceholder') : t('settings.otherChannel'),
        MESSAGE_CHANNELS,
      ),
    ],
    buttons: [
      now.announce
        ? button(changeId('announce', 'off'), t('settings.announceOffButton'))
        : button(changeId('announce', 'on'), t('settings.announceOnButton')),
      now.announceChannelId !== undefined &&
        button(changeId('announce', `here:${now.announceChannelId}`), t('settings.announceHereButton')),
    ],
  }),
  handlers: {
    /** Doesn't post a test message, because everyone in the channel would see it. */
    async choose(context) {
      const announceChannelId = chosenId(context);
      await demandPermissions(context, announceChannelId, deps);
      return {
        make: ({ announceTrouble: _former, ...before }) => ({ ...before, announce: true, announceChannelId }),
      };
    },
    here: removal(
      'announceChannelId',
      'settings.otherChannelChosen',
      ({ announceTrouble: _former, ...others }) => others,
    ),
    on: () => ({ make: (before) => ({ ...before, announce: true }) }),
    off: () => ({ make: (before) => ({ ...before, announce: false }) }),
  },
});
