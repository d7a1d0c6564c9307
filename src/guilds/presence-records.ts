import { z } from 'zod';
import { createCollection } from '../storage/collection.ts';
import type { Store } from '../storage/store.ts';

/** Collections that say whether the bot is in a guild, and so are no data of the guild by themselves. */
export const PRESENCE_AREAS = ['absence', 'used'] as const;
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
