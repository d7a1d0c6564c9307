/**
 * Queues the changes of each guild in this process, so that they take a database connection one at a time. Otherwise 20
 * button presses in a guild would occupy all ten pool connections while they wait for each other's lock.
 */
export function createGuildQueues() {
  /** Resolves at the end of each guild's latest change. */
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
