import type { Logger } from '../logger.ts';
import type { Store } from '../storage/store.ts';
import type { DeletionsTable } from '../storage/tables.ts';
import { API_KEYS, type ApiKeys } from './api-keys.ts';
import { SETTINGS } from './settings.ts';

/** How far a deletion goes. */
export interface Within {
  /** In milliseconds since 1970: what was begun later stays. */
  readonly before: number;
  /** The next step throws once this is aborted. */
  readonly stopping?: AbortSignal | undefined;
}

interface DeletionDeps {
  readonly store: Pick<Store, 'tables' | 'values' | 'inGuild' | 'cutLog'>;
  readonly keys: Pick<ApiKeys, 'delete'>;
  readonly settings: { delete(guildId: string): Promise<void> };
  readonly submissions: {
    deleteUnsent(guildId: string): Promise<void>;
    deleteGuild(guildId: string, within: Within): Promise<void>;
    forgetRunning(guildId: string, userId: string): Promise<void>;
    forgetNames(guildId: string, userId: string, within: Within): Promise<number>;
    forgetIds(guildId: string, userId: string, within: Within): Promise<boolean>;
  };
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export type Deletion = ReturnType<typeof createDeletion>;

/** Stands in place of a member's id for everything of the guild. */
const EVERYTHING = '';

/**
 * Deletes what somebody wants deleted. A row in the table `deletions` stays until the last step, so that the next start
 * and the hourly job finish a deletion that a crash or a failure has cut off. What came after the request stays.
 */
export function createDeletion(deps: DeletionDeps) {
  const { store, keys, settings, submissions, logger, now } = deps;

  /**
   * Called inside the guild's transaction: what was written before goes, also where the deletion has waited for it.
   * @returns the time from which on everything stays
   */
  async function write(guildId: string, userId: string): Promise<number> {
    const askedAt = now();
    await store
      .tables()
      .insertInto('deletions')
      .values({ guild_id: guildId, user_id: userId, asked_at: askedAt })
      .onConflict((conflict) => conflict.columns(['guild_id', 'user_id']).doUpdateSet({ asked_at: askedAt }))
      .execute();
    return askedAt;
  }

  /** Ends this deletion; one that was asked for meanwhile goes on. */
  async function end(guildId: string, userId: string, askedAt: number): Promise<void> {
    await store
      .tables()
      .deleteFrom('deletions')
      .where('guild_id', '=', guildId)
      .where('user_id', '=', userId)
      .where('asked_at', '=', askedAt)
      .execute();
    await store.cutLog();
  }

  /** Deletes what an admin can set anew (key, settings) only here: a later step could delete the new one. */
  const beginGuild = (guildId: string): Promise<number> =>
    store.inGuild(guildId, async () => {
      const askedAt = await write(guildId, EVERYTHING);
      // Nothing more is submitted from here on.
      await keys.delete(guildId);
      await settings.delete(guildId);
      await submissions.deleteUnsent(guildId);
      await store.tables().deleteFrom('presence').where('guild_id', '=', guildId).execute();
      return askedAt;
    });

  async function deleteGuild(guildId: string, within: Within): Promise<void> {
    await submissions.deleteGuild(guildId, within);
    await end(guildId, EVERYTHING, within.before);
  }

  async function forgetMember(guildId: string, userId: string, within: Within): Promise<number> {
    const count = await submissions.forgetNames(guildId, userId, within);
    if (await submissions.forgetIds(guildId, userId, within)) await end(guildId, userId, within.before);
    else await store.cutLog();
    return count;
  }

  /** Reports a failure as `begun`, since the hourly job goes on with the deletion. */
  async function begun<Result>(guildId: string, rest: Promise<Result>): Promise<Result | 'begun'> {
    try {
      return await rest;
    } catch (error) {
      logger.warn({ err: error, guildId }, 'a deletion has begun and did not end; it goes on by itself');
      return 'begun';
    }
  }

  async function goOn(row: DeletionsTable, stopping: AbortSignal | undefined) {
    const { guild_id: guildId, user_id: userId } = row;
    const within = { before: row.asked_at, stopping };
    if (userId !== EVERYTHING) return forgetMember(guildId, userId, within);
    await deleteGuild(guildId, within);
    logger.info({ guildId }, 'an interrupted deletion was finished');
    return undefined;
  }

  return {
    /**
     * Deletes everything that is kept of a guild.
     * @returns `begun`: the key, the settings and the drafts are deleted, and the rest follows by itself
     * @throws StoreError when nothing was deleted
     */
    async guild(guildId: string): Promise<'done' | 'begun'> {
      const askedAt = await beginGuild(guildId);
      const end = await begun(guildId, deleteGuild(guildId, { before: askedAt }));
      return end ?? 'done';
    },
    /**
     * Takes a member's name out of what they have submitted in a guild until now, and deletes their drafts. Their id goes
     * when no limit counts it any more.
     * @returns how many servers had the name; `begun`: the rest follows by itself
     * @throws StoreError when nothing was deleted
     */
    async member(guildId: string, userId: string): Promise<number | 'begun'> {
      const askedAt = await store.inGuild(guildId, async () => {
        await submissions.forgetRunning(guildId, userId);
        return write(guildId, userId);
      });
      return begun(guildId, forgetMember(guildId, userId, { before: askedAt }));
    },
    /** Goes on with what has begun. @param stopping aborted when it is to stop between two steps */
    async finish(stopping?: AbortSignal): Promise<void> {
      const rows = await store.tables().selectFrom('deletions').selectAll().execute();
      for (const row of rows) {
        stopping?.throwIfAborted();
        await begun(row.guild_id, goOn(row, stopping));
      }
    },
  };
}

/** The guilds that have a key or settings. */
export async function guildsWithValues({ values }: Pick<Store, 'values'>): Promise<readonly string[]> {
  return [...(await values.ids(API_KEYS)), ...(await values.ids(SETTINGS))];
}
