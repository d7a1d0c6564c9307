import type { ApprovalMessages } from '../../src/interactions/approval-messages.ts';
import { approvalView, ownButtons } from '../../src/interactions/approval-view.ts';
import type { Context, Reply } from '../../src/interactions/command.ts';
import { rows } from '../../src/interactions/controls.ts';
import type { GameIndex } from '../../src/listing/game-search.ts';
import type { Approval, Approvals } from '../../src/submissions/approvals.ts';
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

/** Without buttons for whoever is not its member. */
export function ownApproval(context: Context, approval: Approval, games: GameIndex): Reply {
  const isOwn = approval.userId === context.user.id;
  return {
    ...approvalView(context.t, approval, games),
    components: isOwn ? rows(ownButtons(context.t, approval)) : [],
  };
}
