import { z } from 'zod';
import { Secret } from '../secret.ts';
import { type Collection, createCollection } from '../storage/collection.ts';
import type { Database } from '../storage/database.ts';
import { type Encryption, UndecryptableError } from '../storage/encryption.ts';
import { type Store, StoreError } from '../storage/store.ts';

const common = {
  /** A `SealedRecord`; whoever opens it checks it. */
  sealed: z.unknown(),
  /** For people to recognise the key by, also when it cannot be opened. */
  // Earlier versions kept up to three characters of a key that has less than 12.
  lastFour: z.string().transform((text) => ([...text].length < 4 ? '' : text)),
  /** The Discord id of the member who ran /setkey. */
  setBy: z.string(),
  /** ISO 8601, like every time here. */
  setAt: z.iso.datetime(),
};

const schema = z.object({
  ...common,
  /** When the service last took the key. */
  workedAt: z.exactOptional(z.iso.datetime()),
  /** What the service last said to a request with the key; no message when it sent the games list. */
  answer: z.exactOptional(
    z.object({
      at: z.iso.datetime(),
      accepted: z.boolean(),
      message: z.exactOptional(z.string()),
    }),
  ),
  /** Since when the service refuses the key; nothing is sent with it meanwhile. */
  invalidSince: z.exactOptional(z.iso.datetime()),
});
type KeyRecord = Readonly<z.infer<typeof schema>>;

/** Even then a key was only kept when the service had just taken it. */
const first = z
  .object({ v: z.literal(1), ...common })
  .transform(({ v: _, ...record }): KeyRecord => ({ ...record, workedAt: record.setAt }));

/** Where the keys are, for whoever seals them anew. */
export const SEALED_API_KEYS = {
  prefix: 'api-key:',
  field: 'sealed',
  context: (guildId: string) => `guild ${guildId}: API key`,
} as const;

const keyRecords = (store: Store): Collection<KeyRecord> =>
  createCollection<KeyRecord>({ store, name: 'api-key', version: 2, schema, former: [first] });

export interface ApiKeysDeps {
  readonly store: Store & Pick<Database, 'erase' | 'inGuild'>;
  readonly encryption: Pick<Encryption, 'seal' | 'open'>;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** What is known of a key without opening it. Only `readable` is sure to be there: the record may be damaged. */
export interface KeyStatus extends Partial<Omit<KeyRecord, 'sealed'>> {
  /** Whether the key itself can be decrypted. */
  readonly readable: boolean;
}

/** What an answer of the service says of the key that the request came with. */
export interface KeyVerdict {
  /** `unclear`: the service answered, but of something else than the key. */
  readonly key: 'accepted' | 'refused' | 'unclear';
  /** The service's words. */
  readonly message?: string;
  /** An admin asked for it: being accepted lifts the mark that an earlier refusal has left. */
  readonly renews?: boolean;
}

/**
 * The API key of each guild, sealed. Every method throws a {@link StoreError} when the store fails.
 */
export interface ApiKeys {
  /**
   * The key, whether or not the service has refused it. It is dropped (see {@link Secret.dropped}) as soon as the
   * guild's key is removed or replaced, or the service refuses it.
   * @throws UndecryptableError when a key is stored but cannot be opened
   */
  get(guildId: string): Promise<Secret | undefined>;
  /** Whether the service has refused the guild's key since it was set: then no request may leave with it. */
  isRefused(guildId: string): Promise<boolean>;
  /**
   * The key, unless there is none, it cannot be opened (any more), or the service has refused it: then no request may
   * leave with it.
   */
  usable(guildId: string): Promise<Secret | 'key-missing' | 'key-unreadable' | 'key-invalid'>;
  status(guildId: string): Promise<KeyStatus | undefined>;
  /** Keeps the key, in place of a former one. When it returns, the key was read back and is the same. */
  set(guildId: string, key: Secret, by: { readonly userId: string }): Promise<void>;
  /**
   * Keeps what the service said to a request with this key, unless the guild has another one by now.
   * @returns whether this is the first refusal: from now on the key is marked
   */
  hear(guildId: string, key: Secret, verdict: KeyVerdict): Promise<boolean>;
  /**
   * Deletes the key, also its sealed bytes; last traces of those leave the database file at the next restart.
   * @returns whether there was one
   */
  delete(guildId: string): Promise<boolean>;
  /** The guild that this very object was read for by {@link get}. */
  guildOf(key: Secret): string | undefined;
}

/** Code points of the service's words that are kept: the specification's own messages have at most 45. */
const MAX_MESSAGE = 300;

export function createApiKeys({ store, encryption, now = Date.now }: ApiKeysDeps): ApiKeys {
  const records = keyRecords(store);
  const owners = new WeakMap<Secret, string>();
  /** By guild: what drops every key that was read so far. */
  const holds = new Map<string, AbortController>();
  function drop(guildId: string): void {
    holds.get(guildId)?.abort();
    holds.delete(guildId);
  }

  const time = () => new Date(now()).toISOString();
  /** A record that does not open is of no use from now on. */
  async function open(guildId: string, record: KeyRecord): Promise<string> {
    try {
      return encryption.open(record.sealed, SEALED_API_KEYS.context(guildId));
    } catch (error) {
      if (error instanceof UndecryptableError)
        await records.setAside(guildId, record, 'it cannot be decrypted');
      throw error;
    }
  }

  async function read(guildId: string): Promise<{ key: Secret; isRefused: boolean } | undefined> {
    // Taken before the store is read: a key that is removed meanwhile comes back dropped.
    const hold = holds.get(guildId) ?? new AbortController();
    holds.set(guildId, hold);
    const record = await records.get(guildId);
    if (!record) {
      if ((await records.aside(guildId)) === undefined) return undefined;
      throw new UndecryptableError('the stored API key could not be read and was set aside');
    }
    const key = new Secret(await open(guildId, record), hold.signal);
    owners.set(key, guildId);
    return { key, isRefused: record.invalidSince !== undefined };
  }

  const get = async (guildId: string) => (await read(guildId))?.key;

  async function status(guildId: string): Promise<KeyStatus | undefined> {
    const record = await records.get(guildId);
    const aside = record ? undefined : await records.aside(guildId);
    if (!record && !aside) return undefined;
    const { sealed: _, ...known } = record ?? aside?.value ?? {};
    return { ...known, readable: record !== undefined && (await isReadable(guildId, record)) };
  }

  async function isReadable(guildId: string, record: KeyRecord): Promise<boolean> {
    try {
      await open(guildId, record);
      return true;
    } catch (error) {
      if (error instanceof UndecryptableError) return false;
      throw error;
    }
  }

  function after(record: KeyRecord, { key, message, renews = false }: KeyVerdict): KeyRecord {
    const { invalidSince, ...rest } = record;
    const isRenewed = renews && key === 'accepted';
    const since = key === 'refused' ? (invalidSince ?? time()) : isRenewed ? undefined : invalidSince;
    return {
      ...rest,
      ...(key === 'accepted' && { workedAt: time() }),
      answer: {
        at: time(),
        accepted: key === 'accepted',
        ...(message !== undefined && { message: [...message].slice(0, MAX_MESSAGE).join('') }),
      },
      ...(since !== undefined && { invalidSince: since }),
    };
  }

  async function hear(guildId: string, key: Secret, verdict: KeyVerdict): Promise<boolean> {
    let known: KeyRecord | undefined;
    // Another process may seal the key anew in between; what it wrote must not be undone.
    await records.update(guildId, (now) => {
      const isTheSame = encryption.open(now.sealed, SEALED_API_KEYS.context(guildId)) === key.reveal();
      known = isTheSame ? now : undefined;
      return isTheSame ? after(now, verdict) : undefined;
    });
    if (known === undefined || verdict.key !== 'refused') return false;
    drop(guildId);
    return known.invalidSince === undefined;
  }

  return {
    get,
    async isRefused(guildId) {
      return (await records.get(guildId))?.invalidSince !== undefined;
    },
    async usable(guildId) {
      try {
        const found = await read(guildId);
        if (found === undefined) return 'key-missing';
        return found.isRefused ? 'key-invalid' : found.key;
      } catch (error) {
        if (error instanceof UndecryptableError) return 'key-unreadable';
        throw error;
      }
    },
    status,
    async set(guildId, key, by) {
      const isThere = (await records.get(guildId)) ?? (await records.aside(guildId));
      const change = async () => {
        await records.set(guildId, {
          sealed: encryption.seal(key.reveal(), SEALED_API_KEYS.context(guildId)),
          lastFour: key.lastFour(),
          setBy: by.userId,
          setAt: time(),
          workedAt: time(),
        });
        await records.dropAside(guildId);
        if ((await get(guildId))?.reveal() !== key.reveal()) {
          throw new StoreError('the API key reads back differently from what was written');
        }
      };
      await (isThere ? store.erase(change) : store.inGuild(guildId, change));
      drop(guildId);
    },
    hear: (guildId, key, verdict) => store.inGuild(guildId, () => hear(guildId, key, verdict)),
    async delete(guildId) {
      const isThere = (await records.get(guildId)) ?? (await records.aside(guildId));
      if (isThere === undefined) return false;
      await store.erase(() => records.delete(guildId));
      drop(guildId);
      return true;
    },
    guildOf: (key) => owners.get(key),
  };
}

const { prefix, field, context } = SEALED_API_KEYS;

/** The key of every guild, one after the other, to compare with. One that does not open is left out. */
export async function* heldKeys(deps: {
  readonly store: Pick<Store, 'entries'>;
  readonly encryption: Pick<Encryption, 'open'>;
}): AsyncGenerator<Secret> {
  for await (const [place, record] of deps.store.entries(prefix)) {
    try {
      yield new Secret(deps.encryption.open(Object(record)[field], context(place.slice(prefix.length))));
    } catch (error) {
      if (!(error instanceof UndecryptableError)) throw error;
    }
  }
}
