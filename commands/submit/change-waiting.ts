import type { Reply, SubmitContext } from '../../src/interactions/command.ts';
import { isInvalid } from '../../src/server-lists/row.ts';
import type { EditedWaiting } from '../../src/submissions/draft-editor.ts';
import { notChangedText, problemText } from '../../src/words/problem.ts';
import { FEW_NAMED, firstItems, withSign } from '../../src/words/servers.ts';
import type { CommandDeps } from '../deps.ts';
import { replyForUnavailable, unchanged } from '../submissions/waiting.ts';
import { enterLines, fieldsOf, readFields } from './enter.ts';
import { readSubmitId } from './ids.ts';
import { invalidItem } from './problem-text.ts';
import { unreadableText } from './show.ts';
import { submitDraft } from './submit-draft.ts';

/* A member edits what waits for a moderator: it waits as it is then, or as it was before if that cannot be submitted. */

/** Whether the modal was one with lines: Discord lets nobody leave the address empty. */
export const isOfLines = ({ field }: SubmitContext): boolean => field('server') === '';

/** Takes what was typed into the modal of what waits. */
export const changeWaiting = (context: SubmitContext, deps: CommandDeps): Promise<Reply> =>
  isOfLines(context) ? changeLines(context, deps) : changeFields(context, deps);

async function changeFields(context: SubmitContext, deps: CommandDeps): Promise<Reply> {
  const { id } = readSubmitId(context.argument);
  const waiting = await deps.approvals.draft(context, id);
  if (typeof waiting === 'string') return replyForUnavailable(context, { id, why: waiting }, deps);
  const { read } = await readFields(context, fieldsOf(context), deps);
  const { panelChannelId } = waiting;
  const draft = { ...read, panelChannelId, includesAlreadySubmitted: false };
  return submitChanged(context, id, { draft, wrong: read.rows.filter(isInvalid) }, deps);
}

/** What was typed stays in the modal until it is submitted. */
async function changeLines(context: SubmitContext, deps: CommandDeps): Promise<Reply> {
  const { id, more: submissionId } = readSubmitId(context.argument);
  const text = context.field('servers');
  const edited = await deps.draftEditor.editWaiting(context, { id, typed: text, submissionId });
  // It was decided meanwhile: the lines are kept apart.
  if (typeof edited === 'string') return enterLines(context, 'all', deps);
  await deps.draftEditor.keepTyped(context, id, { text, game: '', modal: 'all' });
  return 'draft' in edited
    ? submitChanged(context, id, edited, deps)
    : unchanged(context, id, withSign('not-sent', unreadableText(edited, context.t)), deps);
}

/** A moderator looks at it anyway, so that its member is not asked again. */
function submitChanged(
  context: SubmitContext,
  id: string,
  { draft, wrong }: EditedWaiting,
  deps: CommandDeps,
): Promise<Reply> {
  if (wrong.length === 0) return submitDraft(context, { id, draft, replacesWaiting: true }, deps);
  return unchanged(context, id, wrongText(context, { draft, wrong }, deps), deps);
}

function wrongText({ t }: SubmitContext, { draft, wrong }: EditedWaiting, { games }: CommandDeps): string {
  const [only] = wrong;
  if (only && draft.rows.length === 1) {
    return withSign('not-sent', notChangedText(problemText(only.problem, t), t));
  }
  const items = firstItems(t, wrong, FEW_NAMED, (row) => invalidItem(t, row, games, draft.source === 'text'));
  return [withSign('not-sent', t('list.invalid', { count: wrong.length })), ...items].join('\n');
}
