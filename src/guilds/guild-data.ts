import type { Database } from '../storage/database.ts';
import { API_KEYS, type ApiKeys } from './api-keys.ts';
import { PRESENCE_AREAS } from './presence-records.ts';

interface GuildDataDeps {
  readonly store: Pick<Database, 'keys' | 'delete' | 'erase'>;
  readonly keys: Pick<ApiKeys, 'delete'>;
  readonly submissions: {
    guilds(): AsyncIterable<string>;
    deleteGuild(guildId: string): Promise<void>;
    forgetMember(guildId: string, userId: string): Promise<number>;
  };
  /** Further parts that must hear of it before what they keep in the store is deleted: they write one by one, or cache. */
  readonly parts?: readonly { delete(guildId: string): Promise<unknown> }[];
}

/** Everything the bot keeps of a guild, whichever part keeps it. */
export interface GuildData {
  /** The guilds of which anything is kept, but for whether the bot is in them. */
  held(): Promise<ReadonlySet<string>>;
  /** Deletes everything that is kept of a guild. Last traces leave the database file at the next restart. */
  delete(guildId: string): Promise<void>;
  /** Takes a member's name and id out of the guild's submissions, also on the disk; in how many entries they were. */
  forgetMember(guildId: string, userId: string): Promise<number>;
}

export function createGuildData({ store, keys, submissions, parts = [] }: GuildDataDeps): GuildData {
  return {
    async held() {
      const held = new Set<string>();
      for await (const guildId of submissions.guilds()) held.add(guildId);
      for await (const key of store.keys('')) {
        const guildId = guildOf(key);
        if (guildId !== undefined && !isPresence(key)) held.add(guildId);
      }
      return held;
    },
    async delete(guildId) {
      await submissions.deleteGuild(guildId);
      for (const part of parts) await part.delete(guildId);
      const left: string[] = [];
      for await (const key of store.keys('')) if (guildOf(key) === guildId) left.push(key);
      await store.erase(async () => {
        for (const key of left.filter((key) => !isApiKey(key))) await store.delete(key);
      });
      await keys.delete(guildId);
    },
    async forgetMember(guildId, userId) {
      const count = await submissions.forgetMember(guildId, userId);
      // What was overwritten is still in the log.
      if (count > 0) await store.erase(async () => undefined);
      return count;
    },
  };
}

const isPresence = (key: string) => PRESENCE_AREAS.some((area) => key.startsWith(`${area}:`));

/** Deleted apart from the rest, since it is made sure of. */
const isApiKey = (key: string) => key.startsWith(`${API_KEYS.name}:`);

/** The guild that a key of the store belongs to: `area:guild` or `area:guild:…`. */
function guildOf(key: string): string | undefined {
  return /^[^:]+:(\d+)(?::|$)/.exec(key)?.[1];
}
