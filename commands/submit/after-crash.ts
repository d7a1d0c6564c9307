import type { LaterReplies } from '../../src/interactions/after-crash.ts';
import { parseCustomId } from '../../src/interactions/controls.ts';
import { endedServers } from '../../src/submissions/runs.ts';
import { interruptedText } from '../../src/words/sentences.ts';
import type { CommandDeps } from '../deps.ts';
import { runReply } from '../submissions/waiting.ts';
import { readSubmitId } from './ids.ts';

/** What is told afterwards, made from the runs that are stored. */
export const laterReplies = (deps: CommandDeps): LaterReplies => ({
  async reportOf(context, to) {
    const run = await deps.runs.by(context.guildId, context.interactionId);
    if (run === undefined) return undefined;
    // The message on which moderators decide stands in the log channel already.
    if (to === 'log channel' && run.needsModerator) return undefined;
    return runReply(context, run, deps);
  },
  async stateOfDocument(context, pressed) {
    const { guildId, user, t } = context;
    const { id } = readSubmitId(parseCustomId(pressed).argument);
    const run = await deps.runs.settled(guildId, id);
    if (run?.userId !== user.id) return undefined;
    const reply = await runReply(context, run, deps);
    return { ...reply, content: [interruptedText(t, pressed), reply.content].filter(Boolean).join('\n\n') };
  },
  /** The log channel may have been told already. */
  async logWhatDeadLeft({ guildId, interactionId }) {
    for (const run of await deps.runs.ofOthers(guildId, interactionId)) {
      const by = { guildId, user: { id: run.userId, name: run.userName } };
      const ended = endedServers(run);
      if (ended.length > 0) await deps.submissionLog.ended?.(by, ended);
    }
  },
});
