import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { countOf } from '../storage/count.ts';
import type { Store } from '../storage/store.ts';
import { inSteps, ROWS_AT_ONCE } from './in-steps.ts';
import type { Limits } from './limits.ts';
import type { Runs } from './runs.ts';

export type Erasure = ReturnType<typeof createErasure>;

export interface ErasureDeps {
  readonly store: Pick<Store, 'tables'>;
  readonly limits: Pick<Limits, 'countsSince' | 'keepUsed' | 'dropUsed'>;
  readonly runs: Pick<Runs, 'endWaiting'>;
}

/** Deletes what is kept of submissions. Every method throws a StoreError when the store fails. */
export function createErasure({ store, limits, runs }: ErasureDeps) {
  const { tables } = store;

  return {
    /**
     * Deletes everything that is kept of a guild's submissions but how many servers still count for the guild's limit.
     * Nothing more is sent of what is carried out. Called inside the guild's transaction.
     */
    async deleteGuild(guildId: string): Promise<void> {
      await limits.keepUsed(guildId);
      for (const table of ['servers', 'submissions', 'documents', 'interactions'] as const) {
        await tables().deleteFrom(table).where('guild_id', '=', guildId).execute();
      }
    },
    /**
     * Deletes a member's documents, and withdraws what waits for a moderator; their name from what they have submitted and
     * decided; and their id where no limit counts it. Of what is carried out nothing is left to be submitted then, nor waits
     * again. Called inside the guild's transaction.
     * @returns from how many servers the name was deleted
     */
    async forgetMember(guildId: string, userId: string): Promise<number> {
      const own = () =>
        tables().selectFrom('submissions').where('guild_id', '=', guildId).where('user_id', '=', userId);
      await tables()
        .deleteFrom('documents')
        .where('guild_id', '=', guildId)
        .where('user_id', '=', userId)
        .execute();
      const waiting = await own().where('state', '=', 'waiting').select('id').execute();
      for (const { id } of waiting) await runs.endWaiting(id, { guildId }, { state: 'withdrawn' });
      await tables()
        .updateTable('submissions')
        .set({ decided_by: null })
        .where('guild_id', '=', guildId)
        .where('decided_by', '=', userId)
        .execute();
      const count = await countOf(
        tables().selectFrom('servers').where('submission_id', 'in', own().select('id')),
      );
      await tables()
        .updateTable('submissions')
        .set({ user_id: null, user_name: null })
        .where('id', 'in', own().select('id'))
        .execute();
      const servers = () =>
        tables().updateTable('servers').where('guild_id', '=', guildId).where('user_id', '=', userId);
      await servers()
        .set({ user_id: null })
        .where(sql<boolean>`coalesce(reserved_at, 0) < ${limits.countsSince()}`)
        .execute();
      await servers().set({ is_forgotten: 1 }).execute();
      return count;
    },
    /** Deletes the ids of members whose name is gone from the servers that no limit counts any more; and what limits kept. */
    async dropUncounted(stopping?: AbortSignal): Promise<void> {
      const uncounted = tables()
        .selectFrom('servers')
        .select(['submission_id', 'position'])
        .where(sql<boolean>`is_forgotten = 1`)
        .where(sql<boolean>`coalesce(reserved_at, 0) < ${limits.countsSince()}`)
        .limit(ROWS_AT_ONCE);
      await inSteps(async () => {
        const { numUpdatedRows } = await tables()
          .updateTable('servers')
          .set({ user_id: null, is_forgotten: 0 })
          .where(sql<boolean>`(submission_id, position) in ${uncounted}`)
          .executeTakeFirst();
        return Number(numUpdatedRows);
      }, stopping);
      await limits.dropUsed();
    },
    /** The guilds that have submitted anything, or are about to. */
    async *guilds(): AsyncIterable<string> {
      let last = '';
      for (;;) {
        const next = await tables()
          .selectFrom('submissions')
          .where('guild_id', '>', last)
          .select('guild_id')
          .orderBy('guild_id')
          .limit(1)
          .executeTakeFirst();
        if (next === undefined) return;
        last = next.guild_id;
        yield last;
        // SQLite reads synchronously: others have their turn between two guilds.
        await setImmediate();
      }
    },
  };
}
