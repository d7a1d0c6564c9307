import type { Logger } from '../logger.ts';
import type { Store } from '../storage/store.ts';
import { API_KEYS, type ApiKeys } from './api-keys.ts';

interface DeletionDeps {
  readonly store: Pick<Store, 'tables' | 'values' | 'inGuild' | 'cutLog'>;
  readonly keys: Pick<ApiKeys, 'delete'>;
  readonly settings: { delete(guildId: string): Promise<void> };
  readonly submissions: {
    deleteGuild(guildId: string): Promise<void>;
    forgetNames(guildId: string, userId: string, before: number): Promise<number>;
    forgetIds(guildId: string, userId: string, before: number): Promise<boolean>;
  };
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * Deletes what somebody wants deleted. It stands in the table of deletions until its last step, so that the next start
 * and the hourly job finish what the end of the process has cut off.
 */
export interface Deletion {
  /** Deletes everything that is kept of a guild. */
  guild(guildId: string): Promise<void>;
  /**
   * Takes a member's name out of what they have submitted in a guild until now, and deletes their drafts. Their id goes
   * when no limit counts it any more.
   * @returns how many servers had the name
   */
  member(guildId: string, userId: string): Promise<number>;
  /** Goes on with what has begun. */
  finish(): Promise<void>;
}

/** In place of a member's id: everything of the guild. */
const EVERYTHING = '';

export function createDeletion(deps: DeletionDeps): Deletion {
  const { store, keys, settings, submissions, logger, now = Date.now } = deps;

  async function begin(guildId: string, userId: string, askedAt: number): Promise<void> {
    await store.inGuild(guildId, () =>
      store
        .tables()
        .insertInto('deletions')
        .values({ guild_id: guildId, user_id: userId, asked_at: askedAt })
        .onConflict((conflict) =>
          conflict.columns(['guild_id', 'user_id']).doUpdateSet({ asked_at: askedAt }),
        )
        .execute(),
    );
  }

  async function end(guildId: string, userId: string): Promise<void> {
    await store
      .tables()
      .deleteFrom('deletions')
      .where('guild_id', '=', guildId)
      .where('user_id', '=', userId)
      .execute();
    await store.cutLog();
  }

  async function deleteGuild(guildId: string): Promise<void> {
    // Nothing more is submitted from here on.
    await keys.delete(guildId);
    await submissions.deleteGuild(guildId);
    await settings.delete(guildId);
    await store.tables().deleteFrom('presence').where('guild_id', '=', guildId).execute();
    await end(guildId, EVERYTHING);
  }

  async function forgetMember(guildId: string, userId: string, askedAt: number): Promise<number> {
    const count = await submissions.forgetNames(guildId, userId, askedAt);
    if (await submissions.forgetIds(guildId, userId, askedAt)) await end(guildId, userId);
    else await store.cutLog();
    return count;
  }

  return {
    async guild(guildId) {
      await begin(guildId, EVERYTHING, now());
      await deleteGuild(guildId);
    },
    async member(guildId, userId) {
      const askedAt = now();
      await begin(guildId, userId, askedAt);
      return forgetMember(guildId, userId, askedAt);
    },
    async finish() {
      const begun = await store.tables().selectFrom('deletions').selectAll().execute();
      for (const { guild_id: guildId, user_id: userId, asked_at: askedAt } of begun) {
        if (userId === EVERYTHING) {
          await deleteGuild(guildId);
          logger.info({ guildId }, 'an interrupted deletion was finished');
        } else await forgetMember(guildId, userId, askedAt);
      }
    },
  };
}

/** The guilds of which there is a key or settings. */
export async function guildsWithValues({ values }: Pick<Store, 'values'>): Promise<readonly string[]> {
  const keys = [...(await values.keys(`${API_KEYS}:`)), ...(await values.keys('settings:'))];
  return keys.map((key) => key.slice(key.indexOf(':') + 1));
}
