import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { type NotSentOutcome, notSent, type ServerSubmission } from '../listing/contract.ts';
import { DAY_MS, TOKEN_LIVES_MS } from '../numbers.ts';
import { addressOf, isReady, type ReadyRow } from '../server-lists/row.ts';
import { countOf } from '../storage/count.ts';
import { isAbandoned } from '../storage/leases.ts';
import type { DraftsTable, ServersTable, SubmissionsTable } from '../storage/tables.ts';
import { type DeclineReason, storedReason } from './decline-reason.ts';
import { afterSubmission, type Draft, isUnconfirmed, isUnsent } from './draft.ts';
import type { Drafts, Submitter, Unavailable } from './drafts.ts';
import type { NotApprovedOutcome, ServerOutcome } from './outcome.ts';
import type { SharedOutcome } from './request-plan.ts';
import { INTERRUPTED, outcomeToStore, storedOutcome, storedServer } from './server-columns.ts';
import type { SubmissionStoreBase } from './submission-store.ts';

/** How long a submission waits for a moderator, in milliseconds. */
export const WAITS_MS = 7 * DAY_MS;

/** How often the bot checks whether a submission has ended, in milliseconds. */
const POLL_EVERY_MS = 500;
const MOST_POLLS = TOKEN_LIVES_MS / POLL_EVERY_MS;

export interface MessagePlace {
  readonly channelId: string;
  readonly messageId: string;
}

export interface SubmittedServer {
  /** The line of the draft that the server was on. */
  readonly line: number;
  readonly server: ServerSubmission;
  /** `undefined` until the server has an outcome. */
  readonly outcome: ServerOutcome | undefined;
}

export interface ServerResult extends SubmittedServer {
  readonly outcome: ServerOutcome;
}

/** One submission of a draft, as it is stored. Its servers never change. */
export interface Submission {
  readonly id: string;
  readonly draftId: string;
  readonly guildId: string;
  /**
   * The member's interaction that submitted it; `undefined` if it was created by a decision or by the end of another
   * submission.
   */
  readonly interactionId: string | undefined;
  readonly state: SubmissionsTable['state'];
  /** The member; empty if their name was deleted. */
  readonly userId: string;
  readonly userName: string;
  /** The moderator; empty until one has decided, and if the moderator's name was deleted. */
  readonly decidedBy: string;
  /** Empty if unknown. */
  readonly decidedByName: string;
  /** The moderator who corrected it; empty if the moderator's name was deleted, `undefined` if it wasn't corrected. */
  readonly correctedBy: string | undefined;
  /** Empty if unknown. */
  readonly correctedByName: string;
  /** The moderator's reason for declining it, if they gave one. */
  readonly declineReason: DeclineReason | undefined;
  /** Whether a moderator decides, or decided, on it. */
  readonly needsModerator: boolean;
  /** The time until which a moderator can decide, in milliseconds since 1970. */
  readonly expiresAt: number | undefined;
  /** In milliseconds since 1970; `undefined` while it waits or runs. */
  readonly endedAt: number | undefined;
  /** How its draft was entered; `undefined` if the draft was deleted. */
  readonly source: Draft['source'] | undefined;
  /** Empty some time after the submission was withdrawn. */
  readonly servers: readonly SubmittedServer[];
  /** The message on which moderators decide. */
  readonly message: MessagePlace | undefined;
  /** The revision that the message should show, and the revision that it shows now. */
  readonly revision: number;
  readonly shownRevision: number;
}

/** A submission to create from rows of a draft. */
interface NewSubmission extends Submitter {
  readonly draftId: string;
  readonly rows: readonly ReadyRow[];
  /**
   * The member's interaction that submits it; `null` if it is created by a decision or by the end of another submission.
   */
  readonly interactionId: string | null;
}

/** A submission to create that waits for a moderator. */
export interface NewWaitingSubmission extends NewSubmission {
  /** The time until which a moderator can decide. */
  readonly expiresAt: number;
  /** The moderator whose interaction corrected it. A submission that only waits again keeps its earlier correction. */
  readonly correction?: { readonly by: Submitter['user']; readonly interactionId: string } | undefined;
  /** The encrypted data for notifying the member of the decision. If absent, it is taken from the previous submission. */
  readonly notice?: string | null;
}

/** Part of a statement: whether a moderator decides, or decided, on a submission. */
const NEEDS_MODERATOR = sql<boolean>`expires_at is not null`;

/** The values for a draft's next submission if it gets a new message for moderators. */
const NO_MESSAGE = {
  channel_id: null,
  message_id: null,
  revision: 0,
  shown_revision: 0,
  corrected_by: null,
  corrected_by_name: null,
  notice: null,
};

/** The columns that are written together with a new state. */
type StateChange = Pick<SubmissionsTable, 'state'> & Partial<SubmissionsTable>;

export type Submissions = ReturnType<typeof createSubmissions>;

/**
 * Stores the submissions of drafts. A submission is *running*, then *done*. If a moderator decides, it is *waiting* first,
 * and can become *withdrawn*, *declined* or *expired* instead of *running*. Every method throws a StoreError when the store
 * fails. Methods that change something are called inside the guild's transaction.
 */
export function createSubmissions({
  store,
  drafts,
  processId,
  now,
}: SubmissionStoreBase & { readonly drafts: Drafts }) {
  const { tables } = store;

  const servers = (id: string) => tables().updateTable('servers').where('submission_id', '=', id);

  const stored = () =>
    tables()
      .selectFrom('submissions')
      .leftJoin('drafts', 'drafts.id', 'draft_id')
      .selectAll('submissions')
      .select('drafts.source');

  /** Selects the submissions of a draft, latest first. */
  const rowsOf = (draftId: string) => stored().where('draft_id', '=', draftId).orderBy('created_at', 'desc');

  /**
   * Inserts a submission with its servers. Limits count the servers from its start.
   * @returns its id
   */
  async function insert(
    { draftId, guildId, user, rows, interactionId }: NewSubmission,
    columns: StateChange & Pick<SubmissionsTable, 'created_at' | 'revision' | 'shown_revision'>,
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
        ...columns,
      })
      .execute();
    const values = rows.map(({ line, submission }, position) => ({
      ...newServer(submission),
      submission_id: id,
      position,
      line,
      guild_id: guildId,
      user_id: user.id,
      reserved_at: columns.started_at,
    }));
    await tables().insertInto('servers').values(values).execute();
    return id;
  }

  /** Returns a time for a draft's next submission that is later than its latest one, even if the clock was set back. */
  const after = (latestAt = 0): number => Math.max(now(), latestAt + 1);

  /**
   * Creates a submission that doesn't need a moderator.
   * @param latestAt the `created_at` of the draft's latest submission, if it has one
   * @returns its id
   */
  const begin = (submission: NewSubmission, latestAt?: number): Promise<string> =>
    insert(submission, {
      state: 'running',
      created_at: after(latestAt),
      started_at: now(),
      revision: 0,
      shown_revision: 0,
    });

  /**
   * Creates a submission that waits for a moderator. It takes over the message of the previous submission, unless that
   * message shows that it was declined. A resubmission after that gets a new message.
   * @returns its id
   */
  async function beginWaiting(submission: NewWaitingSubmission): Promise<string> {
    const { draftId, interactionId, correction, expiresAt } = submission;
    const latest = await rowsOf(draftId).executeTakeFirst();
    const previous = latest && hasMessage(latest) ? latest : undefined;
    const { channel_id, message_id, revision, shown_revision, notice, ...before } = previous ?? NO_MESSAGE;
    const corrected =
      correction || interactionId !== null
        ? { corrected_by: correction?.by.id ?? null, corrected_by_name: correction?.by.name ?? null }
        : { corrected_by: before.corrected_by, corrected_by_name: before.corrected_by_name };
    const id = await insert(submission, {
      state: 'waiting',
      created_at: after(latest?.created_at),
      expires_at: expiresAt,
      channel_id,
      message_id,
      revision: revision + 1,
      shown_revision,
      decision_id: correction?.interactionId ?? null,
      ...corrected,
      notice: submission.notice ?? notice,
    });
    if (previous) {
      await tables()
        .updateTable('submissions')
        .set({ channel_id: null, message_id: null, shown_revision: revision })
        .where('id', '=', previous.id)
        .execute();
    }
    return id;
  }

  /**
   * Changes the state of a submission; no other code does. Marks the message on which moderators decide as out of date.
   * @returns the changed submission; `undefined` if it isn't in the expected state
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
      .select(['line', 'host', 'port', 'query_port', 'game', 'outcome', 'message', 'reason'])
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
      userId: row.user_id ?? '',
      userName: row.user_name ?? '',
      decidedBy: row.decided_by ?? '',
      decidedByName: row.decided_by_name ?? '',
      correctedBy: row.corrected_by ?? undefined,
      correctedByName: row.corrected_by_name ?? '',
      declineReason: storedReason(row),
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

  /** Returns the latest submission of a guild's draft, or the latest one that needs, or needed, a moderator. */
  async function latest(
    guildId: string,
    draftId: string,
    which: { readonly isForModerators?: boolean } = {},
  ): Promise<Submission | undefined> {
    const row = await rowsOf(draftId)
      .where('submissions.guild_id', '=', guildId)
      .$if(which.isForModerators === true, (rows) => rows.where(NEEDS_MODERATOR))
      .executeTakeFirst();
    return row && read(row);
  }

  /**
   * Returns the latest submission of a draft. If it is being sent without a moderator, first waits until it has ended, or
   * for 15 minutes, or until the bot is stopping.
   */
  async function settled(
    guildId: string,
    draftId: string,
    stopping?: AbortSignal,
  ): Promise<Submission | undefined> {
    for (let polls = 1; ; polls += 1) {
      const submission = await latest(guildId, draftId);
      if (!isBeingSent(submission) || polls === MOST_POLLS || stopping?.aborted) return submission;
      await sleep(POLL_EVERY_MS, undefined, { signal: stopping }).catch(() => undefined);
    }
  }

  /**
   * Ends a waiting submission and sets the outcome of its servers. Servers of a withdrawn submission don't get an outcome.
   */
  async function endWaiting(id: string, guildId: string, to: StateChange): Promise<void> {
    const row = await move(id, guildId, 'waiting', { ...to, ended_at: now() });
    // A withdrawn submission isn't part of the history. Its servers are shown where it was waiting, until they are deleted.
    if (row === undefined || to.state === 'withdrawn') return;
    const reason = to.state === 'expired' ? 'expired' : 'declined';
    const outcome: NotApprovedOutcome = { kind: 'not-sent', reason };
    await servers(id)
      .set({ ...outcomeToStore(outcome), ended_at: now() })
      .execute();
  }

  /**
   * Ends a submission whose servers all have an outcome; repeated calls have no effect. Its draft keeps the servers that
   * weren't accepted. After an approved submission, the servers that weren't sent wait again.
   */
  async function finish(guildId: string, id: string): Promise<void> {
    const row = await move(id, guildId, 'running', { state: 'done', ended_at: now() });
    if (row === undefined) return;
    const { draft_id: draftId, user_id: userId, user_name: name } = row;
    const draft = await drafts.read(draftId);
    // The draft or the name has been deleted, or the draft can't be read.
    if (!draft || userId === null || name === null) return;
    const isApproved = needsModerator(row);
    const ended = await serversOf(id);
    const after = afterSubmission(draft, ended, isApproved);
    const rows = isApproved ? after.rows.filter(isReady).filter((each) => !isUnconfirmed(each)) : [];
    if (isApproved && rows.length === 0) return drafts.delete(draftId);
    await drafts.keep(after);
    if (rows.length === 0) return;
    const again = { draftId, guildId, user: { id: userId, name }, rows };
    await beginWaiting({ ...again, interactionId: null, expiresAt: now() + WAITS_MS });
    // If all servers wait again, there is no decision yet that the member could be notified of.
    if (!ended.every(({ outcome }) => outcome && isUnsent(outcome))) return;
    await tables().updateTable('submissions').set({ notice: null }).where('id', '=', id).execute();
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

  const abandoned = () => running().where(isAbandoned(store, processId));

  /**
   * Ends these submissions. Servers that may have been sent become `unknown`; the others become `not-sent` with this
   * reason.
   */
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
    }
  }

  return {
    begin,
    beginWaiting,
    /**
     * Returns the draft that a member edits. Once the draft of a declined submission is deleted, it consists of the
     * submission's servers, for as long as these are kept.
     */
    async editableDraft(by: Submitter, id: string): Promise<Draft | Unavailable> {
      const found = await drafts.find(by, id);
      const submission = found === 'gone' ? await latest(by.guildId, id) : undefined;
      if (submission?.state !== 'declined' || submission.userId !== by.user.id) return found;
      const rows = submission.servers.map(rowForServer);
      return rows.length === 0 ? found : { id, source: rows.length === 1 ? 'options' : 'text', rows };
    },
    /** Returns the id of a draft's latest submission; '' if there is none. */
    latestId: async (draftId: string): Promise<string> =>
      (await rowsOf(draftId).executeTakeFirst())?.id ?? '',
    /** Returns the submission, if it belongs to the guild. */
    async find(guildId: string, id: string): Promise<Submission | undefined> {
      const row = await stored()
        .where('submissions.id', '=', id)
        .where('submissions.guild_id', '=', guildId)
        .executeTakeFirst();
      return row && read(row);
    },
    latest,
    settled,
    /**
     * Returns servers from earlier submissions of this draft that were settled or declined. Excludes servers that are in
     * this submission again, and declined lines that have a correction in it.
     */
    async earlier({ id, draftId, servers: present }: Submission): Promise<readonly SubmittedServer[]> {
      const rows = await storedServers()
        .where('submission_id', 'in', idsOf(draftId).where('id', '<>', id))
        .execute();
      const addresses = new Set(present.map(({ server }) => addressOf(server)));
      const lines = new Set(present.map(({ line }) => line));
      return rows.map(serverOf).filter(({ line, server, outcome }) => {
        if (outcome === undefined || addresses.has(addressOf(server))) return false;
        return isDeclined(outcome) ? !lines.has(line) : !isUnsent(outcome);
      });
    },
    /** Counts the servers of an approved submission that are waiting again. */
    async waitingAgain({ draftId, state }: Submission): Promise<number> {
      if (state !== 'done') return 0;
      const waiting = idsOf(draftId).where('state', '=', 'waiting');
      return countOf(tables().selectFrom('servers').where('submission_id', 'in', waiting));
    },
    /**
     * Replaces a waiting submission with a new one of the same draft, which has some of its servers, or corrected ones. The
     * new one waits until the same time.
     * @returns its id, or the id of the same submission if all servers continue to wait unchanged
     */
    async beginAnother(
      submission: Submission,
      rows: readonly ReadyRow[],
      correction?: NewWaitingSubmission['correction'],
    ): Promise<string> {
      const { draftId, guildId, userId, userName, expiresAt = now() } = submission;
      if (rows.length === submission.servers.length && correction === undefined) return submission.id;
      const user = { id: userId, name: userName };
      await endWaiting(submission.id, guildId, { state: 'withdrawn' });
      return beginWaiting({ draftId, guildId, user, rows, interactionId: null, expiresAt, correction });
    },
    endWaiting,
    finish,
    /**
     * Marks a waiting submission as running. From now on, limits count it.
     * @throws Error if it isn't waiting
     */
    async approve(
      id: string,
      guildId: string,
      decision: Required<Pick<StateChange, 'decided_by' | 'decided_by_name' | 'decision_id'>>,
    ): Promise<void> {
      const at = now();
      const to = { ...decision, state: 'running', process_id: processId, started_at: at } as const;
      if (!(await move(id, guildId, 'waiting', to))) throw new Error(`the submission ${id} is not waiting`);
      await servers(id).set({ reserved_at: at }).execute();
    },
    /**
     * Marks these servers as sending, immediately before their request is sent.
     * @returns false if they have been deleted, for example with the guild's data, or if the submission has ended
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
     * Stores the outcome of a request. A server that already has an outcome keeps it.
     * @param indices the servers of the request; those without an outcome are sent again in smaller requests
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
     * Returns the submission that an interaction submitted, or the submissions that it decided. If the member's submission
     * was waiting and has changed since then, returns the draft's latest submission.
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
    /** Ends the guild's waiting submissions that moderators didn't decide in time. */
    async expire(guildId: string): Promise<void> {
      const over = await tables()
        .selectFrom('submissions')
        .select(['id', 'draft_id'])
        .where('guild_id', '=', guildId)
        .where('state', '=', 'waiting')
        .where('expires_at', '<=', now())
        .execute();
      for (const { id, draft_id: draftId } of over) {
        await endWaiting(id, guildId, { state: 'expired' });
        await drafts.delete(draftId);
      }
    },
    /**
     * Ends a guild's submissions that began before a certain time and are still running, because their outcomes could not
     * be recorded.
     */
    endUnfinished: (guildId: string, startedBefore: number): Promise<void> =>
      endRunning(running().where('guild_id', '=', guildId).where('started_at', '<=', startedBefore), 'bot'),
    /**
     * Ends the submissions that an interaction runs, once no process works on it. An approved submission belongs to the
     * moderator's interaction, because the report of the member's own interaction may arrive while the submission is being
     * sent.
     */
    endRunningOf: (interactionId: string): Promise<void> =>
      endRunning(
        running().where(({ fn }) => fn.coalesce('decision_id', 'interaction_id'), '=', interactionId),
        'bot',
      ),
    /** Returns the finished submissions of an interaction that another process ran. They may not have been reported. */
    async ofOthers(guildId: string, interactionId: string): Promise<readonly Submission[]> {
      const rows = await stored()
        .where('submissions.guild_id', '=', guildId)
        .where(({ fn }) => fn.coalesce('decision_id', 'interaction_id'), '=', interactionId)
        .where('state', '=', 'done')
        .where('submissions.process_id', '<>', processId)
        .execute();
      return Promise.all(rows.map(read));
    },
    /** Returns the guilds that have a submission whose process died. */
    async abandonedGuilds(): Promise<readonly string[]> {
      return (await abandoned().select('guild_id').execute()).map(({ guild_id }) => guild_id);
    },
    /** Ends a guild's submissions whose process died. */
    endAbandoned: (guildId: string): Promise<void> =>
      endRunning(abandoned().where('guild_id', '=', guildId), 'stopping'),
  };
}

/** Whether a moderator decides, or decided, on a submission. */
const needsModerator = ({ expires_at }: Pick<SubmissionsTable, 'expires_at'>): boolean => expires_at !== null;

/** Whether a submission has a message for moderators that isn't about a decline. */
const hasMessage = (row: SubmissionsTable): boolean =>
  needsModerator(row) && !(row.state === 'declined' && row.shown_revision === row.revision);

/** Whether a submission is being sent without needing a moderator. */
export const isBeingSent = (submission: Submission | undefined): boolean =>
  submission?.state === 'running' && !submission.needsModerator;

/** Returns the servers of a submission that have an outcome. */
export const serverResults = ({ servers }: Pick<Submission, 'servers'>): readonly ServerResult[] =>
  servers.flatMap(({ line, server, outcome }) => (outcome ? [{ line, server, outcome }] : []));

/** Converts a server of a submission back to its row. */
export const rowForServer = ({ line, server }: SubmittedServer): ReadyRow => ({
  kind: 'ready',
  line,
  submission: server,
});

function serverOf(
  row: Pick<
    ServersTable,
    'line' | 'host' | 'port' | 'query_port' | 'game' | 'outcome' | 'message' | 'reason'
  >,
): SubmittedServer {
  return { line: row.line, server: storedServer(row), outcome: storedOutcome(row) };
}

const isDeclined = (outcome: ServerOutcome): boolean =>
  outcome.kind === 'not-sent' && outcome.reason === 'declined';

function newServer(submission: ServerSubmission) {
  const { server: host, port, queryPort = null, game } = submission;
  return { host, port, query_port: queryPort, game, address: addressOf(submission) };
}
