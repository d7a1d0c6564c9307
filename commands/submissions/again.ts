import { decisionButtons } from '../../src/approval/approval-view.ts';
import type { Context } from '../../src/interactions/command.ts';
import { button, type Control } from '../../src/interactions/controls.ts';
import { onlyRow } from '../../src/submissions/draft.ts';
import type { Submitter } from '../../src/submissions/drafts.ts';
import type { SubmissionEntry } from '../../src/submissions/history.ts';
import { type Submission, type SubmittedServer, unconfirmedIn } from '../../src/submissions/submission.ts';
import { declinedDraftId } from '../../src/submissions/submissions.ts';
import { unknownText } from '../../src/words/outcomes.ts';
import { sentences } from '../../src/words/sentences.ts';
import { withSign } from '../../src/words/servers.ts';
import type { Translate } from '../../src/words/words.ts';
import type { CommandDeps } from '../deps.ts';
import { submitId } from '../submit/ids.ts';
import { editButton } from '../submit/repairs.ts';
import { listButtons } from '../submit/report.ts';

export interface NextSteps {
  readonly text: string;
  readonly buttons: readonly (Control | false)[];
}

export const NOTHING: NextSteps = { text: '', buttons: [] };

/**
 * Builds buttons for a member's own entry. They open a declined entry for editing, or resubmit a single server that is
 * unsent or unconfirmed. {@link submitAgainFor} builds the buttons for lists.
 */
export async function againForEntry(
  context: Context,
  entry: SubmissionEntry,
  deps: CommandDeps,
): Promise<NextSteps> {
  const { t } = context;
  const { draftId, only } = entry;
  if (entry.state === 'declined') {
    const id = await editableId(context, entry, deps);
    return id === undefined ? NOTHING : { text: '', buttons: [editAgain(t, { draftId: id })] };
  }
  const kind = only?.outcome.kind;
  if (kind !== 'not-sent' && kind !== 'unknown') return NOTHING;
  const draft = await deps.drafts.find(context, draftId);
  const row = draft.kind === 'no-draft' ? undefined : onlyRow(draft);
  if (row?.kind !== 'ready' || !(await isLatest(entry, deps))) return NOTHING;
  if (kind === 'not-sent') {
    const again = button(submitId('again', draftId), t('again.submitAgain'), 'primary');
    return { text: '', buttons: [again, editButton(t, draftId)] };
  }
  return {
    text: unconfirmedText(context, [{ server: row.submission }]),
    buttons: [button(submitId('again', draftId, 'anyway'), t('again.sendAnyway'))],
  };
}

/** Whether this is the draft's latest submission, which contains the draft's current lines. */
const isLatest = async (
  { id, draftId }: Pick<Submission, 'id' | 'draftId'>,
  { submissions }: CommandDeps,
): Promise<boolean> => (await submissions.latestId(draftId)) === id;

/**
 * Returns the id of the draft in which the member can edit a declined entry, if the draft still exists. If a moderator
 * declined only some lines of a list, they become a separate draft, which gets its own entry once it is submitted.
 */
export async function editableId(
  by: Submitter,
  entry: Pick<Submission, 'id' | 'draftId'>,
  deps: CommandDeps,
): Promise<string | undefined> {
  const { submissions } = deps;
  const ownId = declinedDraftId(entry.id);
  const isOnlyPart = !(await isLatest(entry, deps));
  if (isOnlyPart && (await submissions.latestId(ownId)) !== '') return undefined;
  const id = isOnlyPart ? ownId : entry.draftId;
  return (await submissions.editableDraft(by, id)).kind === 'no-draft' ? undefined : id;
}

export const editAgain = (t: Translate, { draftId }: Pick<Submission, 'draftId'>): Control =>
  button(submitId('correct', draftId), t('approval.editAgain'));

export async function submitAgainFor(
  context: Context,
  submission: Submission,
  deps: CommandDeps,
): Promise<NextSteps> {
  const isOwn = submission.userId === context.user.id && submission.state === 'done';
  if (!isOwn || !(await isLatest(submission, deps))) return NOTHING;
  const ended = await deps.pipeline.rebuildResult(context, submission);
  if (!ended.isLeft) return NOTHING;
  const unconfirmed = ended.servers.filter(({ outcome }) => outcome.kind === 'unknown');
  return { text: unconfirmedText(context, unconfirmed), buttons: listButtons(context, ended) };
}

/**
 * Builds the button with which a moderator sends the unconfirmed servers of an approved submission again, as in the log
 * channel. While other lines of its list are waiting again, this isn't possible.
 */
export async function resendFor(
  context: Context,
  submission: Submission,
  deps: CommandDeps,
): Promise<NextSteps> {
  const servers = submission.needsModerator ? unconfirmedIn(submission) : [];
  const isPossible = servers.length > 0 && submission.userId !== '' && (await isLatest(submission, deps));
  if (!isPossible) return NOTHING;
  return {
    text: unconfirmedText(context, servers),
    buttons: decisionButtons(context.t, submission, { isRepeat: false }),
  };
}

function unconfirmedText(context: Context, servers: readonly Pick<SubmittedServer, 'server'>[]): string {
  if (servers.length === 0) return '';
  const count = context.t('ended.many.unknown', { count: servers.length });
  const asked = unknownText(
    context,
    servers.map(({ server }) => server),
  );
  return withSign('unknown', sentences(count, asked));
}
