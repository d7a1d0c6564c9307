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
type NoKey =
  | { readonly code: 'key-missing' | 'key-unreadable' }
  /** The service has refused it. `setBy`: the Discord id of the member who set it. */
  | { readonly code: 'key-invalid'; readonly setBy: string };

/** The API key of each guild, sealed. Every method throws a {@link StoreError} when the store fails. */
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
  /** Read once and then held in memory, until the key or what is known of it changes. */
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

/** Guilds of whose keys the status is held in memory: about 8 MB with the longest messages of the service. */
const MOST_REMEMBERED = 5_000;

type Records = SealedCollection<KeyRecord>;

/** Reads keys, and knows of each that was read whose it is. */
function createReading(records: Records) {
  const owners = new WeakMap<Secret, string>();
  /** By guild: what drops every key that was read so far. */
  const holds = new Map<string, AbortController>();
  /** By guild; the one that was read longest ago goes first. */
  const statuses = new Map<string, Promise<KeyStatus | undefined>>();
  const forget = (guildId: string): void => void statuses.delete(guildId);

  async function read(
    guildId: string,
  ): Promise<{ key: Secret; isRefused: boolean; setBy: string } | undefined> {
    // Taken before the store is read: a key that is removed meanwhile comes back dropped.
    const hold = holds.get(guildId) ?? new AbortController();
    holds.set(guildId, hold);
    const record = await records.get(guildId);
    if (!record) {
      forget(guildId);
      if ((await records.aside(guildId)) === undefined) return undefined;
      throw new UndecryptableError('the stored API key could not be read and was set aside');
    }
    const opening = records.open(guildId, record);
    opening.catch(() => forget(guildId));
    const key = new Secret(await opening, hold.signal);
    owners.set(key, guildId);
    return { key, isRefused: record.invalidSince !== undefined, setBy: record.setBy };
  }

  return {
    read,
    get: async (guildId: string) => (await read(guildId))?.key,
    status(guildId: string): Promise<KeyStatus | undefined> {
      const known = statuses.get(guildId);
      if (known) return known;
      // Held from before the store answers: what was read before a change is forgotten with that change.
      const reading = readStatus(records, guildId);
      statuses.set(guildId, reading);
      const [oldest = ''] = statuses.keys();
      if (statuses.size > MOST_REMEMBERED) forget(oldest);
      reading.catch(() => statuses.get(guildId) === reading && forget(guildId));
      return reading;
    },
    /** When the store has the change, or has failed to make it, nothing from before it is known any more. */
    changing: <Result>(guildId: string, change: Promise<Result>) => change.finally(() => forget(guildId)),
    drop(guildId: string): void {
      holds.get(guildId)?.abort();
      holds.delete(guildId);
    },
    guildOf: (key: Secret) => owners.get(key),
  };
}

async function readStatus(records: Records, guildId: string): Promise<KeyStatus | undefined> {
  const record = await records.get(guildId);
  const aside = record ? undefined : await records.aside(guildId);
  if (!record && !aside) return undefined;
  const { sealed: _, ...known } = record ?? aside?.value ?? {};
  const opened = record && (await unlessUnreadable(records.open(guildId, record), undefined));
  return { ...known, readable: opened !== undefined };
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
  const { read, get, status, changing, drop, guildOf } = createReading(records);
  const time = () => new Date(now()).toISOString();
  const isThere = async (guildId: string) =>
    ((await records.get(guildId)) ?? (await records.aside(guildId))) !== undefined;

  return {
    get,
    guildOf,
    isRefused: async (guildId) => (await records.get(guildId))?.invalidSince !== undefined,
    async usable(guildId) {
      const found = await unlessUnreadable(read(guildId), 'key-unreadable' as const);
      if (found === undefined) return { code: 'key-missing' };
      if (found === 'key-unreadable') return { code: found };
      return found.isRefused ? { code: 'key-invalid', setBy: found.setBy } : found.key;
    },
    status,
    async set(guildId, key, by) {
      const write = async () => {
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
      await changing(guildId, (await isThere(guildId)) ? store.erase(write) : store.inGuild(guildId, write));
      drop(guildId);
    },
    async keepAnswer(guildId, key, answer, { renews = false } = {}) {
      const verdict = verdictOf(answer);
      if (verdict === undefined) return false;
      const change = store.inGuild(guildId, async () => {
        const record = await records.get(guildId);
        if (record === undefined || (await records.open(guildId, record)) !== key.reveal()) return false;
        await records.set(guildId, after(record, verdict, { at: time(), renews }));
        if (verdict.key !== 'refused') return false;
        drop(guildId);
        return record.invalidSince === undefined;
      });
      return changing(guildId, change);
    },
    async delete(guildId) {
      if (!(await isThere(guildId))) return false;
      const change = store.erase(() => records.delete(guildId));
      await changing(guildId, change);
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
