import type { Reply, SubmitContext } from '../../src/interactions/command.ts';
import { UserError } from '../../src/interactions/user-error.ts';
import type { Editing } from '../../src/submissions/draft.ts';
import type { Unavailable } from '../../src/submissions/drafts.ts';
import { sentences } from '../../src/words/sentences.ts';
import type { CommandDeps } from '../deps.ts';
import { noDraft } from '../submissions/waiting.ts';
import { keepTyped } from './enter.ts';
import { readSubmitId } from './ids.ts';
import { showDraft, unreadableText } from './show.ts';

/**
 * Replaces the lines that the member opened for editing with the corrected lines.
 * @param since why the draft is no longer as it was when the member opened the form, if known
 */
export async function enterLines(
  context: SubmitContext,
  which: Editing,
  deps: CommandDeps,
  since?: Unavailable,
): Promise<Reply> {
  const { t, interactionId: newId } = context;
  const { id, more } = readSubmitId(context.argument);
  const [submissionId = ''] = more.split(':');
  const typed = context.field('servers');
  const { draftEditor, drafts } = deps;
  const edited = await draftEditor.edit(context, { id, newId, typed, which, submissionId });
  if (edited.kind !== 'no-draft' && edited.kind !== 'checked') {
    const why = unreadableText(edited, t);
    const draft = await drafts.find(context, id);
    if (draft.kind === 'no-draft')
      return keepTyped(context, { text: typed, game: '', why, isFileLost: false }, deps);
    // When reopened, the modal will show this text.
    await draftEditor.keepTyped(context, id, { text: typed, game: '', modal: which });
    throw new UserError(why);
  }
  // If the draft can no longer be edited, explains why and where the typed lines are now.
  const whySeparate = edited.kind === 'checked' ? edited.whySeparate : undefined;
  const why = whySeparate ?? since;
  const kept = whySeparate && t('list.typedKept');
  const notice = why && sentences(noDraft({ id, why }, t).message, kept);
  return showDraft(context, id, edited, deps, { notice });
}
