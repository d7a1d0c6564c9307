import type { ApprovalMessages } from '../../src/interactions/approval-messages.ts';
import { approvalView, ownButtons } from '../../src/interactions/approval-view.ts';
import type { Context, Reply } from '../../src/interactions/command.ts';
import { rows } from '../../src/interactions/controls.ts';
import type { GameIndex } from '../../src/listing/game-search.ts';
import type { Approval, Approvals } from '../../src/submissions/approvals.ts';
import type { NoDraft } from '../../src/submissions/drafts.ts';
import { sentences } from '../../src/words/sentences.ts';
import { noDraft } from '../no-draft.ts';

/** What it takes to submit where a moderator decides. */
export interface WaitingDeps {
  readonly approvals: Pick<Approvals, 'find' | 'draft' | 'takeBack'>;
  readonly approvalMessages: Pick<ApprovalMessages, 'show'>;
}

/** What waits for a moderator now, or what became of it, for its member. */
export async function waitingReply(
  context: Context,
  id: string,
  { approvals, games }: { readonly approvals: Pick<Approvals, 'find'>; readonly games: GameIndex },
): Promise<Reply> {
  const approval = await approvals.find({ guildId: context.guildId, id });
  if (approval === undefined) throw noDraft('gone', context.t, 'addservers');
  return ownApproval(context, approval, games);
}

/** What the member reads who can no longer change or withdraw it: what became of it. */
export function tooLate(
  context: Context,
  id: string,
  why: NoDraft,
  deps: Parameters<typeof waitingReply>[2],
): Promise<Reply> {
  if (why === 'of-another-member' || why === 'gone') throw noDraft(why, context.t, 'addservers');
  return waitingReply(context, id, deps);
}

/** Without what is its member's alone for anybody else. */
export function ownApproval(context: Context, approval: Approval, games: GameIndex): Reply {
  const { t, user, mention } = context;
  const view = approvalView(t, approval, games, user.id);
  if (approval.userId !== user.id) return { ...view, components: [] };
  const next =
    approval.state === 'waiting' ? t('approval.next', { submissions: mention('submissions') }) : undefined;
  return {
    ...view,
    content: sentences(view.content, next),
    components: rows(ownButtons(t, approval)),
  };
}
