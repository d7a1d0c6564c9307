/**
 * Changes of one guild, one after the other in this process, before any of them takes a connection: 20 presses in one
 * guild would otherwise hold all ten of the pool, and wait in them for each other's lock.
 */
export function createGuildQueues() {
  /** The end of the latest change of a guild that has any. */
  const ends = new Map<string, Promise<void>>();

  return {
    async inTurn<Result>(guildId: string, change: () => Promise<Result>): Promise<Result> {
      const before = ends.get(guildId);
      const { promise: end, resolve } = Promise.withResolvers<void>();
      ends.set(guildId, end);
      try {
        await before;
        return await change();
      } finally {
        if (ends.get(guildId) === end) ends.delete(guildId);
        resolve();
      }
    },
  };
}
