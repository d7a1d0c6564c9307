import type { Context } from '../../src/interactions/command.ts';
import { button, type Control } from '../../src/interactions/controls.ts';
import type { ServerSubmission } from '../../src/listing/contract.ts';
import { addressOf } from '../../src/server-lists/row.ts';
import { onlyRow } from '../../src/submissions/draft.ts';
import type { Drafts } from '../../src/submissions/drafts.ts';
import type { SubmissionEntry } from '../../src/submissions/history.ts';
import type { Pipeline } from '../../src/submissions/pipeline.ts';
import type { Run, Runs } from '../../src/submissions/runs.ts';
import { shorten } from '../../src/words/escape.ts';
import { siteAbout } from '../../src/words/listing-pages.ts';
import { signed } from '../../src/words/servers.ts';
import { submitId } from '../submit/ids.ts';
import { listButtons } from '../submit/report.ts';

export interface AgainDeps {
  readonly drafts: Pick<Drafts, 'find'>;
  readonly runs: Pick<Runs, 'latestId'>;
  readonly pipeline: Pick<Pipeline, 'ended'>;
}

/** What can be done about what was not sent, or is unconfirmed, and what to do before. */
export interface Again {
  readonly text: string;
  readonly buttons: readonly (Control | false)[];
}

const NOTHING: Again = { text: '', buttons: [] };

/** UTF-16 units of an address on a button. */
const LONGEST_LABELLED = 45;

/**
 * What a member can do about the single servers on a page of their history, as long as the documents are there. A list has its
 * buttons where its servers are shown.
 */
export async function entriesAgain(
  context: Context,
  entries: readonly SubmissionEntry[],
  deps: AgainDeps,
): Promise<Again> {
  const { t } = context;
  const found = await Promise.all(entries.map((entry) => unsentOf(context, entry, deps)));
  const unsent = found.filter((each) => each !== undefined);
  const unconfirmed = unsent.filter(({ kind }) => kind === 'unknown').map(({ server }) => server);
  return {
    text: unconfirmedText(context, unconfirmed),
    buttons: unsent.map(({ id, kind, server: submission }) => {
      const server = shorten(addressOf(submission), LONGEST_LABELLED);
      return kind === 'unknown'
        ? button(submitId('again', id, 'anyway'), t('submissions.sendAnyway', { server }))
        : button(submitId('again', id), t('submissions.submitAgain', { server }), 'primary');
    }),
  };
}

/** The server of an entry of the reader's own that they can submit again, and its document. */
async function unsentOf(
  context: Context,
  { id, documentId, userId, isRefused, only }: SubmissionEntry,
  { drafts, runs }: AgainDeps,
): Promise<
  | { readonly id: string; readonly kind: 'not-sent' | 'unknown'; readonly server: ServerSubmission }
  | undefined
> {
  const kind = only?.outcome.kind;
  const isUnsent = kind === 'not-sent' || kind === 'unknown';
  if (!isUnsent || isRefused || userId !== context.user.id) return undefined;
  const draft = await drafts.find(context, documentId);
  const row = typeof draft === 'string' ? undefined : onlyRow(draft);
  // A later run of the document has an entry of its own.
  if (row?.kind !== 'ready' || (await runs.latestId(documentId)) !== id) return undefined;
  return { id: documentId, kind, server: row.submission };
}

/** What a member can do about a list of theirs, as {@link entriesAgain}. */
export async function runAgain(context: Context, run: Run, { runs, pipeline }: AgainDeps): Promise<Again> {
  const { id, documentId, state, userId } = run;
  const isOwn = userId === context.user.id && state === 'done';
  if (!isOwn || (await runs.latestId(documentId)) !== id) return NOTHING;
  const ended = await pipeline.ended(context, run);
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

/** What may have arrived has to be looked up before it is sent again. */
function unconfirmedText(context: Context, servers: readonly ServerSubmission[]): string {
  const { length: count } = servers;
  if (count === 0) return '';
  const only = count === 1 ? servers[0] : undefined;
  return signed('unknown', context.t('ended.next.unknown', { count, ...siteAbout(context, only) }));
}
