import { ApplicationCommandType } from 'discord.js';
import type { Command, Context } from '../src/interactions/command.ts';
import { button, customId, rows } from '../src/interactions/controls.ts';
import type { UsedMessage } from '../src/interactions/interaction.ts';
import { UserError } from '../src/interactions/user-error.ts';
import { worstOf } from '../src/server-lists/list-shape.ts';
import { rowsOfMessage } from '../src/server-lists/message.ts';
import { withRepeats } from '../src/server-lists/read-list.ts';
import { onLine } from '../src/server-lists/row.ts';
import type { Choices } from '../src/submissions/choices.ts';
import type { Draft } from '../src/submissions/draft.ts';
import { withNumbers } from '../src/submissions/line-numbers.ts';
import { messageCommandText } from '../src/words/command-text.ts';
import { sentences } from '../src/words/sentences.ts';
import type { CommandDeps } from './deps.ts';
import { choicesIn } from './submit/choices.ts';
import { showDraft, unreadableText } from './submit/show.ts';
import { isTextFile, readFile } from './submit/text-file.ts';

/** Opens a draft with every address in the message. */
export const submitMessage = (deps: CommandDeps): Command => ({
  data: {
    type: ApplicationCommandType.Message,
    ...messageCommandText('submit-message'),
  },
  answers: 'later',
  async useOn(context) {
    const { t, guildId, interactionId: id } = context;
    const { draft, choices } = await readMessage(context, deps);
    if (draft.rows.length === 0 && choices === undefined) {
      const { hidden: count = 0 } = draft;
      return {
        content: sentences(t('list.message.empty'), count > 0 ? t('choices.hidden', { count }) : undefined),
        components: rows([button(customId('addserver', 'new'), t('panel.server'), 'primary')]),
        isUserError: true,
      };
    }
    deps.games.refreshSoon(guildId);
    return showDraft(context, id, await deps.draftEditor.open(context, draft, choices), deps);
  },
});

/**
 * Reads the game servers from a message and its first text file, such as the `message.txt` that Discord creates for long
 * pasted text.
 * @throws UserError if the file can't be read
 */
async function readMessage(
  context: Context & UsedMessage,
  deps: CommandDeps,
): Promise<{ readonly draft: Draft; readonly choices: Choices | undefined }> {
  const { guildId, interactionId: id } = context;
  const message = rowsOfMessage(context.text, deps.games);
  const file = context.files.find(isTextFile);
  if (file === undefined) {
    const rows = await deps.completeRows(message.rows);
    return { draft: { id, source: 'message', rows, hidden: message.hidden }, choices: choicesIn(message) };
  }
  const sources = [await readFile(context, file, deps)];
  const list = await deps.parser.read({ guildId, sources, defaultGame: '' });
  if (list.kind !== 'rows') throw new UserError(unreadableText(list, context.t));
  // The file's lines follow the message's servers.
  const last = Math.max(0, ...[...message.rows, ...message.unchosen].map(({ line }) => line));
  const rows = list.rows.map((row) => onLine(row, row.line + last, row.part));
  const unchosen = list.unchosen.map((candidate) => ({ ...candidate, line: candidate.line + last }));
  const draft: Draft = {
    id,
    source: 'message',
    rows: await deps.completeRows(withRepeats([...message.rows, ...rows])),
    leftOut: withNumbers(undefined, list.leftOut),
    hidden: message.hidden + list.hidden,
  };
  const shape = worstOf([message.shape, list.shape]);
  return { draft, choices: choicesIn({ shape, unchosen: [...message.unchosen, ...unchosen] }) };
}
