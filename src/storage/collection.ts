import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
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

/** AES-256 takes a key of 32 bytes. */
export const KEY_BYTES = 32;
/** Of the shape of sealed records. */
export const VERSION = 1;
/** 96 bits, random for every record, and the full tag (NIST SP 800-38D §5.2.1, §8.2.2). */
const IV_BYTES = 12;
const TAG_BYTES = 16;

const base64 = z.base64();
export const sealedRecordSchema = z.object({
  /** Of this shape; another number was written by another version of the bot. */
  v: z.literal(VERSION),
  /** Which key it was sealed with. */
  k: z.string(),
  iv: base64,
  data: base64,
  tag: base64,
});
export type SealedRecord = z.infer<typeof sealedRecordSchema>;

/** A value is stored, but it cannot be opened with the keys at hand. Never to be mistaken for "nothing is stored". */
export class UndecryptableError extends Error {
  override readonly name = 'UndecryptableError';
}

export interface Encryption {
  /** The key that `seal` uses; see {@link SealedRecord}. */
  readonly newestKeyId: string;
  /** @param context whose value it is and what for; `open` has to be given the same */
  seal(plain: string, context: string): SealedRecord;
  /** @throws UndecryptableError when the key is not at hand, the context is another, or the record was altered */
  open(record: unknown, context: string): string;
  /**
   * What stands for a text that must not be kept: one for each key, newest first. The same text has the same ones;
   * who lacks the keys cannot find it by trying all texts that there are.
   */
  pseudonyms(text: string): readonly string[];
}

/** Encryption with keys that are there from the beginning, or are found later. */
export interface KeyedEncryption extends Encryption {
  /**
   * @param keys of 32 bytes each, newest first: the first seals, all open
   * @throws RangeError for a key of another length, or none
   */
  use(keys: readonly Buffer[]): void;
}

/**
 * AES-256-GCM with the context as associated data, so that a record copied to another guild does not open.
 * @param keys see {@link KeyedEncryption.use}
 */
export function createEncryption(keys?: readonly Buffer[]): KeyedEncryption {
  let inUse: ReturnType<typeof keysById> | undefined = keys && keysById(keys);

  function started() {
    if (inUse === undefined) throw new Error('the encryption was used before it was started');
    return inUse;
  }

  return {
    use(given) {
      inUse = keysById(given);
    },
    get newestKeyId() {
      return started().newestKeyId;
    },
    seal(plain, context) {
      const { newestKeyId, newestKey } = started();
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', newestKey, iv, { authTagLength: TAG_BYTES });
      cipher.setAAD(associated(newestKeyId, context));
      const data = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return {
        v: VERSION,
        k: newestKeyId,
        iv: iv.toString('base64'),
        data: data.toString('base64'),
        tag: cipher.getAuthTag().toString('base64'),
      };
    },
    open(record, context) {
      const { byId } = started();
      const parsed = sealedRecordSchema.safeParse(record);
      if (!parsed.success)
        throw new UndecryptableError('the stored value is not a sealed record of this version');
      const { k, iv, data, tag } = parsed.data;
      const key = byId.get(k);
      if (key === undefined) throw new UndecryptableError(`the stored value needs the encryption key ${k}`);
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64'), {
          authTagLength: TAG_BYTES,
        });
        decipher.setAAD(associated(k, context)).setAuthTag(Buffer.from(tag, 'base64'));
        return Buffer.concat([decipher.update(data, 'base64'), decipher.final()]).toString('utf8');
      } catch (cause) {
        throw new UndecryptableError('the stored value was altered or belongs elsewhere', { cause });
      }
    },
    pseudonyms: (text) =>
      [...started().byId.values()].map((key) => {
        const own = createHmac('sha256', key).update('pseudonyms').digest();
        return createHmac('sha256', own).update(text).digest('base64url');
      }),
  };
}

function keysById(keys: readonly Buffer[]) {
  const byId = new Map(keys.map((key) => [keyId(key), key]));
  const [newest] = byId;
  if (newest === undefined || keys.some((key) => key.length !== KEY_BYTES)) {
    throw new RangeError(`encryption needs keys of ${KEY_BYTES} bytes`);
  }
  return { byId, newestKeyId: newest[0], newestKey: newest[1] };
}

/** Names a key without giving anything of it away. */
export function keyId(key: Buffer): string {
  return createHmac('sha256', key).update('key id').digest('hex').slice(0, 12);
}

function associated(id: string, context: string): Buffer {
  return Buffer.from(`${VERSION}:${id}:${context}`, 'utf8');
}
