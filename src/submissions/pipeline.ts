import type { ApiKeys, NoKey, UsableKey } from '../guilds/api-keys.ts';
import type { ListingApi } from '../listing/client.ts';
import {
  isAboutKey,
  type NotSent,
  notSent,
  type Outcome,
  type ServerSubmission,
} from '../listing/contract.ts';
import type { Guard } from '../listing/guard.ts';
import type { TurnRequest } from '../listing/turns.ts';
import type { Logger } from '../logger.ts';
import { TOKEN_LIVES_MS } from '../numbers.ts';
import { retryAfter } from '../retry.ts';
import type { Row } from '../server-lists/row.ts';
import type { Store } from '../storage/store.ts';
import type { AlreadySubmitted, EarlierSubmission } from './already-submitted.ts';
import type { ApprovalKey, Approvals, NotWaiting } from './approvals.ts';
import { type Draft, rowsToSend } from './draft.ts';
import type { Drafts, NoDraft, Submitter } from './drafts.ts';
import type { Limited, Limits, Room } from './limits.ts';
import { createRequestPlan, type EndedServers } from './request-plan.ts';
import { type EndedRun, endedRow, type Reservation, type SubmissionRecord } from './submission-record.ts';

/** A draft that a member wants carried out by an interaction. */
export interface Order extends Submitter {
  readonly interactionId: string;
  /** When the interaction came, in milliseconds since 1970. */
  readonly receivedAt: number;
  /** The id of the draft, or of the submission that waits for a moderator. */
  readonly id: string;
  /** The id of the moderator who approves it by this interaction. The submitter is the member all the same. */
  readonly approvedBy?: string;
  /** What the moderator has seen of it: the `revision` of an Approval. */
  readonly revision?: string | undefined;
  /** What was typed just now. It replaces the stored draft when it is reserved or refused. */
  readonly draft?: Draft;
  /** Whether servers that the guild has already submitted are submitted again. */
  readonly includesAlreadySubmitted?: boolean;
  /**
   * How many servers the button promised to submit. If there are fewer now, nothing is sent, and the draft is shown
   * again.
   */
  readonly promised?: number | undefined;
  /** Aborted when the bot is to stop. */
  readonly stopping?: AbortSignal;
  /** Told how many servers have ended. */
  readonly onProgress?: (done: number, count: number) => void;
}

/** Why servers are not submitted; nothing was sent. */
export type Refusal =
  | NoKey
  /** Another submission of the guild is sending the same server now. */
  | { readonly code: 'in-flight'; readonly server: ServerSubmission }
  /** The guild has already submitted these. */
  | { readonly code: 'already-submitted'; readonly servers: readonly EarlierSubmission[] }
  /** A limit lets not even one server be submitted. */
  | ({ readonly code: Limited['by'] } & Omit<Limited, 'by'>)
  /** The guild does not allow this game. */
  | { readonly code: 'game-not-allowed'; readonly game: string }
  | NotWaiting;

export type Result =
  | Ended
  /** Nothing was sent. A list stays the draft that it was; a single server becomes a draft. */
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly draft: Draft }
  /** A moderator has to approve it first. */
  | { readonly kind: 'waiting' }
  | { readonly kind: 'no-draft'; readonly why: NoDraft };

/** How a submission has ended, with what its report needs. */
export interface Ended extends EndedRun {
  readonly kind: 'ended';
  /** How many more servers the member may submit now; absent if that could not be counted. */
  readonly remaining: Room | undefined;
  /** Whether the guild wants submissions announced in the channel. */
  readonly announce: boolean;
  /** Whether the outcomes could be recorded. */
  readonly isRecorded: boolean;
  /** What is wrong with the guild's key, if a server was not accepted because of it. */
  readonly keyProblem: NoKey | undefined;
}

/** Observers are told of every submission. What an observer throws is logged and changes nothing. */
export interface Observer {
  refused?(by: Submitter, servers: readonly ServerSubmission[], refusal: Refusal): Promise<void>;
  ended?(by: Submitter, servers: Ended['servers']): Promise<void>;
}

/** The part of a guild's settings that submissions go by. */
export interface SubmissionSettings {
  readonly announce: boolean;
  /** The aliases of the games that the guild allows; absent: all of them. */
  readonly games?: readonly string[];
  /** Servers that a member may submit in a day; absent: no limit. */
  readonly dailyQuota?: number;
  /** Whether what members submit waits for a moderator. */
  readonly approval?: boolean;
}

export interface PipelineDeps {
  readonly store: Pick<Store, 'inGuild'>;
  readonly drafts: Drafts;
  readonly records: SubmissionRecord;
  readonly alreadySubmitted: AlreadySubmitted;
  readonly limits: Pick<Limits, 'room' | 'remaining'>;
  readonly approvals: Pick<Approvals, 'whyNotWaiting' | 'toApprove'>;
  /** Brings the message on which moderators decide up to date. */
  readonly showApproval: (which: ApprovalKey) => Promise<void>;
  readonly keys: Pick<ApiKeys, 'usable' | 'problem' | 'noteOutcome'>;
  readonly settings: { get(guildId: string): Promise<SubmissionSettings> };
  readonly listing: Pick<ListingApi, 'add'>;
  readonly guard: Guard;
  /** Throws if another process has taken the interaction over, and so tells its member that nothing was sent. */
  readonly demandOwned: (interactionId: string) => Promise<void>;
  readonly observers: readonly Observer[];
  /** Tells the guild's admins that the service refuses their key for the first time. */
  readonly onKeyRefused: (guildId: string) => Promise<void>;
  /** The most milliseconds that one request to the service takes. */
  readonly longestRequestMs: number;
  readonly logger: Pick<Logger, 'error'>;
  /** Pauses between the tries to record an outcome, in milliseconds. */
  readonly recordPauses?: readonly number[] | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export type Pipeline = ReturnType<typeof createPipeline>;

/** Kept free at the end of the 15 minutes to deliver the reply, retries included. */
const DELIVERY_MS = 60_000;
const RECORD_PAUSES = [1_000, 5_000];
/**
 * A reservation may be lost in a power cut, since nothing of it was sent yet: marking it as sending is synced, and everything
 * before it with it. So is the record of the message of what waits, before its member is told, unless Discord did not take
 * that message.
 */
const NOT_SYNCED = { synced: false };

const NOT_THEIRS = { kind: 'no-draft', why: 'of-another-member' } as const;

/** What was reserved, and what its report needs. */
interface Reserved extends Reservation {
  readonly kind: 'reserved';
  readonly announce: boolean;
}

/** The outcome of one request, and the key that it was sent with, if it was sent. */
interface Requested {
  readonly outcome: Outcome;
  readonly key: UsableKey | undefined;
}

interface EndedRequest extends Requested {
  /** The servers of the request. */
  readonly request: readonly number[];
  readonly ended: readonly EndedServers[];
  /** Whether every server of the submission has ended. */
  readonly isLast: boolean;
}

interface Recorded {
  /** The id of the draft of what remains, once every server has ended. */
  readonly remainderId: string | undefined;
  /** Whether the service has refused the key for the first time, so that admins have to be told. */
  readonly isKeyRefused: boolean;
}

/** The one road of every submission, of one server or a thousand. */
export function createPipeline(deps: PipelineDeps) {
  const { store, observers, longestRequestMs, logger, recordPauses = RECORD_PAUSES, now } = deps;

  /** Tells the observers one after the other. The member gets the reply even if an observer fails. */
  async function tell(whom: (observer: Observer) => Promise<void> | undefined): Promise<void> {
    for (const observer of observers) {
      try {
        await whom(observer);
      } catch (error) {
        logger.error({ err: error }, 'what came of a submission could not be told');
      }
    }
  }

  /** When the last request may be sent, in milliseconds since 1970. */
  const lastStart = ({ receivedAt }: Order) => receivedAt + TOKEN_LIVES_MS - DELIVERY_MS - longestRequestMs;

  function reasonToStop(order: Order): NotSent['reason'] | undefined {
    if (order.stopping?.aborted) return 'stopping';
    if (now() > lastStart(order)) return 'deadline';
    return undefined;
  }

  /** Checks the order and reserves what may be submitted, or says why nothing may. Called inside the guild's transaction. */
  async function reserve(order: Order): Promise<Reserved | Exclude<Result, Ended>> {
    const { drafts, records, alreadySubmitted, limits, keys, settings } = deps;
    const { guildId, user, id, interactionId, approvedBy } = order;
    await deps.demandOwned(interactionId);
    const stored = approvedBy === undefined ? await drafts.find(order, id) : await draftToApprove(order);
    // Another modal of the same draft may have been submitted first.
    const isTaken = stored === 'submitted' || stored === 'of-another-member';
    const draft = isTaken ? stored : (order.draft ?? stored);
    if (typeof draft === 'string') return { kind: 'no-draft', why: draft };

    /** A single server becomes a draft for the buttons below the refusal. A list is a draft already. */
    async function refuse(refusal: Refusal, stays: Draft): Promise<Result & { readonly kind: 'refused' }> {
      if (stays.source === 'options' && approvedBy === undefined) await drafts.save(order, id, stays);
      return { kind: 'refused', refusal, draft: stays };
    }

    const { announce, games, dailyQuota, approval } = await settings.get(guildId);
    const key = await keys.usable(guildId);
    if ('code' in key) return refuse(key, draft);

    const ready = rowsToSend(draft, new Map()).map(({ submission }) => submission);
    const forbidden = games && ready.find(({ game }) => !games.includes(game));
    if (forbidden) return refuse({ code: 'game-not-allowed', game: forbidden.game }, draft);

    const includesAll = draft.includesAlreadySubmitted || order.includesAlreadySubmitted === true;
    const before: ReadonlyMap<Row, EarlierSubmission> = includesAll
      ? new Map()
      : await alreadySubmitted.find({ guildId, userId: user.id }, draft.rows);
    const rows = rowsToSend(draft, before);
    const isFewerThanPromised = rows.length < (order.promised ?? 1);
    if (before.size > 0 && isFewerThanPromised) {
      return refuse({ code: 'already-submitted', servers: [...before.values()] }, draft);
    }
    if (rows.length === 0) return { kind: 'no-draft', why: 'empty' };

    const servers = rows.map(({ submission }) => submission);
    const inFlight = await alreadySubmitted.inFlight(guildId, servers);
    if (inFlight) return refuse({ code: 'in-flight', server: inFlight }, draft);

    const room = await limits.room({ guildId, userId: user.id, count: rows.length, dailyQuota });
    if (room.count === 0 && room.limited) {
      const { by, ...limited } = room.limited;
      return refuse({ code: by, ...limited }, draft);
    }
    const own = {
      id,
      guildId,
      user,
      interactionId,
      draft: { ...draft, includesAlreadySubmitted: includesAll },
    };
    if (approval && !order.isAdmin && approvedBy === undefined) {
      const refusal = await deps.approvals.whyNotWaiting(order, servers);
      if (refusal) return refuse(refusal, draft);
      // Limits count what is sent: all of it is counted again when a moderator approves it.
      const isWaiting = await records.wait({ ...own, rows, limitedRows: [] });
      return isWaiting ? { kind: 'waiting' } : NOT_THEIRS;
    }
    const reservation: Reservation = {
      ...own,
      approvedBy,
      rows: rows.slice(0, room.count),
      limitedRows: rows.slice(room.count),
      limited: room.limited,
    };
    if (!(await records.reserve(reservation))) return NOT_THEIRS;
    // Not announced in the channel of the moderator, since it was submitted elsewhere.
    return { kind: 'reserved', ...reservation, announce: announce && approvedBy === undefined };
  }

  /** The draft that waits, if it still waits as the moderator has seen it. */
  async function draftToApprove(order: Order): Promise<Draft | NoDraft> {
    const found = await deps.approvals.toApprove(order);
    return found?.by.user.id === order.user.id ? found.draft : 'submitted';
  }

  async function send(order: Order, run: Reserved): Promise<Ended> {
    const servers = run.rows.map(({ submission }) => submission);
    const plan = createRequestPlan(servers);
    const ends = new Map<number, Outcome>();
    let remainderId: string | undefined;
    let isRecorded = true;

    // If an outcome cannot be recorded, nothing more is sent, and the hourly job ends the submission.
    for (let request = plan.next(); request && isRecorded; request = plan.next()) {
      const requested = await makeRequest(order, run, request);
      const ended = plan.ended(requested.outcome);
      for (const { indices, outcome } of ended) {
        for (const index of indices) ends.set(index, outcome);
      }
      const isLast = plan.next() === undefined;
      const recorded = await recordRequest(run, { ...requested, request, ended, isLast });
      isRecorded = recorded !== undefined;
      remainderId = recorded?.remainderId;
      if (recorded?.isKeyRefused) await deps.onKeyRefused(run.guildId);
      if (!isLast) order.onProgress?.(ends.size, servers.length);
    }

    const ended = run.rows.map((row, index) => endedRow(row, ends.get(index) ?? notSent('bot')));
    await tell((observer) => observer.ended?.(order, ended));
    const explanation = await explain(order, ended);
    return {
      ...run,
      kind: 'ended',
      servers: ended,
      remainderId,
      isRecorded,
      ...explanation,
    };
  }

  /** What explains the outcomes. If it cannot be read, the outcomes are told without it. */
  async function explain({ guildId, user }: Submitter, ended: Ended['servers']) {
    const isKey = ended.some(({ outcome }) => isAboutKey(outcome));
    const keyProblem = isKey ? await deps.keys.problem(guildId).catch(() => undefined) : undefined;
    const remaining = await deps.settings
      .get(guildId)
      .then(({ dailyQuota }) => deps.limits.remaining({ guildId, userId: user.id, dailyQuota }))
      .catch(() => undefined);
    return { keyProblem, remaining };
  }

  async function makeRequest(order: Order, run: Reserved, request: readonly number[]): Promise<Requested> {
    const reason = reasonToStop(order);
    if (reason) return { outcome: notSent(reason), key: undefined };
    const { guildId, user } = order;
    const servers = request.flatMap((index) => run.rows[index]?.submission ?? []);
    const turn: TurnRequest = { guildId, memberId: user.id, kind: 'submission', deadline: lastStart(order) };
    let key: UsableKey | undefined;
    try {
      const outcome = await deps.guard.inTurn(turn, async () => {
        const found = await store.inGuild(guildId, () => markSending(run, request));
        if (found === undefined) return notSent('key');
        key = found;
        return deps.listing.add(servers, key.key);
      });
      return { outcome, key };
    } catch (error) {
      logger.error(
        { err: error, interactionId: order.interactionId },
        'a request failed by a fault of the bot',
      );
      // Once the servers are marked as sending, something of the request may have been sent.
      return { outcome: key ? FAULT : notSent('bot'), key };
    }
  }

  /**
   * @returns the key, read again for each request; `undefined` if the key or the servers are gone, so that nothing is
   * sent
   */
  async function markSending(run: Reserved, request: readonly number[]): Promise<UsableKey | undefined> {
    const usable = await deps.keys.usable(run.guildId);
    if ('code' in usable) return undefined;
    const isMarked = await deps.records.markSending(run.id, request);
    return isMarked ? usable : undefined;
  }

  /** Records what came of a request, in one transaction that is tried three times. @returns `undefined` if all three fail */
  async function recordRequest(run: Reserved, endedRequest: EndedRequest): Promise<Recorded | undefined> {
    const { guildId, id, interactionId } = run;
    const { request, ended, isLast, outcome, key } = endedRequest;
    const note = () =>
      store.inGuild(guildId, async () => {
        await deps.records.endRequest(id, request, ended);
        return {
          isKeyRefused: key !== undefined && (await deps.keys.noteOutcome(guildId, key.setAt, outcome)),
          remainderId: isLast ? await deps.records.finish(id) : undefined,
        };
      });
    const complain = (error: unknown) =>
      logger.error({ err: error, interactionId }, 'what came of a request could not be recorded');
    return retryAfter(recordPauses, note, complain).catch(() => undefined);
  }

  return {
    /**
     * Carries out a draft, once: reserves what may go in one transaction, then makes request by request.
     * @throws StoreError when the draft cannot be reserved; then nothing was sent
     */
    async submit(order: Order): Promise<Result> {
      const reserved = await store.inGuild(order.guildId, () => reserve(order), NOT_SYNCED);
      if (reserved.kind === 'waiting') await deps.showApproval(order);
      if (reserved.kind === 'reserved') {
        order.onProgress?.(0, reserved.rows.length);
        if (order.approvedBy === undefined) return send(order, reserved);
        // Nobody waits for the message that says that it is being sent.
        void deps.showApproval(order);
        const ended = await send(order, reserved);
        await deps.showApproval(order);
        if (ended.remainderId !== undefined) await deps.showApproval({ ...order, id: ended.remainderId });
        return ended;
      }
      // A refusal of what a moderator approves is told to the moderator alone.
      if (reserved.kind === 'refused' && order.approvedBy === undefined) {
        const servers = rowsToSend(reserved.draft, new Map()).map(({ submission }) => submission);
        await tell(({ refused }) => refused?.(order, servers, reserved.refusal));
      }
      return reserved;
    },
    /**
     * What an interaction has carried out before a crash, as `submit` would have returned it; nothing of it is
     * announced.
     */
    async endedBy(by: Submitter, interactionId: string): Promise<Ended | undefined> {
      const run = await deps.records.endedBy(interactionId);
      if (run === undefined) return undefined;
      const explanation = await explain(by, run.servers);
      return { ...run, kind: 'ended', announce: false, isRecorded: true, ...explanation };
    },
  };
}

/** As with a response that could not be read: the request may have been carried out. */
const FAULT: Outcome = { kind: 'unknown', reason: 'unreadable', detail: 'a fault of the bot' };
