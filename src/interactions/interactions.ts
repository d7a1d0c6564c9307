import type { Submissions } from '../submissions/submissions.ts';
import { type AfterCrashDeps, createAfterCrash, type LaterReplies } from './after-crash.ts';
import { type AnswerDeps, createAnswering } from './answer.ts';
import { createDispatcher, type DispatchDeps } from './dispatch.ts';
import { createTakeover, type TakeoverDeps } from './takeover.ts';
import { createUnderWay } from './under-way.ts';

type OwnParts = 'underWay' | 'answering' | 'notifyUnreplied' | keyof LaterReplies;

export interface InteractionsDeps
  extends Omit<DispatchDeps & AnswerDeps & AfterCrashDeps & TakeoverDeps, OwnParts> {
  readonly submissions: Pick<Submissions, 'by' | 'endRunningOf' | 'guildIdsWithAbandoned' | 'endAbandoned'>;
  readonly replies: LaterReplies;
}

export function createInteractions(deps: InteractionsDeps) {
  const { store, submissions, replies } = deps;
  const reportOf: LaterReplies['reportOf'] = async (context, to) => {
    // By the time this guild transaction starts, all earlier writes of the interaction have finished.
    await store.inGuild(context.guildId, () => submissions.endRunningOf(context.interactionId));
    return replies.reportOf(context, to);
  };
  const made = { ...deps, ...replies, reportOf, underWay: createUnderWay() };
  return {
    ...createDispatcher({ ...deps, answering: createAnswering(made) }),
    takeOver: createTakeover({ ...made, notifyUnreplied: createAfterCrash(made) }),
  };
}
