/** The store could not read or write. Never to be mistaken for "nothing is stored". */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}

/** What a record that could not be read is called from then on: this, and behind it the name that it had. */
export const SET_ASIDE = 'set-aside.';

/** What the further ones of one name have behind it: `:~2` and so on, so that whose they are can still be seen. */
const FURTHER = /:~(\d+)$/;

/** What the record of that key is called once it was set aside, the first of that name or a further one. */
export const asideName = (key: string, number: number): string =>
  number === 1 ? SET_ASIDE + key : `${SET_ASIDE}${key}:~${number}`;

/** Whose record it is that is set aside under this name, and which of that key, counted from 1. */
export function asideOf(name: string): { readonly key: string; readonly number: number } {
  const number = Number(FURTHER.exec(name)?.[1] ?? 1);
  return { key: name.slice(SET_ASIDE.length).replace(FURTHER, ''), number };
}

/** What is read where a row holds no value any more: it fits no schema, and its text goes nowhere. */
export const UNREADABLE = Symbol('unreadable');

/**
 * Values under string keys, kept over restarts; values are plain JSON. Keys are `area:guild:…`: where the second
 * part is a number it is a guild's id, and what is there is deleted together with the data of that guild.
 * Every method throws a {@link StoreError} when the database fails; none fails quietly.
 */
export interface Store {
  /** `undefined` when nothing is there, {@link UNREADABLE} when it is damaged. */
  get(key: string): Promise<unknown>;
  /** @param ttlMs milliseconds after which the value is gone; for ever without it */
  set(key: string, value: unknown, ttlMs?: number): Promise<void>;
  /**
   * Puts `value` in place of `previous`, in one step, also when other processes write at the same time.
   * @returns whether it was done: not when something else, or nothing, is stored by now
   */
  replace(key: string, previous: unknown, value: unknown): Promise<boolean>;
  /** Whether there was something to delete. */
  delete(key: string): Promise<boolean>;
  /**
   * Keeps a record that nobody can use under another name, `set-aside.` and its own, and logs it. It is tried
   * again at the next start, since it may be of a newer version of the bot; of several of one name, the first one.
   * @param read what was read of it; when something else is there by now nothing is done
   * @param why without anything of what it holds
   */
  setAside(key: string, read: unknown, why: string): Promise<void>;
  /** All values whose key begins with `prefix`, in key order; complete or an error. */
  entries(prefix: string): AsyncIterable<readonly [key: string, value: unknown]>;
}

/**
 * The file that a `STORE_URL` names: `sqlite://data/bot.sqlite` is relative to the working directory,
 * `sqlite:///var/lib/bot.sqlite` is absolute.
 * @throws StoreError for anything that is not a file of SQLite: a database in memory forgets every key.
 */
export function storePath(url: string): string {
  const path = /^sqlite:\/\/([^?#]+)$/.exec(url)?.[1];
  if (path === undefined || path.endsWith('/') || path.includes(':memory:')) {
    throw new StoreError('STORE_URL must name a file of SQLite, such as sqlite://data/bot.sqlite');
  }
  return path;
}
