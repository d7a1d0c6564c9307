import { setImmediate } from 'node:timers/promises';
import type { Games } from '../listing/games.ts';
import type { Store } from '../storage/store.ts';
import { type GuildSettings, SETTINGS } from './settings.ts';

export interface GoneGamesDeps {
  readonly values: Pick<Store['values'], 'ids'>;
  readonly settings: Pick<GuildSettings, 'find' | 'change'>;
  readonly games: Pick<Games, 'all' | 'isFresh'>;
  /** Tells the guild's admins. */
  readonly tell: (guildId: string, aliases: readonly string[]) => Promise<void>;
}

/** Tells guilds that chose their games, once, which of these the service no longer has: it may have renamed them. */
export function createGoneGames({ values, settings, games, tell }: GoneGamesDeps) {
  return async (stopping: AbortSignal): Promise<void> => {
    if (!games.isFresh()) return;
    const known = new Set(games.all.map(({ alias }) => alias));
    for (const guildId of await values.ids(SETTINGS)) {
      // Others have their turn.
      await setImmediate();
      stopping.throwIfAborted();
      const now = await settings.find(guildId);
      if (now === 'unreadable') continue;
      const gone = now.games?.filter((alias) => !known.has(alias)) ?? [];
      const untold = gone.filter((alias) => !now.goneGames?.includes(alias));
      if (untold.length === 0) continue;
      // The settings may have been deleted meanwhile.
      await settings.change(guildId, (before) => (before.games ? { ...before, goneGames: gone } : before));
      await tell(guildId, untold);
    }
  };
}
