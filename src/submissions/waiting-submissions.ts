import type { ServerSubmission } from '../listing/contract.ts';
import { createRecent } from '../pacing/recent.ts';
import { addressOf } from '../server-lists/row.ts';
import { countOf } from '../storage/count.ts';
import type { Draft } from './draft.ts';
import type { Drafts, Submitter, Unavailable } from './drafts.ts';
import type { SubmissionStoreBase } from './store-deps.ts';
import type { Submission } from './submission.ts';
import type { Submissions } from './submissions.ts';

/** Maximum numbers of waiting submissions and their servers, per member and per guild. */
const MOST_WAITING = {
  member: { submissions: 10, servers: 1_000 },
  guild: { submissions: 100, servers: 5_000 },
} as const;

/** How often a member can submit for approval within 15 minutes. The bot posts a message for moderators each time. */
const MOST_IN_A_WHILE = { most: 20, withinMs: 15 * 60_000 };

/** The reason why another submission can't wait for approval. */
export type WaitingProblem =
  | { readonly code: 'waiting-already'; readonly server: ServerSubmission }
  /** `count` is the number of submissions that are already waiting. */
  | { readonly code: 'member-waiting' | 'guild-waiting'; readonly count: number }
  /** The member has submitted too often recently, and can't submit again until `at` (milliseconds since 1970). */
  | { readonly code: 'waiting-often'; readonly at: number };

export interface DraftRef {
  readonly guildId: string;
  readonly id: string;
}

/** A draft as a moderator saw it. The member's later changes aren't part of the decision. */
export interface SeenApproval extends DraftRef {
  /** The submission's id; `undefined` if the button was forged. */
  readonly submissionId?: string | undefined;
}

/** A waiting submission, without its servers. */
export interface WaitingSubmission extends DraftRef {
  readonly submissionId: string;
  readonly userId: string;
  readonly userName: string;
}

export type WaitingSubmissions = ReturnType<typeof createWaitingSubmissions>;

interface WaitingSubmissionsDeps extends SubmissionStoreBase {
  readonly drafts: Drafts;
  readonly submissions: Submissions;
}

/** Reads and withdraws submissions waiting for a moderator. Every method throws a StoreError when the store fails. */
export function createWaitingSubmissions({ store, drafts, submissions, now }: WaitingSubmissionsDeps) {
  const { tables } = store;
  const countWait = createRecent({ ...MOST_IN_A_WHILE, now });

  const waitingIn = (guildId: string, userId?: string) =>
    tables()
      .selectFrom('submissions')
      .where('submissions.guild_id', '=', guildId)
      .where('submissions.state', '=', 'waiting')
      .$if(userId !== undefined, (some) => some.where('submissions.user_id', '=', userId ?? ''));

  /** Selects one row for each waiting server. */
  const serversIn = (guildId: string, userId?: string) =>
    waitingIn(guildId, userId).innerJoin('servers', 'servers.submission_id', 'submissions.id');

  /** Returns the draft's latest submission that needs, or needed, a moderator's approval. */
  const find = ({ guildId, id }: DraftRef): Promise<Submission | undefined> =>
    submissions.latest(guildId, id, { isForModerators: true });

  /** Returns the waiting submission if it hasn't been replaced since the moderator saw it. */
  async function seen({ submissionId, ...key }: SeenApproval): Promise<Submission | undefined> {
    const submission = await find(key);
    return submission?.state === 'waiting' && submission.id === submissionId ? submission : undefined;
  }

  /** Returns the member's own waiting submission, or the reason why it is no longer waiting. */
  async function findOwn(by: Submitter, id: string): Promise<Submission | Unavailable> {
    const submission = await find({ guildId: by.guildId, id });
    if (submission === undefined) {
      const found = await drafts.find(by, id);
      return typeof found === 'string' ? found : 'decided';
    }
    if (submission.userId !== by.user.id) return 'of-another-member';
    return submission.state === 'waiting' ? submission : 'decided';
  }

  /**
   * Returns the addresses of a member's waiting servers.
   * @param exceptId the id of a draft to leave out
   */
  async function ownAddresses({ guildId, user }: Submitter, exceptId = ''): Promise<ReadonlySet<string>> {
    const rows = await serversIn(guildId, user.id)
      .where('draft_id', '<>', exceptId)
      .select('servers.address')
      .execute();
    return new Set(rows.map(({ address }) => address));
  }

  /**
   * Withdraws a member's waiting submission but keeps its draft. Returns the reason if the submission isn't waiting. Must
   * be called in the guild's transaction.
   */
  async function withdrawSubmission(
    by: Submitter,
    id: string,
    interactionId: string,
  ): Promise<Unavailable | undefined> {
    const submission = await findOwn(by, id);
    if (typeof submission === 'string') return submission;
    await submissions.endWaiting(submission.id, by.guildId, {
      state: 'withdrawn',
      decision_id: interactionId,
    });
    return undefined;
  }

  return {
    find,
    seen,
    ownAddresses,
    withdrawSubmission,
    /** Returns all waiting submissions of the guild, or only those of one member, oldest first. */
    async waiting(guildId: string, userId?: string): Promise<readonly WaitingSubmission[]> {
      const rows = await waitingIn(guildId, userId)
        .orderBy('created_at')
        .orderBy('id')
        .select(['id', 'draft_id', 'user_id', 'user_name'])
        .execute();
      return rows.map(({ id: submissionId, draft_id: id, user_id, user_name }) => ({
        guildId,
        id,
        submissionId,
        userId: user_id ?? '',
        userName: user_name ?? '',
      }));
    },
    /** Counts all waiting submissions of the guild, or only those of one member. */
    countWaiting: (guildId: string, userId?: string): Promise<number> => countOf(waitingIn(guildId, userId)),
    /**
     * Returns the reason why a draft's servers can't wait for approval. If they can, counts the attempt towards the
     * member's rate limit. Must be called inside the guild's transaction.
     */
    async whyNotWaiting(
      by: Submitter & Pick<DraftRef, 'id'>,
      servers: readonly ServerSubmission[],
    ): Promise<WaitingProblem | undefined> {
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
        const most = MOST_WAITING[whose];
        const count = waiting.reduce((sum, { count: more }) => sum + more, servers.length);
        const isFull = waiting.length >= most.submissions || count > most.servers;
        if (isFull) return { code: `${whose}-waiting`, count: waiting.length };
      }
      const addresses = await ownAddresses(by, id);
      const server = servers.find((each) => addresses.has(addressOf(each)));
      if (server) return { code: 'waiting-already', server };
      const at = countWait(`${guildId} ${user.id}`);
      return at === undefined ? undefined : { code: 'waiting-often', at };
    },
    /** Returns the draft of the member's waiting submission, to be edited, or why the submission isn't waiting. */
    async draft(by: Submitter, id: string): Promise<Draft | Unavailable> {
      const submission = await findOwn(by, id);
      return typeof submission === 'string' ? submission : ((await drafts.read(id)) ?? 'gone');
    },
  };
}
