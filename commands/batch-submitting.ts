import type { PressCall, Reply } from '../src/discord/command.ts';
import type { GuildSettings } from '../src/guilds/settings.ts';
import { KNOWN_ERRORS, type ServerSubmission } from '../src/listing/contract.ts';
import { wordsFor } from '../src/locales/words.ts';
import type { Secret } from '../src/secret.ts';
import { rowsToSend } from '../src/submissions/batch-rows.ts';
import type { Run } from '../src/submissions/batch-runs.ts';
import type { Batch } from '../src/submissions/batches.ts';
import type { Row } from '../src/submissions/bulk-text.ts';
import type { Desk } from '../src/submissions/desk.ts';
import { type Halt, type ServerOutcome, submitAll } from '../src/submissions/submit-all.ts';
import { UserError } from '../src/user-error.ts';
import { announcementText } from './announcement.ts';
import { type BatchDeps, claimBatch, MOST_FILE_BYTES, ownerOf, showBatch } from './batch-opening.ts';
import { rejectedFiles } from './batch-preview.ts';
import { reportOf } from './batch-report.ts';
import { guildKey } from './guild-key.ts';
import { describe } from './outcome-text.ts';
import { progressOf } from './progress-bar.ts';
import { refusalText } from './refusal-text.ts';

export interface SubmitBatchDeps extends BatchDeps {
  readonly desk: Desk;
  readonly settings: Pick<GuildSettings, 'get'>;
  readonly logger: { error(details: object, message: string): void };
  /** The most milliseconds that one request to the service takes. */
  readonly longestRequestMs: number;
  readonly now?: () => number;
}

/** How long Discord lets an interaction be answered, in milliseconds (Discord docs: Receiving and Responding). */
const ANSWER_WITHIN_MS = 15 * 60_000;
/** Of those, what is kept for delivering the report, with a few more tries. */
const DELIVERY_MS = 60_000;

/**
 * The Submit button: sends what is ready in the batch, once, and reports what came of every line. Run again by the
 * same interaction after a crash, it goes on where it stopped.
 */
export async function submitBatch(call: PressCall, deps: SubmitBatchDeps): Promise<Reply> {
  // First of all, so that a store that fails is said while nothing has been sent.
  const { announce } = await deps.settings.get(call.guildId);
  const { batch, run } = await claimBatch(call, deps);
  const servers = rowsToSend(batch).map(({ submission }) => submission);
  let key: Secret;
  try {
    if (servers.length === 0) throw new UserError(call.t('bulk.nothingLeft'));
    key = await guildKey(call, deps.keys);
    // What goes on after a crash was admitted before.
    const refusal = run.isResumed
      ? undefined
      : await deps.desk.admit({ ...call, key, servers, again: batch.includesFormer });
    if (refusal?.code === 'submitted-before') {
      // Somebody was faster: the preview names them now.
      run.abandon();
      return await showBatch(call, { id: call.argument, batch, note: refusalText(refusal, call) }, deps);
    }
    if (refusal) throw new UserError(refusalText(refusal, call));
    // The batch must be there for as long as the run may have to be taken up again.
    await deps.batches.keep(ownerOf(call), call.argument, batch);
    await run.note([], run.known);
  } catch (error) {
    run.abandon();
    throw error;
  }
  const outcomes = await send(call, { servers, run, key }, deps);
  const reply = await concluded(call, { batch, outcomes, key, run }, deps);
  const announcement = announce ? announced(call, servers, { outcomes, games: deps.games }) : undefined;
  return announcement === undefined ? reply : { ...reply, announcement };
}

async function send(
  call: PressCall,
  {
    servers,
    run,
    key,
  }: { readonly servers: readonly ServerSubmission[]; readonly run: Run; readonly key: Secret },
  { desk, logger, longestRequestMs, now = Date.now }: SubmitBatchDeps,
): Promise<readonly ServerOutcome[]> {
  const { interactionId } = call;
  const lastStart = run.startedAt + ANSWER_WITHIN_MS - DELIVERY_MS - longestRequestMs;
  let known = run.known;
  const show = () => call.progress(progressOf(call, known.size, servers.length));

  function halt(): Halt | undefined {
    if (call.stopping.aborted) return 'stopping';
    return now() > lastStart ? 'deadline' : undefined;
  }

  show();
  return submitAll(servers, {
    known,
    halt,
    async send(request, places) {
      try {
        await run.note(places, known);
        return await desk.send({ ...call, key, servers: request });
      } catch (error) {
        logger.error({ err: error, interactionId }, 'a request of a batch could not be begun');
        return 'bot';
      }
    },
    async onSettled(outcomes) {
      known = new Map(outcomes);
      // The report follows the last one.
      if (known.size < servers.length) show();
      await run.note([], known).catch((error: unknown) => {
        logger.error({ err: error, interactionId }, 'how far a batch has come could not be noted');
      });
    },
  });
}

/** What everybody is told of the servers that the service took; nothing when it took none. */
function announced(
  call: PressCall,
  servers: readonly ServerSubmission[],
  {
    outcomes,
    games,
  }: { readonly outcomes: readonly ServerOutcome[]; readonly games: SubmitBatchDeps['games'] },
): string | undefined {
  const taken = servers.filter((_, place) => outcomes[place]?.kind === 'accepted');
  const [first] = taken;
  if (first === undefined) return undefined;
  const game = games.find(first.game) ?? { name: first.game, alias: first.game };
  return announcementText(call, {
    count: taken.length,
    what: describe(wordsFor(call.guildLocale), game, first),
  });
}

interface Concluded {
  readonly batch: Batch;
  readonly run: Run;
  readonly key: Secret;
  readonly outcomes: readonly ServerOutcome[];
}

async function concluded(call: PressCall, done: Concluded, deps: SubmitBatchDeps): Promise<Reply> {
  const { batch, key, outcomes } = done;
  const wasSaid = (message: string) =>
    outcomes.some((each) => each.kind === 'rejected' && each.message === message);
  if (wasSaid(KNOWN_ERRORS.gameInvalid)) deps.games.invalidate();
  if (!wasSaid(KNOWN_ERRORS.invalidKey)) deps.games.refreshSoon(key);
  const restId = await keepRest(call, done, deps);
  const report = reportOf(call, { batch, outcomes, ...(restId !== undefined && { restId }) });
  const rejected = rejectedFiles(call, { batch, mostBytes: MOST_FILE_BYTES });
  return { ...report, files: [...(report.files ?? []), ...rejected] };
}

/** Keeps what was not sent as a batch of its own, for a button to submit; `undefined` when there is none. */
async function keepRest(
  call: PressCall,
  { batch, run, key, outcomes }: Concluded,
  { batches, desk, logger }: SubmitBatchDeps,
): Promise<string | undefined> {
  const rows = rowsToSend(batch).filter((_, place) => outcomes[place]?.kind === 'not-sent');
  if (rows.length === 0) return undefined;
  // They must not count twice towards the limits on use; in a run that went on after a crash they did not count yet.
  const servers = rows.map(({ submission }) => submission);
  if (!run.isResumed) await desk.withdraw({ ...call, key, servers });
  const places = new Map<Row | undefined, number>(rows.map((row, place) => [row, place]));
  const former = batch.former.flatMap((each) => {
    const row = places.get(batch.rows[each.row]);
    return row === undefined ? [] : [{ ...each, row }];
  });
  const id = call.interactionId;
  try {
    await batches.keep(ownerOf(call), id, { ...batch, rows, former });
    return id;
  } catch (error) {
    logger.error({ err: error, interactionId: id }, 'what was not sent could not be kept');
    return undefined;
  }
}
