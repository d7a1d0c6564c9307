import { ApplicationCommandType } from 'discord.js';
import type { Command } from '../src/interactions/command.ts';
import { rowsOfMessage } from '../src/server-lists/message.ts';
import { UserError } from '../src/user-error.ts';
import { messageCommandText } from '../src/words/command-text.ts';
import type { CommandDeps } from './deps.ts';
import { showDocument } from './submit/show.ts';

/** "Submit servers" on a message: a document of every address in it. */
export const submitMessage = (deps: CommandDeps): Command => ({
  data: {
    type: ApplicationCommandType.Message,
    ...messageCommandText('submit-message'),
  },
  answers: 'later',
  async useOn(context) {
    const { t, guildId, interactionId: id } = context;
    const rows = rowsOfMessage(context.text, deps.games);
    if (rows.length === 0) throw new UserError(t('list.message.empty'));
    deps.games.refreshSoon(guildId);
    return showDocument(context, id, await deps.lists.open(context, id, { source: 'message', rows }), deps);
  },
});
