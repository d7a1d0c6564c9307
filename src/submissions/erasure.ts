import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Within } from '../guilds/deletion.ts';
import { countOf } from '../storage/count.ts';
import type { Store } from '../storage/store.ts';
import { deleteInSteps, inSteps, ROWS_AT_ONCE } from './in-steps.ts';
import type { Limits } from './limits.ts';
import type { Runs } from './runs.ts';

export type Erasure = ReturnType<typeof createErasure>;

export interface ErasureDeps {
  readonly store: Pick<Store, 'tables'>;
  readonly limits: Pick<Limits, 'countsSince'>;
  readonly runs: Pick<Runs, 'endWaiting'>;
}

/** Later than every time. */
const EVER = Number.MAX_SAFE_INTEGER;

/** Deletes what is kept of submissions. Every method throws a StoreError when the store fails. */
export function createErasure({ store, limits, runs }: ErasureDeps) {
  const { tables } = store;

  const ofGuild = (guildId: string) =>
    tables().selectFrom('submissions').select('id').where('guild_id', '=', guildId);

  return {
    /**
     * Deletes the documents of a guild, and what waits for its moderators. A run that is carried out loses its owner: no more
     * of it is sent. Called inside the guild's transaction.
     */
    async deleteUnsent(guildId: string): Promise<void> {
      const waiting = () => ofGuild(guildId).where('state', '=', 'waiting');
      await tables().deleteFrom('documents').where('guild_id', '=', guildId).execute();
      await tables().deleteFrom('servers').where('submission_id', 'in', waiting()).execute();
      await tables().deleteFrom('submissions').where('id', 'in', waiting()).execute();
      await tables()
        .updateTable('submissions')
        .set({ owner: null })
        .where('guild_id', '=', guildId)
        .where('state', '=', 'running')
        .execute();
    },
    /** Deletes everything that is kept of a guild's submissions. */
    async deleteGuild(guildId: string, { before = EVER, stopping }: Partial<Within> = {}): Promise<void> {
      const later = tables()
        .selectFrom('submissions')
        .select('id')
        .where('guild_id', '=', guildId)
        .where('created_at', '>', before);
      const servers = tables()
        .selectFrom('servers')
        .select(['submission_id', 'position'])
        .where('guild_id', '=', guildId)
        .where('submission_id', 'not in', later)
        .limit(ROWS_AT_ONCE);
      await deleteInSteps(
        tables().deleteFrom('servers').where(sql<boolean>`(submission_id, position) in ${servers}`),
        stopping,
      );
      const submissions = tables()
        .selectFrom('submissions')
        .select('id')
        .where('guild_id', '=', guildId)
        .where('created_at', '<=', before)
        .limit(ROWS_AT_ONCE);
      await deleteInSteps(tables().deleteFrom('submissions').where('id', 'in', submissions), stopping);
      const interactions = tables()
        .selectFrom('interactions')
        .select('id')
        .where('guild_id', '=', guildId)
        .where('taken_at', '<=', before)
        .limit(ROWS_AT_ONCE);
      await deleteInSteps(tables().deleteFrom('interactions').where('id', 'in', interactions), stopping);
    },
    /**
     * Deletes a member's documents, and withdraws what waits for a moderator. Of what is carried out nothing is left to be
     * submitted then, nor waits again. Called inside the guild's transaction.
     */
    async forgetRunning(guildId: string, userId: string): Promise<void> {
      await tables()
        .deleteFrom('documents')
        .where('guild_id', '=', guildId)
        .where('user_id', '=', userId)
        .execute();
      const waiting = await ofGuild(guildId)
        .where('user_id', '=', userId)
        .where('state', '=', 'waiting')
        .execute();
      for (const { id } of waiting) await runs.endWaiting(id, { guildId }, { state: 'withdrawn' });
    },
    /**
     * Deletes a member's name from what they have submitted and decided.
     * @returns from how many servers the name was deleted
     */
    async forgetNames(
      guildId: string,
      userId: string,
      { before = EVER, stopping }: Partial<Within> = {},
    ): Promise<number> {
      await tables()
        .updateTable('submissions')
        .set({ decided_by: null })
        .where('guild_id', '=', guildId)
        .where('decided_by', '=', userId)
        .where(({ eb, fn }) => eb(fn.coalesce('started_at', 'ended_at'), '<=', before))
        .execute();
      const ofMember = tables()
        .selectFrom('submissions')
        .select('id')
        .where('guild_id', '=', guildId)
        .where('user_id', '=', userId)
        .where('created_at', '<=', before);
      const count = await countOf(tables().selectFrom('servers').where('submission_id', 'in', ofMember));
      await inSteps(async () => {
        const { numUpdatedRows } = await tables()
          .updateTable('submissions')
          .set({ user_id: null, user_name: null })
          .where('id', 'in', ofMember.limit(ROWS_AT_ONCE))
          .executeTakeFirst();
        return Number(numUpdatedRows);
      }, stopping);
      return count;
    },
    /**
     * Deletes a member's id where no limit counts it any more.
     * @returns whether no row has it now, but those that came later
     */
    async forgetIds(
      guildId: string,
      userId: string,
      { before = EVER, stopping }: Partial<Within> = {},
    ): Promise<boolean> {
      const ofMember = () =>
        tables()
          .selectFrom('servers')
          .select(['submission_id', 'position'])
          .where('guild_id', '=', guildId)
          .where('user_id', '=', userId)
          .where(({ eb, fn }) => eb(fn.coalesce('reserved_at', 'ended_at'), '<=', before));
      const uncounted = ofMember()
        .where(({ or, eb }) =>
          or([eb('reserved_at', 'is', null), eb('reserved_at', '<', limits.countsSince())]),
        )
        .limit(ROWS_AT_ONCE);
      await inSteps(async () => {
        const { numUpdatedRows } = await tables()
          .updateTable('servers')
          .set({ user_id: null })
          .where(sql<boolean>`(submission_id, position) in ${uncounted}`)
          .executeTakeFirst();
        return Number(numUpdatedRows);
      }, stopping);
      return (await ofMember().limit(1).executeTakeFirst()) === undefined;
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
