import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { DAY_MS } from '../numbers.ts';
import { countOf } from '../storage/count.ts';
import { DRAFT_LIVES_MS, type Drafts } from './drafts.ts';
import { MOST_ENTRIES } from './history.ts';
import type { Limits } from './limits.ts';
import type { SubmissionStoreBase } from './submission-store.ts';
import type { Submissions } from './submissions.ts';

/** How many days to keep rejected and unsent servers. */
export const REJECTED_KEPT_DAYS = 30;

interface ErasureDeps extends SubmissionStoreBase {
  readonly drafts: Drafts;
  readonly limits: Limits;
  readonly submissions: Submissions;
}

/**
 * Deletes stored submissions when they expire, or when a member or an admin requests it. Servers that still count towards a
 * limit are kept until an hourly job can delete them. Every method throws a StoreError when the store fails.
 */
export function createErasure({ store, drafts, limits, submissions, days, now }: ErasureDeps) {
  const { tables } = store;

  const submissionsOf = (guildId: string) =>
    tables().selectFrom('submissions').where('submissions.guild_id', '=', guildId);

  /** SQL condition for servers that no longer count towards a limit. */
  const isUncounted = () => sql<boolean>`(reserved_at is null or reserved_at < ${limits.countsSince()})`;

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
      .where(isUncounted())
      .execute();
  }

  /**
   * Deletes a guild's servers beyond the maximum: unsent servers first, then rejected servers, and then the others. Within
   * each of these kinds, deletes the oldest servers of the member who has most, so that one member's servers don't displace
   * another member's. Members whose names were deleted count as one.
   */
  async function dropExcess(guildId: string): Promise<void> {
    const ended = tables()
      .selectFrom('servers')
      .where('guild_id', '=', guildId)
      .where('ended_at', 'is not', null);
    const excess = (await countOf(ended)) - MOST_ENTRIES;
    if (excess <= 0) return;
    const kind = sql`case outcome when 'not-sent' then 1 when 'rejected' then 2 else 3 end`;
    // A member's newest server is number 1, so the highest numbers belong to the members who have most.
    const numbered = ended
      .select(['submission_id', 'position', 'reserved_at', 'ended_at', kind.as('kind')])
      .select(
        sql`row_number() over (partition by user_id, ${kind} order by ended_at desc, submission_id desc, position desc)`.as(
          'number',
        ),
      );
    const first = tables()
      .selectFrom(numbered.as('numbered'))
      .select(['submission_id', 'position'])
      .where(isUncounted())
      .orderBy('kind')
      .orderBy('number', 'desc')
      .orderBy('ended_at')
      .limit(excess);
    await tables().deleteFrom('servers').where(sql<boolean>`(submission_id, position) in ${first}`).execute();
  }

  /** Deletes withdrawn and empty submissions once the moderators' message is up to date and the draft has expired. */
  async function dropOver(guildId: string): Promise<void> {
    const over = submissionsOf(guildId)
      .where('ended_at', '<=', now() - DRAFT_LIVES_MS)
      .whereRef('shown_revision', '>=', 'revision');
    const withdrawn = over.where('state', '=', 'withdrawn').select('id');
    await tables().deleteFrom('servers').where('submission_id', 'in', withdrawn).execute();
    await submissions.dropEmpty(over.select('id'));
  }

  /** Deletes the user ids of members who had their names deleted, once no limit needs the ids. */
  async function dropForgottenIds(guildId: string): Promise<void> {
    await tables()
      .updateTable('servers')
      .set({ user_id: null, is_forgotten: 0 })
      .where('guild_id', '=', guildId)
      .where(sql<boolean>`is_forgotten = 1`)
      .where(isUncounted())
      .execute();
  }

  async function pruneGuild(guildId: string): Promise<void> {
    await submissions.expire(guildId);
    await drafts.deleteOld(guildId);
    await dropOldServers(guildId);
    await dropExcess(guildId);
    await dropOver(guildId);
    await dropForgottenIds(guildId);
  }

  /** Lists the guilds that have submissions or drafts. */
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
      // SQLite blocks the event loop while reading, so other work gets a turn between guilds.
      await setImmediate();
    }
  }

  return {
    guilds,
    /**
     * Deletes all of a guild's submission data, but keeps the number of servers that still count towards the guild's limit.
     * Running submissions stop sending. Must be called inside the guild's transaction.
     */
    async deleteGuild(guildId: string): Promise<void> {
      await limits.keepUsed(guildId);
      for (const table of ['servers', 'submissions', 'drafts', 'interactions'] as const) {
        await tables().deleteFrom(table).where('guild_id', '=', guildId).execute();
      }
    },
    /**
     * Deletes a member's drafts, withdraws their waiting submissions, and removes their name from everything that they
     * submitted, corrected or decided. Their user id is also deleted wherever no limit needs it. Unsent servers of a
     * running submission aren't kept for another attempt. Must be called inside the guild's transaction.
     * @returns the number of servers that the name was removed from
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
     * For each guild, ends submissions that have been waiting for too long, then deletes records that have expired or exceed
     * the maximum. Each guild is handled in a single transaction, so that a submission is never left
     * without its servers. In a guild with 20,000 single-server submissions, the longest SQLite statement took 50 ms of CPU
     * time, or 210 ms right after `HISTORY_DAYS` had been halved (measured).
     * @throws the abort reason if `stopping` is aborted; checked between guilds
     */
    async prune(stopping?: AbortSignal): Promise<void> {
      await limits.dropUsed();
      for await (const guildId of guilds()) {
        stopping?.throwIfAborted();
        await store.inGuild(guildId, () => pruneGuild(guildId), { unsynced: 'pruning' });
      }
    },
  };
}
