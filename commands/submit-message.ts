import { ApplicationCommandType } from 'discord.js';
import type { Command } from '../src/discord/command.ts';
import { rowsOfMessage } from '../src/server-lists/message.ts';
import { MAX_ROWS } from '../src/server-lists/read-list.ts';
import { UserError } from '../src/user-error.ts';
import { messageCommandText } from '../src/words/command-text.ts';
import { keyOf } from '../src/words/refusal.ts';
import { type DraftDeps, openDraft } from './addservers.ts';

/**
 * "Submit servers" on a message: takes every address in it and asks for their game. The buttons and the select of
 * the answer belong to /addservers.
 */
export function submitMessage(deps: DraftDeps): Command {
  return {
    data: {
      type: ApplicationCommandType.Message,
      ...messageCommandText('submit-message'),
    },
    audience: 'member',
    async useOn(context) {
      const rows = rowsOfMessage(context.text);
      if (rows.length === 0) throw new UserError(context.t('list.message.empty'));
      if (rows.length > MAX_ROWS) {
        throw new UserError(context.t('list.file.tooMany', { count: rows.length, most: MAX_ROWS }));
      }
      const key = await keyOf(context.guildId, deps.keys);
      if (key) deps.games.refreshSoon(key);
      return openDraft(context, { source: 'message', rows }, deps);
    },
  };
}
