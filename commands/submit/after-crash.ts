import { interruptedText } from '../../src/interactions/approval-view.ts';
import type { Context, Reply } from '../../src/interactions/command.ts';
import { parseCustomId } from '../../src/interactions/controls.ts';
import { rowOf } from '../../src/submissions/runs.ts';
import type { CommandDeps } from '../deps.ts';
import { runReply } from '../submissions/waiting.ts';
import { readSubmitId } from './ids.ts';

/** What an interaction has submitted, decided or withdrawn, for its member or for the log channel; `undefined`: nothing. */
export async function replyAfterCrash(
  context: Context,
  to: 'member' | 'log channel',
  deps: CommandDeps,
): Promise<Reply | undefined> {
  const { guildId, interactionId } = context;
  const run = await deps.runs.by(guildId, interactionId);
  if (run === undefined) return undefined;
  // The message on which moderators decide stands in the log channel already.
  if (to === 'log channel' && run.expiresAt !== undefined) return undefined;
  return runReply(context, run, deps);
}

/**
 * What became of the document that a control of its member's message names, where the interaction itself did nothing: the
 * message may show less than that.
 */
export async function replyAboutDocument(
  context: Context,
  pressed: string,
  deps: CommandDeps,
): Promise<Reply | undefined> {
  const { guildId, user, t } = context;
  const { id } = readSubmitId(parseCustomId(pressed).argument);
  const run = await deps.runs.settled(guildId, id);
  if (run?.userId !== user.id) return undefined;
  const reply = await runReply(context, run, deps);
  return { ...reply, content: [interruptedText(t, pressed), reply.content].filter(Boolean).join('\n\n') };
}

/** Tells the log channel of what an interaction has carried out in a process that died; it may say so a second time. */
export async function logAfterCrash(
  { guildId, interactionId }: Pick<Context, 'guildId' | 'interactionId'>,
  { runs, submissionLog }: CommandDeps,
): Promise<void> {
  for (const run of await runs.ofOthers(guildId, interactionId)) {
    const ended = run.servers.flatMap((each) =>
      each.outcome ? [{ row: rowOf(each), line: each.line, server: each.server, outcome: each.outcome }] : [],
    );
    if (ended.length > 0) {
      await submissionLog.ended?.({ guildId, user: { id: run.userId, name: run.userName } }, ended);
    }
  }
}
