import { z } from 'zod';
import type { Part } from '../lifecycle.ts';
import { type Store, StoreError } from '../storage/store.ts';
import { createTurns } from '../storage/turns.ts';

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
  /** Whether successful submissions are announced in the channel where they were made. */
  announce: z.boolean(),
  /** The aliases of the games that may be submitted; absent: all of them. */
  games: z.exactOptional(z.array(z.string()).min(1)),
  /** Servers that a member may submit in a day; absent: no limit. */
  dailyQuota: z.exactOptional(z.int().min(1).max(HIGHEST_QUOTA)),
});
export type Settings = Readonly<z.infer<typeof settingsSchema>>;

const recordSchema = settingsSchema.extend({ v: z.literal(1) });

const DEFAULTS: Settings = { locale: 'en-US', announce: false };

export interface GuildSettingsDeps {
  readonly store: Store;
}

/** What each guild's admins have chosen. Methods that return a promise throw a {@link StoreError} when the store fails. */
export interface GuildSettings extends Part {
  /** Loads into memory what {@link GuildSettings.allowedGames} tells. */
  start(): Promise<void>;
  get(guildId: string): Promise<Settings>;
  /** Changes of one guild follow one another, each made from what the one before left. */
  change(guildId: string, change: (now: Settings) => Settings): Promise<Settings>;
  /** The aliases that may be submitted, from memory alone; `undefined`: all of them, as far as is known. */
  allowedGames(guildId: string): ReadonlySet<string> | undefined;
  delete(guildId: string): Promise<void>;
}

export function createGuildSettings({ store }: GuildSettingsDeps): GuildSettings {
  const inTurn = createTurns();
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
    const stored = await store.get(place(guildId));
    const settings = stored === undefined ? DEFAULTS : read(stored);
    if (settings === undefined) {
      throw new StoreError(`the settings of guild ${guildId} are not a record of this version`);
    }
    remember(guildId, settings);
    return settings;
  }

  return {
    name: 'settings',
    async start() {
      for await (const [key, value] of store.entries(place(''))) {
        // A record of another version is told to whoever uses it; it must not keep the bot from starting.
        const settings = read(value);
        if (settings !== undefined) remember(key.slice(place('').length), settings);
      }
    },
    get,
    change: (guildId, change) =>
      inTurn(guildId, async () => {
        const changed = change(await get(guildId));
        await store.set(place(guildId), { v: 1, ...changed });
        remember(guildId, changed);
        return changed;
      }),
    allowedGames: (guildId) => remembered.get(guildId),
    delete: (guildId) =>
      inTurn(guildId, async () => {
        await store.delete(place(guildId));
        remembered.delete(guildId);
      }),
  };
}

function read(stored: unknown): Settings | undefined {
  const record = recordSchema.safeParse(stored);
  if (!record.success) return undefined;
  const { v: _version, ...settings } = record.data;
  return settings;
}

const place = (guildId: string) => `settings:${guildId}`;
