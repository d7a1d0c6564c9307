import { z } from 'zod';
import { createCache } from '../cache.ts';
import type { Logger } from '../logger.ts';
import { createCollection } from '../storage/collection.ts';
import type { Store } from '../storage/store.ts';

/** The most servers a day that can be set as a quota; a whole bulk submission fits many times. */
export const HIGHEST_QUOTA = 9_999;

const settingsSchema = z.object({
  /** Discord's name of the guild's language, for what is written there without being asked. */
  locale: z.string(),
  logChannelId: z.exactOptional(z.string()),
  /** Why the last message to the log channel did not arrive. */
  logTrouble: z.exactOptional(z.enum(['gone', 'no-access', 'no-permission'])),
  /** The role that the log channel mentions when the service refuses the key. */
  notifyRoleId: z.exactOptional(z.string()),
  /** Whether successful submissions are announced in the channel where they were made. */
  announce: z.boolean(),
  /** The aliases of the games that may be submitted; absent: all of them. */
  games: z.exactOptional(z.array(z.string()).min(1)),
  /** Servers that a member may submit in a day; absent: no limit. */
  dailyQuota: z.exactOptional(z.int().min(1).max(HIGHEST_QUOTA)),
});
export type Settings = Readonly<z.infer<typeof settingsSchema>>;

const DEFAULTS: Settings = { locale: 'en-US', announce: false };

/** What each guild's admins have chosen. Every method throws a StoreError when the store fails. */
export interface GuildSettings {
  /** The defaults where nothing was chosen, or what was chosen cannot be read. Remembered for a few seconds. */
  get(guildId: string): Promise<Settings>;
  /** Whether what was chosen cannot be read any more. */
  areLost(guildId: string): Promise<boolean>;
  /** Changes of one guild follow one another, each made from what the one before left. What comes back as it is, is not written. */
  change(guildId: string, change: (now: Settings) => Settings): Promise<Settings>;
  delete(guildId: string): Promise<void>;
}

/** How long settings are remembered, in milliseconds: autocomplete asks for them with every key stroke. */
const REMEMBERED_MS = 5_000;

export function createGuildSettings(deps: {
  readonly store: Pick<Store, 'values' | 'inGuild'>;
  readonly logger: Logger;
}): GuildSettings {
  const { store, logger } = deps;
  const records = createCollection<Settings>({
    values: store.values,
    name: 'settings',
    schema: settingsSchema,
    logger,
  });

  async function read(guildId: string): Promise<Settings> {
    const settings = await records.get(guildId);
    return settings === undefined || settings === 'unreadable' ? DEFAULTS : settings;
  }

  const remembered = createCache(read, REMEMBERED_MS);

  return {
    get: remembered.get,
    areLost: async (guildId) => (await records.get(guildId)) === 'unreadable',
    async change(guildId, change) {
      try {
        return await store.inGuild(guildId, async () => {
          const now = await read(guildId);
          const next = change(now);
          if (next !== now) await records.set(guildId, next);
          return next;
        });
      } finally {
        remembered.forget(guildId);
      }
    },
    async delete(guildId) {
      await records.delete(guildId);
      remembered.forget(guildId);
    },
  };
}

/** Where each guild's log is, and what is wrong with the channel, as its settings have them. */
export function logChannels(settings: Pick<GuildSettings, 'get' | 'change'>) {
  return {
    async channelOf(guildId: string) {
      const { logChannelId, locale, logTrouble, notifyRoleId } = await settings.get(guildId);
      if (logChannelId === undefined) return undefined;
      return { channelId: logChannelId, locale, trouble: logTrouble, roleId: notifyRoleId };
    },
    async setTrouble(guildId: string, channelId: string, trouble: Settings['logTrouble']) {
      await settings.change(guildId, (now) => {
        // Another channel may have been chosen meanwhile.
        if (now.logChannelId !== channelId) return now;
        const { logTrouble: _previous, ...others } = now;
        return trouble === undefined ? others : { ...others, logTrouble: trouble };
      });
    },
  };
}
