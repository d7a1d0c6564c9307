import type { Command, Context, Reply, SubmitContext } from '../src/interactions/command.ts';
import { button, customId, type Modal, modal, rows } from '../src/interactions/controls.ts';
import { slashCommand } from './slash-command.ts';

/** Characters of the admin's own text. */
const LONGEST_TEXT = 500;

/**
 * /panel: a message for everybody with the buttons that submit, so that nobody has to know a command. It stands for good, so
 * it says nothing that changes: the games and the key are in what a press opens. Its buttons belong to other commands.
 */
export function panelCommand(): Command {
  return {
    data: slashCommand('panel'),
    permission: 'manage-guild',
    answers: 'modal',
    run: async (context) => textModal(context),
    submits: {
      post: { answers: 'at once', run: panel },
    },
  };
}

const textModal = ({ t }: Context): Modal =>
  modal({
    id: customId('panel', 'post'),
    title: t('panel.window'),
    fields: [{ id: 'text', label: t('panel.label'), hint: t('panel.hint'), most: LONGEST_TEXT, long: true }],
  });

async function panel({ guildWords, field }: SubmitContext): Promise<Reply> {
  const t = await guildWords();
  const description = [t('panel.about'), field('text').trim()].filter((text) => text !== '').join('\n\n');
  return {
    isPublic: true,
    embeds: [{ title: t('panel.heading'), description }],
    components: rows([
      button(customId('addserver', 'new'), t('panel.server'), 'primary'),
      button(customId('addservers', 'new'), t('panel.list')),
      button(customId('submissions', 'mine'), t('panel.mine')),
    ]),
  };
}
