import type { Context } from '../../src/interactions/command.ts';
import { button, type Control } from '../../src/interactions/controls.ts';
import type { ServerSubmission } from '../../src/listing/contract.ts';
import { addressOf } from '../../src/server-lists/row.ts';
import { onlyRow } from '../../src/submissions/draft.ts';
import type { SubmissionEntry } from '../../src/submissions/history.ts';
import type { Submission } from '../../src/submissions/submission.ts';
import { declinedDraftId } from '../../src/submissions/submissions.ts';
import { shorten } from '../../src/text/one-line.ts';
import { unknownText } from '../../src/words/outcomes.ts';
import { sentences } from '../../src/words/sentences.ts';
import { withSign } from '../../src/words/servers.ts';
import type { Translate } from '../../src/words/words.ts';
import type { CommandDeps } from '../deps.ts';
import { submitId } from '../submit/ids.ts';
import { listButtons } from '../submit/report.ts';
import { serverCountText } from './entries.ts';

/** Buttons for servers that weren't sent, were declined or are unconfirmed, and the text above the buttons. */
interface NextSteps {
  readonly text: string;
  readonly buttons: readonly (Control | false)[];
}

const NOTHING: NextSteps = { text: '', buttons: [] };

/** Maximum length of an address in a button label, in UTF-16 units. */
const LONGEST_LABELLED = 45;

/**
 * Builds buttons for a page of a member's history. They open declined entries for editing, and resubmit single servers that
 * are unsent or unconfirmed, while the drafts exist. {@link submitAgainFor} builds the buttons for lists.
 */
export async function buttonsForEntries(
  context: Context,
  entries: readonly SubmissionEntry[],
  deps: CommandDeps,
): Promise<NextSteps> {
  const { t, user } = context;
  const own = entries.filter(({ userId }) => userId === user.id);
  const found = await Promise.all(own.map((entry) => unsentOf(context, entry, deps)));
  const unsent = found.filter((each) => each !== undefined);
  const unconfirmed = unsent.filter(({ kind }) => kind === 'unknown').map(({ server }) => server);
  const declined = own.filter(({ isDeclined }) => isDeclined);
  const isNamed = declined.length > 1;
  const edits = declined.map(async (entry) => {
    const draftId = await editableId(context, entry, deps);
    return draftId !== undefined && editAgain(t, { draftId }, isNamed ? entryName(t, entry) : '');
  });
  return {
    text: unconfirmedText(context, unconfirmed),
    buttons: [
      ...unsent.map(({ id, kind, server: submission }) => {
        const server = shorten(addressOf(submission), LONGEST_LABELLED);
        return kind === 'unknown'
          ? button(submitId('again', id, 'anyway'), t('submissions.sendAnyway', { server }))
          : button(submitId('again', id), t('submissions.submitAgain', { server }), 'primary');
      }),
      ...(await Promise.all(edits)),
    ],
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
async function editableId(
  context: Context,
  entry: SubmissionEntry,
  deps: CommandDeps,
): Promise<string | undefined> {
  const { submissions } = deps;
  const ownId = declinedDraftId(entry.id);
  const isOnlyPart = !(await isLatest(entry, deps));
  if (isOnlyPart && (await submissions.latestId(ownId)) !== '') return undefined;
  const id = isOnlyPart ? ownId : entry.draftId;
  return typeof (await submissions.editableDraft(context, id)) === 'string' ? undefined : id;
}

/** Returns an entry's server and draft id, if the server can be submitted again. */
async function unsentOf(
  context: Context,
  entry: SubmissionEntry,
  deps: CommandDeps,
): Promise<
  | { readonly id: string; readonly kind: 'not-sent' | 'unknown'; readonly server: ServerSubmission }
  | undefined
> {
  const { draftId, isDeclined, only } = entry;
  const kind = only?.outcome.kind;
  if (isDeclined || (kind !== 'not-sent' && kind !== 'unknown')) return undefined;
  const draft = await deps.drafts.find(context, draftId);
  const row = typeof draft === 'string' ? undefined : onlyRow(draft);
  if (row?.kind !== 'ready' || !(await isLatest(entry, deps))) return undefined;
  return { id: draftId, kind, server: row.submission };
}

/**
 * Builds the button for editing and resubmitting a declined submission.
 * @param name identifies the submission if there are several buttons; otherwise empty
 */
export const editAgain = (t: Translate, { draftId }: Pick<Submission, 'draftId'>, name = ''): Control =>
  button(submitId('correct', draftId), [t('approval.editAgain'), name].filter(Boolean).join(' · '));

const entryName = (t: Translate, entry: SubmissionEntry): string =>
  entry.only ? shorten(addressOf(entry.only), LONGEST_LABELLED) : serverCountText(t, entry);

/** Builds buttons for resubmitting servers from the member's own list. */
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
  return {
    text: unconfirmedText(
      context,
      unconfirmed.map(({ server }) => server),
    ),
    buttons: listButtons(context, ended),
  };
}

/** Counts these servers, and asks the member to check whether the service lists them before sending them again. */
function unconfirmedText(context: Context, servers: readonly ServerSubmission[]): string {
  if (servers.length === 0) return '';
  const count = context.t('ended.many.unknown', { count: servers.length });
  return withSign('unknown', sentences(count, unknownText(context, servers)));
}
