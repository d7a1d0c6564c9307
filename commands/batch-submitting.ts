import type { PressCall, Reply } from '../src/discord/command.ts';
import { KNOWN_ERRORS, type ServerSubmission } from '../src/listing/contract.ts';
import type { Secret } from '../src/secret.ts';
import { rowsToSend } from '../src/submissions/batch-rows.ts';
import type { Run } from '../src/submissions/batch-runs.ts';
import type { Batch } from '../src/submissions/batches.ts';
import type { Row } from '../src/submissions/bulk-text.ts';
import type { Desk } from '../src/submissions/desk.ts';
import { type Halt, type ServerOutcome, submitAll } from '../src/submissions/submit-all.ts';
import { UserError } from '../src/user-error.ts';
import { type BatchDeps, claimBatch, keyOf, MOST_FILE_BYTES, ownerOf } from './batch-opening.ts';
import { rejectedFiles } from './batch-preview.ts';
import { reportOf } from './batch-report.ts';
import { progressOf } from './progress-bar.ts';
import { refusalText } from './refusal-text.ts';

export interface SubmitBatchDeps extends BatchDeps {
  readonly desk: Desk;
  readonly logger: { error(details: object, message: string): void };
  /** The most milliseconds that one request to the service takes. */
  readonly longestRequestMs: number;
  readonly now?: () => number;
}

/** How long Discord lets an interaction be answered, in milliseconds (Discord docs: Receiving and Responding). */
const ANSWER_WITHIN_MS = 15 * 60_000;
/** Of those, what is kept for delivering the report, with a few more tries. */
const DELIVERY_MS = 60_000;

/** The Submit button: sends what is ready in the batch, once, and reports what came of every line. */
export async function submitBatch(call: PressCall, deps: SubmitBatchDeps): Promise<Reply> {
  const { batch, run } = await claimBatch(call, deps);
  const servers = rowsToSend(batch).map(({ submission }) => submission);
  let key: Secret;
  try {
    key = await admitted(call, { servers, run }, deps);
    // The batch must be there for as long as the run may have to be taken up again.
    await deps.batches.keep(ownerOf(call), call.argument, batch);
    await run.note([], run.known);
  } catch (error) {
    run.abandon();
    throw error;
  }
  const outcomes = await send(call, { servers, run, key }, deps);
  return concluded(call, { batch, outcomes, key }, deps);
}

/**
 * The key to send with, once the order was admitted. One that goes on after a restart was admitted before.
 * @throws UserError when the order is refused
 */
async function admitted(
  call: PressCall,
  { servers, run }: { readonly servers: readonly ServerSubmission[]; readonly run: Run },
  { desk, keys }: SubmitBatchDeps,
): Promise<Secret> {
  if (servers.length === 0) throw new UserError(call.t('bulk.nothingLeft'));
  const key = await keyOf(call, keys);
  const refusal = run.isResumed ? undefined : await desk.admit({ ...call, key, servers });
  if (refusal) throw new UserError(refusalText(refusal, call));
  return key;
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

/** The report; what was not sent is kept as a batch of its own, so that a button can submit it. */
async function concluded(
  call: PressCall,
  { batch, outcomes, key }: Readonly<{ batch: Batch; outcomes: readonly ServerOutcome[]; key: Secret }>,
  { batches, games, logger }: SubmitBatchDeps,
): Promise<Reply> {
  if (outcomes.some((each) => each.kind === 'rejected' && each.message === KNOWN_ERRORS.gameInvalid)) {
    games.invalidate();
  }
  games.refreshSoon(key);
  const unsent = rowsToSend(batch).filter((_, place) => outcomes[place]?.kind === 'not-sent');
  const places = new Map<Row | undefined, number>(unsent.map((row, place) => [row, place]));
  const former = batch.former.flatMap((each) => {
    const row = places.get(batch.rows[each.row]);
    return row === undefined ? [] : [{ ...each, row }];
  });
  const id = call.interactionId;
  const isKept = await batches.keep(ownerOf(call), id, { ...batch, rows: unsent, former }).then(
    () => unsent.length > 0,
    (error: unknown) => {
      logger.error({ err: error, interactionId: id }, 'what was not sent could not be kept');
      return false;
    },
  );
  const report = reportOf(call, { batch, outcomes, ...(isKept && { restId: id }) });
  return {
    ...report,
    files: [...(report.files ?? []), ...rejectedFiles(call, { batch, mostBytes: MOST_FILE_BYTES })],
  };
}
