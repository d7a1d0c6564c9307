import type { Context, Reply } from '../src/interactions/command.ts';
import type { Ended } from '../src/submissions/pipeline.ts';
import { endedReply } from './addserver/ended.ts';
import { type ReportDeps, reportReply } from './addservers/report.ts';

/** What became of a submission whose member got no reply before the bot ended: the reply that they would have got. */
export const afterRestart = async (context: Context, ended: Ended, deps: ReportDeps): Promise<Reply> =>
  ended.draft.source === 'options'
    ? endedReply(context, ended, deps.games)
    : reportReply(context, ended, deps);
