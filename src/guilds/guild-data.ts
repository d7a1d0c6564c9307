import { z } from 'zod';
import type { Part } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import { createCollection } from '../storage/collection.ts';
import type { Database } from '../storage/database.ts';
import type { Store } from '../storage/store.ts';
import { API_KEYS, type ApiKeys } from './api-keys.ts';

interface GuildDataDeps {
  readonly store: Pick<Database, 'keys' | 'set' | 'delete' | 'erase'>;
  readonly keys: Pick<ApiKeys, 'delete'>;
  readonly submissions: {
    guilds(): AsyncIterable<string>;
    deleteGuild(guildId: string): Promise<void>;
    forgetMember(guildId: string, userId: string): Promise<number>;
  };
  /** Further parts that must hear of it before what they keep in the store is deleted: they write one by one, or cache. */
  readonly parts?: readonly { delete(guildId: string): Promise<unknown> }[];
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

/** Everything the bot keeps of a guild, whichever part keeps it. */
export interface GuildData extends Part {
  /** Finishes what the end of a previous run has interrupted; before anybody is served. It never throws. */
  start(): Promise<void>;
  /** The guilds of which anything is kept, but for whether the bot is in them. */
  held(): Promise<ReadonlySet<string>>;
  /** Deletes everything that is kept of a guild. Last traces leave the database file at the next restart. */
  delete(guildId: string): Promise<void>;
  /** Takes a member's name and id out of the guild's submissions, also on the disk; in how many entries they were. */
  forgetMember(guildId: string, userId: string): Promise<number>;
}

export function createGuildData({ store, keys, submissions, parts = [], logger }: GuildDataDeps): GuildData {
  const deletions = {
    async guild(guildId: string): Promise<void> {
      // Nothing more is submitted from here on.
      await keys.delete(guildId);
      await submissions.deleteGuild(guildId);
      for (const part of parts) await part.delete(guildId);
      const left: string[] = [];
      for await (const key of store.keys('')) if (guildOf(key) === guildId) left.push(key);
      // The mark goes last, being one of them.
      await store.erase(async () => {
        for (const key of left.filter((key) => !isApiKey(key))) await store.delete(key);
      });
    },
    async member(guildId: string, userId: string): Promise<number> {
      const count = await submissions.forgetMember(guildId, userId);
      // What was overwritten is still in the log; drafts that went are in no entry.
      await store.erase(() => store.delete(markOf(guildId, userId)));
      return count;
    },
  };

  /** Begins what the next start finishes, should this process end in the middle of it. */
  async function marked<Done>(mark: string, run: () => Promise<Done>): Promise<Done> {
    try {
      // At the same time, so that the mark is in the first commit, and no request leaves before the key has gone.
      const [, done] = await Promise.all([store.set(mark, true), run()]);
      return done;
    } catch (error) {
      // Who asked for it is told: what they keep here from now on must not go at some later start.
      await store.delete(mark).catch(() => undefined);
      throw error;
    }
  }

  return {
    name: 'guild data',
    async start() {
      try {
        for (const mark of await Array.fromAsync(store.keys(`${DELETING}:`))) {
          const [, guildId = '', userId] = mark.split(':');
          await (userId === undefined ? deletions.guild(guildId) : deletions.member(guildId, userId));
          logger.info(
            { guildId, of: userId === undefined ? 'guild' : 'member' },
            'an interrupted deletion was finished',
          );
        }
      } catch (error) {
        logger.warn(
          { err: error },
          'an interrupted deletion could not be finished; the next start tries again',
        );
      }
    },
    async held() {
      const held = new Set<string>();
      for await (const guildId of submissions.guilds()) held.add(guildId);
      for await (const key of store.keys('')) {
        const guildId = guildOf(key);
        if (guildId !== undefined && !isPresence(key)) held.add(guildId);
      }
      return held;
    },
    delete: (guildId) => marked(markOf(guildId), () => deletions.guild(guildId)),
    forgetMember: (guildId, userId) =>
      marked(markOf(guildId, userId), () => deletions.member(guildId, userId)),
  };
}

/** Collection of what is being deleted: `deleting:guild`, or `deleting:guild:member`. */
const DELETING = 'deleting';
const markOf = (...ids: readonly [guildId: string, userId?: string]) => [DELETING, ...ids].join(':');

const isPresence = (key: string) => PRESENCE_AREAS.some((area) => key.startsWith(`${area}:`));

/** Deleted apart from the rest, since it is made sure of. */
const isApiKey = (key: string) => key.startsWith(`${API_KEYS.name}:`);

/** The guild that a key of the store belongs to: `area:guild` or `area:guild:…`. */
function guildOf(key: string): string | undefined {
  return /^[^:]+:(\d+)(?::|$)/.exec(key)?.[1];
}

/** Collections that say whether the bot is in a guild, and so are no data of the guild by themselves. */
const PRESENCE_AREAS = ['absence', 'used'] as const;
const [ABSENCE, USE] = PRESENCE_AREAS;

/** Applications that are remembered: more than anybody tries out. */
const MOST_APPLICATIONS = 20;

const absenceSchema = z.object({
  /** Milliseconds since 1970, like every time here. */
  since: z.number(),
  /** In how many checks in a row the guild was absent. */
  absences: z.int().positive(),
});
export type Absence = Readonly<z.infer<typeof absenceSchema>>;

/** When members of a guild last used a command while the guild was in no list. */
const useSchema = z.object({ at: z.number() });

/** The applications that this store was used with, in that order, and since when; nobody knows it of the first. */
const applicationsSchema = z.object({
  seen: z.array(z.object({ id: z.string(), since: z.exactOptional(z.number()) })),
});

/** All that is stored of whether the bot is in a guild. Every method throws a StoreError when the store fails. */
export interface PresenceRecords {
  absences(): Promise<ReadonlyMap<string, Absence>>;
  setAbsence(guildId: string, absence: Absence): Promise<void>;
  /** By guild: when its members last used a command while the guild was in no list. */
  uses(): Promise<ReadonlyMap<string, number>>;
  setUse(guildId: string, at: number): Promise<void>;
  /** Deletes what is stored of a guild here. */
  forget(guildId: string): Promise<void>;
  /**
   * Since when the store is used with this application; `undefined` for the first that it was used with. One that it
   * does not know is remembered with `now`.
   */
  applicationSince(id: string, now: number): Promise<number | undefined>;
}

export function createPresenceRecords(store: Store): PresenceRecords {
  const absences = createCollection({ store, name: ABSENCE, version: 1, schema: absenceSchema });
  const uses = createCollection({ store, name: USE, version: 1, schema: useSchema });
  const applications = createCollection({
    store,
    // Released versions have written it under this name.
    name: 'departures',
    version: 1,
    schema: applicationsSchema,
  });

  return {
    absences: () => allOf(absences.list()),
    setAbsence: (guildId, absence) => absences.set(guildId, absence),
    async uses() {
      const known = await allOf(uses.list());
      return new Map([...known].map(([guildId, { at }]) => [guildId, at]));
    },
    setUse: (guildId, at) => uses.set(guildId, { at }),
    async forget(guildId) {
      await absences.delete(guildId);
      await uses.delete(guildId);
    },
    async applicationSince(id, now) {
      const { seen } = (await applications.get('applications')) ?? { seen: [] };
      const known = seen.find((application) => application.id === id);
      if (known !== undefined) return known.since;
      const application = seen.length === 0 ? { id } : { id, since: now };
      await applications.set('applications', { seen: [...seen, application].slice(-MOST_APPLICATIONS) });
      return application.since;
    },
  };
}

async function allOf<Value>(
  entries: AsyncIterable<readonly [string, Value]>,
): Promise<ReadonlyMap<string, Value>> {
  const all = new Map<string, Value>();
  for await (const [id, value] of entries) all.set(id, value);
  return all;
}
