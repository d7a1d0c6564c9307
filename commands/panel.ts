import type { PostResult } from '../src/discord/channel-posts.ts';
import { MOST_PANELS, PANEL_BUTTONS } from '../src/guilds/panels.ts';
import type { Command, Context, Reply, SubmitContext } from '../src/interactions/command.ts';
import { customId, type Modal, modal, type TextField } from '../src/interactions/controls.ts';
import { UserError } from '../src/user-error.ts';
import type { Translate } from '../src/words/words.ts';
import type { CommandDeps } from './deps.ts';
import { panelLink, panelMessage } from './panel-message.ts';
import { slashCommand } from './slash-command.ts';

/** Maximum length of the admin's own text, in characters. */
const LONGEST_TEXT = 500;

/** /panel: posts a public message with the buttons for submitting, so that members don't have to know a command. */
export function panelCommand({ posts, panels }: CommandDeps): Command {
  async function open({ t, mention, guildId, isInThread }: Context): Promise<Modal> {
    if (isInThread) throw new UserError(t('panel.inThread', { panel: mention('panel') }));
    if ((await panels.of(guildId)).length >= MOST_PANELS) {
      throw new UserError(t('panel.full', { most: MOST_PANELS, settings: mention('settings') }));
    }
    return modal({
      id: customId('panel', 'post'),
      title: t('panel.modal'),
      text: t('panel.everyone'),
      fields: [panelText(t)],
    });
  }

  /**
   * Posts the panel as the bot's own message where the bot has the permission: the bot can edit it later, and Discord
   * doesn't show an admin's command above it.
   */
  async function post(context: SubmitContext): Promise<Reply> {
    const { t, guildId, channelId, interactionId, guildWords, field } = context;
    const content = { text: field('text').trim(), buttons: [...PANEL_BUTTONS] };
    const message = panelMessage(await guildWords(), content);
    const { result, messageId } = await posts.put(channelId, { ...message, nonce: interactionId });
    if (result === 'harmful-link') throw new UserError(t('panel.harmful'));
    if (result === 'failed' || result === 'message-gone') throw new UserError(t('panel.failed'));
    if (messageId === undefined) {
      return { content: t('panel.asReply', { names: missingFor(t, result) }), announcement: () => message };
    }
    const panel = { ...content, channelId, messageId };
    await panels.add(guildId, panel);
    return { content: t('panel.posted', { link: panelLink(guildId, panel) }) };
  }

  return {
    data: slashCommand('panel'),
    permission: 'manage-guild',
    answers: 'modal',
    run: open,
    submits: {
      post: { answers: 'later', run: post },
    },
  };
}

/**
 * Builds the field for the admin's own text.
 * @param value the text that it shows at first
 */
export const panelText = (t: Translate, value = ''): TextField => ({
  id: 'text',
  label: t('panel.label'),
  hint: t('panel.hint'),
  most: LONGEST_TEXT,
  long: true,
  value,
});

/** Names the permission that the bot lacks in a channel where Discord rejected a message without an embed. */
const missingFor = (t: Translate, result: PostResult): string =>
  `**${t(result === 'no-permission' ? 'permission.SendMessages' : 'permission.ViewChannel')}**`;
