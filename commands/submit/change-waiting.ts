import type { Reply, SubmitContext } from '../../src/interactions/command.ts';
import { rows as controlRows } from '../../src/interactions/controls.ts';
import { UserError } from '../../src/interactions/user-error.ts';
import { isInvalid, lineLabel, type TypedRow } from '../../src/server-lists/row.ts';
import type { WaitingEdit } from '../../src/submissions/draft-editor.ts';
import { problemText, submissionUnchangedText } from '../../src/words/problem.ts';
import { sentences } from '../../src/words/sentences.ts';
import { firstItems, MAX_NAMED_PER_LIST, withSign } from '../../src/words/servers.ts';
import type { CommandDeps } from '../deps.ts';
import { editAgain } from '../submissions/again.ts';
import { replyForUnavailable, replyStillWaiting, type UnavailableDraft } from '../submissions/waiting.ts';
import { fieldsOf, onLineOf, readFields } from './enter-fields.ts';
import { enterLines } from './enter-lines.ts';
import { readSubmitId } from './ids.ts';
import { invalidItem } from './problem-text.ts';
import { unreadableText } from './show.ts';
import { submitDraft } from './submit-draft.ts';

/* Lets a member edit a waiting submission. If the edit can't be submitted, the submission keeps waiting unchanged. */

/** In a modal with separate fields, the address can't be empty. */
export const hasLinesInput = ({ field }: SubmitContext): boolean => field('server') === '';

export const changeWaiting = (context: SubmitContext, deps: CommandDeps): Promise<Reply> =>
  hasLinesInput(context) ? changeLines(context, deps) : changeFields(context, deps);

async function changeFields(context: SubmitContext, deps: CommandDeps): Promise<Reply> {
  const { id } = readSubmitId(context.argument);
  const row = fieldsOf(context);
  const waiting = await deps.approvals.draft(context, id);
  if (waiting.kind === 'no-draft') return tooLate(context, { id, ...waiting }, row, deps);
  // The modal keeps showing the typed values until the edit is submitted.
  await deps.draftEditor.keepTyped(context, id, { row, modal: 'fields' });
  const { read, choices } = await readFields(context, row, waiting.rows, deps);
  const [candidate] = choices?.candidates ?? [];
  if (candidate) {
    const why = unreadableText({ kind: 'not-entries', line: lineLabel(candidate) }, context.t);
    return replyStillWaiting(context, id, withSign('not-sent', why), deps);
  }
  const { panelChannelId } = waiting;
  const rows = onLineOf(waiting.rows, read.rows);
  const draft = { ...read, rows, id, panelChannelId };
  return submitChanged(context, { draft, newlyInvalid: rows.filter(isInvalid) }, deps);
}

/**
 * Builds the reply if the submission is no longer waiting: its outcome, and a button that opens the modal with the typed
 * values. If the draft can no longer be edited, the values are kept in a new one.
 */
async function tooLate(
  context: SubmitContext,
  { id, why }: UnavailableDraft,
  row: TypedRow,
  deps: CommandDeps,
): Promise<Reply> {
  const { t, guildId, interactionId } = context;
  const outcome = await replyForUnavailable(context, { id, why }, deps).catch((error: unknown): Reply => {
    if (error instanceof UserError) return { content: error.message };
    throw error;
  });
  const { content, components = [], ...reply } = outcome;
  const state = (await deps.submissions.latest(guildId, id))?.state;
  // The servers that couldn't be sent after an approval wait again.
  const isWaiting = state === 'waiting';
  const isEditable = isWaiting || state === 'declined' || state === 'withdrawn';
  const draftId = isEditable ? id : interactionId;
  await deps.draftEditor.keepTyped(context, draftId, { row, modal: 'fields' });
  const notMade = t('approval.editLate', { button: t(isWaiting ? 'again.edit' : 'approval.editAgain') });
  const notice = isWaiting ? notMade : sentences(t('again.over.decided'), notMade);
  return {
    ...reply,
    content: [withSign('not-sent', notice), content].filter(Boolean).join('\n\n'),
    components: [...components, ...controlRows([!isEditable && editAgain(t, { draftId })])],
    isUserError: true,
  };
}

/** The modal keeps showing the typed text until the edit is submitted. */
async function changeLines(context: SubmitContext, deps: CommandDeps): Promise<Reply> {
  const { id, more } = readSubmitId(context.argument);
  const [submissionId = '', lines] = more.split(':');
  const which = lines === 'invalid' ? 'invalid' : 'all';
  const text = context.field('servers');
  const edited = await deps.draftEditor.editWaiting(context, { id, typed: text, which, submissionId });
  // A moderator has made a decision since the modal was opened. After an approval, the edited lines become a separate draft.
  if (edited.kind === 'no-draft') return enterLines(context, which, deps, edited.why);
  await deps.draftEditor.keepTyped(context, id, { text, game: '', modal: which });
  return edited.kind === 'edited'
    ? submitChanged(context, edited, deps)
    : replyStillWaiting(context, id, withSign('not-sent', unreadableText(edited, context.t)), deps);
}

/** Submits the changed lines without asking the member for confirmation, because a moderator checks them anyway. */
function submitChanged(
  context: SubmitContext,
  { draft, newlyInvalid }: Omit<WaitingEdit, 'kind'>,
  deps: CommandDeps,
): Promise<Reply> {
  const { t } = context;
  const { id, rows, source } = draft;
  const [first] = newlyInvalid;
  if (first === undefined) return submitDraft(context, { id, draft, replacesWaiting: true }, deps);
  const items = firstItems(t, newlyInvalid, MAX_NAMED_PER_LIST, (row) =>
    invalidItem(t, row, deps.games, source === 'text'),
  );
  const why =
    rows.length === 1
      ? submissionUnchangedText(problemText(first.problem, t), t)
      : [t('list.invalid', { count: newlyInvalid.length }), ...items].join('\n');
  return replyStillWaiting(context, id, withSign('not-sent', why), deps);
}
