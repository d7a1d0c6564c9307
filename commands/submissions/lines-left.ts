import { earlierTexts } from '../../src/approval/approval-view.ts';
import type { Context } from '../../src/interactions/command.ts';
import { button, type Control } from '../../src/interactions/controls.ts';
import { addressOf, isInvalid } from '../../src/server-lists/row.ts';
import { linesToEdit } from '../../src/submissions/draft-editor.ts';
import { type Submission, serverResults } from '../../src/submissions/submission.ts';
import { MAX_NAMED_PER_LIST } from '../../src/words/servers.ts';
import type { CommandDeps } from '../deps.ts';
import { textWithoutFiles } from '../submit/files.ts';
import { submitId } from '../submit/ids.ts';
import { invalidText, skippedText } from '../submit/preview.ts';

/**
 * Describes to the member how the list's other lines ended, and why this submission's lines still wait. Leaves out declines that a
 * moderator can still take back.
 */
export async function earlierLines(
  { t }: Context,
  submission: Submission,
  { approvals, submissions, games }: Pick<CommandDeps, 'approvals' | 'submissions' | 'games'>,
): Promise<readonly string[]> {
  const earlier = serverResults({ servers: await submissions.earlier(submission) });
  if (earlier.length === 0) return [];
  const decisions = await approvals.decisionsBefore(submission);
  const undoable = decisions.decided.filter(({ isUndoable }) => isUndoable);
  const addresses = new Set(
    undoable.flatMap(({ servers }) => servers.map(({ server }) => addressOf(server))),
  );
  const final = earlier.filter(({ server }) => !addresses.has(addressOf(server)));
  return earlierTexts(t, final, decisions, games);
}

/**
 * Accounts for the other lines in the draft of a submission: those to fix, with a button, and those that it skips.
 * @param then `next` if the message then shows the member's next waiting submission
 */
export async function linesLeft(
  { t }: Context,
  { draftId, state }: Submission,
  { drafts, games }: Pick<CommandDeps, 'drafts' | 'games'>,
  then?: 'next',
): Promise<{ readonly texts: readonly string[]; readonly fix: Control | false }> {
  const draft = await drafts.read(draftId);
  if (draft === undefined) return { texts: [], fix: false };
  const skipped = skippedText(t, draft.source, draft);
  const others = skipped === '' ? [] : ['', skipped];
  const count = draft.rows.filter(isInvalid).length;
  if (count === 0) return { texts: others, fix: false };
  const whole = textWithoutFiles(count, () => invalidText(t, draft, games, count));
  const more = then === undefined ? [] : [then];
  const id =
    state === 'waiting' ? submitId('change', draftId, 'invalid', ...more) : submitId('correct', draftId);
  const label = t('again.fix', { count: linesToEdit(draft, 'invalid').rows.length });
  return {
    texts: ['', whole ?? invalidText(t, draft, games, MAX_NAMED_PER_LIST), ...others],
    // **Edit and submit again** already opens a declined submission's lines.
    fix: state !== 'declined' && state !== 'withdrawn' && button(id, label),
  };
}
