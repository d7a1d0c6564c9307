import { linkButton } from '../../src/interactions/controls.ts';
import { sentences } from '../../src/words/sentences.ts';
import type { Setting } from './setting.ts';
import { whoLine } from './text.ts';

/**
 * Discord's guide to the Integrations page. Discord doesn't document a direct link to that page (Discord docs: Message
 * Formatting, Guild Navigation), so the bot links to the guide instead.
 */
const INTEGRATIONS_GUIDE =
  'https://support-apps.discord.com/hc/en-us/articles/26501869403159-Command-Permissions';

/** Admins set the permission to use the bot's commands in Discord itself. */
export const whoSetting: Setting = {
  id: 'who',
  name: (t) => t('settings.whoName'),
  line: (t) => whoLine(t),
  about: ({ t }) => sentences(t('settings.whoWhere'), t('help.adminCommands'), t('settings.whoApproves')),
  notes: ({ t }, { panels }) => (panels.length === 0 ? [] : [t('panel.everyone')]),
  controls: ({ t }) => ({ buttons: [linkButton(INTEGRATIONS_GUIDE, t('settings.integrationsButton'))] }),
  handlers: {},
};
