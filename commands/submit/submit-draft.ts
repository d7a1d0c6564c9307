import type { Context, PressContext, Reply, SubmitContext } from '../../src/interactions/command.ts';
import { failedToConnect } from '../../src/listing/contract.ts';
import type { SubmitRequest } from '../../src/submissions/pipeline.ts';
import { notSubmittedText } from '../../src/words/not-submitted.ts';
import { secondText } from '../../src/words/sentences.ts';
import { foundText, withSign } from '../../src/words/servers.ts';
import type { CommandDeps } from '../deps.ts';
import { replyForUnavailable, replyStillWaiting } from '../submissions/waiting.ts';
import { progressOf, reportReply } from './report.ts';
import { showDraft } from './show.ts';

type DraftRequest = Pick<
  SubmitRequest,
  'id' | 'draft' | 'replacesWaiting' | 'promised' | 'mark' | 'includesAlreadySubmitted'
>;

export async function submitDraft(
  context: Context & Partial<Pick<PressContext, 'progress' | 'stopping'> & Pick<SubmitContext, 'shown'>>,
  request: DraftRequest,
  deps: CommandDeps,
): Promise<Reply> {
  const { t, stopping } = context;
  const { id, replacesWaiting } = request;
  const isRetry =
    request.draft === undefined && request.promised === undefined && !request.includesAlreadySubmitted;
  // Without a note, a press that made no difference would look as if it hadn't worked.
  const withNote = (reply: Reply, note: 'tried' | 'notTried', isSameOutcome: boolean): Reply => {
    const { content = '' } = reply;
    const isUnchanged = content !== '' && context.shown?.content.endsWith(content);
    if (!isUnchanged && !(isRetry && isSameOutcome)) return reply;
    const noted = t(`again.${note}`, { time: secondText(context.receivedAt) });
    return { ...reply, content: [noted, content].filter(Boolean).join('\n') };
  };
  const result = await deps.pipeline.submit({
    ...context,
    ...request,
    stopping,
    onProgress: (done, count) => context.progress?.(progressOf(context, done, count)),
  });
  switch (result.kind) {
    case 'ended': {
      const outcomes = result.servers.map(({ outcome }) => outcome);
      const wasTried = outcomes.some((outcome) => outcome.kind !== 'not-sent' || failedToConnect(outcome));
      const isUnsent = outcomes.every(({ kind }) => kind === 'not-sent');
      return withNote(await reportReply(context, result, deps), wasTried ? 'tried' : 'notTried', isUnsent);
    }
    case 'no-draft':
      return replyForUnavailable(context, { id, ...result, wouldSubmit: true }, deps);
    case 'waiting': {
      const reply = await replyForUnavailable(context, { id, why: 'submitted' }, deps);
      const content = [reply.content, foundText(t, result.rows)].filter(Boolean).join('\n');
      return { ...reply, content };
    }
    case 'held': {
      const { why, checked } = result;
      if (replacesWaiting) {
        const text =
          why.code === 'changed'
            ? withSign('not-sent', t('list.nothingReady'))
            : notSubmittedText(why, context, deps.games);
        return replyStillWaiting(context, id, text, deps);
      }
      const reply = await showDraft(context, id, checked, deps, { held: why });
      return withNote(reply, 'notTried', why.code !== 'changed');
    }
    default:
      return result satisfies never;
  }
}
