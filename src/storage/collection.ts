import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';

import { type Encryption, type SealedRecord, UndecryptableError } from './encryption.ts';
import { asideName, asideOf, type Store, UNREADABLE } from './store.ts';

/** What the records of a collection are. */
export interface Kind<Value extends object> {
  /** The first part of the records' keys, such as `settings` in `settings:123`. */
  readonly name: string;
  /** The number that records of this shape carry as `v`. */
  readonly version: number;
  readonly schema: z.ZodType<Value>;
  /** Whole records of previous shapes, and what they are today. */
  readonly previous?: readonly z.ZodType<Value>[];
}

export interface CollectionDeps<Value extends object> extends Kind<Value> {
  readonly store: Store;
}

/** A collection whose records are sealed in part, under `sealed`: also for whoever seals them anew. */
export interface SealedKind {
  readonly name: string;
  /** What the record of an id is sealed for. */
  readonly context: (id: string) => string;
}

/**
 * Records of one kind, under an id each. One that cannot be read (damaged, of another shape, of a newer version) is set
 * aside and logged, and from then on it is as if there were none. Every method throws a StoreError when the store fails.
 */
export interface Collection<Value extends object> {
  get(id: string): Promise<Value | undefined>;
  /** @param ttlMs milliseconds after which it is gone; for ever without it */
  set(id: string, value: Value, ttlMs?: number): Promise<void>;
  /** Deletes a record, unless it cannot be read, and returns it. What was set aside stays. */
  take(id: string): Promise<Value | undefined>;
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
  const { store, name, version, schema, previous = [] } = deps;
  const keyOf = (id: string) => `${name}:${id}`;

  function parse(stored: unknown): Value | undefined {
    const { v, ...fields } = Object(stored);
    if (v === version) return schema.safeParse(fields).data;
    return previous.map((shape) => shape.safeParse(stored).data).find((value) => value !== undefined);
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
    async take(id) {
      const value = await read(id, await store.get(keyOf(id)));
      if (value !== undefined) await store.delete(keyOf(id));
      return value;
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

export interface SealedCollection<Value extends object> extends Collection<Value> {
  /** What goes under `sealed` in the record of this id. */
  seal(id: string, plain: string): SealedRecord;
  /** @throws UndecryptableError when the record does not open; it was set aside then */
  open(id: string, value: Value): Promise<string>;
}

export function createSealedCollection<Value extends { readonly sealed: unknown }>(
  deps: CollectionDeps<Value> & SealedKind & { readonly encryption: Pick<Encryption, 'seal' | 'open'> },
): SealedCollection<Value> {
  const { encryption, context } = deps;
  const records = createCollection(deps);
  return {
    ...records,
    seal: (id, plain) => encryption.seal(plain, context(id)),
    async open(id, value) {
      try {
        return encryption.open(value.sealed, context(id));
      } catch (error) {
        if (error instanceof UndecryptableError) await records.setAside(id, value, 'it cannot be decrypted');
        throw error;
      }
    },
  };
}
