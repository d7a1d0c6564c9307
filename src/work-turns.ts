import { setImmediate } from 'node:timers/promises';

export type WorkTurns = ReturnType<typeof createWorkTurns>;

/**
 * Lets pieces of work begin one at a time, with an iteration of the event loop between them, and guilds in turn: awaits over the
 * store are microtasks, so 100 pieces of 20 ms that begin together stop everybody for two seconds (measured).
 */
export function createWorkTurns() {
  /** What waits, by guild; the guild that began something last is at the end. */
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

  /** Resolves when it is the guild's turn to do a piece of work that ends before the next turn begins. */
  return (guildId: string): Promise<void> =>
    new Promise((begin) => {
      const isIdle = waiting.size === 0;
      const ofGuild = waiting.get(guildId) ?? [];
      ofGuild.push(begin);
      waiting.set(guildId, ofGuild);
      if (isIdle) void letBegin();
    });
}
