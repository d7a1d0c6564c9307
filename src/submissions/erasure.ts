import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { DAY_MS, TOKEN_LIVES_MS } from '../pacing/durations.ts';
import { countOf } from '../storage/count.ts';
import { inPieces, PIECE } from '../storage/pieces.ts';
import { type Drafts, TEXT_LIVES_MS, WITH_CHOICES } from './drafts.ts';
import { hasLaterSubmission, MAX_ENTRIES, WITHDRAWN_KEPT_MS } from './history.ts';
import type { Limits } from './limits.ts';
import type { SubmissionStoreBase } from './store-deps.ts';
import type { Submissions } from './submissions.ts';
import type { WaitingSubmissions } from './waiting-submissions.ts';

/** Applies to rejected and unsent servers. */
export const REJECTED_KEPT_DAYS = 30;

interface ErasureDeps extends SubmissionStoreBase {
  readonly drafts: Drafts;
  readonly limits: Limits;
  readonly submissions: Submissions;
  readonly waitingSubmissions: WaitingSubmissions;
}

/**
 * Deletes stored submissions when they expire, or when a member or an admin requests it. Servers that still count towards a
 * limit are kept until an hourly job can delete them. Every method throws a StoreError when the store fails.
 */
export function createErasure(deps: ErasureDeps) {
  const { store, drafts, limits, now } = deps;
  const { tables } = store;

  const submissionsOf = (guildId: string) =>
    tables().selectFrom('submissions').where('submissions.guild_id', '=', guildId);

  const isUncountedByLimits = () =>
    sql<boolean>`(reserved_at is null or reserved_at < ${limits.countsSince()})`;

  const endedServersOf = (guildId: string) =>
    tables().selectFrom('servers').where('guild_id', '=', guildId).where('ended_at', 'is not', null);

  /** Returns the submissions that can be deleted once they are empty, because their reply is no longer in use. */
  const overOf = (guildId: string) =>
    submissionsOf(guildId)
      .where('ended_at', '<=', now() - TOKEN_LIVES_MS)
      .whereRef('shown_revision', '>=', 'revision');

  /**
   * Deletes the chosen servers, and the submissions that become empty.
   * @returns the number of deleted servers
   */
  async function dropServers(guildId: string, chosen: ReturnType<typeof endedServersOf>): Promise<number> {
    const deleted = await tables()
      .deleteFrom('servers')
      .where(sql<boolean>`(submission_id, position) in ${chosen.select(['submission_id', 'position'])}`)
      .returning('submission_id')
      .execute();
    const ids = [...new Set(deleted.map(({ submission_id }) => submission_id))];
    if (ids.length > 0) await deps.submissions.dropEmpty(overOf(guildId).where('id', 'in', ids).select('id'));
    return deleted.length;
  }

  async function dropOldServers(guildId: string): Promise<boolean> {
    const before = now() - deps.days * DAY_MS;
    const rejectedBefore = now() - Math.min(deps.days, REJECTED_KEPT_DAYS) * DAY_MS;
    const oldest = endedServersOf(guildId)
      .where('ended_at', '<=', rejectedBefore)
      .where(({ or, eb }) =>
        or([eb('outcome', 'in', ['rejected', 'not-sent']), eb('ended_at', '<=', before)]),
      )
      .where(isUncountedByLimits())
      .orderBy('ended_at')
      .limit(PIECE);
    return (await dropServers(guildId, oldest)) === PIECE;
  }

  /**
   * Deletes a guild's servers beyond the maximum: unsent servers first, then rejected servers, and then the others. Within
   * each of these kinds, deletes the oldest servers of the member who has most, so that one member's servers don't displace
   * another member's. Members whose names were deleted count as one.
   */
  async function dropExcess(guildId: string): Promise<boolean> {
    const excess = (await countOf(endedServersOf(guildId))) - MAX_ENTRIES;
    if (excess <= 0) return false;
    const kind = sql<number>`case outcome when 'not-sent' then 1 when 'rejected' then 2 else 3 end`;
    // Every server that has ended has an outcome. An index contains the outcome, but not the time.
    const holders = await tables()
      .selectFrom('servers')
      .select(['user_id as userId', kind.as('kind')])
      .select(({ fn }) => [
        fn.countAll<number>().as('count'),
        fn.countAll<number>().filterWhere(isUncountedByLimits()).as('deletable'),
      ])
      .where('guild_id', '=', guildId)
      .where('outcome', 'is not', null)
      .groupBy(['user_id', kind])
      .orderBy(kind)
      .execute();
    const first = holders.find(({ deletable }) => deletable > 0);
    if (first === undefined) return false;
    const ofKind = holders.filter((holder) => holder.kind === first.kind);
    let deleted = 0;
    for (const [{ userId }, count] of sharesOf(ofKind, Math.min(excess, PIECE))) {
      const oldest = endedServersOf(guildId)
        .where('user_id', userId === null ? 'is' : '=', userId)
        .where(kind, '=', first.kind)
        .where(isUncountedByLimits())
        .orderBy('ended_at')
        .orderBy('submission_id')
        .orderBy('position')
        .limit(count);
      deleted += await dropServers(guildId, oldest);
    }
    return deleted > 0;
  }

  /**
   * Deletes withdrawn and empty submissions once the moderators' message is up to date. A withdrawn submission without a
   * replacement is kept for a day.
   */
  async function dropOver(guildId: string): Promise<boolean> {
    const withdrawn = overOf(guildId)
      .where('state', '=', 'withdrawn')
      .where(({ or, eb }) => or([eb('ended_at', '<=', now() - WITHDRAWN_KEPT_MS), hasLaterSubmission()]))
      .select('id');
    const servers = tables().selectFrom('servers').where('submission_id', 'in', withdrawn).limit(PIECE);
    if ((await dropServers(guildId, servers)) === PIECE) return true;
    return (await deps.submissions.dropEmpty(overOf(guildId).select('id'), PIECE)) === PIECE;
  }

  /**
   * Deletes the user ids of members who had their names deleted, once no limit needs the ids.
   * @param most the maximum number of servers to change; by default, changes all
   * @returns the number of changed servers
   */
  async function dropForgottenIds(guildId: string, most?: number): Promise<number> {
    const forgotten = tables()
      .selectFrom('servers')
      .select(['submission_id', 'position'])
      .where('guild_id', '=', guildId)
      .where(sql<boolean>`is_forgotten = 1`)
      .where(isUncountedByLimits())
      .$if(most !== undefined, (servers) => servers.limit(most ?? 0));
    const { numUpdatedRows } = await tables()
      .updateTable('servers')
      .set({ user_id: null, is_forgotten: 0 })
      .where(sql<boolean>`(submission_id, position) in ${forgotten}`)
      .executeTakeFirst();
    return Number(numUpdatedRows);
  }

  /**
   * Deletes choices whose draft hasn't changed for 15 minutes or was submitted, even by an older version of the bot.
   * @returns whether there may be more
   */
  async function dropOldChoices(guildId: string): Promise<boolean> {
    const old = tables()
      .selectFrom('choices')
      .select('draft_id')
      .where('guild_id', '=', guildId)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('drafts')
              .select('id')
              .whereRef('id', '=', 'draft_id')
              .where('changed_at', '>', now() - TEXT_LIVES_MS)
              .where('lines', 'like', WITH_CHOICES),
          ),
        ),
      )
      .limit(PIECE);
    const deleted = await tables().deleteFrom('choices').where('draft_id', 'in', old).executeTakeFirst();
    return Number(deleted.numDeletedRows) === PIECE;
  }

  /** Prunes a guild in pieces, each in a transaction of its own. Most guilds need only one piece. */
  async function pruneGuild(guildId: string, stopping: AbortSignal | undefined): Promise<void> {
    /** Each step handles one piece, and returns whether there may be more. */
    const steps = [
      () => deps.waitingSubmissions.expire(guildId),
      () => drafts.deleteOld(guildId),
      () => dropOldChoices(guildId),
      () => dropOldServers(guildId),
      () => dropExcess(guildId),
      () => dropOver(guildId),
      async () => (await dropForgottenIds(guildId, PIECE)) === PIECE,
    ];
    async function runSteps(): Promise<boolean> {
      for (let step = steps[0]; step !== undefined; step = steps[0]) {
        if (await step()) return true;
        steps.shift();
      }
      return false;
    }
    await inPieces(() => store.inGuild(guildId, runSteps, { unsynced: 'pruning' }), stopping);
  }

  async function* guilds(): AsyncGenerator<string> {
    for (let last = ''; ; ) {
      const nexts = sql<{ readonly next: string | null }>`
        select min(next) as next from (
          select min(guild_id) as next from submissions where guild_id > ${last}
          union all select min(guild_id) from drafts where guild_id > ${last}
          union all select min(guild_id) from choices where guild_id > ${last}
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
     * Deletes all submission data of a guild, but keeps the number of servers that still count towards the guild's limit.
     * Running submissions stop sending. Must be called inside the guild's transaction.
     */
    async deleteGuild(guildId: string): Promise<void> {
      await limits.keepUsed(guildId);
      for (const table of ['servers', 'submissions', 'drafts', 'choices', 'interactions'] as const) {
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
      for (const table of ['drafts', 'choices'] as const) {
        await tables()
          .deleteFrom(table)
          .where('guild_id', '=', guildId)
          .where('user_id', '=', userId)
          .execute();
      }
      for (const { id } of await own().where('state', '=', 'waiting').execute()) {
        await deps.waitingSubmissions.end(id, guildId, { state: 'withdrawn' });
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
     * the maximum. Works in pieces, so that other work doesn't have to wait. A submission is deleted in the same transaction
     * as its last server.
     * @throws the abort reason if `stopping` is aborted; checked between pieces
     */
    async prune(stopping?: AbortSignal): Promise<void> {
      await limits.dropUsed();
      for await (const guildId of guilds()) {
        await pruneGuild(guildId, stopping);
      }
    },
  };
}

/** A member's servers of one kind. `userId` is null for members whose names were deleted. */
interface Holder {
  readonly userId: string | null;
  readonly count: number;
  /** The number of servers that no longer count towards a limit. */
  readonly deletable: number;
}

/** Chooses how many servers each holder loses: repeatedly, one server of the holder with the most left. */
function sharesOf(holders: readonly Holder[], total: number): ReadonlyMap<Holder, number> {
  const shares = new Map<Holder, number>();
  const shareOf = (holder: Holder) => shares.get(holder) ?? 0;
  const left = (holder: Holder) => holder.count - shareOf(holder);
  for (let given = 0; given < total; given++) {
    const some = holders.filter((holder) => shareOf(holder) < holder.deletable);
    const [first, ...others] = some;
    if (first === undefined) break;
    const most = others.reduce((one, other) => (left(other) > left(one) ? other : one), first);
    shares.set(most, shareOf(most) + 1);
  }
  return shares;
}
