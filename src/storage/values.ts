import type { Keyv } from 'keyv';
import type { Kysely } from 'kysely';
import { StoreError } from './store-error.ts';
import type { Tables } from './tables.ts';

/** A key-value store for plain JSON. Keys have the form `area:id`; a numeric id is a guild's. */
export type Values = ReturnType<typeof createValues>;

/** Sorts after every other character, so `prefix + LAST` comes after all keys that begin with `prefix`. */
const LAST = '\u{10FFFF}';

export function createValues(keyv: () => Keyv, tables: () => Kysely<Tables>) {
  /**
   * Returns the keys that begin with `prefix`, sorted. Keyv itself could only read all values, and would fail if one were
   * damaged.
   */
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
    /** Returns `undefined` if the key doesn't exist, and `null` if its row can't be read. */
    async get(key: string): Promise<unknown> {
      try {
        return await keyv().get(key);
      } catch (error) {
        if (error instanceof SyntaxError) return null;
        throw error;
      }
    },
    async set(key: string, value: unknown): Promise<void> {
      if (!(await keyv().set(key, value))) throw new StoreError(`could not write ${key}`);
    },
    /** @returns whether the key existed */
    delete: (key: string): Promise<boolean> => keyv().delete(key),
    keys,
    /** Returns the ids in an area, sorted. */
    ids: async (area: string): Promise<readonly string[]> =>
      (await keys(`${area}:`)).map((key) => key.slice(area.length + 1)),
  };
}
