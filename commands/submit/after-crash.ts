import { decidedText } from '../../src/approval/approval-view.ts';
import type { LaterReplies } from '../../src/interactions/after-crash.ts';
import { parseCustomId } from '../../src/interactions/controls.ts';
import { serverResults } from '../../src/submissions/submission.ts';
import { interruptedText } from '../../src/words/sentences.ts';
import type { CommandDeps } from '../deps.ts';
import { replyForSubmission } from '../submissions/waiting.ts';
import { readSubmitId } from './ids.ts';

export const laterReplies = (deps: CommandDeps): LaterReplies => ({
  async reportOf(context, to) {
    const found = await deps.submissions.by(context.guildId, context.interactionId);
    const [submission, ...others] = found;
    if (submission === undefined) return undefined;
    // The log channel already has this submission's message for moderators.
    if (to === 'log channel' && submission.needsModerator) return undefined;
    return others.length > 0
      ? { content: decidedText(context.t, found, deps.games) }
      : replyForSubmission(context, submission, deps);
  },
  async stateOfDraft(context, pressed) {
    const { guildId, user, t } = context;
    const { id } = readSubmitId(parseCustomId(pressed).argument);
    const submission = await deps.submissions.settled(guildId, id);
    if (submission?.userId !== user.id) return undefined;
    const reply = await replyForSubmission(context, submission, deps);
    return { ...reply, content: [interruptedText(t, pressed), reply.content].filter(Boolean).join('\n\n') };
  },
  /** May repeat an entry that is already in the log channel. */
  async logUnreportedSubmissions({ guildId, interactionId }) {
    for (const submission of await deps.submissions.ofOthers(guildId, interactionId)) {
      const by = { guildId, interactionId, user: { id: submission.userId, name: submission.userName } };
      const ended = serverResults(submission);
      if (ended.length > 0) await deps.submissionLog.ended?.(by, ended, submission.message !== undefined);
    }
  },
});
