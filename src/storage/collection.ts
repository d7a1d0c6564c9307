import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';

import { asideName, asideOf, type Store, UNREADABLE } from './store.ts';

export interface CollectionDeps<Value extends object> {
  readonly store: Store;
  /** The first part of the records' keys, such as `settings` in `settings:123`. */
  readonly name: string;
  /** The number that records of this shape carry as `v`. */
  readonly version: number;
  readonly schema: z.ZodType<Value>;
  /** Whole records of former shapes, and what they are today. */
  readonly former?: readonly z.ZodType<Value>[];
}

/**
 * Records of one kind, under an id each. One that cannot be read (damaged, of another shape, of a newer version) is set
 * aside and logged, and from then on it is as if there were none. Every method throws a StoreError when the store fails.
 */
export interface Collection<Value extends object> {
  get(id: string): Promise<Value | undefined>;
  /** @param ttlMs milliseconds after which it is gone; for ever without it */
  set(id: string, value: Value, ttlMs?: number): Promise<void>;
  /**
   * Puts what `change` makes of a record in its place, from the start again when another process was faster.
   * @param change is not called when there is none; it returns undefined to leave the record as it is
   */
  update(id: string, change: (now: Value) => Value | undefined): Promise<void>;
  /** Deletes a record, and what was set aside of it; whether there was anything. */
  delete(id: string): Promise<boolean>;
  /** All whose id begins with `prefix`, in order. */
  list(prefix?: string): AsyncIterable<readonly [id: string, value: Value]>;
  /** For whoever finds out later that a record is of no use, such as a sealed one that does not open. */
  setAside(id: string, value: Value, why: string): Promise<void>;
  /** What was last set aside under this id: as it is stored, and as a record where it has the shape of one. */
  aside(id: string): Promise<{ readonly stored: unknown; readonly value: Value | undefined } | undefined>;
  /** Deletes all that was set aside under this id; whether there was anything. */
  dropAside(id: string): Promise<boolean>;
}

export function createCollection<Value extends object>(deps: CollectionDeps<Value>): Collection<Value> {
  const { store, name, version, schema, former = [] } = deps;
  const keyOf = (id: string) => `${name}:${id}`;

  function parse(stored: unknown): Value | undefined {
    const { v, ...fields } = Object(stored);
    if (v === version) return schema.safeParse(fields).data;
    return former.map((shape) => shape.safeParse(stored).data).find((value) => value !== undefined);
  }

  function whatIsWrong(stored: unknown): string {
    if (stored === UNREADABLE) return 'it is damaged';
    return Object(stored).v > version ? 'it is of a newer version of the bot' : 'it has another shape';
  }

  async function read(id: string, stored: unknown): Promise<Value | undefined> {
    if (stored === undefined) return undefined;
    const value = parse(stored);
    if (value === undefined) await store.setAside(keyOf(id), stored, whatIsWrong(stored));
    return value;
  }

  /** What was set aside under this id, in that order. */
  async function asides(id: string): Promise<readonly { readonly name: string; readonly stored: unknown }[]> {
    const found: { name: string; stored: unknown }[] = [];
    for await (const [name, stored] of store.entries(asideName(keyOf(id), 1))) {
      if (asideOf(name).key === keyOf(id)) found.push({ name, stored });
    }
    return found.sort((a, b) => asideOf(a.name).number - asideOf(b.name).number);
  }

  async function dropAside(id: string): Promise<boolean> {
    const found = await asides(id);
    for (const { name } of found) await store.delete(name);
    return found.length > 0;
  }

  return {
    get: async (id) => read(id, await store.get(keyOf(id))),
    set: (id, value, ttlMs) => store.set(keyOf(id), { v: version, ...value }, ttlMs),
    async update(id, change) {
      for (;;) {
        const stored = await store.get(keyOf(id));
        const now = await read(id, stored);
        const next = now === undefined ? undefined : change(now);
        if (next === undefined || (await store.replace(keyOf(id), stored, { v: version, ...next }))) return;
      }
    },
    async delete(id) {
      const wasAside = await dropAside(id);
      return (await store.delete(keyOf(id))) || wasAside;
    },
    async *list(prefix = '') {
      for await (const [key, stored] of store.entries(keyOf(prefix))) {
        const id = key.slice(keyOf('').length);
        const value = await read(id, stored);
        if (value !== undefined) yield [id, value];
      }
    },
    async setAside(id, value, why) {
      const stored = await store.get(keyOf(id));
      // Another one may have been stored meanwhile.
      if (isDeepStrictEqual(parse(stored), value)) await store.setAside(keyOf(id), stored, why);
    },
    async aside(id) {
      const latest = (await asides(id)).at(-1);
      return latest && { stored: latest.stored, value: parse(latest.stored) };
    },
    dropAside,
  };
}
