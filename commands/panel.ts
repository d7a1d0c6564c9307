import type { PostResult } from '../src/discord/channel-posts.ts';
import { MOST_PANELS, PANEL_BUTTONS } from '../src/guilds/panels.ts';
import type { Command, Context, Reply, SubmitContext } from '../src/interactions/command.ts';
import { customId, type Modal, modal, type TextField } from '../src/interactions/controls.ts';
import { UserError } from '../src/user-error.ts';
import type { Translate } from '../src/words/words.ts';
import type { CommandDeps } from './deps.ts';
import { panelLink, panelMessage } from './panel-message.ts';
import { slashCommand } from './slash-command.ts';

/** Characters of the admin's own text. */
const LONGEST_TEXT = 500;

/** /panel: posts a message for everybody with the buttons that submit, so that nobody has to know a command. */
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

  /** It is the bot's own message where the bot may post, so that it can be changed, and nobody's command stands above it. */
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

/** The field for the admin's own text. @param value what stands in it */
export const panelText = (t: Translate, value = ''): TextField => ({
  id: 'text',
  label: t('panel.label'),
  hint: t('panel.hint'),
  most: LONGEST_TEXT,
  long: true,
  value,
});

/** The permission that the bot lacks in a channel that refuses a message without an embed. */
const missingFor = (t: Translate, result: PostResult): string =>
  `**${t(result === 'no-permission' ? 'permission.SendMessages' : 'permission.ViewChannel')}**`;
