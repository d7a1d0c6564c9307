import { blocksLine } from '../blocks.ts';
import { FINE, OFF, type Setting } from './setting.ts';

/** Blocked members and addresses in the guild. The list that opens belongs to `blockActions`, because moderators use it too. */
export const blocksSetting: Setting = {
  id: 'blocks',
  name: (t) => t('blocks.title'),
  line: (t, { blocks }) => `${blocks === 0 ? OFF : FINE} ${blocksLine(t, blocks)}`,
  about: ({ t }) => t('blocks.about'),
  controls: () => ({}),
  handlers: {},
};
