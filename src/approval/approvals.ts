import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { addressOf, type ReadyRow } from '../server-lists/row.ts';
import type { Store } from '../storage/store.ts';
import type { AlreadySubmitted, EarlierSubmission } from '../submissions/already-submitted.ts';
import type { ModeratorsReason } from '../submissions/decline-reason.ts';
import { otherRows, withCorrected, withRows } from '../submissions/draft.ts';
import type { Drafts, Submitter, Unavailable } from '../submissions/drafts.ts';
import {
  type MessagePlace,
  rowForServer,
  type Submission,
  type Submissions,
  type SubmittedServer,
} from '../submissions/submissions.ts';
import type { ApprovalKey, SeenApproval, WaitingSubmissions } from '../submissions/waiting-submissions.ts';

interface Decision extends SeenApproval {
  /** The moderator, and the interaction. */
  readonly by: Submitter['user'];
  readonly interactionId: string;
}

export interface DeclineDecision extends Decision {
  readonly reason: ModeratorsReason;
  /** The lines that are declined; the others go on waiting. Absent: all. */
  readonly lines?: ReadonlySet<number> | undefined;
}

export interface Correction extends Decision {
  /** What is submitted in place of the only server. */
  readonly row: ReadyRow;
}

/** Makes the message of a submission due. */
const NEXT_REVISION = { revision: sql<number>`revision + 1` };

export type Approvals = ReturnType<typeof createApprovals>;

interface ApprovalsDeps {
  readonly store: Pick<Store, 'tables' | 'inGuild'>;
  readonly drafts: Drafts;
  readonly submissions: Submissions;
  readonly waitingSubmissions: WaitingSubmissions;
  readonly alreadySubmitted: AlreadySubmitted;
}

/**
 * What waits for a moderator, and what moderators and members do about it. Each change is a transaction of the guild, and makes the message due:
 * approval-messages.ts shows it. Every method throws a StoreError when the store fails.
 */
export function createApprovals({
  store,
  drafts,
  submissions,
  waitingSubmissions,
  alreadySubmitted,
}: ApprovalsDeps) {
  const { tables } = store;
  const { seen, takeBack, ownAddresses } = waitingSubmissions;
  return {
    ...waitingSubmissions,
    /** Of what waits: the servers that were submitted here before, whatever its member has pressed. */
    async before({ guildId, state, servers }: Submission): Promise<readonly EarlierSubmission[]> {
      if (state !== 'waiting') return [];
      const found = await alreadySubmitted.find({ guildId, userId: '' }, servers.map(rowForServer));
      return [...found.values()];
    },
    /**
     * Declines it, or some lines of it. The draft stays, so that its member can submit it again.
     * @returns whether it still waited as it was seen
     */
    decline: ({ by, interactionId, reason, lines, ...key }: DeclineDecision): Promise<boolean> =>
      store.inGuild(key.guildId, async () => {
        const submission = await seen(key);
        const draft = await drafts.read(key.id);
        // Without its draft nothing can wait on.
        const isDeclined = ({ line }: SubmittedServer) => !draft || lines === undefined || lines.has(line);
        const declined = submission?.servers.filter(isDeclined) ?? [];
        if (submission === undefined || declined.length === 0) return false;
        const why = { decline_reason: reason.words, decline_reason_key: reason.key ?? null };
        const decision = { decided_by: by.id, decided_by_name: by.name, decision_id: interactionId };
        const to = { ...why, ...decision, state: 'declined' } as const;
        await submissions.endWaiting(
          await submissions.beginAnother(submission, declined.map(rowForServer)),
          key.guildId,
          to,
        );
        const others = submission.servers.filter((each) => !isDeclined(each));
        const isPart = others.length > 0;
        if (draft) await drafts.keep(key.id, isPart ? withRows(draft, otherRows(draft, declined)) : draft);
        if (isPart) await submissions.beginAnother(submission, others.map(rowForServer));
        return true;
      }),
    /**
     * Puts another server in place of the only one that waits, which waits on as another submission.
     * @returns why nothing was changed: it does not wait as it was seen, or its member has this server wait already
     */
    correct: ({
      by,
      interactionId,
      row,
      ...key
    }: Correction): Promise<'decided' | 'waiting-already' | undefined> =>
      store.inGuild(key.guildId, async () => {
        const submission = await seen(key);
        const draft = submission && (await drafts.read(key.id));
        const [old, ...others] = submission?.servers ?? [];
        if (!submission || !draft || !old || others.length > 0) return 'decided';
        if (isDeepStrictEqual(old.server, row.submission)) return undefined;
        const member = { guildId: key.guildId, user: { id: submission.userId, name: submission.userName } };
        const address = addressOf(row.submission);
        const isElsewhere = address !== addressOf(old.server);
        if (isElsewhere && (await ownAddresses(member)).has(address)) return 'waiting-already';
        const corrected = { ...row, line: old.line };
        await drafts.keep(key.id, {
          ...withCorrected(draft, old, corrected),
          // What the member wanted submitted again is the server that they submitted.
          includesAlreadySubmitted: draft.includesAlreadySubmitted && !isElsewhere,
        });
        await submissions.beginAnother(submission, [corrected], { by, interactionId });
        return undefined;
      }),
    /** Deletes the member's own submission that waits. @returns why it could not be deleted */
    withdraw: (by: Submitter, id: string, interactionId: string): Promise<Unavailable | undefined> =>
      store.inGuild(by.guildId, async () => {
        const why = await takeBack(by, id, interactionId);
        if (why === undefined) await drafts.delete(id);
        return why;
      }),
    /** The drafts whose messages do not show what they should. */
    async due(): Promise<readonly ApprovalKey[]> {
      const rows = await tables()
        .selectFrom('submissions')
        .select(['draft_id', 'guild_id'])
        .whereRef('revision', '>', 'shown_revision')
        .execute();
      return rows.map(({ draft_id: id, guild_id: guildId }) => ({ guildId, id }));
    },
    /** What waits in a guild has to be shown elsewhere: its log channel is another one, or takes messages again. */
    async moved(guildId: string): Promise<void> {
      await tables()
        .updateTable('submissions')
        .set(NEXT_REVISION)
        .where('guild_id', '=', guildId)
        .where('state', '=', 'waiting')
        .execute();
    },
    /** Has the message shown again, which may show another state of the submission. */
    async makeDue({ id }: Submission): Promise<void> {
      await tables().updateTable('submissions').set(NEXT_REVISION).where('id', '=', id).execute();
    },
    /**
     * The message shows the submission as it was read, or there can be none.
     * @returns whether that is how it still is; otherwise it has to be shown again
     */
    async markShown(
      { id, revision, shownRevision }: Submission,
      message: MessagePlace | undefined,
    ): Promise<boolean> {
      const { numUpdatedRows } = await tables()
        .updateTable('submissions')
        .set({
          shown_revision: revision,
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
