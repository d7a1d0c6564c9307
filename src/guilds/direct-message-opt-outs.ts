import type { Store } from '../storage/store.ts';

/** The namespace of stored opt-outs, which also have the ids of the guild and the member. The name dates from 0.3.0. */
export const DIRECT_MESSAGE_OPT_OUTS = 'untold';

export type DirectMessageOptOuts = ReturnType<typeof createDirectMessageOptOuts>;

/**
 * Creates the store for members who opted out of direct messages about a guild. Every method throws a StoreError when
 * the store fails.
 */
export function createDirectMessageOptOuts({ store: { values } }: { readonly store: Pick<Store, 'values'> }) {
  const keyOf = (guildId: string, userId: string) => `${DIRECT_MESSAGE_OPT_OUTS}:${guildId}:${userId}`;
  return {
    has: async (guildId: string, userId: string): Promise<boolean> =>
      (await values.get(keyOf(guildId, userId))) !== undefined,
    add: (guildId: string, userId: string): Promise<void> => values.set(keyOf(guildId, userId), true),
    /** @param userId if empty, deletes the opt-outs of all members */
    async delete(guildId: string, userId = ''): Promise<void> {
      const found = userId === '' ? await values.keys(keyOf(guildId, '')) : [keyOf(guildId, userId)];
      for (const key of found) await values.delete(key);
    },
  };
}
