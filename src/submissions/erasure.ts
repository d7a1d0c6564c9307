import { setImmediate } from 'node:timers/promises';
import { type ExpressionBuilder, sql } from 'kysely';
import { DAY_MS } from '../numbers.ts';
import { countOf } from '../storage/count.ts';
import type { Tables } from '../storage/tables.ts';
import { DRAFT_LIVES_MS, type Drafts } from './drafts.ts';
import { MOST_ENTRIES } from './history.ts';
import type { Limits } from './limits.ts';
import type { SubmissionStoreBase } from './submission-store.ts';
import type { Submissions } from './submissions.ts';

/** For how many days rejected servers are kept, and servers that were not sent. */
export const REJECTED_KEPT_DAYS = 30;
/** No interaction can still carry out a submission that has been running for longer; in milliseconds. */
const LONGEST_RUN_MS = 20 * 60_000;

interface ErasureDeps extends SubmissionStoreBase {
  readonly drafts: Drafts;
  readonly limits: Limits;
  readonly submissions: Submissions;
}

/**
 * Deletes what is kept of submissions: what somebody wants deleted, and what is past its time. A server that a limit still
 * counts stays for the hourly job. Every method throws a StoreError when the store fails.
 */
export function createErasure({ store, drafts, limits, submissions, days, now }: ErasureDeps) {
  const { tables } = store;

  const submissionsOf = (guildId: string) =>
    tables().selectFrom('submissions').where('submissions.guild_id', '=', guildId);

  const isUncounted = ({ or, eb }: ExpressionBuilder<Tables, 'servers'>) =>
    or([eb('reserved_at', 'is', null), eb('reserved_at', '<', limits.countsSince())]);

  async function dropOldServers(guildId: string): Promise<void> {
    const before = now() - days * DAY_MS;
    const rejectedBefore = now() - Math.min(days, REJECTED_KEPT_DAYS) * DAY_MS;
    await tables()
      .deleteFrom('servers')
      .where('guild_id', '=', guildId)
      .where('ended_at', '<=', rejectedBefore)
      .where(({ or, eb }) =>
        or([eb('outcome', 'in', ['rejected', 'not-sent']), eb('ended_at', '<=', before)]),
      )
      .where(isUncounted)
      .execute();
  }

  /** Servers that were not sent go first, so that they never push out what the guild has submitted. */
  async function dropExcess(guildId: string): Promise<void> {
    const ended = tables()
      .selectFrom('servers')
      .where('guild_id', '=', guildId)
      .where('ended_at', 'is not', null);
    const excess = (await countOf(ended)) - MOST_ENTRIES;
    if (excess <= 0) return;
    const first = ended
      .select(['submission_id', 'position'])
      .where(isUncounted)
      .orderBy(sql`outcome <> 'not-sent'`)
      .orderBy('ended_at')
      .orderBy('submission_id')
      .orderBy('position')
      .limit(excess);
    await tables().deleteFrom('servers').where(sql<boolean>`(submission_id, position) in ${first}`).execute();
  }

  /** What has ended, once its message says so and its draft is gone: what was withdrawn, and what lost its servers. */
  async function dropOver(guildId: string): Promise<void> {
    const over = submissionsOf(guildId)
      .where('ended_at', '<=', now() - DRAFT_LIVES_MS)
      .whereRef('shown_revision', '>=', 'revision');
    const withdrawn = over.where('state', '=', 'withdrawn').select('id');
    await tables().deleteFrom('servers').where('submission_id', 'in', withdrawn).execute();
    const empty = over
      .select('id')
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(selectFrom('servers').select('position').whereRef('submission_id', '=', 'submissions.id')),
        ),
      );
    await tables().deleteFrom('submissions').where('id', 'in', empty).execute();
  }

  /** Deletes the ids of members whose name is gone, where no limit counts them any more. */
  async function dropForgottenIds(guildId: string): Promise<void> {
    await tables()
      .updateTable('servers')
      .set({ user_id: null, is_forgotten: 0 })
      .where('guild_id', '=', guildId)
      .where(sql<boolean>`is_forgotten = 1`)
      .where(isUncounted)
      .execute();
  }

  async function pruneGuild(guildId: string): Promise<void> {
    await submissions.endUnfinished(guildId, now() - LONGEST_RUN_MS);
    await submissions.expire(guildId);
    await drafts.deleteOld(guildId);
    await dropOldServers(guildId);
    await dropExcess(guildId);
    await dropOver(guildId);
    await dropForgottenIds(guildId);
  }

  /** The guilds that have submitted anything, or are about to. */
  async function* guilds(): AsyncGenerator<string> {
    for (let last = ''; ; ) {
      const nexts = sql<{ readonly next: string | null }>`
        select min(next) as next from (
          select min(guild_id) as next from submissions where guild_id > ${last}
          union all select min(guild_id) from drafts where guild_id > ${last}
        ) as nexts`;
      const { rows } = await nexts.execute(tables());
      const next = rows[0]?.next ?? undefined;
      if (next === undefined) return;
      last = next;
      yield next;
      // SQLite reads synchronously: others have their turn between two guilds.
      await setImmediate();
    }
  }

  return {
    guilds,
    /**
     * Deletes everything that is kept of a guild's submissions but how many servers still count for the guild's limit.
     * Nothing more is sent of what is carried out. Called inside the guild's transaction.
     */
    async deleteGuild(guildId: string): Promise<void> {
      await limits.keepUsed(guildId);
      for (const table of ['servers', 'submissions', 'drafts', 'interactions'] as const) {
        await tables().deleteFrom(table).where('guild_id', '=', guildId).execute();
      }
    },
    /**
     * Deletes a member's drafts, withdraws what waits for a moderator, and takes their name out of what they have submitted,
     * corrected and decided. Their id goes where no limit counts it. What is being carried out leaves nothing to be submitted, and does not
     * wait again. Called inside the guild's transaction.
     * @returns from how many servers the name was deleted
     */
    async forgetMember(guildId: string, userId: string): Promise<number> {
      const own = () => submissionsOf(guildId).where('user_id', '=', userId).select('id');
      await tables()
        .deleteFrom('drafts')
        .where('guild_id', '=', guildId)
        .where('user_id', '=', userId)
        .execute();
      for (const { id } of await own().where('state', '=', 'waiting').execute()) {
        await submissions.endWaiting(id, guildId, { state: 'withdrawn' });
      }
      await tables()
        .deleteFrom('servers')
        .where('submission_id', 'in', own().where('state', '=', 'withdrawn'))
        .execute();
      await tables()
        .updateTable('submissions')
        .set({ decided_by: null, decided_by_name: null })
        .where('guild_id', '=', guildId)
        .where('decided_by', '=', userId)
        .execute();
      await tables()
        .updateTable('submissions')
        .set({ corrected_by: '', corrected_by_name: null })
        .where('guild_id', '=', guildId)
        .where('corrected_by', '=', userId)
        .execute();
      const count = await countOf(tables().selectFrom('servers').where('submission_id', 'in', own()));
      await tables()
        .updateTable('submissions')
        .set({ user_id: null, user_name: null, notice: null })
        .where('id', 'in', own())
        .execute();
      await tables()
        .updateTable('servers')
        .set({ is_forgotten: 1 })
        .where('guild_id', '=', guildId)
        .where('user_id', '=', userId)
        .execute();
      await dropForgottenIds(guildId);
      return count;
    },
    /**
     * Ends guild by guild what runs or waits for too long, then deletes what is past its time or too much: of each guild in
     * one transaction, so that no submission stays without its servers. Of a guild with 20,000 submissions of one server each the
     * longest statement takes 50 ms of the processor with SQLite, and 210 where `HISTORY_DAYS` was halved (measured).
     * @throws what `stopping` was aborted with, between two guilds
     */
    async prune(stopping?: AbortSignal): Promise<void> {
      await limits.dropUsed();
      for await (const guildId of guilds()) {
        stopping?.throwIfAborted();
        await store.inGuild(guildId, () => pruneGuild(guildId), { synced: false });
      }
    },
  };
}
