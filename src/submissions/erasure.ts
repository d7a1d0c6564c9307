import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Store } from '../storage/store.ts';
import { deleteInSteps, inSteps, ROWS_AT_ONCE } from './in-steps.ts';
import type { Limits } from './limits.ts';

/** How far a deletion goes. */
interface Within {
  /** In milliseconds since 1970: what was begun later stays. */
  readonly before?: number;
  /** Once it is aborted, the next step throws. */
  readonly stopping?: AbortSignal | undefined;
}

export type Erasure = ReturnType<typeof createErasure>;

export interface ErasureDeps {
  readonly store: Pick<Store, 'tables'>;
  readonly limits: Pick<Limits, 'countsSince'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** After all times. */
const EVER = Number.MAX_SAFE_INTEGER;

/** Deletes what is kept of submissions. Every method throws a StoreError when the store fails. */
export function createErasure({ store, limits, now }: ErasureDeps) {
  const { tables } = store;

  return {
    /**
     * Deletes the drafts of a guild, and what waits for its moderators. What is carried out has no owner any more, so that
     * none of it is sent, and has no draft afterwards. Called inside of the guild's transaction.
     */
    async deleteUnsent(guildId: string): Promise<void> {
      await tables()
        .deleteFrom('submissions')
        .where('guild_id', '=', guildId)
        .where('state', 'in', ['draft', 'waiting'])
        .execute();
      await tables()
        .updateTable('submissions')
        .set({ owner: null, draft: null })
        .where('guild_id', '=', guildId)
        .where('state', '=', 'running')
        .execute();
    },
    /** Deletes all of a guild. */
    async deleteGuild(guildId: string, { before = EVER, stopping }: Within = {}): Promise<void> {
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
     * Deletes a member's drafts and what waits for a moderator, and their name from what they have submitted and decided.
     * @returns from how many servers
     */
    async forgetNames(
      guildId: string,
      userId: string,
      { before = EVER, stopping }: Within = {},
    ): Promise<number> {
      await tables()
        .deleteFrom('submissions')
        .where('guild_id', '=', guildId)
        .where('user_id', '=', userId)
        .where('state', '=', 'draft')
        .where('created_at', '<=', before)
        .where('message_due_at', 'is', null)
        .execute();
      // As when the member withdraws it: its message says so, and then it goes as a draft.
      await tables()
        .updateTable('submissions')
        .set({ state: 'draft', draft: null, interaction_id: null, message_due_at: now() })
        .where('guild_id', '=', guildId)
        .where('user_id', '=', userId)
        .where('state', '=', 'waiting')
        .where('created_at', '<=', before)
        .execute();
      await tables()
        .updateTable('submissions')
        .set({ decided_by: null })
        .where('guild_id', '=', guildId)
        .where('decided_by', '=', userId)
        .where('decided_at', '<=', before)
        .execute();
      const ofMember = tables()
        .selectFrom('submissions')
        .select('id')
        .where('guild_id', '=', guildId)
        .where('user_id', '=', userId)
        .where('created_at', '<=', before);
      const { count } = await tables()
        .selectFrom('servers')
        .where('submission_id', 'in', ofMember)
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
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
    /** Deletes a member's id where no limit counts it any more; whether it is nowhere now, but in what came later. */
    async forgetIds(
      guildId: string,
      userId: string,
      { before = EVER, stopping }: Within = {},
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
        // What is read is there at once: others have their turn between two guilds.
        await setImmediate();
      }
    },
  };
}
