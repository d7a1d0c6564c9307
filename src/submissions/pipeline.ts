import {
  type Halt,
  MAX_SERVERS_PER_REQUEST,
  type NotSent,
  type Outcome,
  type ServerSubmission,
} from '../listing/contract.ts';
import type { Secret } from '../secret.ts';
import { check, type Refusal } from './checks.ts';
import { restOf, rowsToSend, withoutTyped } from './draft.ts';
import type {
  Answered,
  Carried,
  Ended,
  Observer,
  Order,
  Pipeline,
  PipelineDeps,
  Result,
  Run,
} from './order.ts';
import { INTERRUPTED, isLeft } from './outcome.ts';
import type { SubmissionRecord } from './record.ts';
import { restIdOf } from './rest.ts';
import { grouped, submitAll } from './submit-all.ts';

/** What every submission passes, from top to bottom: checks, reservation, record, request, outcome, observers. */
export function createPipeline(deps: PipelineDeps): Pipeline {
  const { database, records } = deps;
  const tell = createTeller(deps);

  async function submit(order: Order): Promise<Result> {
    // It waits first, so that what is checked and recorded is true when the request leaves.
    const begun = await scheduled(deps, order, async () => {
      // Nothing comes between the checks, the reservation and the record of the request.
      const run = await database.inGuild(order.guildId, () => begin(deps, order));
      if (!('servers' in run)) return run;
      order.onProgress?.(run.known.size, run.servers.length);
      return { run, first: run.firstKey && (await request(deps, run, run.firstIndices, run.firstKey)) };
    });
    if ('reason' in begun) return notSent(order, begun);
    if ('run' in begun)
      return conclude(order, begun.run, await carryOut(deps, order, begun.run, begun.first));
    if (begun.kind === 'refused') {
      const servers = rowsToSend(begun.draft).map(({ submission }) => submission);
      await tell(({ refused }) => refused?.(order, servers, begun.refusal));
    }
    return begun;
  }

  async function conclude(order: Order, run: Run, { outcomes, key }: Carried): Promise<Ended> {
    const { draft, servers, isResumed, announce, held } = run;
    if (!run.isOver) await tell(({ ended }) => ended?.(order, { servers, outcomes, key }));
    const isAny = restOf(draft, (index) => isLeft(draft, outcomes[index])).rows.length > 0;
    const rest = { ...(isAny && { restId: restIdOf(order.interactionId) }), ...(held && { held }) };
    return { kind: 'ended', draft, servers, outcomes, isResumed, announce, ...rest };
  }

  /** It was not scheduled: too many of the member's wait, or it took too long. The draft stays for another try. */
  async function notSent(order: Order, outcome: NotSent): Promise<Result> {
    const stored = order.draft ?? (await records.findDraft(order, order.id));
    if (typeof stored === 'string') return { kind: 'no-draft', why: stored };
    const draft = 'draft' in stored ? stored.draft : stored;
    if (order.draft) await records.saveDraft(order, order.id, draft);
    const servers = rowsToSend(draft).map(({ submission }) => submission);
    const outcomes = servers.map(() => outcome);
    await tell(({ ended }) => ended?.(order, { servers, outcomes, key: undefined }));
    return { kind: 'ended', draft, servers, outcomes, isResumed: false, announce: false, restId: order.id };
  }

  return { submit };
}

/** Checks, reserves and records it, or says why not; in one transaction. */
async function begin(deps: PipelineDeps, order: Order): Promise<Run | Exclude<Result, Ended>> {
  const { records, keys, settings, now = Date.now } = deps;
  const { guildId, id, interactionId } = order;
  const { announce, ...chosen } = await settings.get(guildId);
  const record = await records.carriedOutBy(guildId, interactionId);
  if (record) return { ...toResume(record), announce };

  const stored = order.draft ? undefined : await records.findDraft(order, id);
  if (stored === 'gone' && (await records.isSubmitted(order, id))) return { kind: 'no-draft', why: 'taken' };
  if (typeof stored === 'string') return { kind: 'no-draft', why: stored };
  const draft = order.draft ?? stored?.draft;
  const wanted = draft ? rowsToSend(draft).map(({ submission }) => submission) : [];
  if (!draft || wanted.length === 0) return { kind: 'no-draft', why: 'empty' };

  const key = await keys.usable(guildId);
  const replaces = await records.replacedBy(guildId, id);
  const refuse = async (refusal: Refusal) => {
    // One server waits for its buttons, of which one submits it all the same; a list is shown anew.
    const again = refusal.code === 'submitted-before' && { includesPrevious: true };
    if (draft.source === 'options') await records.saveDraft(order, id, { ...draft, ...again });
    return { kind: 'refused', refusal, draft } as const;
  };
  if ('code' in key) return refuse(key);
  const again = draft.includesPrevious;
  const checked = await check(deps, order, { servers: wanted, again, replaces, ...chosen });
  if ('refusal' in checked) return refuse(checked.refusal);
  if (replaces !== undefined) await records.giveBack(guildId, replaces);
  if (order.draft) await records.insertDraft(order, id, withoutTyped(draft));
  const { count, held } = checked.room;
  const servers = wanted.slice(0, count);
  const positions = (stored ? toSend(stored) : [...wanted.keys()]).slice(0, count);
  const first = positions.slice(0, MAX_SERVERS_PER_REQUEST);
  await records.begin(id, interactionId, positions);
  await records.leave(id, first);
  const run = { id, draft, servers, positions, announce, held, known: new Map(), startedAt: now() };
  return {
    ...run,
    isOver: false,
    isResumed: false,
    firstKey: key,
    firstIndices: first.map((_, index) => index),
  };
}

/** Sends what is to be sent, request by request, and records what came of each. */
async function carryOut(
  deps: PipelineDeps,
  order: Order,
  run: Run,
  first: Answered | undefined,
): Promise<Carried> {
  const { database, records, keys, logger, longestRequestMs, now = Date.now } = deps;
  const { guildId, interactionId, stopping } = order;
  const { servers, positions } = run;
  const lastStart = lastStartOf(run, longestRequestMs);
  const recorded = new Set(run.known.keys());
  let outcomes: ReadonlyMap<number, Outcome> = run.known;
  let isOver = run.isOver;
  let sent = first;
  let latest = first;

  const halt = (): Halt | undefined =>
    sent ? undefined : stopping?.aborted ? 'stopping' : now() > lastStart ? 'deadline' : undefined;
  const at = (indices: readonly number[]) => indices.flatMap((index) => positions[index] ?? []);

  async function send(_: readonly ServerSubmission[], indices: readonly number[]) {
    try {
      const done =
        sent ??
        (await scheduled(deps, order, async () => {
          const key = await database.inGuild(guildId, () =>
            leave(deps, { id: run.id, guildId }, at(indices)),
          );
          return key && request(deps, run, indices, key);
        }));
      if (done === undefined || 'reason' in done) return done ?? 'key';
      sent = done;
      latest = done;
      return done.answer;
    } catch (error) {
      logger.error({ err: error, interactionId }, 'a request could not be begun');
      return 'bot';
    }
  }

  async function record(answered: Answered | undefined): Promise<void> {
    const isLast = outcomes.size === servers.length;
    const isRefused = await database.inGuild(guildId, async () => {
      for (const [outcome, indices] of grouped(outcomes, recorded)) {
        await records.end(run.id, at(indices), outcome);
      }
      const again = answered?.indices.filter((index) => !outcomes.has(index)) ?? [];
      await records.leaveAgain(run.id, at(again));
      if (isLast) await finish(records, order, run, outcomes);
      return answered && keys.keepAnswer(guildId, answered.key, answered.answer);
    });
    for (const index of outcomes.keys()) recorded.add(index);
    isOver ||= isLast;
    if (isRefused) await deps.onKeyRefused(guildId);
  }

  async function onOutcomes(known: ReadonlyMap<number, Outcome>): Promise<void> {
    outcomes = new Map(known);
    const answered = sent;
    sent = undefined;
    await record(answered).catch((error: unknown) => {
      logger.error({ err: error, interactionId }, 'what came of a request could not be recorded');
    });
    if (outcomes.size < servers.length) order.onProgress?.(outcomes.size, servers.length);
  }

  try {
    const all = await submitAll(servers, { known: run.known, halt, send, onOutcomes });
    outcomes = new Map(all.entries());
    return { outcomes: all, key: latest?.key };
  } finally {
    // What has not ended by now has not been sent: it counts no more, and can be submitted again.
    const left = servers.map((_, index) => [index, outcomes.get(index) ?? NOT_SENT] as const);
    if (!isOver) await onOutcomes(new Map(left));
  }
}

/** The key is read anew for each request, so that nothing leaves with one that is gone. */
async function leave(
  { keys, records }: PipelineDeps,
  { id, guildId }: { readonly id: string; readonly guildId: string },
  positions: readonly number[],
): Promise<Secret | undefined> {
  const key = await keys.usable(guildId);
  if ('code' in key) return undefined;
  await records.leave(id, positions);
  return key;
}

/** Nothing of it runs any more; what was not sent becomes a draft of its own. */
async function finish(
  records: PipelineDeps['records'],
  order: Order,
  run: Run,
  outcomes: ReadonlyMap<number, Outcome>,
): Promise<void> {
  await records.finish(run.id);
  const rest = restOf(run.draft, (index) => isLeft(run.draft, outcomes.get(index)));
  if (rest.rows.length > 0) await records.saveDraft(order, restIdOf(order.interactionId), rest);
}

const scheduled = <Done>(
  { scheduler }: PipelineDeps,
  { guildId, user, receivedAt }: Order,
  task: () => Promise<Done>,
) =>
  scheduler.run(
    { guildId, memberId: user.id, kind: 'submission', ...(receivedAt !== undefined && { receivedAt }) },
    task,
  );

const request = async (
  { listing }: PipelineDeps,
  { servers }: Run,
  indices: readonly number[],
  key: Secret,
): Promise<Answered> => {
  const some = indices.flatMap((index) => servers[index] ?? []);
  return { indices, key, answer: await listing.add(some, key) };
};

const NOT_SENT: Outcome = { kind: 'not-sent', reason: 'bot' };

/** Tells the observers one after the other; none of them holds up what follows. */
function createTeller({ observers, logger }: Pick<PipelineDeps, 'observers' | 'logger'>) {
  return async (whom: (observer: Observer) => Promise<void> | undefined): Promise<void> => {
    for (const observer of observers) {
      try {
        await whom(observer);
      } catch (error) {
        logger.error({ err: error }, 'what came of a submission could not be told');
      }
    }
  };
}

/** The positions of a draft's servers that are to be submitted. */
const toSend = ({ servers, again }: SubmissionRecord): readonly number[] =>
  servers
    .filter(({ submission, submitted_before }) => submission.game !== '' && (again || !submitted_before))
    .map(({ position }) => position);

/** What is to be carried on with of a record: what may have left is never sent again. */
export function toResume({
  id,
  state,
  draft,
  servers,
  startedAt = 0,
}: SubmissionRecord): Omit<Run, 'announce'> {
  const chosen = servers.filter(({ outcome, reserved_at }) => outcome || reserved_at !== null);
  const known = new Map(
    chosen.flatMap(({ outcome, sent_at }, index) => {
      const ended = outcome ?? (sent_at === null ? undefined : INTERRUPTED);
      return ended ? [[index, ended] as const] : [];
    }),
  );
  return {
    ...{ id, draft, startedAt, known, held: undefined },
    isOver: state === 'done',
    firstIndices: [],
    isResumed: known.size > 0,
    positions: chosen.map(({ position }) => position),
    servers: chosen.map(({ submission }) => submission),
  };
}

/** How long Discord lets an interaction be answered, in milliseconds (Discord docs: Receiving and Responding). */
const ANSWER_WITHIN_MS = 15 * 60_000;
/** Of those, what is kept for delivering the answer, with a few more tries. */
const DELIVERY_MS = 60_000;

/** When the last request may leave, so that its answer can still be told. In milliseconds since 1970. */
const lastStartOf = ({ startedAt }: Run, longestRequestMs: number): number =>
  startedAt + ANSWER_WITHIN_MS - DELIVERY_MS - longestRequestMs;
