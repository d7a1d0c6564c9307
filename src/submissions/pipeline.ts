import type { Part } from '../lifecycle.ts';
import {
  MAX_SERVERS_PER_REQUEST,
  type NotSent,
  type Outcome,
  type ServerSubmission,
} from '../listing/contract.ts';
import type { Logger } from '../logger.ts';
import type { Secret } from '../secret.ts';
import type { Checks, Held, Refusal } from './checks.ts';
import { type Draft, INTERRUPTED, isLeft, restOf, rowsToSend } from './draft.ts';
import { createLateOutcomes } from './late-outcomes.ts';
import { type Records, restIdOf, type SubmissionRecord, type Submitter } from './record.ts';
import { type Answered, carryOut, type Order, type RequestsDeps, type Run, scheduled } from './requests.ts';

export type Result =
  | Ended
  /** Nothing was sent. The draft stays; a new one, of one server, is stored. */
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly draft: Draft }
  | { readonly kind: 'no-draft'; readonly why: NoDraft };

/** `taken`: another interaction has submitted it. `empty`: none of its servers is to be submitted. */
export type NoDraft = 'gone' | 'taken' | 'of-another-member' | 'empty';

export interface Ended {
  readonly kind: 'ended';
  readonly draft: Draft;
  /** What was submitted, and what came of each. */
  readonly servers: readonly ServerSubmission[];
  readonly outcomes: readonly Outcome[];
  /** Some of it had left when the bot was stopped. */
  readonly isResumed: boolean;
  /** Whether the guild wants submissions announced in the channel. */
  readonly announce: boolean;
  /** What held up the others of the draft, which come after {@link servers}; not known after a crash. */
  readonly held?: Held;
  /** The draft of what was refused or not sent, and of the lines that were not ready, if there is anything. */
  readonly restId?: string;
}

/** Who wants to know of every submission. What an observer throws is logged and changes nothing. */
export interface Observer {
  refused?(by: Submitter, servers: readonly ServerSubmission[], refusal: Refusal): Promise<void>;
  /** @param key what the last request was sent with, if any was */
  ended?(
    by: Submitter,
    end: Pick<Ended, 'servers' | 'outcomes'> & { readonly key: Secret | undefined },
  ): Promise<void>;
}

/** The part of a guild's settings that submissions go by. */
export interface SubmissionSettings {
  readonly announce: boolean;
  /** The aliases of the games that may be submitted; absent: all of them. */
  readonly games?: readonly string[];
  /** Servers that a member may submit in a day; absent: no limit. */
  readonly dailyQuota?: number;
}

export interface PipelineDeps extends Omit<RequestsDeps, 'late' | 'logger'> {
  readonly logger: Pick<Logger, 'error' | 'info'>;
  readonly checks: Pick<Checks, 'run'>;
  readonly settings: { get(guildId: string): Promise<SubmissionSettings> };
  readonly observers: readonly Observer[];
  /** The most milliseconds that one request to the service takes. */
  readonly longestRequestMs: number;
}

export interface Pipeline extends Part {
  /**
   * Carries out a draft, of one server or a thousand, once. Called again for the same interaction after a crash it
   * goes on where it stopped: nothing that may have left is sent again.
   * @throws StoreError when it cannot be recorded; then nothing was sent
   */
  submit(order: Order): Promise<Result>;
  /** Tries for the last time to record what could not be recorded; before the store is closed. It never throws. */
  stop(): Promise<void>;
}

/** What is carried out, and what of it only its answer needs. */
interface Begun extends Pick<Ended, 'isResumed' | 'announce'> {
  readonly run: Run;
  readonly held?: Held | undefined;
  /** The first request, which is on record as about to leave, and the key for it. */
  readonly first?: Pick<Answered, 'indices' | 'key'>;
}

/** What every submission passes, from top to bottom: checks, reservation, record, request, outcome, observers. */
export function createPipeline(deps: PipelineDeps): Pipeline {
  const { database, records } = deps;
  const tell = createTeller(deps);
  const late = createLateOutcomes(deps);
  const listing = unknownWhereItFails(deps);

  async function submit(order: Order): Promise<Result> {
    // It waits first, so that what is checked and recorded is true when the request leaves.
    const begun = await scheduled(deps, order, async () => {
      // Nothing comes between the checks, the reservation and the record of the request.
      const begun = await database.inGuild(order.guildId, () => begin(deps, order));
      if (!('run' in begun)) return begun;
      const { first, run } = begun;
      order.onProgress?.(run.known.size, run.servers.length);
      if (first === undefined) return { begun };
      const answer = await listing.add(run.servers.slice(0, first.indices.length), first.key);
      return { begun, answered: { ...first, answer } };
    });
    if ('reason' in begun) return (await resumed(order)) ?? notSent(order, begun);
    if ('begun' in begun) return conclude(order, begun.begun, begun.answered);
    if (begun.kind === 'refused') {
      const servers = rowsToSend(begun.draft).map(({ submission }) => submission);
      await tell(({ refused }) => refused?.(order, servers, begun.refusal));
    }
    return begun;
  }

  async function conclude(order: Order, begun: Begun, first: Answered | undefined): Promise<Ended> {
    const { run, isResumed, announce, held } = begun;
    const { draft, servers } = run;
    const { outcomes, key } = await carryOut({ ...deps, listing, late }, order, run, first);
    if (!run.isOver) await tell(({ ended }) => ended?.(order, { servers, outcomes, key }));
    const isAny = restOf(draft, (index) => isLeft(draft, outcomes[index])).rows.length > 0;
    const rest = { ...(isAny && { restId: restIdOf(order.interactionId) }), ...(held && { held }) };
    return { kind: 'ended', draft, servers, outcomes, isResumed, announce, ...rest };
  }

  /** What was begun before a crash, though it is not next any more: some of it may have left. */
  async function resumed(order: Order): Promise<Ended | undefined> {
    const begun = await database.inGuild(order.guildId, () => resume(deps, order));
    return begun && conclude(order, begun, undefined);
  }

  /** It was not scheduled: too many of the member's wait, or it took too long. The draft stays for another try. */
  async function notSent(order: Order, outcome: NotSent): Promise<Result> {
    const stored = order.draft ?? (await waitingDraft(records, order));
    if (typeof stored === 'string') return { kind: 'no-draft', why: stored };
    const draft = 'draft' in stored ? stored.draft : stored;
    if (order.draft) await records.saveDraft(order, order.id, draft);
    const servers = rowsToSend(draft).map(({ submission }) => submission);
    const outcomes = servers.map(() => outcome);
    await tell(({ ended }) => ended?.(order, { servers, outcomes, key: undefined }));
    return { kind: 'ended', draft, servers, outcomes, isResumed: false, announce: false, restId: order.id };
  }

  return { name: 'pipeline', submit, stop: late.stop };
}

/** What is thrown once a request is on record is a fault of ours, and the request may have left. */
const unknownWhereItFails = ({ listing, logger }: Pick<PipelineDeps, 'listing' | 'logger'>) => ({
  add: (...request: Parameters<typeof listing.add>): Promise<Outcome> =>
    listing.add(...request).catch((error: unknown) => {
      logger.error({ err: error }, 'what came of a request could not be found out');
      return { kind: 'unknown', reason: 'wrong-shape', detail: 'a fault of the bot' } as const;
    }),
});

/** Checks, reserves and records it, or says why not; in one transaction. */
async function begin(deps: PipelineDeps, order: Order): Promise<Begun | Exclude<Result, Ended>> {
  const { records, checks, keys, settings, now = Date.now } = deps;
  const { guildId, id, interactionId } = order;
  const resumed = await resume(deps, order);
  if (resumed) return resumed;

  const { announce, ...chosen } = await settings.get(guildId);
  const stored = order.draft ? undefined : await waitingDraft(records, order);
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
  const { includesPrevious: again } = draft;
  const checked = await checks.run(order, { servers: wanted, again, replaces, ...chosen });
  if ('refusal' in checked) return refuse(checked.refusal);
  if (replaces !== undefined) await records.giveBack(guildId, replaces);
  if (order.draft) await records.insertDraft(order, id, withoutTyped(draft));
  const { count, held } = checked.room;
  const servers = wanted.slice(0, count);
  const positions = (stored ? toSend(stored) : [...wanted.keys()]).slice(0, count);
  const first = positions.slice(0, MAX_SERVERS_PER_REQUEST);
  await records.begin(id, interactionId, positions);
  await records.leave(id, first);
  const run = {
    id,
    draft,
    servers,
    positions,
    known: new Map(),
    isOver: false,
    lastStart: lastStart(now(), deps),
  };
  return { run, isResumed: false, announce, held, first: { key, indices: [...first.keys()] } };
}

/** Of a draft that is carried out no more is stored than is needed for that. */
const withoutTyped = (draft: Draft): Draft => ({
  ...draft,
  rows: draft.rows.map((row) => {
    if (!row.ok) return row;
    const { typed: _, ...rest } = row;
    return rest;
  }),
});

/** What the interaction has begun before a crash, if anything. */
async function resume(deps: PipelineDeps, { guildId, interactionId }: Order): Promise<Begun | undefined> {
  const record = await deps.records.carriedOutBy(guildId, interactionId);
  if (!record) return undefined;
  const { announce } = await deps.settings.get(guildId);
  const resumed = toResume(record);
  const run = { ...resumed, lastStart: lastStart(record.startedAt ?? 0, deps) };
  return { run, isResumed: resumed.known.size > 0, announce };
}

const lastStart = (startedAt: number, { longestRequestMs }: Pick<PipelineDeps, 'longestRequestMs'>) =>
  startedAt + ANSWER_WITHIN_MS - DELIVERY_MS - longestRequestMs;

/** The stored draft that is to be carried out, or why there is none. */
async function waitingDraft(
  records: Pick<Records, 'findDraft' | 'isSubmitted'>,
  order: Order,
): Promise<SubmissionRecord | NoDraft> {
  const stored = await records.findDraft(order, order.id);
  return stored === 'gone' && (await records.isSubmitted(order, order.id)) ? 'taken' : stored;
}

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
export function toResume({ id, state, draft, servers }: SubmissionRecord): Omit<Run, 'lastStart'> {
  const chosen = servers.filter(({ outcome, reserved_at }) => outcome || reserved_at !== null);
  const known = new Map(
    chosen.flatMap(({ outcome, sent_at }, index) => {
      const ended = outcome ?? (sent_at === null ? undefined : INTERRUPTED);
      return ended ? [[index, ended] as const] : [];
    }),
  );
  return {
    ...{ id, draft, known, isOver: state === 'done' },
    positions: chosen.map(({ position }) => position),
    servers: chosen.map(({ submission }) => submission),
  };
}

/** How long Discord lets an interaction be answered, in milliseconds (Discord docs: Receiving and Responding). */
const ANSWER_WITHIN_MS = 15 * 60_000;
/** Of those, what is kept for delivering the answer, with a few more tries. */
const DELIVERY_MS = 60_000;
