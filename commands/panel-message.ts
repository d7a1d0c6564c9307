import { setImmediate } from 'node:timers/promises';
import type { ChannelMessage } from '../src/discord/channel-posts.ts';
import { isDue, PANEL_BUTTONS, type Panel, type PanelButton } from '../src/guilds/panels.ts';
import { button, customId, isCustomId, rows } from '../src/interactions/controls.ts';
import type { GuildWords } from '../src/interactions/guild-words.ts';
import { DAY_MS } from '../src/numbers.ts';
import type { Translate } from '../src/words/words.ts';
import type { CommandDeps } from './deps.ts';

/** The commands whose action `new` opens a modal; each button belongs to another command. */
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

/** @param game the alias of the game that the modal begins with */
const pressId = (name: PanelButton, game = ''): string =>
  name === 'mine' ? customId('submissions', 'mine') : customId(OPENS[name], 'new', game);

/** Whether a panel's buttons can carry a game. */
export const isGameForPanel = (game: string): boolean => isCustomId(pressId('list', game));

export const panelLink = (
  guildId: string,
  { channelId, messageId }: Pick<Panel, 'channelId' | 'messageId'>,
): string => `https://discord.com/channels/${guildId}/${channelId}/${messageId}`;

/** A panel with its link. @param number as admins see it, from 1 */
export const panelItem = (guildId: string, panel: Panel, number: number): string =>
  `[${number}](<${panelLink(guildId, panel)}>) <#${panel.channelId}>`;

type DrawDeps = Pick<CommandDeps, 'posts' | 'panels'>;

/** Changes the message of a panel, which is one that is recorded. A panel whose message is gone is forgotten. */
export async function drawPanel(
  { posts, panels }: DrawDeps,
  guildId: string,
  panel: Panel,
  t: Translate,
): Promise<'drawn' | 'deleted' | 'rejected' | 'harmful-link'> {
  const { result } = await posts.put(panel.channelId, panelMessage(t, panel), panel.messageId);
  if (result === 'posted') return 'drawn';
  if (result === 'harmful-link') return result;
  // Any other refusal may pass, or is about what the message would show.
  if (result !== 'message-gone' && result !== 'gone') return 'rejected';
  await panels.forget(guildId, panel.messageId);
  return 'deleted';
}

/**
 * Changes the message of a panel until it shows what is stored, also if another change comes between. If Discord refuses, the
 * panel stays due.
 */
async function showPanel(
  deps: DrawDeps,
  guildId: string,
  messageId: string,
  guildWords: () => Promise<Translate>,
): Promise<void> {
  for (;;) {
    const panel = (await deps.panels.of(guildId)).find((each) => each.messageId === messageId);
    if (panel === undefined || !isDue(panel)) return;
    // Read after the panel: if the language changes between the two, the panel is due again.
    const result = await drawPanel(deps, guildId, panel, await guildWords());
    if (result === 'rejected' || result === 'harmful-link') return;
    await deps.panels.shown(guildId, panel);
  }
}

/** Changes the messages of a guild's panels that are due, one after the other. */
export async function showDuePanels(
  deps: DrawDeps,
  guildId: string,
  guildWords: () => Promise<Translate>,
  isWanted: (panel: Panel) => boolean = isDue,
): Promise<void> {
  const due = (await deps.panels.of(guildId)).filter(isWanted);
  for (const { messageId } of due) await showPanel(deps, guildId, messageId, guildWords);
}

interface PanelTaskDeps extends DrawDeps {
  readonly guildWords: GuildWords;
}

/** Creates the task that changes the panels that are due in every guild: a process died, or Discord refused. */
export function createPanelTask(deps: PanelTaskDeps) {
  const { panels, guildWords, posts } = deps;
  // Discord blocks bots that it refuses often.
  const isWanted = (panel: Panel) => isDue(panel) && !posts.hasRefused(panel.channelId, DAY_MS);
  return async (stopping: AbortSignal): Promise<void> => {
    for (const guildId of await panels.guilds()) {
      // Others have their turn.
      await setImmediate();
      stopping.throwIfAborted();
      await showDuePanels(deps, guildId, () => guildWords(guildId), isWanted);
    }
  };
}
