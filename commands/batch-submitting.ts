import type { PressContext, Reply } from '../src/discord/command.ts';
import type { Ended, Pipeline } from '../src/submissions/order.ts';
import { UserError } from '../src/user-error.ts';
import { announcementText } from '../src/words/announcement.ts';
import { describe } from '../src/words/outcome.ts';
import { progressOf } from '../src/words/progress-bar.ts';
import { refusalText } from '../src/words/refusal.ts';
import { wordsFor } from '../src/words/words.ts';
import { type DraftDeps, MOST_FILE_BYTES, showDraft } from './batch-opening.ts';
import { rejectedFiles } from './batch-preview.ts';
import { reportOf } from './batch-report.ts';

export interface SubmitListDeps extends DraftDeps {
  readonly pipeline: Pipeline;
}

/** The Submit button: sends what is ready in the draft, once, and reports what came of every line. */
export async function submitList(context: PressContext, deps: SubmitListDeps): Promise<Reply> {
  const { t, argument: id, guildId, interactionId, receivedAt, user, stopping } = context;
  const result = await deps.pipeline.submit({
    ...{ guildId, interactionId, receivedAt, user, id, stopping },
    onProgress: (done, count) => context.progress(progressOf(context, done, count)),
  });
  if (result.kind === 'no-draft') {
    const why = { 'of-another-member': 'bulk.notYours', empty: 'bulk.nothingLeft' } as const;
    throw new UserError(
      result.why === 'gone' || result.why === 'taken' ? t('bulk.gone') : t(why[result.why]),
    );
  }
  if (result.kind === 'refused') {
    const note = refusalText(result.refusal, context);
    // Somebody was faster: the preview names them now.
    if (result.refusal.code === 'submitted-before') {
      return showDraft(context, { id, draft: result.draft, note }, deps);
    }
    throw new UserError(note);
  }
  const report = reportOf(context, result);
  const rejected = rejectedFiles(context, { draft: result.draft, mostBytes: MOST_FILE_BYTES });
  const announcement = announced(context, result, deps);
  return {
    ...report,
    files: [...(report.files ?? []), ...rejected],
    ...(announcement !== undefined && { announcement }),
  };
}

/** What everybody is told of the servers that the service took; nothing when it took none. */
function announced(
  context: PressContext,
  { announce, servers, outcomes }: Ended,
  { games }: Pick<DraftDeps, 'games'>,
): string | undefined {
  const taken = servers.filter((_, place) => outcomes[place]?.kind === 'accepted');
  const [first] = taken;
  if (!announce || first === undefined) return undefined;
  const game = games.find(first.game) ?? { name: first.game, alias: first.game };
  return announcementText(context, {
    count: taken.length,
    what: describe(wordsFor(context.guildLocale), game, first),
  });
}
