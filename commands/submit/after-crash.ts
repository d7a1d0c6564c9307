import type { LaterReplies } from '../../src/interactions/after-crash.ts';
import { parseCustomId } from '../../src/interactions/controls.ts';
import { endedServers } from '../../src/submissions/submissions.ts';
import { interruptedText } from '../../src/words/sentences.ts';
import type { CommandDeps } from '../deps.ts';
import { replyForSubmission } from '../submissions/waiting.ts';
import { readSubmitId } from './ids.ts';

/** What is told afterwards, made from the submissions that are stored. */
export const laterReplies = (deps: CommandDeps): LaterReplies => ({
  async reportOf(context, to) {
    const submission = await deps.submissions.by(context.guildId, context.interactionId);
    if (submission === undefined) return undefined;
    // The message on which moderators decide stands in the log channel already.
    if (to === 'log channel' && submission.needsModerator) return undefined;
    return replyForSubmission(context, submission, deps);
  },
  async stateOfDraft(context, pressed) {
    const { guildId, user, t } = context;
    const { id } = readSubmitId(parseCustomId(pressed).argument);
    const submission = await deps.submissions.settled(guildId, id);
    if (submission?.userId !== user.id) return undefined;
    const reply = await replyForSubmission(context, submission, deps);
    return { ...reply, content: [interruptedText(t, pressed), reply.content].filter(Boolean).join('\n\n') };
  },
  /** The log channel may have been told already. */
  async logWhatDeadLeft({ guildId, interactionId }) {
    for (const submission of await deps.submissions.ofOthers(guildId, interactionId)) {
      const by = { guildId, user: { id: submission.userId, name: submission.userName } };
      const ended = endedServers(submission);
      if (ended.length > 0) await deps.submissionLog.ended?.(by, ended);
    }
  },
});
