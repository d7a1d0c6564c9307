import type { Keyv } from 'keyv';
import type { Kysely } from 'kysely';
import { StoreError } from './store-error.ts';
import type { Tables } from './tables.ts';

/** Values under string keys, plain JSON. Keys are `area:id`; where the id is a number it is a guild's. */
export type Values = ReturnType<typeof createValues>;

/** Sorts after every character: `prefix` with it behind is above all keys that begin with `prefix`. */
const LAST = '\u{10FFFF}';

export function createValues(keyv: () => Keyv, tables: () => Kysely<Tables>) {
  /** The keys that begin with `prefix`, sorted. Keyv itself could only read all values, and would fail at a damaged one. */
  async function keys(prefix: string): Promise<readonly string[]> {
    const rows = await tables()
      .selectFrom('keyv')
      .select('key')
      .where('key', '>=', prefix)
      .where('key', '<', prefix + LAST)
      .orderBy('key')
      .execute();
    return rows.map(({ key }) => key);
  }

  return {
    /** `undefined` if nothing is there, `null` if the row cannot be read. */
    async get(key: string): Promise<unknown> {
      try {
        return await keyv().get(key);
      } catch (error) {
        if (error instanceof SyntaxError) return null;
        throw error;
      }
    },
    async set(key: string, value: unknown): Promise<void> {
      if (!(await keyv().set(key, value))) throw new StoreError(`${key} could not be written`);
    },
    /** @returns whether there was something to delete */
    delete: (key: string): Promise<boolean> => keyv().delete(key),
    keys,
    /** The ids of an area, sorted. */
    ids: async (area: string): Promise<readonly string[]> =>
      (await keys(`${area}:`)).map((key) => key.slice(area.length + 1)),
  };
}
