import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import type { ServerSubmission } from '../listing/contract.ts';
import { createRecent } from '../recent.ts';
import { addressOf, type ReadyRow } from '../server-lists/row.ts';
import type { AlreadySubmitted, EarlierSubmission } from '../submissions/already-submitted.ts';
import { type Draft, otherRows, withCorrected, withRows } from '../submissions/draft.ts';
import type { Drafts, Submitter, Unavailable } from '../submissions/drafts.ts';
import type { RecordsBase } from '../submissions/records.ts';
import { type MessagePlace, type Run, type RunServer, type Runs, rowOf } from '../submissions/runs.ts';
import type { ModeratorsReason } from './refusal-reasons.ts';

/** How many submissions of a member and of a guild may wait at a time, and with how many servers. */
const MOST_WAITING = {
  member: { submissions: 10, servers: 1_000 },
  guild: { submissions: 100, servers: 5_000 },
} as const;

/** How often a member may have something wait in 15 minutes: each time its message is written, and moderators may look. */
const MOST_IN_A_WHILE = { most: 20, withinMs: 15 * 60_000 };

/** Why nothing more may wait. */
export type NotWaiting =
  | { readonly code: 'waiting-already'; readonly server: ServerSubmission }
  /** So many submissions wait. */
  | { readonly code: 'member-waiting' | 'guild-waiting'; readonly count: number }
  /** The member had so much wait lately. `at`: when more may wait, in milliseconds since 1970. */
  | { readonly code: 'waiting-often'; readonly at: number };

export interface ApprovalKey {
  readonly guildId: string;
  readonly id: string;
}

/** A document as a moderator has seen it: what its member has changed since is not decided. */
export interface SeenApproval extends ApprovalKey {
  /** The id of the run; absent in a forged button. */
  readonly runId?: string | undefined;
}

interface Decision extends SeenApproval {
  /** The moderator's id, and the interaction. */
  readonly by: string;
  readonly interactionId: string;
}

export interface Refused extends Decision {
  readonly reason: ModeratorsReason;
  /** The lines that are refused; the others go on waiting. Absent: all. */
  readonly lines?: ReadonlySet<number> | undefined;
}

export interface Corrected extends Decision {
  /** What is submitted in place of the only server. */
  readonly row: ReadyRow;
}

/** Makes the message of a run due. */
const ONE_CHANGE = { changes: sql<number>`changes + 1` };

export type Approvals = ReturnType<typeof createApprovals>;

interface ApprovalsDeps extends RecordsBase {
  readonly drafts: Drafts;
  readonly runs: Runs;
  readonly alreadySubmitted: AlreadySubmitted;
}

/**
 * Documents whose runs wait for a moderator. Each change is a transaction of the guild, and makes the message due:
 * approval-messages.ts shows it. Every method throws a StoreError when the store fails.
 */
export function createApprovals({ store, drafts, runs, alreadySubmitted, now }: ApprovalsDeps) {
  const { tables } = store;
  const countWait = createRecent({ ...MOST_IN_A_WHILE, now });

  const waitingIn = (guildId: string, userId?: string) =>
    tables()
      .selectFrom('submissions')
      .where('submissions.guild_id', '=', guildId)
      .where('submissions.state', '=', 'waiting')
      .$if(userId !== undefined, (some) => some.where('submissions.user_id', '=', userId ?? ''));

  /** A row for each server that waits. */
  const serversIn = (guildId: string, userId?: string) =>
    waitingIn(guildId, userId).innerJoin('servers', 'servers.submission_id', 'submissions.id');

  /** The latest run of a document on which a moderator has to decide, or had to. */
  const find = ({ guildId, id }: ApprovalKey): Promise<Run | undefined> =>
    runs.latest(guildId, id, { isForModerators: true });

  /** What waits, if it is what was seen. */
  async function seen({ runId, ...key }: SeenApproval): Promise<Run | undefined> {
    const run = await find(key);
    return run?.state === 'waiting' && run.id === runId ? run : undefined;
  }

  /** The member's own run that waits; or why it does not wait. */
  async function findOwn(by: Submitter, id: string): Promise<Run | Unavailable> {
    const run = await find({ guildId: by.guildId, id });
    if (run === undefined) {
      const found = await drafts.find(by, id);
      return typeof found === 'string' ? found : 'decided';
    }
    if (run.userId !== by.user.id) return 'of-another-member';
    return run.state === 'waiting' ? run : 'decided';
  }

  /** The addresses that wait of a member's documents. @param exceptId the document that does not count */
  async function ownAddresses({ guildId, user }: Submitter, exceptId = ''): Promise<ReadonlySet<string>> {
    const rows = await serversIn(guildId, user.id)
      .where('document_id', '<>', exceptId)
      .select('servers.address')
      .execute();
    return new Set(rows.map(({ address }) => address));
  }

  /** Ends what waits of a member's document, which stays; or says why it does not wait. Called inside the guild's transaction. */
  async function takeBack(
    by: Submitter,
    id: string,
    interactionId: string,
  ): Promise<Unavailable | undefined> {
    const run = await findOwn(by, id);
    if (typeof run === 'string') return run;
    await runs.endWaiting(run.id, by.guildId, { state: 'withdrawn', decision_id: interactionId });
    return undefined;
  }

  return {
    find,
    seen,
    ownAddresses,
    takeBack,
    /** Of what waits: the servers that were submitted here before, whatever its member has pressed. */
    async before({ guildId, state, servers }: Run): Promise<readonly EarlierSubmission[]> {
      if (state !== 'waiting') return [];
      const found = await alreadySubmitted.find({ guildId, userId: '' }, servers.map(rowOf));
      return [...found.values()];
    },
    /** The ids of the documents that wait in a guild, or of one member; oldest first. */
    async waiting(guildId: string, userId?: string): Promise<readonly string[]> {
      const rows = await waitingIn(guildId, userId)
        .orderBy('created_at')
        .orderBy('id')
        .select('document_id')
        .execute();
      return rows.map(({ document_id }) => document_id);
    },
    /**
     * Why these servers of a document may not wait beside those of others; otherwise this time counts. Called inside the
     * guild's transaction.
     */
    async whyNotWaiting(
      by: Submitter & Pick<ApprovalKey, 'id'>,
      servers: readonly ServerSubmission[],
    ): Promise<NotWaiting | undefined> {
      const { guildId, user, id } = by;
      const all = await serversIn(guildId)
        .where('document_id', '<>', id)
        .groupBy(['submissions.id', 'submissions.user_id'])
        .select(['submissions.user_id', ({ fn }) => fn.countAll<number>().as('count')])
        .execute();
      const own = all.filter(({ user_id }) => user_id === user.id);
      for (const [whose, waiting] of [
        ['member', own],
        ['guild', all],
      ] as const) {
        const most = MOST_WAITING[whose];
        const count = waiting.reduce((sum, run) => sum + run.count, servers.length);
        const isFull = waiting.length >= most.submissions || count > most.servers;
        if (isFull) return { code: `${whose}-waiting`, count: waiting.length };
      }
      const addresses = await ownAddresses(by, id);
      const server = servers.find((each) => addresses.has(addressOf(each)));
      if (server) return { code: 'waiting-already', server };
      const at = countWait(`${guildId} ${user.id}`);
      return at === undefined ? undefined : { code: 'waiting-often', at };
    },
    /**
     * Refuses it, or some lines of it. The document stays, so that its member can submit it again.
     * @returns whether it still waited as it was seen
     */
    refuse: ({ by, interactionId, reason, lines, ...key }: Refused): Promise<boolean> =>
      store.inGuild(key.guildId, async () => {
        const run = await seen(key);
        const draft = await drafts.read(key.id);
        // Without its document nothing can wait on.
        const isRefused = ({ line }: RunServer) => !draft || lines === undefined || lines.has(line);
        const refused = run?.servers.filter(isRefused) ?? [];
        if (run === undefined || refused.length === 0) return false;
        const why = { refusal: reason.words, refusal_key: reason.key ?? null };
        const to = { ...why, state: 'refused', decided_by: by, decision_id: interactionId } as const;
        await runs.endWaiting(await runs.beginAnother(run, refused.map(rowOf)), key.guildId, to);
        const others = run.servers.filter((each) => !isRefused(each));
        const isPart = others.length > 0;
        if (draft) await drafts.keep(key.id, isPart ? withRows(draft, otherRows(draft, refused)) : draft);
        if (isPart) await runs.beginAnother(run, others.map(rowOf));
        return true;
      }),
    /**
     * Puts another server in place of the only one that waits, which waits on as another run.
     * @returns why nothing was changed: it does not wait as it was seen, or its member has this server wait already
     */
    correct: ({
      by,
      interactionId,
      row,
      ...key
    }: Corrected): Promise<'decided' | 'waiting-already' | undefined> =>
      store.inGuild(key.guildId, async () => {
        const run = await seen(key);
        const draft = run && (await drafts.read(key.id));
        const [old, ...others] = run?.servers ?? [];
        if (!run || !draft || !old || others.length > 0) return 'decided';
        if (isDeepStrictEqual(old.server, row.submission)) return undefined;
        const member = { guildId: key.guildId, user: { id: run.userId, name: run.userName } };
        const address = addressOf(row.submission);
        const isElsewhere = address !== addressOf(old.server);
        if (isElsewhere && (await ownAddresses(member)).has(address)) return 'waiting-already';
        const corrected = { ...row, line: old.line };
        await drafts.keep(key.id, {
          ...withCorrected(draft, old, corrected),
          // What the member wanted submitted again is the server that they submitted.
          includesAlreadySubmitted: draft.includesAlreadySubmitted && !isElsewhere,
        });
        await runs.beginAnother(run, [corrected], { by, interactionId });
        return undefined;
      }),
    /** The member's own document that waits, to be changed; or why it does not wait. */
    async draft(by: Submitter, id: string): Promise<Draft | Unavailable> {
      const run = await findOwn(by, id);
      return typeof run === 'string' ? run : ((await drafts.read(id)) ?? 'gone');
    },
    /** Deletes the member's own submission that waits. @returns why it could not be deleted */
    withdraw: (by: Submitter, id: string, interactionId: string): Promise<Unavailable | undefined> =>
      store.inGuild(by.guildId, async () => {
        const why = await takeBack(by, id, interactionId);
        if (why === undefined) await drafts.delete(id);
        return why;
      }),
    /** The documents whose messages do not show what they should. */
    async due(): Promise<readonly ApprovalKey[]> {
      const rows = await tables()
        .selectFrom('submissions')
        .select(['document_id', 'guild_id'])
        .whereRef('changes', '>', 'shown')
        .execute();
      return rows.map(({ document_id: id, guild_id: guildId }) => ({ guildId, id }));
    },
    /** What waits in a guild has to be shown elsewhere: its log channel is another one, or takes messages again. */
    async moved(guildId: string): Promise<void> {
      await tables()
        .updateTable('submissions')
        .set(ONE_CHANGE)
        .where('guild_id', '=', guildId)
        .where('state', '=', 'waiting')
        .execute();
    },
    /** Has the message shown again, which may show another state of the run. */
    async makeDue({ id }: Run): Promise<void> {
      await tables().updateTable('submissions').set(ONE_CHANGE).where('id', '=', id).execute();
    },
    /**
     * The message shows the run as it was read, or there can be none.
     * @returns whether that is how it still is; otherwise it has to be shown again
     */
    async shown({ id, changes, shown }: Run, message: MessagePlace | undefined): Promise<boolean> {
      const { numUpdatedRows } = await tables()
        .updateTable('submissions')
        .set({
          shown: changes,
          ...(message && { channel_id: message.channelId, message_id: message.messageId }),
        })
        .where('id', '=', id)
        .where('changes', '=', changes)
        .where('shown', '=', shown)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
  };
}
