import { sql } from 'kysely';
import type { ServerSubmission } from '../listing/contract.ts';
import { addressOf, type ReadyRow } from '../server-lists/row.ts';
import { isAbandoned } from '../storage/leases.ts';
import type { Store } from '../storage/store.ts';
import type { SubmissionsTable } from '../storage/tables.ts';
import { COUNT_UP_TO, type Draft, type Run, runFromStore, storedCount, withRows } from './draft.ts';
import type { NoDraft, Submitter } from './drafts.ts';
import type { RecordedServer, SubmissionRecord } from './submission-record.ts';

/** How much of a member and of a guild may wait at a time. */
const MOST_WAITING = {
  member: { submissions: 10, servers: 1_000 },
  guild: { submissions: 100, servers: 5_000 },
} as const;

/**
 * How long after the end of a submission its message is shown a second time, in milliseconds. Another process may have read an
 * older state, stood still, put it over the newer one, and died: replicas stand still for 40 seconds at most before they end.
 */
const SHOWN_AGAIN_MS = 60_000;

/** Why nothing more may wait. */
export type NotWaiting =
  | { readonly code: 'waiting-already'; readonly server: ServerSubmission }
  /** So many submissions wait. */
  | { readonly code: 'member-waiting' | 'guild-waiting'; readonly count: number };

/** Where a message is. */
export interface MessagePlace {
  readonly channelId: string;
  readonly messageId: string;
}

/** A submission that waits for a moderator, or did: all that its message shows. */
export interface Approval {
  readonly id: string;
  readonly guildId: string;
  /** `withdrawn`: also when the member had it deleted. */
  readonly state: 'waiting' | 'sending' | 'approved' | 'refused' | 'expired' | 'withdrawn';
  /** The member; empty once they had their name deleted. */
  readonly userId: string;
  /** The moderator; empty as long as there is none, and once they had their name deleted. */
  readonly decidedBy: string;
  /** What the moderator gave as the reason for the refusal. */
  readonly refusal: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  /** The rows that wait. */
  readonly rows: readonly ReadyRow[];
  /** What it was made from, as long as it waits. */
  readonly source: Draft['source'] | undefined;
  /** The servers with their outcomes, once a moderator has decided. */
  readonly ended: readonly RecordedServer[];
  readonly message: MessagePlace | undefined;
  /** Whether the message may show another state than this. */
  readonly isMessageDue: boolean;
  /** Which of its contents this is: the interaction by which its member submitted it; empty for what waits again. */
  readonly revision: string;
  /** Another one after each change that the message shows. */
  readonly version: string;
}

/** Which submission of a guild. */
export interface ApprovalKey {
  readonly guildId: string;
  readonly id: string;
}

/** A submission as a moderator has seen it: what its member has changed since is not decided. */
export interface SeenApproval extends ApprovalKey {
  /** Absent in a forged button. */
  readonly revision?: string | undefined;
}

export interface Refused extends SeenApproval {
  /** The moderator's id, and the interaction. */
  readonly by: string;
  readonly interactionId: string;
  /** May be empty. */
  readonly reason: string;
}

export type Approvals = ReturnType<typeof createApprovals>;

export interface ApprovalsDeps {
  readonly store: Pick<Store, 'tables' | 'inGuild'>;
  readonly records: Pick<SubmissionRecord, 'endWaiting' | 'serversOf'>;
  /** The id of this process. */
  readonly owner: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Submissions that wait for a moderator. Each change of one is a transaction of its guild, and makes its message due:
 * approval-messages.ts shows it. Every method throws a StoreError when the store fails.
 */
export function createApprovals({ store, records, owner, now }: ApprovalsDeps) {
  const { tables } = store;

  const isDue = ({ message_due_at: dueAt }: SubmissionsTable) => dueAt !== null && dueAt <= now();

  /** When a message that was just shown is to be shown again; `null`: never. */
  function shownAgainAt(row: SubmissionsTable): number | null {
    const changedAt = Math.max(row.created_at, row.decided_at ?? 0, row.ended_at ?? 0);
    const isFirst = (row.message_due_at ?? changedAt) < changedAt + SHOWN_AGAIN_MS;
    const isOver = row.state === 'done' || row.state === 'draft';
    return isOver && isFirst ? now() + SHOWN_AGAIN_MS : null;
  }

  const waitingIn = (guildId: string) =>
    tables().selectFrom('submissions').where('guild_id', '=', guildId).where('state', '=', 'waiting');

  /** The drafts of a member's submissions that wait. */
  const ownWaiting = ({ guildId, user }: Submitter) =>
    waitingIn(guildId).where('user_id', '=', user.id).select('draft').execute();

  const rowOf = ({ guildId, id }: ApprovalKey) =>
    tables()
      .selectFrom('submissions')
      .selectAll()
      .where('id', '=', id)
      .where('guild_id', '=', guildId)
      .where('expires_at', 'is not', null)
      .executeTakeFirst();

  /** What waits, if it still does as it was seen. */
  async function seenRow({ revision, ...key }: SeenApproval): Promise<SubmissionsTable | undefined> {
    const row = await rowOf(key);
    return row?.state === 'waiting' && revisionOf(row) === revision ? row : undefined;
  }

  async function approvalOf(row: SubmissionsTable): Promise<Approval> {
    const ended = row.decided_at === null && row.state !== 'done' ? [] : await records.serversOf(row.id);
    const run = row.state === 'waiting' ? runFromStore(row.draft ?? '') : undefined;
    return {
      id: row.id,
      guildId: row.guild_id,
      state: stateOf(row, ended),
      userId: row.user_id ?? '',
      decidedBy: row.decided_by ?? '',
      refusal: row.refusal ?? '',
      expiresAt: row.expires_at ?? 0,
      rows: run?.rows ?? [],
      source: run?.draft.source,
      ended,
      message:
        row.channel_id !== null && row.message_id !== null
          ? { channelId: row.channel_id, messageId: row.message_id }
          : undefined,
      isMessageDue: isDue(row),
      revision: revisionOf(row),
      version: versionOf(row),
    };
  }

  /** Changes a submission that waits. @returns whether it still waited */
  async function change(key: ApprovalKey, to: Partial<SubmissionsTable>): Promise<boolean> {
    const { numUpdatedRows } = await tables()
      .updateTable('submissions')
      .set({ ...to, owner, message_due_at: now() })
      .where('id', '=', key.id)
      .where('guild_id', '=', key.guildId)
      .where('state', '=', 'waiting')
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  /** Ends a submission that waits; the history then has it as not sent. */
  async function endWaiting(
    key: ApprovalKey,
    reason: 'refused' | 'expired',
    decision: Partial<SubmissionsTable>,
  ): Promise<boolean> {
    const row = await rowOf(key);
    if (row?.state !== 'waiting' || row.user_id === null || row.user_name === null) return false;
    const run = runFromStore(row.draft ?? '') ?? NOTHING;
    await change(key, decision);
    await records.endWaiting({ ...run, ...key, user: { id: row.user_id, name: row.user_name } }, reason);
    return true;
  }

  /** What waits, if it is the member's own; or why there is no such thing. */
  async function ownRun({ guildId, user }: Submitter, id: string): Promise<Run | NoDraft> {
    const row = await tables().selectFrom('submissions').selectAll().where('id', '=', id).executeTakeFirst();
    if (row === undefined || (row.user_id === null && row.state === 'draft')) return 'gone';
    if (row.guild_id !== guildId || row.user_id !== user.id) return 'of-another-member';
    if (row.state === 'draft') return 'cancelled';
    if (row.state !== 'waiting') return 'decided';
    return runFromStore(row.draft ?? '') ?? 'gone';
  }

  return {
    async find(key: ApprovalKey): Promise<Approval | undefined> {
      const row = await rowOf(key);
      return row && approvalOf(row);
    },
    /** What an interaction has made wait, or has decided. */
    async by(guildId: string, interactionId: string): Promise<Approval | undefined> {
      const rows = await tables()
        .selectFrom('submissions')
        .selectAll()
        .where(({ or, eb }) =>
          or([eb('interaction_id', '=', interactionId), eb('decision_id', '=', interactionId)]),
        )
        .execute();
      const row = rows.find(({ guild_id, expires_at }) => guild_id === guildId && expires_at !== null);
      const approval = row && (await approvalOf(row));
      // A submission that its member took back may have been submitted without a moderator since.
      return approval?.state === 'withdrawn' && row?.state !== 'draft' ? undefined : approval;
    },
    /** The ids of the submissions that wait in a guild, or of one member; oldest first. */
    async waiting(guildId: string, userId?: string): Promise<readonly string[]> {
      const rows = await waitingIn(guildId)
        .$if(userId !== undefined, (some) => some.where('user_id', '=', userId ?? ''))
        .orderBy('created_at')
        .orderBy('id')
        .select('id')
        .execute();
      return rows.map(({ id }) => id);
    },
    /** The addresses that wait already under the member's own name. */
    ownAddresses: async (by: Submitter): Promise<ReadonlySet<string>> => addressesIn(await ownWaiting(by)),
    /** Why these servers may not wait as well. Called inside the guild's transaction. */
    async whyNotWaiting(
      by: Submitter,
      servers: readonly ServerSubmission[],
    ): Promise<NotWaiting | undefined> {
      const waiting = await waitingIn(by.guildId)
        .select(['user_id', sql<string>`substr(draft, 1, ${COUNT_UP_TO})`.as('start')])
        .execute();
      const ofMember = waiting.filter(({ user_id }) => user_id === by.user.id);
      if (!hasRoom(ofMember, servers.length, MOST_WAITING.member))
        return { code: 'member-waiting', count: ofMember.length };
      if (!hasRoom(waiting, servers.length, MOST_WAITING.guild))
        return { code: 'guild-waiting', count: waiting.length };
      const addresses = addressesIn(await ownWaiting(by));
      const server = servers.find((each) => addresses.has(addressOf(each)));
      return server && { code: 'waiting-already', server };
    },
    /** The draft that a moderator is about to approve, and its member. */
    async toApprove(seen: SeenApproval): Promise<{ by: Submitter; draft: Draft } | undefined> {
      const row = await seenRow(seen);
      if (!row || row.user_id === null || row.user_name === null) return undefined;
      const run = runFromStore(row.draft ?? '');
      const user = { id: row.user_id, name: row.user_name };
      return run && { by: { guildId: row.guild_id, user }, draft: withRows(run.draft, run.rows) };
    },
    /** @returns whether it still waited as it was seen, and so is refused now */
    refuse: ({ guildId, id, revision, by, interactionId, reason }: Refused): Promise<boolean> =>
      store.inGuild(guildId, async () => {
        const row = await seenRow({ guildId, id, revision });
        if (row === undefined) return false;
        const decision = { decided_by: by, decided_at: now(), decision_id: interactionId, refusal: reason };
        return endWaiting({ guildId, id }, 'refused', decision);
      }),
    /** The member's own submission that waits, to be changed; or why it does not wait. */
    async draft(by: Submitter, id: string): Promise<Draft | NoDraft> {
      const run = await ownRun(by, id);
      return typeof run === 'string' ? run : run.draft;
    },
    /** Deletes the member's own submission that waits. @returns why it could not be deleted */
    withdraw: (by: Submitter, id: string): Promise<NoDraft | undefined> =>
      store.inGuild(by.guildId, async () => {
        const run = await ownRun(by, id);
        if (typeof run === 'string') return run;
        await change({ guildId: by.guildId, id }, { state: 'draft', draft: null, created_at: now() });
        return undefined;
      }),
    /** Makes the submission a draft again, to be changed and submitted. @returns why it could not become one */
    takeBack: (by: Submitter, id: string): Promise<NoDraft | undefined> =>
      store.inGuild(by.guildId, async () => {
        const run = await ownRun(by, id);
        if (typeof run === 'string') return run;
        const draft = JSON.stringify(run.draft);
        await change({ guildId: by.guildId, id }, { state: 'draft', draft, created_at: now() });
        return undefined;
      }),
    /** Ends the submissions that no moderator has decided in time. */
    async expire(): Promise<void> {
      const over = await tables()
        .selectFrom('submissions')
        .select(['id', 'guild_id'])
        .where('state', '=', 'waiting')
        .where('expires_at', '<=', now())
        .execute();
      for (const { id, guild_id: guildId } of over) {
        await store.inGuild(guildId, async () => {
          const row = await rowOf({ guildId, id });
          // Its member may have edited and submitted it anew meanwhile.
          if ((row?.expires_at ?? 0) <= now()) await endWaiting({ guildId, id }, 'expired', {});
        });
      }
    },
    /** The submissions whose messages this process has to bring up to date, also for dead processes. */
    async due(): Promise<readonly ApprovalKey[]> {
      await tables()
        .updateTable('submissions')
        .set({ owner })
        .where('message_due_at', 'is not', null)
        .where('message_due_at', '<=', now())
        // What a dead process was sending is ended first: under a living one it would seem to be on its way.
        .where('state', '<>', 'running')
        .where(isAbandoned(store, owner))
        .execute();
      const rows = await tables()
        .selectFrom('submissions')
        .select(['id', 'guild_id'])
        .where('message_due_at', 'is not', null)
        .where('message_due_at', '<=', now())
        .where('owner', '=', owner)
        .execute();
      return rows.map(({ id, guild_id: guildId }) => ({ guildId, id }));
    },
    /**
     * Its message shows it as it was read, or there can be none.
     * @returns whether that is how it still is; otherwise it has to be shown again
     */
    async shown(approval: Approval, message: MessagePlace | undefined): Promise<boolean> {
      const { id, guildId, version } = approval;
      return store.inGuild(guildId, async () => {
        // A forged button names the submission of another guild.
        const own = tables().updateTable('submissions').where('id', '=', id).where('guild_id', '=', guildId);
        if (message) {
          await own.set({ channel_id: message.channelId, message_id: message.messageId }).execute();
        }
        const row = await rowOf({ guildId, id });
        if (row === undefined) return true;
        if (versionOf(row) !== version) return false;
        if (isDue(row)) {
          await own.set({ message_due_at: message ? shownAgainAt(row) : null }).execute();
        }
        return true;
      });
    },
  };
}

/** Whether one more submission, of so many servers, may wait beside the others. */
const hasRoom = (
  waiting: readonly { readonly start: string }[],
  count: number,
  most: { readonly submissions: number; readonly servers: number },
): boolean =>
  waiting.length < most.submissions &&
  waiting.reduce((sum, { start }) => sum + storedCount(start), count) <= most.servers;

const addressesIn = (waiting: readonly Pick<SubmissionsTable, 'draft'>[]): ReadonlySet<string> =>
  new Set(
    waiting.flatMap(({ draft }) =>
      (runFromStore(draft ?? '')?.rows ?? []).map((row) => addressOf(row.submission)),
    ),
  );

const NOTHING: Run = {
  draft: { source: 'text', rows: [], includesAlreadySubmitted: false },
  rows: [],
  limitedRows: [],
};

const revisionOf = (row: SubmissionsTable): string => row.interaction_id ?? '';

/** Two changes may have the same time, and a message that is not due may have been due and shown in between. */
const versionOf = (row: SubmissionsTable): string =>
  [row.state, row.created_at, row.decided_at, row.ended_at, row.message_due_at].join(' ');

function stateOf(row: SubmissionsTable, ended: readonly RecordedServer[]): Approval['state'] {
  const reason = ended.find(({ outcome }) => outcome?.kind === 'not-sent')?.outcome;
  if (row.state === 'waiting') return 'waiting';
  if (row.state === 'done' && reason?.kind === 'not-sent' && reason.reason === 'expired') return 'expired';
  if (row.decided_at === null) return 'withdrawn';
  if (row.state === 'running') return 'sending';
  return row.refusal === null ? 'approved' : 'refused';
}
