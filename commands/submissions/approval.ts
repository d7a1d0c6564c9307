import type { Command, Context, Reply } from '../../src/interactions/command.ts';
import type { CommandDeps } from '../deps.ts';
import { decisionActions } from './decide-one.ts';
import { severalActions } from './decide-several.ts';
import { type ApprovalQueue, createApprovalQueue } from './queue.ts';

interface ApprovalActions
  extends Required<Pick<Command, 'presses' | 'submits'>>,
    Pick<ApprovalQueue, 'waiting' | 'count'> {}

/**
 * Creates the handlers for the buttons and modals of waiting submissions, in the log channel and in /submissions.
 * @param showNext shows a waiting submission in /submissions by its number, which starts at 1 and wraps around
 */
export function approvalActions(
  deps: CommandDeps,
  showNext: (context: Context, wanted: number) => Promise<Reply>,
): ApprovalActions {
  const queue = createApprovalQueue(deps, showNext);
  const one = decisionActions(deps, queue);
  const several = severalActions(deps, queue);
  return {
    waiting: queue.waiting,
    count: queue.count,
    presses: { ...one.presses, ...several.presses },
    submits: { ...one.submits, ...several.submits },
  };
}
