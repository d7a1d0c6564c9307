import { formatAddress } from '../../src/addresses/address.ts';
import type { Context } from '../../src/interactions/command.ts';
import { button, type Control } from '../../src/interactions/controls.ts';
import { DRAFT_LIVES_MS, type Drafts } from '../../src/submissions/drafts.ts';
import type { SubmissionEntry } from '../../src/submissions/history.ts';
import type { Run, Runs } from '../../src/submissions/runs.ts';
import { submitId } from '../submit/ids.ts';

/* What a moderator has refused can be edited by its member, and submitted again, as long as its document is kept. */

export interface EditAgainDeps {
  readonly drafts: Pick<Drafts, 'find'>;
}

/** The button for a run that was refused. @param address of one of several, which the button names */
export async function editAgain(
  context: Context,
  { state, documentId }: Run,
  { drafts }: EditAgainDeps,
  address?: string,
): Promise<Control | false> {
  if (state !== 'refused') return false;
  const draft = await drafts.find(context, documentId);
  const label = [context.t('approval.editAgain'), address].filter(Boolean).join(' · ');
  return typeof draft !== 'string' && button(submitId('correct', documentId), label);
}

/** The buttons for entries of the history that are the reader's own. */
export async function editAgainButtons(
  context: Context,
  entries: readonly SubmissionEntry[],
  deps: EditAgainDeps & { readonly runs: Pick<Runs, 'find' | 'latestId'> },
): Promise<readonly (Control | false)[]> {
  const { guildId, user, receivedAt } = context;
  const recent = entries.filter(({ at, userId }) => userId === user.id && at > receivedAt - DRAFT_LIVES_MS);
  const found = await Promise.all(recent.map(({ id }) => deps.runs.find(guildId, id)));
  const refused = found.flatMap((run) => (run?.state === 'refused' ? run : []));
  return Promise.all(
    refused.map(async (run) => {
      // The document has the lines that were submitted last.
      if ((await deps.runs.latestId(run.documentId)) !== run.id) return false;
      const [first] = refused.length > 1 ? run.servers : [];
      const address = first && formatAddress({ host: first.server.server, port: first.server.port });
      return editAgain(context, run, deps, address);
    }),
  );
}
