import type { ChannelMessage } from '../src/discord/channel-posts.ts';
import { PANEL_BUTTONS, type Panel, type PanelButton } from '../src/guilds/panels.ts';
import { button, customId, isCustomId, rows } from '../src/interactions/controls.ts';
import type { Translate } from '../src/words/words.ts';
import type { CommandDeps } from './deps.ts';

/** The commands whose action `new` opens a window; each button belongs to another command. */
const OPENS = { server: 'addserver', list: 'addservers' } as const;

/**
 * The message of a panel. It stands for good, so it says nothing that changes: the games and the key are in what a press
 * opens. It is no embed, which a member's client may not show.
 */
export function panelMessage(
  t: Translate,
  { text, buttons, game }: Pick<Panel, 'text' | 'buttons' | 'game'>,
): ChannelMessage {
  const about = `### ${t('panel.heading')}\n${t('panel.about')}`;
  return {
    content: text === '' ? about : `${about}\n\n${text}`,
    components: rows(
      PANEL_BUTTONS.map(
        (name) =>
          buttons.includes(name) &&
          button(pressId(name, game), t(`panel.${name}`), name === 'server' ? 'primary' : 'secondary'),
      ),
    ),
  };
}

/** @param game the alias of the game that the window begins with */
const pressId = (name: PanelButton, game = ''): string =>
  name === 'mine' ? customId('submissions', 'mine') : customId(OPENS[name], 'new', game);

/** Whether a panel's buttons can carry a game. */
export const isGameForPanel = (game: string): boolean => isCustomId(pressId('list', game));

export const panelLink = (
  guildId: string,
  { channelId, messageId }: Omit<Panel, 'text' | 'buttons'>,
): string => `https://discord.com/channels/${guildId}/${channelId}/${messageId}`;

/** Changes the message of a panel, which is one that is recorded. A panel whose message is gone is forgotten. */
export async function drawPanel(
  { posts, panels }: CommandDeps,
  guildId: string,
  panel: Panel,
  t: Translate,
): Promise<'drawn' | 'deleted' | 'refused' | 'harmful-link'> {
  const { result } = await posts.put(panel.channelId, panelMessage(t, panel), panel.messageId);
  if (result === 'posted') return 'drawn';
  if (result === 'harmful-link') return result;
  // Any other refusal may pass, or is about what the message would show.
  if (result !== 'message-gone' && result !== 'gone') return 'refused';
  await panels.forget(guildId, panel.messageId);
  return 'deleted';
}
