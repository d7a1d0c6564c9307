import { setImmediate } from 'node:timers/promises';
import type { Games } from '../listing/games.ts';
import type { Store } from '../storage/store.ts';
import { type GuildSettings, SETTINGS } from './settings.ts';

export interface GoneGamesDeps {
  readonly values: Pick<Store['values'], 'ids'>;
  readonly settings: Pick<GuildSettings, 'getOrUnreadable' | 'change'>;
  readonly games: Pick<Games, 'all' | 'isFresh'>;
  readonly notifyAdmins: (guildId: string, aliases: readonly string[]) => Promise<void>;
}

/** Creates the function that notifies a guild once about each allowed game that the service has removed or renamed. */
export function createGoneGames({ values, settings, games, notifyAdmins }: GoneGamesDeps) {
  return async (stopping: AbortSignal): Promise<void> => {
    if (!games.isFresh()) return;
    const known = new Set(games.all.map(({ alias }) => alias));
    for (const guildId of await values.ids(SETTINGS)) {
      // Yields to other work.
      await setImmediate();
      stopping.throwIfAborted();
      const now = await settings.getOrUnreadable(guildId);
      if (now === 'unreadable') continue;
      const gone = now.games?.filter((alias) => !known.has(alias)) ?? [];
      const reported = now.goneGames ?? [];
      const unreported = gone.filter((alias) => !reported.includes(alias));
      // Games that are available again are removed from the list, so that the guild is notified if they disappear again.
      if (unreported.length === 0 && gone.length === reported.length) continue;
      // The settings may have been deleted in the meantime.
      await settings.change(guildId, (before) => (before.games ? { ...before, goneGames: gone } : before));
      if (unreported.length > 0) await notifyAdmins(guildId, unreported);
    }
  };
}
