import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import type { Block, Blocks, BlockTarget, NewBlocks } from '../guilds/blocks.ts';
import type { GuildSettings } from '../guilds/settings.ts';
import { DAY_MS } from '../pacing/durations.ts';
import { addressOf, placeOf, type ReadyRow } from '../server-lists/row.ts';
import { countOf } from '../storage/count.ts';
import type { Store } from '../storage/store.ts';
import type { AlreadySubmitted, EarlierSubmission } from '../submissions/already-submitted.ts';
import type { DeclineReason } from '../submissions/decline-reason.ts';
import { isUnsent, otherRows, rowsToSend, withCorrected, withRows } from '../submissions/draft.ts';
import type { Drafts, NoDraft, Submitter } from '../submissions/drafts.ts';
import type { Limits, ReachedLimit } from '../submissions/limits.ts';
import {
  type MessagePlace,
  rowForServer,
  type Submission,
  type SubmittedServer,
  unconfirmedIn,
} from '../submissions/submission.ts';
import type { Submissions } from '../submissions/submissions.ts';
import type {
  DecidedBy,
  DraftRef,
  SeenApproval,
  WaitingSubmissions,
} from '../submissions/waiting-submissions.ts';
import type { NamedTarget } from '../words/servers.ts';
import { MARK_AS_OUTDATED, waitingIn } from './waiting-store.ts';

export interface WaitingSubmission extends DraftRef {
  readonly submissionId: string;
  readonly userId: string;
  readonly userName: string;
  readonly message?: MessagePlace;
}

type Decision = SeenApproval & DecidedBy;

export interface DeclineDecision extends Decision {
  readonly reason: DeclineReason;
  /** The indices of the servers to decline; others keep waiting. If omitted, the whole submission is declined. */
  readonly only?: ReadonlySet<number> | undefined;
  /** The submitter or hosts to block in the same transaction. {@link Blocks.ofDecision} finds these blocks. */
  readonly block?: readonly BlockTarget[];
}

export interface Correction extends Decision {
  readonly row: ReadyRow;
}

interface Undone {
  readonly waiting: readonly Submission[];
  readonly declined: readonly Submission[];
  readonly unblocked: readonly Block[];
}

type NotCorrected =
  /** The submission was decided or changed after the moderator saw it, or its draft is gone or has several servers. */
  | { readonly code: 'decided' }
  /** The corrected server is already waiting in another submission of the member, or its host is blocked. */
  | { readonly code: 'waiting-already' }
  | { readonly code: 'host-blocked'; readonly canUnblock: true };

export interface DueMessage extends DraftRef, Pick<Submission, 'revision'> {
  readonly submissionId: string;
}

export interface EarlierDecisions {
  /** All approved submissions, with only their sent servers, then the latest declined submissions. Both oldest first. */
  readonly decided: readonly Submission[];
  readonly olderDeclineCount: number;
  /** Set if a limit holds back the waiting servers after the others were approved. */
  readonly held: { readonly count: number; readonly limited: ReachedLimit } | undefined;
}

export interface Background extends EarlierDecisions {
  /** The waiting servers that were already submitted in this guild, including intentional repeats. */
  readonly before: readonly EarlierSubmission[];
  /** Whether all servers were already submitted, so that the submission can't be approved. */
  readonly isRepeat: boolean;
  /** The submitter and the hosts of a waiting submission that are blocked. */
  readonly blocked: readonly NamedTarget[];
  /** The hosts of a waiting submission for which the member has submitted more than {@link MANY_PORTS} ports within a day. */
  readonly manyPorts: readonly { readonly host: string; readonly count: number }[];
}

/** Moderators are warned above this number of ports at one host, because few machines run more game servers. */
const MANY_PORTS = 10;
const MAX_HOSTS_SHOWN = 3;

const MAX_PARTIAL_DECLINES_SHOWN = 5;

/** Moderators find submissions that are no longer waiting only among the latest. */
const MAX_LATEST = 100;

export type Approvals = ReturnType<typeof createApprovals>;

interface ApprovalsDeps {
  readonly store: Pick<Store, 'tables' | 'inGuild' | 'unsynced'>;
  readonly drafts: Drafts;
  readonly submissions: Submissions;
  readonly waitingSubmissions: WaitingSubmissions;
  readonly alreadySubmitted: AlreadySubmitted;
  readonly blocks: Blocks;
  readonly limits: Pick<Limits, 'allowance'>;
  readonly settings: Pick<GuildSettings, 'getOrUnreadable'>;
  readonly now?: () => number;
}

/**
 * Creates moderators' and members' actions for submissions that need approval. Each change is a guild transaction that also
 * marks the message for approval-messages.ts to update. Every method throws a StoreError when the store fails.
 */
export function createApprovals({
  store,
  drafts,
  submissions,
  waitingSubmissions,
  alreadySubmitted,
  blocks,
  limits,
  settings,
  now = () => Date.now(),
}: ApprovalsDeps) {
  const { tables } = store;
  const { seen, draft, waitingAddresses } = waitingSubmissions;

  async function markWaitingAsOutdated(guildId: string): Promise<void> {
    await tables()
      .updateTable('submissions')
      .set(MARK_AS_OUTDATED)
      .where('guild_id', '=', guildId)
      .where('state', '=', 'waiting')
      .execute();
  }

  /** Must be called inside the guild's transaction. */
  async function block(guildId: string, added: NewBlocks): Promise<readonly Block[]> {
    const done = await blocks.add(guildId, added);
    if (done.length > 0) await markWaitingAsOutdated(guildId);
    return done;
  }

  function manyPortsOf({ id, guildId, userId }: Pick<Submission, 'id' | 'guildId' | 'userId'>) {
    const count = sql<number>`count(distinct port)`;
    return tables()
      .selectFrom('submissions')
      .innerJoin('servers', 'servers.submission_id', 'submissions.id')
      .where('submissions.guild_id', '=', guildId)
      .where('submissions.user_id', '=', userId)
      .where((eb) => eb.or([eb('created_at', '>', now() - DAY_MS), eb('submissions.id', '=', id)]))
      .where('state', '<>', 'withdrawn')
      .where(sql<boolean>`host in (select host from servers as shown where submission_id = ${id})`)
      .groupBy('host')
      .having(count, '>', MANY_PORTS)
      .orderBy(count, 'desc')
      .limit(MAX_HOSTS_SHOWN)
      .select(['host', count.as('count')])
      .execute();
  }

  /**
   * Returns how moderators decided on the other lines of the submission's list.
   * @param inSameMessage leaves out submissions that have their own message, and later submissions, which are in another
   * message
   */
  async function decisionsBefore(submission: Submission, inSameMessage = false): Promise<EarlierDecisions> {
    const { id, draftId, guildId, servers } = submission;
    const parts = await tables()
      .selectFrom('submissions')
      .select(['id', 'state'])
      .where('draft_id', '=', draftId)
      .where('id', '<>', id)
      .where('expires_at', 'is not', null)
      .where(({ or, and, eb, exists, selectFrom }) => {
        const sent = selectFrom('servers')
          .select('position')
          .whereRef('submission_id', '=', 'submissions.id')
          .where('outcome', '<>', 'not-sent');
        return or([eb('state', '=', 'declined'), and([eb('state', '=', 'done'), exists(sent)])]);
      })
      .$if(inSameMessage, (some) =>
        some
          .where('message_id', 'is', null)
          .where('created_at', '<', ({ selectFrom }) =>
            selectFrom('submissions as shown').select('shown.created_at').where('shown.id', '=', id),
          ),
      )
      .orderBy('created_at')
      .execute();
    // No other message shows moderators which servers these decisions sent, so all are kept.
    const approved = parts.filter(({ state }) => state === 'done');
    const declined = parts.filter(({ state }) => state === 'declined');
    const shown = [...approved, ...declined.slice(-MAX_PARTIAL_DECLINES_SHOWN)];
    const found = await Promise.all(shown.map((part) => submissions.find(guildId, part.id)));
    const addresses = new Set(servers.map(({ server }) => addressOf(server)));
    const isSent = ({ server, outcome }: SubmittedServer) =>
      outcome !== undefined && !isUnsent(outcome) && !addresses.has(addressOf(server));
    const decided = found
      .filter((part) => part !== undefined)
      .map((part) => (part.state === 'done' ? { ...part, servers: part.servers.filter(isSent) } : part))
      .filter((part) => part.servers.length > 0);
    return {
      decided,
      olderDeclineCount: parts.length - shown.length,
      held: decided.some(({ state }) => state === 'done') ? await heldBack(submission) : undefined,
    };
  }

  async function heldBack({
    guildId,
    userId,
    state,
    servers,
  }: Submission): Promise<EarlierDecisions['held']> {
    if (state !== 'waiting' || userId === '') return undefined;
    const found = await settings.getOrUnreadable(guildId);
    if (found === 'unreadable') return undefined;
    const { dailyQuota } = found;
    const { length } = servers;
    const { count, limited } = await limits.allowance({ guildId, userId, dailyQuota, count: length });
    return limited && { count: length - count, limited };
  }

  return {
    seen,
    draft,
    decisionsBefore,
    find: ({ guildId, id }: DraftRef): Promise<Submission | undefined> =>
      submissions.latest(guildId, id, { isForModerators: true }),
    /** Returns an older submission if the draft was declined and submitted again since. */
    withMessage: ({ guildId, id }: DraftRef, { messageId }: MessagePlace): Promise<Submission | undefined> =>
      submissions.latest(guildId, id, { messageId }),
    async waiting(guildId: string, userId?: string): Promise<readonly WaitingSubmission[]> {
      const rows = await waitingIn(tables(), guildId, userId)
        .orderBy('created_at')
        .orderBy('id')
        .select(['id', 'draft_id', 'user_id', 'user_name', 'channel_id', 'message_id'])
        .execute();
      return rows.map(({ id: submissionId, draft_id: id, user_id, user_name, channel_id, message_id }) => ({
        guildId,
        id,
        submissionId,
        userId: user_id ?? '',
        userName: user_name ?? '',
        ...(channel_id !== null &&
          message_id !== null && { message: { channelId: channel_id, messageId: message_id } }),
      }));
    },
    async latestIds(guildId: string, userId?: string): Promise<readonly string[]> {
      const rows = await tables()
        .selectFrom('submissions')
        .select('id')
        .where('guild_id', '=', guildId)
        .$if(userId !== undefined, (some) => some.where('user_id', '=', userId ?? ''))
        .orderBy('created_at', 'desc')
        .limit(MAX_LATEST)
        .execute();
      return rows.map(({ id }) => id);
    },
    /** Returns members' names, as in one of their submissions. Members without submissions or with deleted names are missing. */
    async namesOf(guildId: string, userIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
      if (userIds.length === 0) return new Map();
      const rows = await tables()
        .selectFrom('submissions')
        .where('guild_id', '=', guildId)
        .where('user_id', 'in', userIds)
        .groupBy('user_id')
        .select(({ fn }) => ['user_id', fn.max('user_name').as('name')])
        .execute();
      return new Map(rows.map(({ user_id, name }) => [user_id ?? '', name ?? '']));
    },
    countWaiting: (guildId: string, userId?: string): Promise<number> =>
      countOf(waitingIn(tables(), guildId, userId)),
    async waitingAgain({ draftId, state }: Submission): Promise<number> {
      if (state !== 'done') return 0;
      const waiting = tables()
        .selectFrom('submissions')
        .select('id')
        .where('draft_id', '=', draftId)
        .where('state', '=', 'waiting');
      return countOf(tables().selectFrom('servers').where('submission_id', 'in', waiting));
    },
    async background(submission: Submission): Promise<Background> {
      const { id, draftId, guildId, userId, userName, state, servers } = submission;
      const decisions = await decisionsBefore(submission, true);
      if (state !== 'waiting')
        return { before: [], ...decisions, isRepeat: false, blocked: [], manyPorts: [] };
      const before = await alreadySubmitted.find({ guildId, userId: '' }, servers.map(rowForServer));
      const isAllEarlier = before.size === servers.length;
      const chosen = isAllEarlier ? await drafts.read(draftId) : undefined;
      const isRepeat =
        isAllEarlier && rowsToSend({ ...chosen, rows: [...before.keys()] }, before).length === 0;
      const check = await blocks.check(guildId);
      const hosts = new Set(servers.map(({ server }) => server.server).filter(check.hasHost));
      const blocked = [
        ...(check.hasMember(userId) ? [{ kind: 'member', id: userId, name: userName } as const] : []),
        ...[...hosts].map((host) => ({ kind: 'host', host }) as const),
      ];
      const manyPorts = await manyPortsOf({ id, guildId, userId });
      return { before: [...before.values()], ...decisions, isRepeat, blocked, manyPorts };
    },
    /**
     * Declines a submission, or only some of its lines. The draft is kept, so that the member can submit it again.
     * @returns false if the submission was decided or changed after the moderator saw it
     */
    decline: ({
      by,
      interactionId,
      reason,
      only,
      block: targets = [],
      ...key
    }: DeclineDecision): Promise<boolean> =>
      store.inGuild(key.guildId, async () => {
        const submission = await seen(key);
        const draft = await drafts.read(key.id);
        // If the draft no longer exists, its lines can't keep waiting, so the whole submission is declined.
        const isDeclined = (_server: SubmittedServer, index: number) => !draft || (only?.has(index) ?? true);
        const declined = submission?.servers.filter(isDeclined) ?? [];
        if (submission === undefined || declined.length === 0) return false;
        const why = { decline_reason: reason.words, decline_reason_key: reason.key ?? null };
        const decision = { decided_by: by.id, decided_by_name: by.name, decision_id: interactionId };
        const to = { ...why, ...decision, state: 'declined' } as const;
        await waitingSubmissions.end(
          await waitingSubmissions.beginAnother(submission, declined.map(rowForServer)),
          key.guildId,
          to,
        );
        const others = submission.servers.filter((each, index) => !isDeclined(each, index));
        const isPart = others.length > 0;
        if (draft) await drafts.keep(isPart ? withRows(draft, otherRows(draft, declined)) : draft);
        if (isPart) await waitingSubmissions.beginAnother(submission, others.map(rowForServer));
        if (targets.length > 0) {
          await block(key.guildId, { targets, by, reason: reason.words, decisionId: interactionId });
        }
        return true;
      }),
    /**
     * Takes back everything that was declined or blocked by the same press as this submission.
     * @returns an empty `waiting` if it isn't possible (see {@link WaitingSubmissions.takeBack})
     */
    undo: ({
      guildId,
      submissionId = '',
      interactionId,
    }: SeenApproval & Pick<DecidedBy, 'interactionId'>): Promise<Undone> =>
      store.inGuild(guildId, async () => {
        const decisionId = (await submissions.find(guildId, submissionId))?.decisionId ?? '';
        const together = await submissions.by(guildId, decisionId);
        const waiting: Submission[] = [];
        for (const each of together) {
          if (await waitingSubmissions.takeBack(each, interactionId)) waiting.push(each);
        }
        const unblocked = waiting.length === 0 ? [] : await blocks.removeOfDecision(guildId, decisionId);
        if (unblocked.length > 0) await markWaitingAsOutdated(guildId);
        return { waiting, declined: together.filter((each) => !waiting.includes(each)), unblocked };
      }),
    /** Returns the blocks that are new. */
    block: (guildId: string, added: NewBlocks): Promise<readonly Block[]> =>
      store.inGuild(guildId, () => block(guildId, added)),
    unblock: (guildId: string, id: string): Promise<Block | undefined> =>
      store.inGuild(guildId, async () => {
        const removed = await blocks.remove(guildId, id);
        if (removed) await markWaitingAsOutdated(guildId);
        return removed;
      }),
    /**
     * Replaces the only server of a waiting submission. The corrected server then waits as a new submission. An identical
     * correction is ignored.
     * @returns why the correction isn't possible
     */
    correct: ({ by, interactionId, row, ...key }: Correction): Promise<NotCorrected | undefined> =>
      store.inGuild(key.guildId, async () => {
        const submission = await seen(key);
        const draft = submission && (await drafts.read(key.id));
        const [old, ...others] = submission?.servers ?? [];
        if (!submission || !draft || !old || others.length > 0) return { code: 'decided' };
        if (isDeepStrictEqual(old.server, row.submission)) return undefined;
        const member = { guildId: key.guildId, user: { id: submission.userId, name: submission.userName } };
        const address = addressOf(row.submission);
        const isElsewhere = address !== addressOf(old.server);
        if (isElsewhere && (await waitingAddresses(member)).has(address)) return { code: 'waiting-already' };
        if (isElsewhere && (await blocks.check(key.guildId)).hasHost(row.submission.server)) {
          return { code: 'host-blocked', canUnblock: true };
        }
        const corrected = { ...row, ...placeOf(old) };
        await drafts.keep({
          ...withCorrected(draft, old, corrected),
          // If the address changes, the member's consent to resubmit the server no longer applies.
          includesAlreadySubmitted: draft.includesAlreadySubmitted === true && !isElsewhere,
          includesUnconfirmed: draft.includesUnconfirmed === true && !isElsewhere,
        });
        const from = submission.correctedFrom ?? old.server;
        await waitingSubmissions.beginAnother(submission, [corrected], { by, interactionId, from });
        return undefined;
      }),
    /**
     * Makes the unconfirmed servers of an approved submission wait again, with the same message. Leaves out servers that the
     * member has waiting elsewhere.
     * @returns the new submission's id; `undefined` if the draft has a later submission, or if no server is left
     */
    waitUnconfirmed: ({ submissionId, ...key }: SeenApproval): Promise<string | undefined> =>
      store.inGuild(key.guildId, async () => {
        const submission = await submissions.latest(key.guildId, key.id);
        if (submission?.id !== submissionId || !submission?.needsModerator) return undefined;
        const { userId, userName, guildId, draftId } = submission;
        const by = { guildId, user: { id: userId, name: userName } };
        const elsewhere = await waitingAddresses(by);
        const servers = unconfirmedIn(submission).filter(({ server }) => !elsewhere.has(addressOf(server)));
        const rows = servers.map(rowForServer);
        if (rows.length === 0 || userId === '') return undefined;
        const draft = (await drafts.read(draftId)) ?? { id: draftId, source: 'text', rows: [] };
        const more = { ...withRows(draft, [...draft.rows, ...rows]), includesAlreadySubmitted: true };
        if ((await drafts.write(by, more)) !== undefined) return undefined;
        return waitingSubmissions.begin({ ...by, draftId, rows, interactionId: null });
      }),
    /**
     * Withdraws the member's own waiting submission, and keeps its draft for another day.
     * @param seenId see `WaitingSubmissions.withdraw`
     * @returns the reason if the submission can't be withdrawn
     */
    withdraw: (
      by: Submitter,
      id: string,
      interactionId: string,
      seenId?: string,
    ): Promise<NoDraft | undefined> =>
      store.inGuild(by.guildId, async () => {
        const draft = await drafts.read(id);
        const unavailable = await waitingSubmissions.withdraw(by, id, interactionId, seenId);
        if (unavailable === undefined && draft) await drafts.keep(draft);
        return unavailable;
      }),
    /**
     * Deletes a submission that the member withdrew, and its draft. Returns false if there isn't one, or if the draft has been
     * submitted again.
     */
    removeWithdrawn: ({ guildId, user }: Submitter, submissionId: string): Promise<boolean> =>
      store.inGuild(guildId, async () => {
        const submission = await submissions.find(guildId, submissionId);
        if (submission?.state !== 'withdrawn' || submission.userId !== user.id) return false;
        if ((await submissions.latestId(submission.draftId)) !== submissionId) return false;
        await tables().deleteFrom('servers').where('submission_id', '=', submissionId).execute();
        await drafts.delete(submission.draftId);
        return true;
      }),
    due: (): Promise<readonly DueMessage[]> =>
      tables()
        .selectFrom('submissions')
        .select(['draft_id as id', 'guild_id as guildId', 'id as submissionId', 'revision'])
        .whereRef('revision', '>', 'shown_revision')
        .execute(),
    /** Returns the outdated submission, even if the draft has a later submission with another message. */
    findDue: ({ guildId, submissionId }: DueMessage): Promise<Submission | undefined> =>
      submissions.find(guildId, submissionId),
    markWaitingAsOutdated,
    /**
     * Records that the message is being edited. Until it ends, the message counts as out of date, in case this process
     * dies.
     * @returns the submission with the new state, or `undefined` if it has changed in the meantime
     */
    async beginEdit(submission: Submission): Promise<Submission | undefined> {
      const { id, revision, shownRevision } = submission;
      const begun = Math.min(shownRevision, 0) - 1;
      const { numUpdatedRows } = await store.unsynced('edit claim', () =>
        tables()
          .updateTable('submissions')
          .set({ shown_revision: begun })
          .where('id', '=', id)
          .where('revision', '=', revision)
          .where('shown_revision', '=', shownRevision)
          .executeTakeFirst(),
      );
      return numUpdatedRows === 1n ? { ...submission, shownRevision: begun } : undefined;
    },
    /**
     * Records that the message shows this revision of the submission, or that the submission can't have a message. If
     * another edit was in progress, the message stays out of date, because Discord might apply the other edit last.
     * @param begun the submission as returned by `beginEdit`
     * @returns false if the submission or its message has changed in the meantime, so the message must be updated again
     */
    async endEdit(
      { id, revision, shownRevision }: Submission,
      { message, isOnly }: { readonly message: MessagePlace | undefined; readonly isOnly: boolean },
    ): Promise<boolean> {
      const { numUpdatedRows } = await tables()
        .updateTable('submissions')
        .set({
          shown_revision: isOnly ? revision : revision - 1,
          ...(message && { channel_id: message.channelId, message_id: message.messageId }),
        })
        .where('id', '=', id)
        .where('revision', '=', revision)
        .where('shown_revision', '=', shownRevision)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
  };
}
