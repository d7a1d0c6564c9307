import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { type NotSentOutcome, notSent, type ServerSubmission } from '../listing/contract.ts';
import { TOKEN_LIVES_MS } from '../pacing/durations.ts';
import { createInOrder } from '../pacing/in-order.ts';
import { isRecent } from '../pacing/recent.ts';
import { addressOf, lineLabel, placeOf, type RowPlace } from '../server-lists/row.ts';
import { isAbandoned } from '../storage/leases.ts';
import type { DraftsTable, ServersTable, SubmissionsTable } from '../storage/tables.ts';
import { afterSubmission, type Draft, isDone, isUnsent } from './draft.ts';
import type { Drafts, NoDraft, Submitter } from './drafts.ts';
import { isDeclined } from './outcome.ts';
import type { SharedOutcome } from './request-plan.ts';
import {
  INTERRUPTED,
  type OutcomeColumns,
  outcomeToStore,
  type ServerColumns,
  storedOutcome,
  storedPeople,
  storedServer,
} from './server-columns.ts';
import type { SubmissionStoreBase } from './store-deps.ts';
import {
  DECLINE_UNDO_MS,
  type NewSubmission,
  rowForServer,
  type StateChange,
  type Submission,
  type SubmittedServer,
} from './submission.ts';
import type { WaitingSubmissions } from './waiting-submissions.ts';

/**
 * Requests start early enough for their interaction's reply. If an older submission is still running, its outcome couldn't
 * be saved.
 */
export const MAX_RUN_MS = TOKEN_LIVES_MS;

/** Only submissions that need, or needed, approval can expire. */
const NEEDS_MODERATOR = sql<boolean>`expires_at is not null`;

interface SubmissionsDeps extends SubmissionStoreBase {
  readonly drafts: Drafts;
  readonly waiting: () => Pick<WaitingSubmissions, 'waitAgain' | 'markRepeats'>;
}

export type Submissions = ReturnType<typeof createSubmissions>;

/**
 * Stores the submissions of drafts. A submission that doesn't need approval is first *running*, then *done*. `src/approval`
 * handles a submission that needs approval until it is running. Every method throws a StoreError when the store fails.
 * Methods that change data must be called inside the guild's transaction.
 */
export function createSubmissions(deps: SubmissionsDeps) {
  const { store, drafts, waiting, processId, pollMs = 500, declineUndoMs = DECLINE_UNDO_MS, now } = deps;
  const { tables } = store;

  const sending = createInOrder();

  const servers = (id: string) => tables().updateTable('servers').where('submission_id', '=', id);

  const stored = () =>
    tables()
      .selectFrom('submissions')
      .leftJoin('drafts', 'drafts.id', 'draft_id')
      .selectAll('submissions')
      .select('drafts.source');

  const rowsOf = (draftId: string) => stored().where('draft_id', '=', draftId).orderBy('created_at', 'desc');

  const latestRow = (draftId: string) => rowsOf(draftId).executeTakeFirst();

  /** SQL expression for a creation time later than the draft's other submissions, even if the clock was set back. */
  function createdAt(draftId: string) {
    const at = now();
    return sql<number>`coalesce(
      (select max(created_at) + 1 from submissions where draft_id = ${draftId} and created_at >= ${at}), ${at})`;
  }

  /**
   * Inserts a submission and its servers. The servers count towards the limits from the time the submission starts.
   * @returns the submission's id
   */
  async function insert(
    { draftId, guildId, user, rows, interactionId }: NewSubmission,
    columns: StateChange & Pick<SubmissionsTable, 'revision' | 'shown_revision'>,
  ): Promise<string> {
    const id = randomUUID();
    await tables()
      .insertInto('submissions')
      .values({
        id,
        draft_id: draftId,
        guild_id: guildId,
        user_id: user.id,
        user_name: user.name,
        interaction_id: interactionId,
        process_id: processId,
        created_at: createdAt(draftId),
        ...columns,
      })
      .execute();
    const values = rows.map(({ line, part = null, submission }, position) => ({
      ...newServer(submission),
      submission_id: id,
      position,
      line,
      part,
      guild_id: guildId,
      user_id: user.id,
      reserved_at: columns.started_at,
    }));
    await tables().insertInto('servers').values(values).execute();
    return id;
  }

  /**
   * Creates a submission that doesn't need approval.
   * @param isRetry whether the draft may have unsent servers from an earlier attempt
   * @returns the submission's id
   */
  async function begin(submission: NewSubmission, isRetry: boolean): Promise<string> {
    const started = { state: 'running', started_at: now(), revision: 0, shown_revision: 0 } as const;
    const id = await insert(submission, started);
    if (isRetry) await dropRetried(submission.draftId, id);
    await dropUnsent(submission, id);
    return id;
  }

  /**
   * Deletes unsent servers from earlier attempts if a new attempt retries them, and attempts without any other servers.
   * Otherwise, repeated retries would fill the history. Declined and expired submissions keep their servers.
   */
  async function dropRetried(draftId: string, id: string): Promise<void> {
    const attempts = () => idsOf(draftId).where('state', '=', 'done');
    await tables()
      .deleteFrom('servers')
      .where('submission_id', 'in', attempts())
      .where('outcome', '=', 'not-sent')
      .where(sql<boolean>`(line, coalesce(part, 1)) in (
        select line, coalesce(part, 1) from servers as retried where submission_id = ${id})`)
      .execute();
    await dropEmpty(attempts());
  }

  /** Deletes the member's unsent servers from other drafts that have the same address as one of a new attempt's servers. */
  async function dropUnsent(
    { guildId, user }: { readonly guildId: string; readonly user: { readonly id: string } },
    id: string,
  ): Promise<void> {
    const deleted = await tables()
      .deleteFrom('servers')
      .where('guild_id', '=', guildId)
      .where('user_id', '=', user.id)
      .where('outcome', '=', 'not-sent')
      .where('submission_id', '<>', id)
      .where(sql<boolean>`coalesce(reason, '') not in ('declined', 'expired')`)
      .where(sql<boolean>`address in (select address from servers as retried where submission_id = ${id})`)
      .returning('submission_id')
      .execute();
    const ids = [...new Set(deleted.map(({ submission_id }) => submission_id))];
    if (ids.length === 0) return;
    await dropEmpty(tables().selectFrom('submissions').select('id').where('id', 'in', ids));
  }

  /**
   * Deletes empty submissions among the given ones, unless their message for moderators is out of date. Submissions that needed
   * approval are kept until the member has a reply, because `by` needs them to find the draft's latest submission.
   * @param most the maximum number to delete; by default, deletes all
   * @returns the number of deleted submissions
   */
  async function dropEmpty(some: ReturnType<typeof idsOf>, most?: number): Promise<number> {
    const empty = some
      .whereRef('shown_revision', '>=', 'revision')
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(selectFrom('servers').select('position').whereRef('submission_id', '=', 'submissions.id')),
        ),
      )
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('interactions')
              .select('interactions.id')
              .whereRef('interactions.id', '=', 'submissions.interaction_id')
              .where('encrypted', 'is not', null)
              .where('expires_at', 'is not', null),
          ),
        ),
      )
      .$if(most !== undefined, (submissions) => submissions.limit(most ?? 0));
    const deleted = await tables().deleteFrom('submissions').where('id', 'in', empty).executeTakeFirst();
    return Number(deleted.numDeletedRows);
  }

  /**
   * Changes a submission's state, and marks its message for moderators as outdated. All state changes go through this
   * function.
   * @returns the changed submission, or `undefined` if it wasn't in the expected state
   */
  function move(
    id: string,
    guildId: string,
    from: SubmissionsTable['state'],
    to: StateChange,
  ): Promise<SubmissionsTable | undefined> {
    const isUnseen = sql<number>`case when ${NEEDS_MODERATOR} then 1 else 0 end`;
    return tables()
      .updateTable('submissions')
      .set({ ...to, revision: sql<number>`revision + ${isUnseen}` })
      .where('id', '=', id)
      .where('guild_id', '=', guildId)
      .where('state', '=', from)
      .returningAll()
      .executeTakeFirst();
  }

  const storedServers = () =>
    tables()
      .selectFrom('servers')
      .select(['line', 'part', 'host', 'port', 'query_port', 'game', 'outcome', 'message', 'reason'])
      .orderBy('position');

  const serversOf = async (id: string): Promise<readonly SubmittedServer[]> => {
    const rows = await storedServers().where('submission_id', '=', id).execute();
    return rows.map(serverOf);
  };

  const idsOf = (draftId: string) =>
    tables().selectFrom('submissions').select('id').where('draft_id', '=', draftId);

  async function read(row: SubmissionsTable & { source: DraftsTable['source'] | null }): Promise<Submission> {
    const { channel_id: channelId, message_id: messageId } = row;
    return {
      id: row.id,
      draftId: row.draft_id,
      guildId: row.guild_id,
      state: row.state,
      ...storedPeople(row),
      correctedBy: row.corrected_by ?? undefined,
      correctedByName: row.corrected_by_name ?? '',
      decisionId: row.decision_id ?? undefined,
      isUndoable:
        row.state === 'declined' &&
        row.notified_at === null &&
        isRecent(row.ended_at ?? 0, declineUndoMs, now()),
      interactionId: row.interaction_id ?? undefined,
      needsModerator: needsModerator(row),
      expiresAt: row.expires_at ?? undefined,
      endedAt: row.ended_at ?? undefined,
      source: row.source ?? undefined,
      servers: await serversOf(row.id),
      message: channelId === null || messageId === null ? undefined : { channelId, messageId },
      revision: row.revision,
      shownRevision: row.shown_revision,
    };
  }

  /**
   * Returns a draft's latest submission in this guild, optionally only among submissions that need or needed approval, or that
   * have this message for moderators.
   */
  async function latest(
    guildId: string,
    draftId: string,
    {
      isForModerators = false,
      messageId,
    }: { readonly isForModerators?: boolean; readonly messageId?: string } = {},
  ): Promise<Submission | undefined> {
    const row = await rowsOf(draftId)
      .where('submissions.guild_id', '=', guildId)
      .$if(isForModerators, (rows) => rows.where(NEEDS_MODERATOR))
      .$if(messageId !== undefined, (rows) => rows.where('message_id', '=', messageId ?? ''))
      .executeTakeFirst();
    return row && read(row);
  }

  async function findSubmission(guildId: string, id: string): Promise<Submission | undefined> {
    const row = await stored()
      .where('submissions.id', '=', id)
      .where('submissions.guild_id', '=', guildId)
      .executeTakeFirst();
    return row && read(row);
  }

  /** Selects the submissions made after this one was declined, of its draft or of the draft {@link declinedDraftId}. */
  function laterThan({ id, draftId }: Submission) {
    const declinedAt = tables().selectFrom('submissions').select('created_at').where('id', '=', id);
    return tables()
      .selectFrom('submissions')
      .where(({ or, and, eb }) =>
        or([
          eb('draft_id', '=', declinedDraftId(id)),
          and([eb('draft_id', '=', draftId), eb('created_at', '>', declinedAt)]),
        ]),
      );
  }

  async function labelsSubmittedAfter(declined: Submission): Promise<ReadonlySet<string>> {
    const rows = await laterThan(declined)
      .innerJoin('servers', 'servers.submission_id', 'submissions.id')
      .where('state', '<>', 'withdrawn')
      .select(['line', 'part'])
      .execute();
    return new Set(rows.map(storedPlace).map(lineLabel));
  }

  /**
   * Returns a draft's latest submission. If the submission is being sent, first waits up to 15 minutes for it to end, or
   * until the bot has to stop. Only polls the store if another process is sending it.
   */
  async function settled(
    guildId: string,
    draftId: string,
    stopping?: AbortSignal,
  ): Promise<Submission | undefined> {
    const pause = (ms: number) =>
      sleep(ms, undefined, { signal: stopping, ref: false }).catch(() => undefined);
    const until = performance.now() + TOKEN_LIVES_MS;
    for (;;) {
      const submission = await latest(guildId, draftId);
      const isOver = performance.now() >= until || stopping?.aborted;
      if (submission?.state !== 'running' || isOver) return submission;
      const end = sending.isBusy(submission.id) && sending.run(submission.id, async () => undefined);
      await (end ? Promise.race([end, pause(TOKEN_LIVES_MS)]) : pause(pollMs));
    }
  }

  /**
   * Ends a submission whose servers all have an outcome; repeated calls are ignored. The draft keeps the servers that
   * weren't accepted. If the submission was approved, the servers that weren't sent wait for approval again.
   * @returns whether the draft still has lines; `undefined` if the submission was approved or wasn't running
   */
  async function finish(guildId: string, id: string): Promise<boolean | undefined> {
    const row = await move(id, guildId, 'running', { state: 'done', ended_at: now() });
    if (row === undefined) return undefined;
    const { draft_id: draftId, user_id: userId, user_name: name } = row;
    const draft = await drafts.read(draftId);
    // The draft or the member's name has been deleted, or the draft can't be parsed.
    if (!draft || userId === null || name === null) return false;
    const by = { guildId, user: { id: userId, name } };
    const ended = await serversOf(id);
    const after = afterSubmission(draft, ended, needsModerator(row));
    if (needsModerator(row)) {
      await waiting().waitAgain(by, id, after, ended);
      return undefined;
    }
    await drafts.keep(after);
    if (isDone(after)) return false;
    await drafts.dropExcess(by, draftId);
    return true;
  }

  async function end(id: string, { indices, outcome }: SharedOutcome): Promise<void> {
    const isForKey = outcome.kind === 'rejected' && outcome.known === 'invalidKey';
    const isUncounted = isForKey || outcome.kind === 'not-sent';
    await servers(id)
      .where('position', 'in', [...indices])
      .where('outcome', 'is', null)
      .set({
        ...outcomeToStore(outcome),
        ended_at: now(),
        ...(isUncounted && { reserved_at: null }),
        ...(outcome.kind === 'not-sent' && { sent_at: null }),
      })
      .execute();
  }

  const running = () => tables().selectFrom('submissions').where('state', '=', 'running');

  const ofDeadProcesses = () => running().where(isAbandoned(store, processId));

  const overdue = () => running().where('started_at', '<=', now() - MAX_RUN_MS);

  /** Ends the selected submissions. Servers that may have been sent become `unknown`; the others become `not-sent`. */
  async function endRunning(
    some: ReturnType<typeof running>,
    reason: NotSentOutcome['reason'],
  ): Promise<void> {
    for (const { id, guild_id: guildId } of await some.select(['id', 'guild_id']).execute()) {
      const open = () => servers(id).where('outcome', 'is', null);
      await open()
        .where('sent_at', 'is not', null)
        .set({ ...outcomeToStore(INTERRUPTED), ended_at: now() })
        .execute();
      await open()
        .set({ ...outcomeToStore(notSent(reason)), ended_at: now(), reserved_at: null })
        .execute();
      await finish(guildId, id);
      await waiting().markRepeats(guildId, id);
    }
  }

  return {
    begin,
    insert,
    move,
    dropRetried,
    dropUnsent,
    dropEmpty,
    latestRow,
    laterThan,
    /**
     * Returns the draft for a member to edit. If a declined submission's draft has expired or now contains other lines,
     * rebuilds the draft from the stored servers, without lines that the member has resubmitted.
     * @param id the draft's id, or the {@link declinedDraftId} of a submission
     */
    async editableDraft(by: Submitter, id: string): Promise<Draft | NoDraft> {
      const found = await drafts.find(by, id);
      if (found.kind !== 'no-draft' || found.why !== 'gone') return found;
      const submission =
        (await latest(by.guildId, id)) ?? (await findSubmission(by.guildId, submissionIdOfDeclinedDraft(id)));
      const isKept = submission?.state === 'declined' || submission?.state === 'withdrawn';
      if (!isKept || submission.userId !== by.user.id) return found;
      const later = await labelsSubmittedAfter(submission);
      const rows = submission.servers.filter((server) => !later.has(lineLabel(server))).map(rowForServer);
      return rows.length === 0 ? found : { id, source: rows.length === 1 ? 'options' : 'text', rows };
    },
    latestId: async (draftId: string): Promise<string> => (await latestRow(draftId))?.id ?? '',
    find: findSubmission,
    latest,
    settled,
    whileSending: sending.run,
    /**
     * Returns the servers in the draft's other submissions that the service or a moderator has decided on. Leaves out
     * servers that are also in the given submission, and declined lines that it corrects.
     */
    async earlier({ id, draftId, servers: present }: Submission): Promise<readonly SubmittedServer[]> {
      const rows = await storedServers()
        .where('submission_id', 'in', idsOf(draftId).where('id', '<>', id))
        .execute();
      const addresses = new Set(present.map(({ server }) => addressOf(server)));
      const lines = new Set(present.map(lineLabel));
      return rows.map(serverOf).filter(({ server, outcome, ...place }) => {
        if (outcome === undefined || addresses.has(addressOf(server))) return false;
        return isDeclined(outcome) ? !lines.has(lineLabel(place)) : !isUnsent(outcome);
      });
    },
    finish,
    /**
     * Marks these servers as being sent, immediately before the request is sent.
     * @returns false if the servers have been deleted (for example with the guild's data) or the submission has ended
     */
    async markSending(guildId: string, id: string, indices: readonly number[]): Promise<boolean> {
      const { numUpdatedRows } = await servers(id)
        .where('position', 'in', [...indices])
        .where('submission_id', 'in', running().where('guild_id', '=', guildId).select('id'))
        .set({ sent_at: now() })
        .executeTakeFirst();
      return Number(numUpdatedRows) === indices.length;
    },
    /**
     * Stores the outcomes that result from a request. Servers that already have an outcome keep it.
     * @param indices the servers in the request; servers without an outcome will be resent in smaller requests
     */
    async endRequest(id: string, indices: readonly number[], ended: readonly SharedOutcome[]): Promise<void> {
      for (const each of ended) await end(id, each);
      const done = new Set(ended.flatMap((each) => each.indices));
      const again = indices.filter((index) => !done.has(index));
      if (again.length === 0) return;
      await servers(id)
        .where('position', 'in', again)
        .where('outcome', 'is', null)
        .set({ sent_at: null })
        .execute();
    },
    /**
     * Returns the submission that the interaction created, or the submissions that it decided. If the created submission
     * needed approval, returns the draft's latest submission instead.
     */
    async by(guildId: string, interactionId: string): Promise<readonly Submission[]> {
      const rows = await stored()
        .orderBy('created_at')
        .where(({ or, eb }) =>
          or([eb('interaction_id', '=', interactionId), eb('decision_id', '=', interactionId)]),
        )
        .execute();
      const ofGuild = rows.filter((row) => row.guild_id === guildId);
      const submitted = ofGuild.find((row) => row.interaction_id === interactionId);
      if (submitted === undefined) return Promise.all(ofGuild.map(read));
      const found = needsModerator(submitted)
        ? await latest(guildId, submitted.draft_id)
        : await read(submitted);
      return found ? [found] : [];
    },
    /**
     * Ends the running submissions of an interaction that no process is handling. An approved submission belongs to the
     * moderator's interaction, because the bot may still be replying to the member's interaction while the submission is
     * being sent.
     */
    endRunningOf: (interactionId: string): Promise<void> =>
      endRunning(
        running().where(({ fn }) => fn.coalesce('decision_id', 'interaction_id'), '=', interactionId),
        'bot',
      ),
    /** Returns an interaction's finished submissions handled by another process, possibly without notifying the member. */
    async ofOthers(guildId: string, interactionId: string): Promise<readonly Submission[]> {
      const rows = await stored()
        .where('submissions.guild_id', '=', guildId)
        .where(({ fn }) => fn.coalesce('decision_id', 'interaction_id'), '=', interactionId)
        .where('state', '=', 'done')
        .where('submissions.process_id', '<>', processId)
        .execute();
      return Promise.all(rows.map(read));
    },
    async guildIdsWithAbandoned(): Promise<readonly string[]> {
      const found = await ofDeadProcesses().select('guild_id').union(overdue().select('guild_id')).execute();
      return found.map(({ guild_id }) => guild_id);
    },
    /** Ends a guild's submissions that no process is still sending: their process died, or an outcome couldn't be saved. */
    async endAbandoned(guildId: string): Promise<void> {
      await endRunning(ofDeadProcesses().where('guild_id', '=', guildId), 'stopping');
      await endRunning(overdue().where('guild_id', '=', guildId), 'bot');
    },
  };
}

export const needsModerator = ({ expires_at }: Pick<SubmissionsTable, 'expires_at'>): boolean =>
  expires_at !== null;

/**
 * Returns the id of a separate draft for a submission's declined lines, used if the original draft now contains other
 * lines. Shortens the submission's id to fit into custom ids.
 */
export const declinedDraftId = (submissionId: string): string =>
  Buffer.from(submissionId.replaceAll('-', ''), 'hex').toString('base64url');

const submissionIdOfDeclinedDraft = (id: string): string =>
  Buffer.from(id, 'base64url')
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/u, '$1-$2-$3-$4-');

function serverOf(row: PlaceColumns & ServerColumns & OutcomeColumns): SubmittedServer {
  return { ...storedPlace(row), server: storedServer(row), outcome: storedOutcome(row) };
}

type PlaceColumns = Pick<ServersTable, 'line' | 'part'>;

const storedPlace = ({ line, part }: PlaceColumns): RowPlace => placeOf({ line, part: part ?? undefined });

function newServer(submission: ServerSubmission) {
  const { server: host, port, queryPort = null, game } = submission;
  return { host, port, query_port: queryPort, game, address: addressOf(submission) };
}
