import type { Store } from '../storage/store.ts';

/**
 * The first part of the names of stored opt-outs, followed by the ids of the guild and the member. It is unchanged since
 * 0.3.0.
 */
export const DIRECT_MESSAGE_OPT_OUTS = 'untold';

export type DirectMessageOptOuts = ReturnType<typeof createDirectMessageOptOuts>;

/**
 * Creates the store that records which members opted out of a guild's direct messages. Every method throws a StoreError
 * when the store fails.
 */
export function createDirectMessageOptOuts({ store: { values } }: { readonly store: Pick<Store, 'values'> }) {
  const keyOf = (guildId: string, userId: string) => `${DIRECT_MESSAGE_OPT_OUTS}:${guildId}:${userId}`;
  return {
    has: async (guildId: string, userId: string): Promise<boolean> =>
      (await values.get(keyOf(guildId, userId))) !== undefined,
    add: (guildId: string, userId: string): Promise<void> => values.set(keyOf(guildId, userId), true),
    /** @param userId if empty, deletes the opt-outs of all the guild's members */
    async delete(guildId: string, userId = ''): Promise<void> {
      const found = userId === '' ? await values.keys(keyOf(guildId, '')) : [keyOf(guildId, userId)];
      for (const key of found) await values.delete(key);
    },
  };
}
