import type { Store } from '../storage/store.ts';

/** Prefix of stored opt-outs, followed by the ids of the guild and the member. The name dates from version 0.3.0. */
export const DIRECT_MESSAGE_OPT_OUTS = 'untold';

export type DirectMessageOptOuts = ReturnType<typeof createDirectMessageOptOuts>;

/** Creates the store of members who opted out of a guild's direct messages. Methods throw a StoreError on failure. */
export function createDirectMessageOptOuts({ store: { values } }: { readonly store: Pick<Store, 'values'> }) {
  const keyOf = (guildId: string, userId: string) => `${DIRECT_MESSAGE_OPT_OUTS}:${guildId}:${userId}`;
  return {
    has: async (guildId: string, userId: string): Promise<boolean> =>
      (await values.get(keyOf(guildId, userId))) !== undefined,
    add: (guildId: string, userId: string): Promise<void> => values.set(keyOf(guildId, userId), true),
    /** @param userId the member; if empty, all members' opt-outs in the guild are deleted */
    async delete(guildId: string, userId = ''): Promise<void> {
      const found = userId === '' ? await values.keys(keyOf(guildId, '')) : [keyOf(guildId, userId)];
      for (const key of found) await values.delete(key);
    },
  };
}
