/** The store could not read or write. Never to be mistaken for "nothing is stored". */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}

/**
 * Values under string keys, kept over restarts; values are plain JSON. Keys are `area:guild:…`: where the second
 * part is a number it is a guild's id, and what is there is deleted together with the data of that guild.
 * Every method throws a {@link StoreError} when the database fails; none fails quietly.
 */
export interface Store {
  get(key: string): Promise<unknown>;
  /** @param ttlMs milliseconds after which the value is gone; for ever without it */
  set(key: string, value: unknown, ttlMs?: number): Promise<void>;
  /** Whether there was something to delete. */
  delete(key: string): Promise<boolean>;
  /** All values whose key begins with `prefix`, in key order; complete or an error. */
  entries(prefix: string): AsyncIterable<readonly [key: string, value: unknown]>;
}
