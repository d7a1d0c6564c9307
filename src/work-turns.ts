import { setImmediate } from 'node:timers/promises';

export type WorkTurns = ReturnType<typeof createWorkTurns>;

/**
 * Starts pieces of work one at a time, with an event-loop iteration between them, and takes turns between guilds. Awaiting
 * the store only yields to microtasks, so 100 pieces of 20 ms started together would block the bot for two seconds
 * (measured).
 */
export function createWorkTurns() {
  /** The waiting work of each guild. The guild that last started something is at the end. */
  const waiting = new Map<string, (() => void)[]>();

  async function letBegin(): Promise<void> {
    while (waiting.size > 0) {
      await setImmediate();
      const [guildId = ''] = waiting.keys();
      const ofGuild = waiting.get(guildId) ?? [];
      const begin = ofGuild.shift();
      waiting.delete(guildId);
      if (ofGuild.length > 0) waiting.set(guildId, ofGuild);
      begin?.();
    }
  }

  /** Resolves when it is the guild's turn to do a piece of work. The work must end before the next turn begins. */
  return (guildId: string): Promise<void> =>
    new Promise((begin) => {
      const isIdle = waiting.size === 0;
      const ofGuild = waiting.get(guildId) ?? [];
      ofGuild.push(begin);
      waiting.set(guildId, ofGuild);
      if (isIdle) void letBegin();
    });
}
