import { ApplicationCommandType } from 'discord.js';
import type { Command } from '../src/interactions/command.ts';
import { rowsOfMessage } from '../src/server-lists/message.ts';
import { UserError } from '../src/user-error.ts';
import { messageCommandText } from '../src/words/command-text.ts';
import { type DraftDeps, openDraft } from './submit/show.ts';

/**
 * "Submit servers" on a message: takes every address in it and asks for their game. The buttons and the select of
 * the reply belong to /addservers.
 */
export function submitMessage(deps: DraftDeps): Command {
  return {
    data: {
      type: ApplicationCommandType.Message,
      ...messageCommandText('submit-message'),
    },
    answers: 'later',
    async useOn(context) {
      const rows = rowsOfMessage(context.text, deps.games);
      if (rows.length === 0) throw new UserError(context.t('list.message.empty'));
      deps.games.refreshSoon(context.guildId);
      return openDraft(context, { source: 'message', rows }, deps);
    },
  };
}
