import { keyDetails } from '../../src/words/keys.ts';
import { keyButtons } from '../keystatus.ts';
import type { Setting } from './setting.ts';
import { keyLine } from './text.ts';

/** The buttons of its page belong to the commands /keystatus, /setkey and /removekey. */
export const apiKeySetting: Setting = {
  id: 'key',
  name: (t) => t('settings.key.name'),
  line: (t, { key }) => keyLine(t, key),
  about: ({ t }) => t('settings.key.about'),
  notes: ({ t }, { key }) => (key === undefined ? [] : keyDetails(t, key)),
  controls: (context, { key }) => ({ buttons: keyButtons(context, key) }),
  handlers: {},
};
