import type { Keyv } from 'keyv';
import type { Kysely } from 'kysely';
import { StoreError } from './store-error.ts';
import type { Tables } from './tables.ts';

/** A key-value store for plain JSON. Keys have the form `area:id`. Numeric ids are guild ids. */
export type Values = ReturnType<typeof createValues>;

/** `prefix + HIGHEST_CODE_POINT` sorts after every key that starts with `prefix`. */
const HIGHEST_CODE_POINT = '\u{10FFFF}';

export function createValues(keyv: () => Keyv, tables: () => Kysely<Tables>) {
  /** Bypasses Keyv, which would read all values and fail on a damaged one. */
  async function keys(prefix: string): Promise<readonly string[]> {
    const rows = await tables()
      .selectFrom('keyv')
      .select('key')
      .where('key', '>=', prefix)
      .where('key', '<', prefix + HIGHEST_CODE_POINT)
      .orderBy('key')
      .execute();
    return rows.map(({ key }) => key);
  }

  return {
    /** Returns the value, `undefined` if the key doesn't exist, or `null` if the stored value can't be parsed. */
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
    ids: async (area: string): Promise<readonly string[]> =>
      (await keys(`${area}:`)).map((key) => key.slice(area.length + 1)),
  };
}
