import { chunksOf } from '../chunks.ts';
import { type NotSent, notSent, type Outcome, type ServerSubmission } from '../listing/contract.ts';
import { DAY_MS } from '../numbers.ts';
import { addressOf, type ReadyRow } from '../server-lists/row.ts';
import { isAbandoned } from '../storage/leases.ts';
import type { Store } from '../storage/store.ts';
import type { ServersTable, SubmissionsTable } from '../storage/tables.ts';
import { type Run, remainderOf, runFromStore, runToStore, unsentOf } from './draft.ts';
import type { Drafts, Submitter } from './drafts.ts';
import type { EndedServers } from './request-plan.ts';
import { INTERRUPTED, outcomeToStore, storedOutcome, storedServer } from './server-columns.ts';

/** Rows in one INSERT: SQLite takes 32,766 values. */
const INSERTED_AT_ONCE = 200;

/** How long a submission waits for a moderator, in milliseconds. */
export const WAITS_MS = 7 * DAY_MS;

/** A run that is reserved, and the interaction that reserves it. */
export interface Reservation extends Submitter, Run {
  /** The id of the submission, which its draft had before. */
  readonly id: string;
  readonly interactionId: string;
  /** The id of the moderator, if that interaction approves what a member submitted. */
  readonly approvedBy?: string | undefined;
}

/** A run that waits for a moderator. `null`: nobody waits for a reply about it. */
export interface Waiting extends Submitter, Run {
  readonly id: string;
  readonly interactionId: string | null;
}

export interface RecordedServer {
  readonly server: ServerSubmission;
  /** `undefined` until the server has ended. */
  readonly outcome: Outcome | undefined;
}

/** A row that was submitted, and what came of its server. */
export interface EndedRow {
  readonly row: ReadyRow;
  readonly line: number;
  readonly server: ServerSubmission;
  readonly outcome: Outcome;
}

export const endedRow = (row: ReadyRow, outcome: Outcome): EndedRow => ({
  row,
  line: row.line,
  server: row.submission,
  outcome,
});

/** A submission that has ended. */
export interface EndedRun extends Run {
  /** In the order in which the rows were submitted. */
  readonly servers: readonly EndedRow[];
  /**
   * The id of the draft of what remains, if anything remains. If a moderator approved the submission: the id of what was not
   * sent, which waits again.
   */
  readonly remainderId: string | undefined;
}

export type SubmissionRecord = ReturnType<typeof createSubmissionRecord>;

export interface SubmissionRecordDeps {
  readonly store: Pick<Store, 'tables' | 'inGuild'>;
  readonly drafts: Pick<Drafts, 'save'>;
  /** The id of this process. */
  readonly owner: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The id of the draft of what remains of the submission that an interaction carried out. */
const remainderIdOf = (interactionId: string): string => `${interactionId}-remainder`;

/**
 * The record of each submission: *waiting* for a moderator if the guild wants that, *running*, then *done*. Every method
 * throws a StoreError when the store fails. The methods that change something are called inside the guild's transaction.
 */
export function createSubmissionRecord({ store, drafts, owner, now }: SubmissionRecordDeps) {
  const { tables } = store;

  const servers = (id: string, indices: readonly number[]) =>
    tables()
      .updateTable('servers')
      .where('submission_id', '=', id)
      .where('position', 'in', [...indices]);

  /**
   * Makes what is in one state a submission in another; a server that was submitted by itself had no draft.
   * @returns false, with nothing changed, if that id is another member's, or in another state
   */
  async function submit(
    { id, guildId, user }: Submitter & Pick<Waiting, 'id'>,
    from: 'draft' | 'waiting',
    columns: Partial<SubmissionsTable> & Pick<SubmissionsTable, 'state'>,
  ): Promise<boolean> {
    const own = { guild_id: guildId, user_id: user.id, user_name: user.name, created_at: now() };
    const { numInsertedOrUpdatedRows } = await tables()
      .insertInto('submissions')
      .values({ id, ...own, ...columns })
      .onConflict((conflict) =>
        conflict
          .column('id')
          .doUpdateSet(columns)
          .where('submissions.guild_id', '=', guildId)
          .where('submissions.user_id', '=', user.id)
          .where('submissions.state', '=', from),
      )
      .executeTakeFirstOrThrow();
    return numInsertedOrUpdatedRows === 1n;
  }

  /** Makes a draft a submission that waits for a moderator. @returns as `submit` */
  const wait = (waiting: Waiting): Promise<boolean> =>
    submit(waiting, 'draft', {
      state: 'waiting',
      draft: runToStore(waiting),
      interaction_id: waiting.interactionId,
      owner,
      expires_at: now() + WAITS_MS,
      message_due_at: now(),
    });

  /**
   * Ends a submission all of whose servers have ended. What remains becomes a draft of its own; of what a moderator has
   * approved, the servers that were not sent wait again.
   * @returns the id of what remains; `undefined` if nothing remains, or the member's name was deleted meanwhile
   */
  async function finish(id: string): Promise<string | undefined> {
    const before = await tables()
      .selectFrom('submissions')
      .select(['draft', 'guild_id', 'interaction_id', 'user_id', 'user_name', 'decided_at', 'decision_id'])
      .where('id', '=', id)
      .executeTakeFirst();
    const isApproved = before?.decided_at != null;
    const isNamed = before?.user_id != null && before.user_name !== null;
    // The lines are kept for the report, until the member was told.
    await tables()
      .updateTable('submissions')
      .set({
        state: 'done',
        ended_at: now(),
        ...((isApproved || !isNamed) && { draft: null }),
        ...(isApproved && { message_due_at: now() }),
      })
      .where('id', '=', id)
      .execute();
    const endedBy = before?.decision_id ?? before?.interaction_id;
    if (!before?.draft || !endedBy || !before.user_id || before.user_name === null) return undefined;
    const run = runFromStore(before.draft);
    if (!run) return undefined;
    const outcomes = byPosition(await rowsOf(id));
    const by = { guildId: before.guild_id, user: { id: before.user_id, name: before.user_name } };
    const remainderId = remainderIdOf(endedBy);
    if (isApproved) {
      const unsent = unsentOf(run, outcomes);
      if (unsent.rows.length === 0) return undefined;
      await wait({ ...by, ...unsent, id: remainderId, interactionId: null });
      return remainderId;
    }
    const remainder = remainderOf(run, outcomes);
    if (remainder.rows.length === 0) return undefined;
    await drafts.save(by, remainderId, remainder);
    return remainderId;
  }

  async function end(id: string, { indices, outcome }: EndedServers): Promise<void> {
    const isForKey = outcome.kind === 'rejected' && outcome.known === 'invalidKey';
    const isUncounted = isForKey || outcome.kind === 'not-sent';
    await servers(id, indices)
      .where('outcome', 'is', null)
      .set({
        ...outcomeToStore(outcome),
        ended_at: now(),
        ...(isUncounted && { reserved_at: null }),
        ...(outcome.kind === 'not-sent' && { sent_at: null }),
      })
      .execute();
  }

  const rowsOf = (id: string) =>
    tables()
      .selectFrom('servers')
      .select(['position', 'host', 'port', 'query_port', 'game', 'outcome', 'message', 'reason'])
      .where('submission_id', '=', id)
      .orderBy('position')
      .execute();

  async function insertServers(
    { id, guildId, user, rows }: Omit<Waiting, 'interactionId'>,
    columns: Partial<ServersTable>,
  ): Promise<void> {
    const values = rows.map(({ submission }, position) => ({
      ...newServer(submission),
      ...columns,
      submission_id: id,
      position,
      guild_id: guildId,
      user_id: user.id,
    }));
    for (const some of chunksOf(values, INSERTED_AT_ONCE)) {
      await tables().insertInto('servers').values(some).execute();
    }
  }

  const isRunning = (id: string) =>
    tables().selectFrom('submissions').select('id').where('id', '=', id).where('state', '=', 'running');

  /** What may have been sent is unknown; the other servers were not sent, for this reason. */
  async function endRunning(id: string, reason: NotSent['reason']): Promise<void> {
    // Another process may have ended the submission meanwhile.
    if ((await isRunning(id).executeTakeFirst()) === undefined) return;
    const running = () =>
      tables().updateTable('servers').where('submission_id', '=', id).where('outcome', 'is', null);
    await running()
      .where('sent_at', 'is not', null)
      .set({ ...outcomeToStore(INTERRUPTED), ended_at: now() })
      .execute();
    await running()
      .set({
        ...outcomeToStore(notSent(reason)),
        ended_at: now(),
        reserved_at: null,
      })
      .execute();
    await finish(id);
  }

  const allRunning = () =>
    tables().selectFrom('submissions').select(['id', 'guild_id']).where('state', '=', 'running');

  const abandoned = () => allRunning().where(isAbandoned(store, owner));

  return {
    wait,
    /** Ends a submission that waits: nothing of it is sent, and nothing of it remains. */
    async endWaiting(waiting: Omit<Waiting, 'interactionId'>, reason: NotSent['reason']): Promise<void> {
      await insertServers(waiting, { ...outcomeToStore(notSent(reason)), ended_at: now() });
      await tables()
        .updateTable('submissions')
        .set({ state: 'done', draft: null, ended_at: now() })
        .where('id', '=', waiting.id)
        .execute();
    },
    /** The servers of a submission, with the outcomes of those that have ended. */
    serversOf: async (id: string): Promise<readonly RecordedServer[]> =>
      (await rowsOf(id)).map((row) => ({ server: storedServer(row), outcome: storedOutcome(row) })),
    /** @returns false, with nothing reserved, if its id is another member's, or submitted already */
    async reserve(reservation: Reservation): Promise<boolean> {
      const { interactionId, approvedBy } = reservation;
      const at = now();
      const isReserved = await submit(reservation, approvedBy === undefined ? 'draft' : 'waiting', {
        state: 'running',
        draft: runToStore(reservation),
        owner,
        started_at: at,
        ...(approvedBy === undefined
          ? { interaction_id: interactionId }
          : { decided_by: approvedBy, decided_at: at, decision_id: interactionId, message_due_at: at }),
      });
      if (isReserved) await insertServers(reservation, { reserved_at: at });
      return isReserved;
    },
    /**
     * Marks these servers right before a request with them is sent.
     * @returns false if they were deleted, as with the guild's data, or another process has ended the submission
     */
    async markSending(id: string, indices: readonly number[]): Promise<boolean> {
      const { numUpdatedRows } = await servers(id, indices)
        .where(({ exists }) => exists(isRunning(id).where('owner', '=', owner)))
        .set({ sent_at: now() })
        .executeTakeFirst();
      return Number(numUpdatedRows) === indices.length;
    },
    /**
     * Records what came of a request. A server that another process has ended keeps the outcome that it has.
     * @param indices the servers of the request; those that have not ended are sent again in smaller requests
     */
    async endRequest(id: string, indices: readonly number[], ended: readonly EndedServers[]): Promise<void> {
      for (const each of ended) await end(id, each);
      await servers(id, indices).where('outcome', 'is', null).set({ sent_at: null }).execute();
    },
    finish,
    /** What an interaction has carried out. */
    async endedBy(interactionId: string): Promise<EndedRun | undefined> {
      const submission = await tables()
        .selectFrom('submissions')
        .select(['id', 'draft'])
        .where('interaction_id', '=', interactionId)
        .executeTakeFirst();
      if (submission === undefined) return undefined;
      const rows = await rowsOf(submission.id);
      const run = runFromStore(submission.draft ?? '') ?? runOf(rows.map(storedServer));
      const outcomes = byPosition(rows);
      const remainder = await tables()
        .selectFrom('submissions')
        .select('id')
        .where('id', '=', remainderIdOf(interactionId))
        .where('state', '=', 'draft')
        .executeTakeFirst();
      return {
        ...run,
        servers: run.rows.map((row, position) => endedRow(row, outcomes[position] ?? INTERRUPTED)),
        remainderId: remainder?.id,
      };
    },
    /** Deletes the lines of a submission whose member was told. */
    async forgetLines(interactionId: string): Promise<void> {
      await tables()
        .updateTable('submissions')
        .set({ draft: null })
        .where('interaction_id', '=', interactionId)
        .where('state', '=', 'done')
        .execute();
    },
    /** Ends the submissions that began before a time and still run: their outcomes could not be recorded. */
    async endUnfinished(startedBefore: number): Promise<void> {
      for (const { id, guild_id } of await allRunning().where('started_at', '<=', startedBefore).execute()) {
        await store.inGuild(guild_id, () => endRunning(id, 'bot'));
      }
    },
    /**
     * Ends what an interaction carries out, once nobody is at work on it any more. What waited is carried
     * out by the moderator's interaction, not by its member's, whose report may come while it is being sent.
     */
    async endRunningOf(interactionId: string): Promise<void> {
      const running = await allRunning()
        .where(({ fn }) => fn.coalesce('decision_id', 'interaction_id'), '=', interactionId)
        .execute();
      for (const { id } of running) await endRunning(id, 'bot');
    },
    /** The guilds with a running submission whose process died. */
    async abandonedGuilds(): Promise<readonly string[]> {
      return (await abandoned().execute()).map(({ guild_id }) => guild_id);
    },
    /** Ends the running submissions of a guild whose process died. */
    async endAbandoned(guildId: string): Promise<void> {
      const rows = await abandoned().where('guild_id', '=', guildId).execute();
      for (const { id } of rows) await endRunning(id, 'stopping');
    },
  };
}

/** Outcomes by the position of their server: one that was deleted leaves a gap. */
function byPosition(
  rows: readonly Pick<ServersTable, 'position' | 'outcome' | 'message' | 'reason'>[],
): readonly (Outcome | undefined)[] {
  const outcomes: (Outcome | undefined)[] = [];
  for (const row of rows) outcomes[row.position] = storedOutcome(row);
  return outcomes;
}

/** If the lines were deleted or cannot be read, the servers stand for them, one on each line. */
function runOf(servers: readonly ServerSubmission[]): Run {
  const rows = servers.map((submission, index) => ({ kind: 'ready' as const, line: index + 1, submission }));
  return { draft: { source: 'text', rows, includesAlreadySubmitted: false }, rows, limitedRows: [] };
}

function newServer(submission: ServerSubmission) {
  const { server: host, port, queryPort = null, game } = submission;
  return { host, port, query_port: queryPort, game, address: addressOf(submission) };
}
