import { setImmediate } from 'node:timers/promises';
import type { ChannelMessage } from '../src/discord/channel-posts.ts';
import { isDue, PANEL_BUTTONS, type Panel, type PanelButton } from '../src/guilds/panels.ts';
import { button, type Control, customId, isCustomId, rows } from '../src/interactions/controls.ts';
import type { GuildWords } from '../src/interactions/guild-words.ts';
import { DAY_MS } from '../src/pacing/durations.ts';
import type { Translate } from '../src/words/words.ts';
import type { CommandDeps } from './deps.ts';

export const COMMAND_FOR_BUTTON = { server: 'addserver', list: 'addservers', mine: 'submissions' } as const;

/**
 * Builds a panel's message. The message stays in the channel indefinitely, so it doesn't contain anything that could become
 * outdated: games and key status only appear after a button is pressed. It isn't an embed, because members can hide embeds.
 */
export function panelMessage(
  t: Translate,
  { text, buttons, game }: Pick<Panel, 'text' | 'buttons' | 'game'>,
): ChannelMessage {
  const about = `### ${t('panel.heading')}\n${t('panel.about')}`;
  return {
    content: text === '' ? about : `${about}\n\n${text}`,
    components: rows(entryButtons(t, buttons, game)),
  };
}

/**
 * Builds buttons that open the forms for submitting, and the member's own submissions.
 * @param game the alias of the game to preselect in the forms
 */
export const entryButtons = (t: Translate, shown: readonly string[], game?: string): readonly Control[] =>
  PANEL_BUTTONS.filter((name) => shown.includes(name)).map((name) =>
    button(pressId(name, game), t(`panel.${name}`), name === 'server' ? 'primary' : 'secondary'),
  );

const pressId = (name: PanelButton, gameAlias = ''): string =>
  name === 'mine' ? customId('submissions', 'mine') : customId(COMMAND_FOR_BUTTON[name], 'new', gameAlias);

export const canFitInPanelIds = (alias: string): boolean => isCustomId(pressId('list', alias));

export const panelLink = (
  guildId: string,
  { channelId, messageId }: Pick<Panel, 'channelId' | 'messageId'>,
): string => `https://discord.com/channels/${guildId}/${channelId}/${messageId}`;

/**
 * Formats a panel as a link to its message, followed by its channel.
 * @param number the panel's number as shown to admins, starting at 1
 */
export const panelItem = (guildId: string, panel: Panel, number: number): string =>
  `[${number}](<${panelLink(guildId, panel)}>) <#${panel.channelId}>`;

/** Replaces the messages of panels that were deleted together with the guild's data. Never throws. */
export async function closePanels(
  { posts }: Pick<CommandDeps, 'posts'>,
  panels: readonly Panel[],
  t: Translate,
): Promise<void> {
  for (const { channelId, messageId } of panels) {
    await posts.put(channelId, { content: `🗑️ ${t('panel.removed')}` }, messageId);
  }
}

type DrawDeps = Pick<CommandDeps, 'posts' | 'panels'>;

/** Returns a guild's panels, after deleting the records of panels that were deleted in Discord. */
export async function existingPanels(
  { posts, panels }: DrawDeps,
  guildId: string,
): Promise<readonly Panel[]> {
  const recorded = await panels.of(guildId);
  const lookups = recorded.map(async ({ channelId, messageId }) =>
    (await posts.isDeleted(channelId, messageId)) ? messageId : [],
  );
  const deleted = (await Promise.all(lookups)).flat();
  return deleted.length === 0 ? recorded : panels.forget(guildId, deleted);
}

/** Updates the message of a recorded panel, or deletes the record if the message no longer exists. */
export async function drawPanel(
  { posts, panels }: DrawDeps,
  guildId: string,
  panel: Panel,
  t: Translate,
): Promise<'drawn' | 'deleted' | 'rejected' | 'harmful-link'> {
  const { result } = await posts.put(panel.channelId, panelMessage(t, panel), panel.messageId);
  if (result === 'posted') return 'drawn';
  if (result === 'harmful-link') return result;
  // Other failures may be temporary, or caused by the message's content.
  if (result !== 'message-gone' && result !== 'gone') return 'rejected';
  await panels.forget(guildId, [panel.messageId]);
  return 'deleted';
}

/**
 * Updates a panel's message until it matches the stored panel, which may change in the meantime. If Discord rejects the
 * message, the panel stays marked as out of date.
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
    // The language is read after the panel. If the language changes in between, the panel is marked as out of date again.
    const result = await drawPanel(deps, guildId, panel, await guildWords());
    if (result === 'rejected' || result === 'harmful-link') return;
    await deps.panels.markShown(guildId, panel);
  }
}

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

/** Creates the task that updates panels left outdated by a crash or a rejected message. */
export function createPanelTask(deps: PanelTaskDeps) {
  const { panels, guildWords, posts } = deps;
  // Discord blocks bots that repeat invalid requests too often.
  const isWanted = (panel: Panel) => isDue(panel) && !posts.wasRejected(panel.channelId, DAY_MS);
  return async (stopping: AbortSignal): Promise<void> => {
    for (const guildId of await panels.guilds()) {
      // Lets other work run between guilds.
      await setImmediate();
      stopping.throwIfAborted();
      await showDuePanels(deps, guildId, () => guildWords(guildId), isWanted);
    }
  };
}
