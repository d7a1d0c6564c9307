import { blocksLine, createBlockList, FIRST_PAGE_IN_SETTINGS } from '../blocks.ts';
import type { CommandDeps } from '../deps.ts';
import { FINE, OFF, type Setting } from './setting.ts';

/** The list's controls belong to `blockActions`, because moderators use it too. */
export function blocksSetting(deps: CommandDeps): Setting {
  const list = createBlockList(deps);
  return {
    id: 'blocks',
    name: (t) => t('blocks.title'),
    line: (t, { blocks }) => `${blocks === 0 ? OFF : FINE} ${blocksLine(t, blocks)}`,
    about: ({ t }) => t('blocks.about'),
    controls: () => ({}),
    handlers: {},
    list: (context) => list.show(context, FIRST_PAGE_IN_SETTINGS),
  };
}
