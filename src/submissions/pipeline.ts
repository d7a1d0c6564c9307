import type { ApiKeys, NoKey, UsableKey } from '../guilds/api-keys.ts';
import { announcedIn, type GuildSettings, type Settings } from '../guilds/settings.ts';
import type { ListingApi } from '../listing/client.ts';
import {
  type KeyChange,
  type NotSentOutcome,
  notSent,
  type Outcome,
  type ServerSubmission,
} from '../listing/contract.ts';
import type { Guard, ServiceRequest } from '../listing/guard.ts';
import type { Logger } from '../logger.ts';
import { TOKEN_LIVES_MS } from '../pacing/durations.ts';
import { retryAfter } from '../pacing/retry.ts';
import {
  type InvalidRow,
  inOrderOfPlaces,
  isInvalid,
  isReady,
  placeOf,
  type ReadyRow,
} from '../server-lists/row.ts';
import type { Store } from '../storage/store.ts';
import { type Check, type CheckedDraft, type HeldReason, type NotSubmitted, serversOf } from './check.ts';
import { withNotChosen } from './choices.ts';
import {
  asEdited,
  type Draft,
  isUnconfirmed,
  isUnsent,
  otherRows,
  skippedIn,
  whileSubmitted,
  withRows,
} from './draft.ts';
import { whyTooMany } from './draft-editor.ts';
import type { DraftToSubmit, NoDraft, Submitter } from './drafts.ts';
import type { Allowance, ReachedLimit } from './limits.ts';
import { isAboutKey, type ServerOutcome } from './outcome.ts';
import { createRequestPlan } from './request-plan.ts';
import { INTERRUPTED } from './server-columns.ts';
import { rowForServer, type ServerResult, type Submission } from './submission.ts';
import type { SubmissionStore } from './submission-store.ts';
import type { DraftRef } from './waiting-submissions.ts';

export interface SubmitRequest extends Submitter {
  readonly interactionId: string;
  /** When the interaction arrived, in milliseconds since 1970. */
  readonly receivedAt: number;
  /** Where to announce the submission if the admins haven't chosen a channel; `undefined` if a moderator approves it. */
  readonly channelId?: string | undefined;
  readonly guildLocale: string;
  readonly isAdmin: boolean;
  /** Aborted when the bot has to stop; `undefined` if the submission must not be interrupted. */
  readonly stopping: AbortSignal | undefined;
  readonly id: string;
  /** The moderator who is approving the submission through this interaction. The submitter is still the member. */
  readonly approvedBy?: Submitter['user'];
  readonly submissionId?: string | undefined;
  /** The lines that the member has just entered, which replace the stored ones. */
  readonly draft?: Draft;
  /** Whether the new draft also replaces a waiting submission, which stays unchanged if the draft can't be submitted. */
  readonly replacesWaiting?: boolean;
  readonly includesAlreadySubmitted?: boolean;
  /** The number of servers shown on the button. If the number has changed, the draft isn't sent. */
  readonly promised?: number | undefined;
  /** The {@link markOfRows} shown with the button. If the rows have changed, the draft isn't sent. */
  readonly mark?: string | undefined;
  readonly onProgress?: (done: number, count: number) => void;
}

export type SubmitResult =
  | EndedSubmission
  | HeldSubmission
  /** The draft will be sent once a moderator has approved the submission. */
  | { readonly kind: 'waiting'; readonly rows: readonly ReadyRow[] }
  | NoDraft;

interface HeldSubmission {
  readonly kind: 'held';
  readonly why: HeldReason;
  readonly checked: CheckedDraft;
  readonly wanted: readonly ServerSubmission[];
}

export interface RowResult extends ServerResult {
  readonly row: ReadyRow;
}

export interface EndedSubmission {
  readonly kind: 'ended';
  readonly draft: Draft;
  /** In order of submission. */
  readonly servers: readonly RowResult[];
  readonly limitedRows: readonly ReadyRow[];
  readonly limited: ReachedLimit | undefined;
  readonly isLeft: boolean;
  /** How many more servers the member can submit now; `undefined` if unknown. */
  readonly remaining: Allowance | undefined;
  readonly announcedIn: string | undefined;
  readonly includesFirstAccepted: boolean;
  readonly isRecorded: boolean;
  readonly keyProblem: NoKey | undefined;
}

/** Observes finished submissions, and servers that could not be submitted. An observer's errors are logged and ignored. */
export interface Observer {
  notSubmitted?(by: Submitter, servers: readonly ServerSubmission[], reason: NotSubmitted): Promise<void>;
  /** @param isShown whether the moderators' message about the submission also shows these outcomes */
  ended?(by: EndedBy, servers: readonly ServerResult[], isShown: boolean): Promise<void>;
}

type EndedBy = Submitter & Pick<SubmitRequest, 'interactionId' | 'approvedBy'>;

export interface PipelineDeps extends SubmissionStore {
  readonly store: Pick<Store, 'inGuild' | 'sync'>;
  readonly showApproval: (which: DraftRef) => Promise<void>;
  /** Updates all of the moderators' messages that are out of date, in the background. */
  readonly showDueApprovals: () => void;
  readonly encryptNotice: (which: DraftRef, interactionId: string) => Promise<string | null>;
  readonly keys: Pick<ApiKeys, 'usable' | 'noteOutcome'>;
  readonly settings: Pick<GuildSettings, 'getOrThrow' | 'change'>;
  readonly check: Check;
  readonly listing: Pick<ListingApi, 'add'>;
  readonly guard: Guard;
  /** Throws if another process took over the interaction and notified the member that the draft was not sent. */
  readonly demandOwned: (interactionId: string) => Promise<void>;
  readonly observers: readonly Observer[];
  readonly onKeyChange: (guildId: string, change: KeyChange) => Promise<void>;
  readonly longestRequestMs: number;
  readonly logger: Pick<Logger, 'error'>;
  readonly recordPausesMs?: readonly number[] | undefined;
  readonly now?: () => number;
}

/** Time reserved for delivering the reply, including retries, before the interaction token expires. */
const DELIVERY_MS = 60_000;
const RECORD_PAUSES_MS = [1_000, 5_000];

interface Reservation extends Pick<EndedSubmission, 'draft' | 'limitedRows' | 'limited' | 'announcedIn'> {
  readonly kind: 'reserved';
  readonly submissionId: string;
  readonly key: UsableKey;
  readonly hasMessage: boolean;
  /** Whether other submissions may be waiting, even after approval was turned off. Finding out costs a statement. */
  readonly mayOthersWait: boolean;
  /** The submitted rows. Each row's index is the server's position in the `servers` table. */
  readonly rows: readonly ReadyRow[];
}

export function createPipeline(deps: PipelineDeps) {
  const {
    store,
    observers,
    longestRequestMs,
    logger,
    recordPausesMs = RECORD_PAUSES_MS,
    now = () => Date.now(),
  } = deps;

  /** Notifies the observers one after another. If an observer fails, the member still gets the reply. */
  async function notifyObservers(whom: (observer: Observer) => Promise<void> | undefined): Promise<void> {
    for (const observer of observers) {
      try {
        await whom(observer);
      } catch (error) {
        logger.error({ err: error }, "could not report a submission's outcome");
      }
    }
  }

  /** Returns the latest time at which a request may be sent, in milliseconds since 1970. */
  const lastStart = ({ receivedAt }: SubmitRequest) =>
    receivedAt + TOKEN_LIVES_MS - DELIVERY_MS - longestRequestMs;

  function reasonToStop(submitRequest: SubmitRequest): NotSentOutcome['reason'] | undefined {
    if (submitRequest.stopping?.aborted) return 'stopping';
    if (now() > lastStart(submitRequest)) return 'deadline';
    return undefined;
  }

  /** Finds the draft to submit. If a moderator is approving it, also finds the waiting submission and the lines to fix. */
  async function resolveRequest(
    submitRequest: SubmitRequest,
  ): Promise<
    (DraftToSubmit & { readonly waiting?: Submission; readonly toFix?: readonly InvalidRow[] }) | NoDraft
  > {
    const { drafts, waitingSubmissions } = deps;
    const { id, approvedBy, draft, replacesWaiting } = submitRequest;
    if (approvedBy !== undefined) {
      const waiting = await waitingSubmissions.seen(submitRequest);
      const stored = waiting && (await drafts.read(id));
      if (!stored) return { kind: 'no-draft', why: 'submitted' };
      return {
        kind: 'draft',
        draft: withRows(stored, waiting.servers.map(rowForServer)),
        isRetry: true,
        waiting,
        toFix: stored.rows.filter(isInvalid),
      };
    }
    if (draft && replacesWaiting) {
      const waiting = await waitingSubmissions.draft(submitRequest, id);
      return waiting.kind === 'no-draft' ? waiting : { kind: 'draft', draft, isRetry: true };
    }
    return drafts.toSubmit(submitRequest, id, draft);
  }

  /**
   * Checks a draft and reserves the servers that can be submitted. If it is held back, saves the checked draft, which is
   * shown to the member. Must be called inside the guild's transaction.
   */
  async function reserve(
    submitRequest: SubmitRequest,
  ): Promise<Reservation | Exclude<SubmitResult, EndedSubmission>> {
    const { drafts, choices, submissions, waitingSubmissions, check } = deps;
    const { guildId, guildLocale: locale, user, id, interactionId, approvedBy } = submitRequest;
    const { promised, mark } = submitRequest;
    await deps.demandOwned(interactionId);
    const found = await resolveRequest(submitRequest);
    if (found.kind === 'no-draft') return found;
    const { draft, isRetry, waiting, toFix = [] } = found;
    const includes = submitRequest.includesAlreadySubmitted && { includesAlreadySubmitted: true };
    const wanted = { ...draft, ...includes };
    const checked = await check.draft(submitRequest, wanted);
    const { settings, needsModerator, allowance } = checked;
    // Stores the locale for later messages that aren't replies to an interaction.
    if (settings.locale !== locale) await deps.settings.change(guildId, (now) => ({ ...now, locale }));
    const decision = await check.decide({ by: submitRequest, draft, checked, promised, mark });
    if (decision.kind === 'held') {
      return hold(submitRequest, draft, {
        ...decision,
        checked,
        wanted: serversOf(draft.rows.filter(isReady)),
      });
    }

    const { key, rows, count } = decision;
    const submitted = whileSubmitted(withNotChosen(wanted, checked.choices), rows);
    // An approved submission keeps the lines that the member still has to fix.
    const unavailable = await drafts.write(submitRequest, withRows(submitted, [...submitted.rows, ...toFix]));
    if (unavailable) return unavailable;
    if (submitRequest.replacesWaiting) await waitingSubmissions.withdraw(submitRequest, id, interactionId);
    if (draft.hasChoices) await choices.drop([id]);
    const own = { draftId: id, guildId, user, interactionId };
    if (needsModerator || key === undefined) {
      const notice = await deps.encryptNotice(submitRequest, interactionId);
      await waitingSubmissions.begin({ ...own, rows, notice });
      return { kind: 'waiting', rows };
    }
    const reserved = rows.slice(0, count);
    const submissionId = await (waiting && approvedBy
      ? waitingSubmissions.approve(waiting, reserved, { by: approvedBy, interactionId })
      : submissions.begin({ ...own, rows: reserved }, isRetry));
    return {
      kind: 'reserved',
      submissionId,
      key,
      hasMessage: waiting?.message !== undefined,
      mayOthersWait: waiting !== undefined || (await mayOthersWait(guildId, settings)),
      rows: reserved,
      draft: withNotChosen(draft, checked.choices),
      limitedRows: rows.slice(count),
      limited: count < rows.length ? allowance.limited : undefined,
      announcedIn: announcedIn(settings, {
        channelId: submitRequest.channelId,
        panelChannelId: draft.panelChannelId,
      }),
    };
  }

  /** Remembers if no submission is waiting after approval was turned off, so that later calls need no statement. */
  async function mayOthersWait(guildId: string, { approval }: Settings): Promise<boolean> {
    if (approval !== false) return approval === true;
    const isAny = await deps.waitingSubmissions.isAnyWaiting(guildId);
    if (!isAny) await deps.settings.change(guildId, ({ approval: _off, ...now }) => now);
    return isAny;
  }

  /** Saves a draft that is held back, unless its submission is waiting for a moderator. */
  async function hold(
    submitRequest: SubmitRequest,
    draft: Draft,
    held: HeldSubmission,
  ): Promise<SubmitResult & { kind: 'held' | 'no-draft' }> {
    const { approvedBy, replacesWaiting, includesAlreadySubmitted } = submitRequest;
    if (approvedBy !== undefined || replacesWaiting) return held;
    // The member's choice doesn't apply to a server that is being sent elsewhere, which they didn't know about.
    const isChosen = includesAlreadySubmitted === true && held.why.code !== 'in-flight';
    const checked =
      includesAlreadySubmitted && !isChosen ? await deps.check.draft(submitRequest, draft) : held.checked;
    const saved = whyTooMany(checked.draft) ? draft : checked.draft;
    const chosen = isChosen ? { ...saved, includesAlreadySubmitted } : saved;
    const kept = checked.ready.length > 0 ? { ...chosen, isHeldBack: true } : chosen;
    // A list is unfinished again. A single server stays unconfirmed in the history, with **Submit again anyway**.
    const saving = isChosen && kept.source !== 'options' ? asEdited(kept) : kept;
    return (await deps.drafts.writeAndDropExcess(submitRequest, saving)) ?? { ...held, checked };
  }

  async function carryOut(submitRequest: SubmitRequest, submission: Reservation): Promise<EndedSubmission> {
    const { guildId } = submitRequest;
    const plan = createRequestPlan(serversOf(submission.rows));
    const outcomes = new Map<number, Outcome>();
    let isRecorded = true;
    let isLeft: boolean | undefined;
    let hasRepeats = false;

    // If an outcome can't be recorded, the bot stops sending, and `endAbandoned` ends the submission later.
    for (let request = plan.next(); request && isRecorded; request = plan.next()) {
      const { outcome: received, key } = await makeRequest(submitRequest, submission, request);
      const ended = plan.recordOutcome(received);
      for (const { indices, outcome } of ended) {
        for (const index of indices) outcomes.set(index, outcome);
      }
      const isLast = plan.next() === undefined;
      isRecorded = await recordRequest(submitRequest, async () => {
        await deps.submissions.endRequest(submission.submissionId, request, ended);
        if (isLast) {
          const { submissionId, mayOthersWait } = submission;
          isLeft = await deps.submissions.finish(guildId, submissionId);
          hasRepeats = mayOthersWait && (await deps.waitingSubmissions.markRepeats(guildId, submissionId));
        }
        return key && deps.keys.noteOutcome(guildId, key.setAt, received);
      });
      if (!isLast) submitRequest.onProgress?.(outcomes.size, submission.rows.length);
    }

    if (hasRepeats) deps.showDueApprovals();

    const ended = submission.rows.map((row, index) => rowResult(row, outcomes.get(index) ?? notSent('bot')));
    const { draft, limitedRows, limited, hasMessage } = submission;
    // The moderators' message only shows saved outcomes, and only those of sent servers if others are waiting again.
    const isShown = hasMessage && isRecorded && !ended.some(({ outcome }) => isUnsent(outcome));
    await notifyObservers((observer) => observer.ended?.(submitRequest, ended, isShown));
    // The submission may have been ended by an attempt whose confirmation was lost, or by a deletion. Moderators don't
    // learn which lines are left.
    if ((!isRecorded || isLeft === undefined) && submitRequest.approvedBy === undefined) {
      const left = await deps.drafts.find(submitRequest, submitRequest.id).catch(() => undefined);
      isLeft = left !== undefined && left.kind !== 'no-draft';
    }
    return {
      kind: 'ended',
      draft,
      servers: ended,
      limitedRows,
      isLeft: isLeft === true,
      announcedIn: submission.announcedIn,
      isRecorded,
      ...(await explain(submitRequest, ended)),
      limited,
    };
  }

  /**
   * Loads the data that explains the outcomes in the report. Any part that can't be read is `undefined` and left out of the
   * report. A moderator only learns about the key.
   * @param held the number of servers that a limit may be holding back
   */
  async function explain(
    { guildId, user, approvedBy }: Submitter & Pick<SubmitRequest, 'approvedBy'>,
    ended: EndedSubmission['servers'],
    held = 0,
  ) {
    const { keys, settings, limits } = deps;
    const orNothing = <Value>(value: Promise<Value>) => value.catch(() => undefined);
    const isKey = ended.some(({ outcome }) => isAboutKey(outcome));
    const key = isKey ? await orNothing(keys.usable(guildId)) : undefined;
    const keyProblem = key?.kind === 'unusable' ? key.problem : undefined;
    if (approvedBy)
      return { keyProblem, includesFirstAccepted: false, remaining: undefined, limited: undefined };
    const found = await orNothing(settings.getOrThrow(guildId));
    const includesFirstAccepted =
      (await orNothing(deps.history.includesFirstAccepted(guildId, user.id, ended))) === true;
    if (found === undefined)
      return { keyProblem, includesFirstAccepted, remaining: undefined, limited: undefined };
    const who = { guildId, userId: user.id, dailyQuota: found.dailyQuota };
    const remaining = await orNothing(limits.remaining(who));
    const allowance = held > 0 ? await orNothing(limits.allowance({ ...who, count: held })) : undefined;
    return { keyProblem, includesFirstAccepted, remaining, limited: allowance?.limited };
  }

  /** @returns the outcome, and the key if the request was sent */
  async function makeRequest(
    submitRequest: SubmitRequest,
    submission: Reservation,
    request: readonly number[],
  ): Promise<{ readonly outcome: Outcome; readonly key: UsableKey | undefined }> {
    const reason = reasonToStop(submitRequest);
    if (reason) return { outcome: notSent(reason), key: undefined };
    const { interactionId, guildId, user } = submitRequest;
    const servers = request.flatMap((index) => submission.rows[index]?.submission ?? []);
    let key: UsableKey | undefined;
    const turn: ServiceRequest = {
      guildId,
      memberId: user.id,
      kind: 'submission',
      key: () => (key ?? submission.key).key,
      deadline: lastStart(submitRequest),
    };
    try {
      const outcome = await deps.guard.inTurn(turn, async () => {
        const found = await store.inGuild(guildId, async () => {
          const usable = await deps.keys.usable(guildId);
          // The key has been deleted or rejected since the previous request.
          if (usable.kind === 'unusable') return notSent('key');
          return (await deps.submissions.markSending(guildId, submission.submissionId, request))
            ? usable
            : notSent('stopping');
        });
        if (found.kind === 'not-sent') return found;
        key = found;
        return deps.listing.add(servers, key.key, { interactionId, guildId });
      });
      return { outcome, key };
    } catch (error) {
      logger.error({ err: error, interactionId, guildId }, 'a request failed because of an error in the bot');
      // Once servers are marked as being sent, the service may have received part of the request.
      return { outcome: key ? FAULT : notSent('bot'), key };
    }
  }

  /**
   * Stores the outcome of a request in one transaction, retrying if the store fails.
   * @param record stores the outcome and returns any change to the key's status
   * @returns whether the outcome was recorded
   */
  async function recordRequest(
    { guildId, interactionId }: SubmitRequest,
    record: () => Promise<KeyChange | undefined>,
  ): Promise<boolean> {
    const note = () => store.inGuild(guildId, record);
    const complain = (error: unknown) =>
      logger.error({ err: error, interactionId, guildId }, "could not save a request's outcome");
    const recorded = await retryAfter(recordPausesMs, async () => ({ change: await note() }), complain).catch(
      () => undefined,
    );
    if (recorded?.change) await deps.onKeyChange(guildId, recorded.change);
    return recorded !== undefined;
  }

  return {
    /**
     * Submits a draft: reserves the servers in one transaction, then sends the requests one after another.
     * @throws StoreError if the servers can't be reserved; they aren't sent then
     */
    async submit(submitRequest: SubmitRequest): Promise<SubmitResult> {
      const reserved = await store.inGuild(submitRequest.guildId, () => reserve(submitRequest), {
        unsynced: 'reservation',
      });
      // Whether the submission waits for a moderator is only known now, and `markSending` syncs any other reservation.
      if (reserved.kind !== 'reserved') await store.sync();
      if (reserved.kind === 'waiting') await deps.showApproval(submitRequest);
      if (reserved.kind === 'reserved') {
        submitRequest.onProgress?.(0, reserved.rows.length);
        return deps.submissions.whileSending(reserved.submissionId, () => carryOut(submitRequest, reserved));
      }
      // If an approved submission can't start, only the moderator is notified.
      if (reserved.kind !== 'held' || submitRequest.approvedBy !== undefined) return reserved;
      const { why, wanted } = reserved;
      if (why.code !== 'changed') {
        await notifyObservers(({ notSubmitted }) => notSubmitted?.(submitRequest, wanted, why));
      }
      return reserved;
    },
    /**
     * Rebuilds the result of `submit` from the stored submission, without the announcement. Lines that weren't submitted
     * are only included if they are still in the draft.
     */
    async rebuildResult(by: Submitter, submission: Submission): Promise<EndedSubmission> {
      const { draftId: id } = submission;
      const found = await deps.drafts.find(by, id);
      const stored = found.kind === 'no-draft' ? undefined : found;
      const servers = submission.servers.map((each) =>
        rowResult(rowForServer(each), each.outcome ?? INTERRUPTED),
      );
      const others = stored ? otherRows(stored, servers) : [];
      const rows = [...servers.map(({ row }) => row), ...others];
      const limitedRows = others.filter(isReady).filter((row) => !isUnconfirmed(row));
      const explanation = await explain(by, servers, limitedRows.length);
      return {
        kind: 'ended',
        draft: {
          id,
          source: submission.source ?? 'text',
          rows: rows.toSorted(inOrderOfPlaces),
          ...skippedIn(stored ?? {}),
        },
        servers,
        limitedRows,
        isLeft: stored !== undefined,
        announcedIn: undefined,
        isRecorded: true,
        ...explanation,
      };
    },
  };
}

export const isAllSent = ({
  limitedRows,
  servers,
}: Pick<EndedSubmission, 'limitedRows' | 'servers'>): boolean =>
  limitedRows.length === 0 && !servers.some(({ outcome }) => isUnsent(outcome));

export const rowResult = (row: ReadyRow, outcome: ServerOutcome): RowResult => ({
  row,
  ...placeOf(row),
  server: row.submission,
  outcome,
});

/** Treats errors as unreadable responses, because the service may have processed the request. */
const FAULT: Outcome = { kind: 'unknown', reason: 'unreadable', detail: 'an error in the bot' };
