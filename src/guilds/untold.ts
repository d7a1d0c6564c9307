import type { Store } from '../storage/store.ts';

/** Each is stored under this name, the id of the guild and that of the member. */
export const UNTOLD = 'untold';

export type Untold = ReturnType<typeof createUntold>;

/** The members who want no direct messages about a guild. Every method throws a StoreError when the store fails. */
export function createUntold({ store: { values } }: { readonly store: Pick<Store, 'values'> }) {
  const keyOf = (guildId: string, userId: string) => `${UNTOLD}:${guildId}:${userId}`;
  return {
    has: async (guildId: string, userId: string): Promise<boolean> =>
      (await values.get(keyOf(guildId, userId))) !== undefined,
    add: (guildId: string, userId: string): Promise<void> => values.set(keyOf(guildId, userId), true),
    /** @param userId without one: of every member */
    async delete(guildId: string, userId = ''): Promise<void> {
      const found = userId === '' ? await values.keys(keyOf(guildId, '')) : [keyOf(guildId, userId)];
      for (const key of found) await values.delete(key);
    },
  };
}
