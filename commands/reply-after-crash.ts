import type { Context, Reply } from '../src/interactions/command.ts';
import type { Ended } from '../src/submissions/pipeline.ts';
import { endedReply } from './addserver/ended.ts';
import { type ReportDeps, reportReply } from './addservers/report.ts';

/**
 * The reply of after-crash.ts about a submission that was carried out: the one that its member would have got. What waits, or
 * waited, for a moderator has `ownApproval`; app.ts chooses.
 */
export const replyAfterCrash = async (context: Context, ended: Ended, deps: ReportDeps): Promise<Reply> =>
  ended.draft.source === 'options'
    ? endedReply(context, ended, deps.games)
    : reportReply(context, ended, deps);
