/**
 * Lets the changes of one guild in this process begin one after the other, before they take a connection. Otherwise 20
 * presses in a guild would hold all ten connections of the pool while they wait for each other's lock.
 */
export function createGuildQueues() {
  /** The end of each guild's latest change. */
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
