import { DAY_MS } from '../pacing/durations.ts';
import type { Store } from '../storage/store.ts';

/** Discord quarantined bots that messaged 1,000 new users or more (discord-api-docs#5987). */
const MAX_OPENED_PER_DAY = 200;
const CHANNEL_KEPT_MS = 30 * DAY_MS;

export type DirectMessageChannels = ReturnType<typeof createDirectMessageChannels>;

/**
 * Creates the store of direct message channels, so that the bot doesn't open a user's channel again for each message. All
 * processes share the store. Methods throw a StoreError on failure.
 */
export function createDirectMessageChannels({
  store: { tables },
}: {
  readonly store: Pick<Store, 'tables'>;
}) {
  const table = 'direct_message_channels';
  return {
    async find(userId: string): Promise<string | undefined> {
      const row = await tables()
        .selectFrom(table)
        .select('channel_id')
        .where('user_id', '=', userId)
        .executeTakeFirst();
      return row?.channel_id;
    },
    async add(userId: string, channelId: string): Promise<void> {
      const opened = { channel_id: channelId, opened_at: Date.now() };
      await tables()
        .insertInto(table)
        .values({ user_id: userId, ...opened })
        .onConflict((conflict) => conflict.column('user_id').doUpdateSet(opened))
        .execute();
    },
    async areUsedUp(): Promise<boolean> {
      const opened = await tables()
        .selectFrom(table)
        .select('user_id')
        .where('opened_at', '>', Date.now() - DAY_MS)
        .limit(MAX_OPENED_PER_DAY)
        .execute();
      return opened.length === MAX_OPENED_PER_DAY;
    },
    async delete(userId: string): Promise<void> {
      await tables().deleteFrom(table).where('user_id', '=', userId).execute();
    },
    /** Deletes channels opened more than 30 days ago, and channels that a wrong clock dates more than a day ahead. */
    async prune(): Promise<void> {
      const now = Date.now();
      for (const [operator, at] of [
        ['<=', now - CHANNEL_KEPT_MS],
        ['>', now + DAY_MS],
      ] as const) {
        await tables().deleteFrom(table).where('opened_at', operator, at).execute();
      }
    },
  };
}
