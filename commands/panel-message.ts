import { setImmediate } from 'node:timers/promises';
import type { ChannelMessage } from '../src/discord/channel-posts.ts';
import { isDue, PANEL_BUTTONS, type Panel, type PanelButton } from '../src/guilds/panels.ts';
import { button, customId, isCustomId, rows } from '../src/interactions/controls.ts';
import type { GuildWords } from '../src/interactions/guild-words.ts';
import { DAY_MS } from '../src/numbers.ts';
import type { Translate } from '../src/words/words.ts';
import type { CommandDeps } from './deps.ts';

/** The commands whose action `new` opens a modal. Each of these buttons belongs to a different command. */
const OPENS = { server: 'addserver', list: 'addservers' } as const;

/**
 * Builds the message of a panel. It stays in the channel indefinitely, so it shows nothing that could go out of date:
 * the games and the key appear only after a press. It isn't an embed, because a member's client may hide embeds.
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

/** @param game the alias of the game that is preselected in the modal */
const pressId = (name: PanelButton, game = ''): string =>
  name === 'mine' ? customId('submissions', 'mine') : customId(OPENS[name], 'new', game);

/** Whether a game fits into the custom ids of the buttons on a panel. */
export const isGameForPanel = (game: string): boolean => isCustomId(pressId('list', game));

export const panelLink = (
  guildId: string,
  { channelId, messageId }: Pick<Panel, 'channelId' | 'messageId'>,
): string => `https://discord.com/channels/${guildId}/${channelId}/${messageId}`;

/**
 * Formats a panel as a link and its channel.
 * @param number as admins see it, from 1
 */
export const panelItem = (guildId: string, panel: Panel, number: number): string =>
  `[${number}](<${panelLink(guildId, panel)}>) <#${panel.channelId}>`;

type DrawDeps = Pick<CommandDeps, 'posts' | 'panels'>;

/** Updates the message of a recorded panel. Deletes the record if the message no longer exists. */
export async function drawPanel(
  { posts, panels }: DrawDeps,
  guildId: string,
  panel: Panel,
  t: Translate,
): Promise<'drawn' | 'deleted' | 'rejected' | 'harmful-link'> {
  const { result } = await posts.put(panel.channelId, panelMessage(t, panel), panel.messageId);
  if (result === 'posted') return 'drawn';
  if (result === 'harmful-link') return result;
  // Any other failure may be temporary, or is caused by the content of the message.
  if (result !== 'message-gone' && result !== 'gone') return 'rejected';
  await panels.forget(guildId, panel.messageId);
  return 'deleted';
}

/**
 * Updates the message of a panel until it shows the stored content, even if that changes in the meantime. If Discord
 * rejects the message, the panel stays due.
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
    await deps.panels.markShown(guildId, panel);
  }
}

/** Updates the messages of a guild's due panels, one after the other. */
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

/** Creates the task that updates due panels in every guild, after a process died or Discord rejected a message. */
export function createPanelTask(deps: PanelTaskDeps) {
  const { panels, guildWords, posts } = deps;
  // Discord blocks bots that often send requests it rejects.
  const isWanted = (panel: Panel) => isDue(panel) && !posts.wasRejected(panel.channelId, DAY_MS);
  return async (stopping: AbortSignal): Promise<void> => {
    for (const guildId of await panels.guilds()) {
      // Lets other work run.
      await setImmediate();
      stopping.throwIfAborted();
      await showDuePanels(deps, guildId, () => guildWords(guildId), isWanted);
    }
  };
}
