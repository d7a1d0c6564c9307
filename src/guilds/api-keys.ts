import { z } from 'zod';
import type { GamesOutcome, Outcome } from '../listing/contract.ts';
import { Secret } from '../secret.ts';
import {
  createSealedCollection,
  type Encryption,
  type SealedCollection,
  UndecryptableError,
} from '../storage/collection.ts';
import type { Database } from '../storage/database.ts';
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

/** The records of the keys, each under the id of its guild. */
export const API_KEYS = {
  name: 'api-key',
  version: 2,
  schema,
  previous: [first],
  context: (guildId: string) => `guild ${guildId}: API key`,
} as const;

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
interface KeyVerdict {
  /** `unclear`: the service answered, but of something else than the key. */
  readonly key: 'accepted' | 'refused' | 'unclear';
  /** The service's words. */
  readonly message?: string;
}

/** Why there is no key that a request may leave with. */
export type NoKey =
  | { readonly code: 'key-missing' | 'key-unreadable' }
  /** The service has refused it. `setBy`: the Discord id of the member who set it. */
  | { readonly code: 'key-invalid'; readonly setBy: string };

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
  usable(guildId: string): Promise<Secret | NoKey>;
  status(guildId: string): Promise<KeyStatus | undefined>;
  /** Keeps the key, in place of a previous one. When it returns, the key was read back and is the same. */
  set(guildId: string, key: Secret, by: { readonly userId: string }): Promise<void>;
  /**
   * Keeps what the service's answer to a request with this key says of the key, unless the guild has another one by now.
   * `renews`: an admin asked for it, so that being accepted lifts the mark that an earlier refusal has left.
   * @returns whether this is the first refusal: from now on the key is marked, and the admins have to be told
   */
  keepAnswer(
    guildId: string,
    key: Secret,
    answer: Outcome | GamesOutcome,
    options?: { readonly renews?: boolean },
  ): Promise<boolean>;
  /**
   * Deletes the key, also its sealed bytes; last traces of those leave the database file at the next restart.
   * @returns whether there was one
   */
  delete(guildId: string): Promise<boolean>;
  /** The guild that this very object was read for by {@link get}. */
  guildOf(key: Secret): string | undefined;
  /** The key of every guild, one after the other, to compare with. One that does not open is left out. */
  all(): AsyncIterable<Secret>;
}

/** Code points of the service's words that are kept: the specification's own messages have at most 45. */
const MAX_MESSAGE = 300;

type Records = SealedCollection<KeyRecord>;

/** Reads keys, and knows of each that was read whose it is. */
function createReading(records: Records) {
  const owners = new WeakMap<Secret, string>();
  /** By guild: what drops every key that was read so far. */
  const holds = new Map<string, AbortController>();

  async function read(
    guildId: string,
  ): Promise<{ key: Secret; isRefused: boolean; setBy: string } | undefined> {
    // Taken before the store is read: a key that is removed meanwhile comes back dropped.
    const hold = holds.get(guildId) ?? new AbortController();
    holds.set(guildId, hold);
    const record = await records.get(guildId);
    if (!record) {
      if ((await records.aside(guildId)) === undefined) return undefined;
      throw new UndecryptableError('the stored API key could not be read and was set aside');
    }
    const key = new Secret(await records.open(guildId, record), hold.signal);
    owners.set(key, guildId);
    return { key, isRefused: record.invalidSince !== undefined, setBy: record.setBy };
  }

  return {
    read,
    get: async (guildId: string) => (await read(guildId))?.key,
    drop(guildId: string): void {
      holds.get(guildId)?.abort();
      holds.delete(guildId);
    },
    guildOf: (key: Secret) => owners.get(key),
  };
}

/** What an answer says of the key it was given; `undefined` when it says nothing of it. */
function verdictOf(answer: Outcome | GamesOutcome): KeyVerdict | undefined {
  switch (answer.kind) {
    case 'games':
      return { key: 'accepted' };
    case 'accepted':
      return { key: 'accepted', message: answer.message };
    case 'rejected':
      if (answer.known === 'invalidKey') return { key: 'refused', message: answer.message };
      // The other known errors are about the servers; words we do not know may be about the account.
      return answer.known === undefined ? { key: 'unclear', message: answer.message } : undefined;
    default:
      return undefined;
  }
}

/** What is known of a key after a verdict. */
function after(
  record: KeyRecord,
  { key, message }: KeyVerdict,
  { at, renews }: { readonly at: string; readonly renews: boolean },
): KeyRecord {
  const { invalidSince, ...rest } = record;
  const isRenewed = renews && key === 'accepted';
  const since = key === 'refused' ? (invalidSince ?? at) : isRenewed ? undefined : invalidSince;
  return {
    ...rest,
    ...(key === 'accepted' && { workedAt: at }),
    answer: {
      at,
      accepted: key === 'accepted',
      ...(message !== undefined && { message: [...message].slice(0, MAX_MESSAGE).join('') }),
    },
    ...(since !== undefined && { invalidSince: since }),
  };
}

/** What was read, or `instead` where that cannot be decrypted. */
const unlessUnreadable = <Result, Instead>(reading: Promise<Result>, instead: Instead) =>
  reading.catch((error: unknown) => {
    if (error instanceof UndecryptableError) return instead;
    throw error;
  });

export function createApiKeys({ store, encryption, now = Date.now }: ApiKeysDeps): ApiKeys {
  const records = createSealedCollection<KeyRecord>({ store, encryption, ...API_KEYS });
  const { read, get, drop, guildOf } = createReading(records);
  const time = () => new Date(now()).toISOString();
  const isThere = async (guildId: string) =>
    ((await records.get(guildId)) ?? (await records.aside(guildId))) !== undefined;

  return {
    get,
    guildOf,
    async isRefused(guildId) {
      return (await records.get(guildId))?.invalidSince !== undefined;
    },
    async usable(guildId) {
      const found = await unlessUnreadable(read(guildId), 'key-unreadable' as const);
      if (found === undefined) return { code: 'key-missing' };
      if (found === 'key-unreadable') return { code: found };
      return found.isRefused ? { code: 'key-invalid', setBy: found.setBy } : found.key;
    },
    async status(guildId) {
      const record = await records.get(guildId);
      const aside = record ? undefined : await records.aside(guildId);
      if (!record && !aside) return undefined;
      const { sealed: _, ...known } = record ?? aside?.value ?? {};
      const opened = record && (await unlessUnreadable(records.open(guildId, record), undefined));
      return { ...known, readable: opened !== undefined };
    },
    async set(guildId, key, by) {
      const change = async () => {
        await records.set(guildId, {
          sealed: records.seal(guildId, key.reveal()),
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
      await ((await isThere(guildId)) ? store.erase(change) : store.inGuild(guildId, change));
      drop(guildId);
    },
    async keepAnswer(guildId, key, answer, { renews = false } = {}) {
      const verdict = verdictOf(answer);
      if (verdict === undefined) return false;
      return store.inGuild(guildId, async () => {
        const record = await records.get(guildId);
        if (record === undefined || (await records.open(guildId, record)) !== key.reveal()) return false;
        await records.set(guildId, after(record, verdict, { at: time(), renews }));
        if (verdict.key !== 'refused') return false;
        drop(guildId);
        return record.invalidSince === undefined;
      });
    },
    async delete(guildId) {
      if (!(await isThere(guildId))) return false;
      await store.erase(() => records.delete(guildId));
      drop(guildId);
      return true;
    },
    async *all() {
      for await (const [guildId, record] of records.list()) {
        const key = await unlessUnreadable(records.open(guildId, record), undefined);
        if (key !== undefined) yield new Secret(key);
      }
    },
  };
}
