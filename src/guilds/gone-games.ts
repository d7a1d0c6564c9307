import { setImmediate } from 'node:timers/promises';
import type { Games } from '../listing/games.ts';
import type { Store } from '../storage/store.ts';
import { type GuildSettings, SETTINGS } from './settings.ts';

export interface GoneGamesDeps {
  readonly values: Pick<Store['values'], 'ids'>;
  readonly settings: Pick<GuildSettings, 'getOrUnreadable' | 'change'>;
  readonly games: Pick<Games, 'all' | 'isFresh'>;
  /** Tells the guild's admins. */
  readonly tell: (guildId: string, aliases: readonly string[]) => Promise<void>;
}

/** Tells guilds that chose their games, once each time, which of these the service no longer has: it may have renamed them. */
export function createGoneGames({ values, settings, games, tell }: GoneGamesDeps) {
  return async (stopping: AbortSignal): Promise<void> => {
    if (!games.isFresh()) return;
    const known = new Set(games.all.map(({ alias }) => alias));
    for (const guildId of await values.ids(SETTINGS)) {
      // Others have their turn.
      await setImmediate();
      stopping.throwIfAborted();
      const now = await settings.getOrUnreadable(guildId);
      if (now === 'unreadable') continue;
      const gone = now.games?.filter((alias) => !known.has(alias)) ?? [];
      const told = now.goneGames ?? [];
      const unreported = gone.filter((alias) => !told.includes(alias));
      // What has come back is forgotten, and told again when it goes again.
      if (unreported.length === 0 && gone.length === told.length) continue;
      // The settings may have been deleted meanwhile.
      await settings.change(guildId, (before) => (before.games ? { ...before, goneGames: gone } : before));
      if (unreported.length > 0) await tell(guildId, unreported);
    }
  };
}
