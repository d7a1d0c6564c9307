import type { ApprovalMessages } from '../../src/interactions/approval-messages.ts';
import { approvalView, ownButtons } from '../../src/interactions/approval-view.ts';
import type { Context, Reply } from '../../src/interactions/command.ts';
import { rows } from '../../src/interactions/controls.ts';
import type { Approvals } from '../../src/submissions/approvals.ts';
import type { NoDraft } from '../../src/submissions/drafts.ts';
import type { Pipeline } from '../../src/submissions/pipeline.ts';
import type { Run, Runs } from '../../src/submissions/runs.ts';
import { sentences } from '../../src/words/sentences.ts';
import { noDraft } from '../submit/no-draft.ts';
import { type ReportDeps, reportReply } from '../submit/report.ts';

/** What it takes to say what became of a document that was submitted. */
export interface RunReplyDeps extends ReportDeps {
  readonly pipeline: Pick<Pipeline, 'ended'>;
}

/** What it takes to submit where a moderator decides. */
export interface WaitingDeps extends RunReplyDeps {
  readonly runs: Pick<Runs, 'settled'>;
  readonly approvals: Pick<Approvals, 'draft' | 'replace'>;
  readonly approvalMessages: Pick<ApprovalMessages, 'show'>;
}

/**
 * What became of a document, for its member who can do nothing with it now: the latest run of it, where the message of the
 * button may not show it yet. What is being sent is waited for, since whoever sends it may write that message no more.
 * @throws UserError why nothing can be done with it, in all other cases
 */
export async function becameOf(
  context: Context,
  { id, why }: { readonly id: string; readonly why: NoDraft },
  deps: Pick<WaitingDeps, 'runs' | keyof RunReplyDeps>,
): Promise<Reply> {
  const { guildId, user, receivedAt, t } = context;
  const isSubmitted = why === 'submitted' || why === 'being-sent' || why === 'decided' || why === 'expired';
  const run = isSubmitted ? await deps.runs.settled(guildId, id) : undefined;
  if (run?.userId !== user.id) throw noDraft(why, t);
  const isShown = run.expiresAt === undefined && (run.endedAt ?? 0) < receivedAt;
  if (isShown) throw noDraft('submitted', t);
  return runReply(context, run, deps);
}

/** What a run has come to, for its member. */
export async function runReply(context: Context, run: Run, deps: RunReplyDeps): Promise<Reply> {
  if (run.expiresAt !== undefined) return ownApproval(context, run, deps);
  return reportReply(context, await deps.pipeline.ended(context, run), deps);
}

/** What waits for a moderator, or did. Without what is its member's alone for anybody else. */
export function ownApproval(context: Context, run: Run, { games }: Pick<ReportDeps, 'games'>): Reply {
  const { t, user, mention } = context;
  const view = approvalView(t, run, games, user.id);
  if (run.userId !== user.id) return { ...view, components: [] };
  const next =
    run.state === 'waiting' ? t('approval.next', { submissions: mention('submissions') }) : undefined;
  return {
    ...view,
    content: sentences(view.content, next),
    components: rows(ownButtons(t, run)),
  };
}
