import { ApplicationCommandType } from 'discord.js';
import type { Command, Context } from '../src/interactions/command.ts';
import type { UsedMessage } from '../src/interactions/interaction.ts';
import { rowsOfMessage } from '../src/server-lists/message.ts';
import { withRepeats } from '../src/server-lists/read-list.ts';
import { onLine } from '../src/server-lists/row.ts';
import type { Draft } from '../src/submissions/draft.ts';
import { withLeftOut } from '../src/submissions/left-out.ts';
import { UserError } from '../src/user-error.ts';
import { messageCommandText } from '../src/words/command-text.ts';
import type { CommandDeps } from './deps.ts';
import { isTextFile, readFile } from './submit/enter.ts';
import { showDraft, unreadableText } from './submit/show.ts';

/** The "Submit servers" command in a message's context menu: opens a draft with every address in the message. */
export const submitMessage = (deps: CommandDeps): Command => ({
  data: {
    type: ApplicationCommandType.Message,
    ...messageCommandText('submit-message'),
  },
  answers: 'later',
  async useOn(context) {
    const { t, guildId, interactionId: id } = context;
    const draft = await readMessage(context, deps);
    if (draft.rows.length === 0) throw new UserError(t('list.message.empty'));
    deps.games.refreshSoon(guildId);
    return showDraft(context, id, await deps.draftEditor.open(context, draft), deps);
  },
});

/**
 * Reads the game servers from a message and its first text file, such as the `message.txt` that Discord creates for long
 * pasted text.
 * @throws UserError if the file can't be read
 */
async function readMessage(context: Context & UsedMessage, deps: CommandDeps): Promise<Draft> {
  const { guildId, interactionId: id } = context;
  const { rows } = rowsOfMessage(context.text, deps.games);
  const file = context.files.find(isTextFile);
  if (file === undefined) return { id, source: 'message', rows: await deps.completeRows(rows) };
  const sources = [await readFile(context, file, deps)];
  const list = await deps.parser.read({ guildId, sources, game: '' });
  if (list.kind !== 'rows') throw new UserError(unreadableText(list, context.t));
  const all = [...rows, ...list.rows].map((row, index) => onLine(row, index + 1));
  const completed = await deps.completeRows(withRepeats(all));
  return { id, source: 'message', rows: completed, leftOut: withLeftOut(undefined, list.leftOut) };
}
