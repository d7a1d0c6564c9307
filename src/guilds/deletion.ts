import type { Store } from '../storage/store.ts';
import { API_KEYS, type ApiKeys } from './api-keys.ts';
import { DIRECT_MESSAGE_OPT_OUTS, type DirectMessageOptOuts } from './direct-message-opt-outs.ts';
import { PANELS, type Panels } from './panels.ts';
import { SETTINGS } from './settings.ts';

export interface DeletionDeps {
  readonly store: Pick<Store, 'tables' | 'inGuild' | 'cutLog'>;
  readonly keys: Pick<ApiKeys, 'delete'>;
  readonly settings: { delete(guildId: string): Promise<void> };
  readonly directMessageOptOuts: Pick<DirectMessageOptOuts, 'delete'>;
  readonly panels: Pick<Panels, 'delete'>;
  readonly submissions: {
    deleteGuild(guildId: string): Promise<void>;
    forgetMember(guildId: string, userId: string): Promise<number>;
  };
}

export type Deletion = ReturnType<typeof createDeletion>;

/** Deletes what somebody wants deleted: all of it in one transaction, or a StoreError is thrown and nothing was deleted. */
export function createDeletion({
  store,
  keys,
  settings,
  directMessageOptOuts,
  panels,
  submissions,
}: DeletionDeps) {
  return {
    /**
     * Deletes everything that is kept of a guild, but how many servers still count for its limit: 200 ms for 20,000 servers
     * (measured).
     */
    async guild(guildId: string): Promise<void> {
      await store.inGuild(guildId, async () => {
        await keys.delete(guildId);
        await settings.delete(guildId);
        await directMessageOptOuts.delete(guildId);
        await panels.delete(guildId);
        await submissions.deleteGuild(guildId);
        await store.tables().deleteFrom('guild_departures').where('guild_id', '=', guildId).execute();
      });
      await store.cutLog();
    },
    /**
     * Takes a member's name out of what they have submitted in a guild until now, and deletes their drafts and that they want
     * no direct messages. Their id goes when no limit counts it any more.
     * @returns how many servers had the name
     */
    async member(guildId: string, userId: string): Promise<number> {
      const count = await store.inGuild(guildId, async () => {
        await directMessageOptOuts.delete(guildId, userId);
        return submissions.forgetMember(guildId, userId);
      });
      await store.cutLog();
      return count;
    },
  };
}

/** The guilds that have a key, settings or panels, or a member who wants no direct messages. */
export async function guildsWithStoredData({ values }: Pick<Store, 'values'>): Promise<readonly string[]> {
  const areas = [API_KEYS, SETTINGS, PANELS];
  const ofGuilds = (await Promise.all(areas.map((area) => values.ids(area)))).flat();
  const ofMembers = (await values.ids(DIRECT_MESSAGE_OPT_OUTS)).map((id) => id.split(':')[0] ?? '');
  return [...ofGuilds, ...ofMembers];
}
