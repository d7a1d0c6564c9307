import { isDeepStrictEqual } from 'node:util';
import { type Kysely, sql } from 'kysely';
import { DAY_MS } from '../pacing/durations.ts';
import { createRecent } from '../pacing/recent.ts';
import { inOrderOfPlaces, isInvalid, isReady } from '../server-lists/row.ts';
import type { SubmissionsTable, Tables } from '../storage/tables.ts';
import {
  isDone,
  isUnconfirmed,
  isUnsent,
  otherRows,
  whenDone,
  withoutTyped,
  withRows,
} from '../submissions/draft.ts';
import type { NoDraft, Submitter } from '../submissions/drafts.ts';
import type { NotApprovedOutcome } from '../submissions/outcome.ts';
import { outcomeToStore } from '../submissions/server-columns.ts';
import { rowForServer, type Submission } from '../submissions/submission.ts';
import type { WaitingSubmissionsDeps } from '../submissions/submission-store.ts';
import { needsModerator } from '../submissions/submissions.ts';
import type { DraftRef, WaitingSubmissions } from '../submissions/waiting-submissions.ts';

export const WAITS_MS = 7 * DAY_MS;
/** Each submission can have 1,000 servers. */
const MAX_EXPIRED_PER_TRANSACTION = 5;

const MAX_WAITING = {
  member: { submissions: 10, servers: 1_000 },
  guild: { submissions: 100, servers: 5_000 },
} as const;

/** Each time, the bot posts a message for moderators. */
const MAX_SUBMITTED_FOR_APPROVAL = { maxUses: 20, withinMs: 15 * 60_000 };

const NO_PREVIOUS_MESSAGE = {
  channel_id: null,
  message_id: null,
  revision: 0,
  shown_revision: 0,
  corrected_by: null,
  corrected_by_name: null,
  corrected_from: null,
  notice: null,
};

/** Column values that make approval-messages.ts update a submission's message. */
export const MARK_AS_OUTDATED = { revision: sql<number>`revision + 1` };

export const waitingIn = (tables: Kysely<Tables>, guildId: string, userId?: string) =>
  tables
    .selectFrom('submissions')
    .where('submissions.guild_id', '=', guildId)
    .where('submissions.state', '=', 'waiting')
    .$if(userId !== undefined, (some) => some.where('submissions.user_id', '=', userId ?? ''));

/**
 * Stores the submissions that need approval. Each starts as *waiting*, and then either becomes *running* or ends as
 * *withdrawn*, *declined* or *expired*. Every method throws a StoreError when the store fails.
 */
export function createWaitingSubmissions({
  store,
  drafts,
  submissions,
  processId,
  now,
}: WaitingSubmissionsDeps): WaitingSubmissions {
  const { tables } = store;
  const countWait = createRecent({ ...MAX_SUBMITTED_FOR_APPROVAL, now });

  const serversIn = (guildId: string, userId?: string) =>
    waitingIn(tables(), guildId, userId).innerJoin('servers', 'servers.submission_id', 'submissions.id');

  const servers = (id: string) => tables().updateTable('servers').where('submission_id', '=', id);

  const find = ({ guildId, id }: DraftRef) => submissions.latest(guildId, id, { isForModerators: true });

  async function findOwn(
    by: Submitter,
    id: string,
  ): Promise<{ readonly kind: 'found'; readonly submission: Submission } | NoDraft> {
    const submission = await find({ guildId: by.guildId, id });
    // A draft without a submission, or of a member who had their name deleted.
    if (submission === undefined || submission.userId === '') {
      const found = await drafts.find(by, id);
      return found.kind === 'no-draft' ? found : { kind: 'no-draft', why: 'decided' };
    }
    if (submission.userId !== by.user.id) return { kind: 'no-draft', why: 'of-another-member' };
    if (submission.state !== 'waiting') return { kind: 'no-draft', why: 'decided' };
    return { kind: 'found', submission };
  }

  /**
   * Whether a declined submission's servers have been submitted again, with the same addresses or as another version, or are
   * waiting in another submission.
   */
  async function isElsewhere(declined: Submission): Promise<boolean> {
    const { id, guildId, userId, draftId, endedAt = 0 } = declined;
    const again = await submissions
      .laterThan(declined)
      .where(({ or, eb }) => or([eb('draft_id', '<>', draftId), eb('interaction_id', 'is not', null)]))
      .select('id')
      .limit(1)
      .executeTakeFirst();
    if (again) return true;
    const found = await tables()
      .selectFrom('servers')
      .innerJoin('submissions', 'submissions.id', 'servers.submission_id')
      .select('submissions.id')
      .where('servers.guild_id', '=', guildId)
      .where('servers.user_id', '=', userId)
      .where(
        sql<boolean>`servers.address in (select address from servers as declined where submission_id = ${id})`,
      )
      .where('draft_id', '<>', draftId)
      .where(({ or, eb }) => or([eb('created_at', '>=', endedAt), eb('state', '=', 'waiting')]))
      .limit(1)
      .executeTakeFirst();
    return found !== undefined;
  }

  /**
   * Takes the data for notifying the member of a decision, so that no process notifies them.
   * @returns `undefined` if a process has already begun to notify the member
   */
  async function claimNotice(id: string): Promise<string | null | undefined> {
    const row = await tables()
      .selectFrom('submissions')
      .select('notice')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const { numUpdatedRows } = await tables()
      .updateTable('submissions')
      .set({ notice: null })
      .where('id', '=', id)
      .where('notified_at', 'is', null)
      .executeTakeFirst();
    return numUpdatedRows === 1n ? row.notice : undefined;
  }

  const life: WaitingSubmissions = {
    async seen({ submissionId, ...key }) {
      const submission = await find(key);
      if (submission?.state !== 'waiting' || submissionId === undefined) return undefined;
      if (submission.id === submissionId) return submission;
      const before = await submissions.find(key.guildId, submissionId);
      const isReplaced = before?.state === 'withdrawn' && before.draftId === key.id;
      return isReplaced && hasSameRows(before, submission) ? submission : undefined;
    },
    async isAnyWaiting(guildId) {
      return (await waitingIn(tables(), guildId).select('id').limit(1).executeTakeFirst()) !== undefined;
    },
    async waitingAddresses({ guildId, user }, exceptDraftId = '') {
      const rows = await serversIn(guildId, user.id)
        .where('draft_id', '<>', exceptDraftId)
        .select('servers.address')
        .execute();
      return new Set(rows.map(({ address }) => address));
    },
    async draft(by, id) {
      const found = await findOwn(by, id);
      return found.kind === 'no-draft'
        ? found
        : ((await drafts.read(id)) ?? { kind: 'no-draft', why: 'gone' });
    },
    async whyNotWaiting(by, added) {
      const { guildId, user, id } = by;
      const all = await serversIn(guildId)
        .where('draft_id', '<>', id)
        .groupBy(['submissions.id', 'submissions.user_id'])
        .select(['submissions.user_id', ({ fn }) => fn.countAll<number>().as('count')])
        .execute();
      const own = all.filter(({ user_id }) => user_id === user.id);
      for (const [whose, waiting] of [
        ['member', own],
        ['guild', all],
      ] as const) {
        const most = MAX_WAITING[whose];
        const count = waiting.reduce((sum, { count: more }) => sum + more, added.length);
        const isFull = waiting.length >= most.submissions || count > most.servers;
        if (isFull) return { code: `${whose}-waiting`, count: waiting.length };
      }
      const at = countWait(`${guildId} ${user.id}`);
      return at === undefined ? undefined : { code: 'waiting-often', at };
    },
    async begin({ expiresAt = now() + WAITS_MS, correction, undoneBy, ...submission }) {
      const latest = await submissions.latestRow(submission.draftId);
      const previous = latest && hasReusableMessage(latest, submission.interactionId) ? latest : undefined;
      const { channel_id, message_id, revision, shown_revision, notice, ...before } =
        previous ?? NO_PREVIOUS_MESSAGE;
      const corrected =
        correction !== undefined || submission.interactionId !== null
          ? correctionToStore(correction)
          : {
              corrected_by: before.corrected_by,
              corrected_by_name: before.corrected_by_name,
              corrected_from: before.corrected_from ?? null,
            };
      const id = await submissions.insert(submission, {
        state: 'waiting',
        expires_at: expiresAt,
        channel_id,
        message_id,
        revision: revision + 1,
        shown_revision,
        decision_id: correction?.interactionId ?? undoneBy ?? null,
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
    },
    async beginAnother({ id, servers: before, ...submission }, rows, correction) {
      const { draftId, guildId, userId, userName, expiresAt = now() } = submission;
      if (rows.length === before.length && correction === undefined) return id;
      const user = { id: userId, name: userName };
      await life.end(id, guildId, { state: 'withdrawn' });
      return life.begin({ draftId, guildId, user, rows, interactionId: null, expiresAt, correction });
    },
    async approve(submission, rows, { by, interactionId }) {
      const id = await life.beginAnother(submission, rows);
      const at = now();
      const row = await submissions.move(id, submission.guildId, 'waiting', {
        state: 'running',
        decided_by: by.id,
        decided_by_name: by.name,
        decision_id: interactionId,
        process_id: processId,
        started_at: at,
      });
      if (row === undefined) throw new Error(`submission ${id} is not waiting`);
      await servers(id).set({ reserved_at: at }).execute();
      await submissions.dropRetried(row.draft_id, id);
      if (row.user_id !== null)
        await submissions.dropUnsent({ guildId: submission.guildId, user: { id: row.user_id } }, id);
      return id;
    },
    async waitAgain(by, id, draft, ended) {
      const rows = draft.rows.filter(isReady).filter((each) => !isUnconfirmed(each));
      const invalid = withRows(withoutTyped(draft), draft.rows.filter(isInvalid));
      if (rows.length === 0) {
        const isLeft = !isDone(invalid) || whenDone(invalid) !== undefined;
        return isLeft ? drafts.keep(invalid) : drafts.delete(draft.id);
      }
      await drafts.keep(draft);
      await life.begin({ ...by, draftId: draft.id, rows, interactionId: null });
      // If all servers are waiting again, the member isn't notified of a decision yet.
      if (!ended.every(({ outcome }) => outcome && isUnsent(outcome))) return;
      await tables().updateTable('submissions').set({ notice: null }).where('id', '=', id).execute();
    },
    async takeBack(declined, interactionId) {
      const { id, draftId, guildId, userId, userName, expiresAt = now() } = declined;
      const by = { guildId, user: { id: userId, name: userName } };
      const latest = await submissions.latest(guildId, draftId);
      const others = latest?.id === id ? undefined : latest;
      // Only decisions about the other lines may have followed. A submission of several lines can't store a correction.
      const canJoin = others?.state === 'waiting' && others.correctedBy === undefined;
      const isFollowed = others !== undefined && !canJoin && others.state !== 'done';
      if (!declined.isUndoable || userId === '' || isFollowed || (await isElsewhere(declined))) return false;
      const own = declined.servers.map(rowForServer);
      const stillWaiting = others?.state === 'waiting' ? others.servers.map(rowForServer) : [];
      const rows = [...own, ...stillWaiting].toSorted(inOrderOfPlaces);
      const draft = (await drafts.read(draftId)) ?? {
        id: draftId,
        source: declined.source ?? 'text',
        rows: [],
      };
      const notice = draft.isCancelled ? undefined : await claimNotice(id);
      if (notice === undefined) return false;
      const all = [...otherRows(draft, declined.servers), ...own].toSorted(inOrderOfPlaces);
      await drafts.write(by, withRows(withoutTyped(draft), all));
      await submissions.move(id, guildId, 'declined', { state: 'withdrawn', ended_at: now() });
      await servers(id).set({ outcome: null, reason: null, ended_at: null }).execute();
      if (others?.state === 'waiting') await life.end(others.id, guildId, { state: 'withdrawn' });
      await life.begin({
        ...by,
        draftId,
        rows,
        interactionId: null,
        expiresAt,
        notice,
        // The correction of another line isn't one of this line.
        correction: others && null,
        undoneBy: interactionId,
      });
      // The new submission has the message.
      await tables()
        .updateTable('submissions')
        .set({ decision_id: null, shown_revision: sql<number>`revision` })
        .where('id', '=', id)
        .execute();
      return true;
    },
    async end(id, guildId, to) {
      const row = await submissions.move(id, guildId, 'waiting', { ...to, ended_at: now() });
      // Withdrawn submissions aren't part of the history. Until they are deleted, moderators' messages show their servers.
      if (row === undefined || to.state === 'withdrawn') return;
      const reason = to.state === 'expired' ? 'expired' : 'declined';
      const outcome: NotApprovedOutcome = { kind: 'not-sent', reason };
      await servers(id)
        .set({ ...outcomeToStore(outcome), ended_at: now() })
        .execute();
    },
    async markRepeats(guildId, id) {
      const sent = sql`select address from servers as sent where submission_id = ${id}
        and outcome in ('accepted', 'unknown')`;
      const { numUpdatedRows } = await tables()
        .updateTable('submissions')
        .set(MARK_AS_OUTDATED)
        .where('guild_id', '=', guildId)
        .where('state', '=', 'waiting')
        .where('id', 'in', ({ selectFrom }) =>
          selectFrom('servers')
            .select('submission_id')
            .where('servers.guild_id', '=', guildId)
            .where(sql<boolean>`servers.address in (${sent})`),
        )
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async withdraw(by, id, interactionId, seenId) {
      const found = await findOwn(by, id);
      if (found.kind === 'no-draft') return found;
      if (seenId !== undefined && found.submission.id !== seenId)
        return { kind: 'no-draft', why: 'submitted' };
      await life.end(found.submission.id, by.guildId, { state: 'withdrawn', decision_id: interactionId });
      return undefined;
    },
    async expire(guildId) {
      const over = await waitingIn(tables(), guildId)
        .select(['id', 'draft_id'])
        .where(({ or, eb }) =>
          or([eb('expires_at', '<=', now()), eb('expires_at', '>', now() + 2 * WAITS_MS)]),
        )
        .limit(MAX_EXPIRED_PER_TRANSACTION)
        .execute();
      for (const { id, draft_id: draftId } of over) {
        await life.end(id, guildId, { state: 'expired' });
        await drafts.delete(draftId);
      }
      return over.length === MAX_EXPIRED_PER_TRANSACTION;
    },
  };

  return life;
}

const correctionToStore = (correction: Parameters<WaitingSubmissions['begin']>[0]['correction']) => ({
  corrected_by: correction?.by.id ?? null,
  corrected_by_name: correction?.by.name ?? null,
  corrected_from: correction ? JSON.stringify(correction.from) : null,
});

const hasSameRows = (one: Submission, other: Submission): boolean =>
  isDeepStrictEqual(one.servers.map(rowForServer), other.servers.map(rowForServer));

/**
 * Excludes messages that show a submission declined, or withdrawn by the member before this interaction, because Discord
 * doesn't notify moderators of an edit.
 */
function hasReusableMessage(row: SubmissionsTable, interactionId: string | null): boolean {
  const isWithdrawn =
    row.state === 'withdrawn' && interactionId !== null && row.decision_id !== interactionId;
  const isShown = row.shown_revision === row.revision;
  return needsModerator(row) && !((row.state === 'declined' || isWithdrawn) && isShown);
}
