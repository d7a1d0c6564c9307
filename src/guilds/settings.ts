import { z } from 'zod';
import type { Part } from '../lifecycle.ts';
import { createCollection } from '../storage/collection.ts';
import type { Database } from '../storage/database.ts';
import type { Store } from '../storage/store.ts';

/** The most servers a day that can be set as a quota; a whole bulk submission fits many times. */
export const HIGHEST_QUOTA = 9_999;
/**
 * Guilds whose allowed games are kept in memory, for suggestions while a member types. With 25 aliases each that is
 * about 10 MB; the members of further guilds are offered every game, and refused later.
 */
const MOST_REMEMBERED = 5_000;

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

/** Before there was a role. */
const first = settingsSchema
  .omit({ notifyRoleId: true })
  .extend({ v: z.literal(1) })
  .transform(({ v: _, ...settings }): Settings => settings);

const DEFAULTS: Settings = { locale: 'en-US', announce: false };

interface GuildSettingsDeps {
  readonly store: Store & Pick<Database, 'inGuild'>;
}

/** What each guild's admins have chosen. Methods that return a promise throw a StoreError when the store fails. */
export interface GuildSettings extends Part {
  /** Loads into memory what {@link GuildSettings.allowedGames} tells. */
  start(): Promise<void>;
  get(guildId: string): Promise<Settings>;
  /** Whether the guild's settings are back to the defaults because those that were chosen could not be read. */
  areLost(guildId: string): Promise<boolean>;
  /** Changes of one guild follow one another, each made from what the one before left. What comes back as it is, is not written. */
  change(guildId: string, change: (now: Settings) => Settings): Promise<Settings>;
  /** The aliases that may be submitted, from memory alone; `undefined`: all of them, as far as is known. */
  allowedGames(guildId: string): ReadonlySet<string> | undefined;
  delete(guildId: string): Promise<void>;
}

export function createGuildSettings({ store }: GuildSettingsDeps): GuildSettings {
  const records = createCollection<Settings>({
    store,
    name: 'settings',
    version: 2,
    schema: settingsSchema,
    previous: [first],
  });
  /** Only guilds that do not allow all games; the one that was read longest ago goes first. */
  const remembered = new Map<string, ReadonlySet<string>>();

  function remember(guildId: string, { games }: Settings): void {
    remembered.delete(guildId);
    if (games === undefined) return;
    remembered.set(guildId, new Set(games));
    const [oldest] = remembered.keys();
    if (remembered.size > MOST_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
  }

  async function get(guildId: string): Promise<Settings> {
    const settings = (await records.get(guildId)) ?? DEFAULTS;
    remember(guildId, settings);
    return settings;
  }

  return {
    name: 'settings',
    async start() {
      for await (const [guildId, settings] of records.list()) remember(guildId, settings);
    },
    get,
    areLost: async (guildId) =>
      (await records.get(guildId)) === undefined && (await records.aside(guildId)) !== undefined,
    async change(guildId, change) {
      const changed = await store.inGuild(guildId, async () => {
        const now = await get(guildId);
        const next = change(now);
        if (next !== now) await records.set(guildId, next);
        return next;
      });
      remember(guildId, changed);
      return changed;
    },
    allowedGames: (guildId) => remembered.get(guildId),
    async delete(guildId) {
      await records.delete(guildId);
      remembered.delete(guildId);
    },
  };
}

/** Where each guild's log is, and what is wrong with the channel, as its settings have them. */
export function logChannels(settings: Pick<GuildSettings, 'get' | 'change'>) {
  return {
    async channelOf(guildId: string) {
      const {
        logChannelId: channelId,
        locale,
        logTrouble: trouble,
        notifyRoleId,
      } = await settings.get(guildId);
      return channelId === undefined ? undefined : { channelId, locale, trouble, roleId: notifyRoleId };
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
