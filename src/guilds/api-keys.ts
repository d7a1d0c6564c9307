import { z } from 'zod';
import { type GamesOutcome, type KeyChange, type Outcome, storedMessage } from '../listing/contract.ts';
import type { Logger } from '../logger.ts';
import { HOUR_MS } from '../numbers.ts';
import { Secret } from '../secret.ts';
import { createCollection } from '../storage/collection.ts';
import { type Encryption, UndecryptableError } from '../storage/encryption.ts';
import type { Store } from '../storage/store.ts';

const keySchema = z.object({
  /** A `SealedRecord`; whoever opens it checks it. */
  sealed: z.unknown(),
  /** For people to recognise the key by, also if it cannot be opened; empty for a key of less than 12 characters. */
  lastFour: z.string(),
  /** The Discord id of the member who ran /setkey. */
  setBy: z.string(),
  /** ISO 8601, like every time here. It also tells one key of the guild from the next. */
  setAt: z.iso.datetime(),
  /** When the service last took the key. */
  workedAt: z.exactOptional(z.iso.datetime()),
  /** What the service last said to a request with the key; no message if it sent the games list. */
  answer: z.exactOptional(
    z.object({
      at: z.iso.datetime(),
      message: z.exactOptional(z.string()),
    }),
  ),
  /** When the service refused the key for the first time since it last accepted the key. */
  invalidSince: z.exactOptional(z.iso.datetime()),
});
type KeyRecord = z.infer<typeof keySchema>;

/** Each key is stored under this name and the id of its guild. */
export const API_KEYS = 'api-key';

/** What the key of a guild is sealed for: copied to another guild it does not open. */
export const sealContext = (guildId: string): string => `guild ${guildId}: API key`;

export interface ApiKeysDeps {
  readonly store: Pick<Store, 'values' | 'inGuild' | 'cutLog'>;
  readonly encryption: Pick<Encryption, 'seal' | 'open'>;
  readonly logger: Logger;
  readonly now?: () => number;
}

/** What is known of a key without opening it. A damaged record has only `readable`. */
export interface KeyStatus extends Readonly<Partial<Omit<KeyRecord, 'sealed'>>> {
  /** Whether the key itself can be decrypted. */
  readonly readable: boolean;
}

/** A guild's key to make a request with. */
export interface UsableKey {
  readonly key: Secret;
  /** When it was set: tells it from a later key of the guild. */
  readonly setAt: string;
}

/** Why there is no key to send a request with. */
export type NoKey =
  | { readonly code: 'key-missing' }
  | { readonly code: 'key-unreadable' }
  /** The service has refused it. `setBy`: the Discord id of the member who set it. */
  | { readonly code: 'key-invalid'; readonly setBy: string };

export type ApiKeys = ReturnType<typeof createApiKeys>;

/**
 * How long a refused key rests, in milliseconds. The refusal may have been an error of the service: afterwards the next
 * request is the trial.
 */
const REST_MS = HOUR_MS;

/** The API key of each guild, sealed. Every method throws a {@link StoreError} when the store fails. */
export function createApiKeys(deps: ApiKeysDeps) {
  const { store, encryption, logger, now = () => Date.now() } = deps;
  const records = createCollection<KeyRecord>({
    values: store.values,
    name: API_KEYS,
    schema: keySchema,
    logger,
  });
  const time = () => new Date(now()).toISOString();

  /** The key itself; `undefined` if it cannot be decrypted. */
  function open(guildId: string, { sealed }: KeyRecord): Secret | undefined {
    try {
      return new Secret(encryption.open(sealed, sealContext(guildId)));
    } catch (error) {
      if (error instanceof UndecryptableError) return undefined;
      throw error;
    }
  }

  /** `undefined` where there is none, too. */
  async function readable(guildId: string): Promise<KeyRecord | undefined> {
    const record = await records.get(guildId);
    return record === 'unreadable' ? undefined : record;
  }

  /** Whether the service has refused the key so recently that nothing is sent with it. */
  function isResting({ invalidSince, answer }: KeyRecord): boolean {
    if (invalidSince === undefined) return false;
    const age = now() - Date.parse(answer?.at ?? invalidSince);
    // A time in the future means that the clock was set back.
    return age >= 0 && age < REST_MS;
  }

  /** The record, unless there is none, it cannot be read, or its key counts as refused. */
  async function find(
    guildId: string,
    isRejected: (record: KeyRecord) => boolean,
  ): Promise<KeyRecord | NoKey> {
    const record = await records.get(guildId);
    if (record === undefined) return { code: 'key-missing' };
    if (record === 'unreadable') return { code: 'key-unreadable' };
    return isRejected(record) ? { code: 'key-invalid', setBy: record.setBy } : record;
  }

  /** The key, unless there is none, it counts as refused, or it cannot be opened. */
  async function findKey(
    guildId: string,
    isRejected: (record: KeyRecord) => boolean,
  ): Promise<UsableKey | NoKey> {
    const found = await find(guildId, isRejected);
    if ('code' in found) return found;
    const key = open(guildId, found);
    return key ? { key, setAt: found.setAt } : { code: 'key-unreadable' };
  }

  return {
    /** The key to send with: not while it rests. */
    usable: (guildId: string): Promise<UsableKey | NoKey> => findKey(guildId, isResting),
    /** The key, whether or not the service has refused it; `undefined` without one, or when it cannot be opened. */
    async get(guildId: string): Promise<UsableKey | undefined> {
      const found = await findKey(guildId, () => false);
      return 'code' in found ? undefined : found;
    },
    async status(guildId: string): Promise<KeyStatus | undefined> {
      const record = await records.get(guildId);
      if (record === undefined) return undefined;
      if (record === 'unreadable') return { readable: false };
      const { sealed: _, ...known } = record;
      return { ...known, readable: open(guildId, record) !== undefined };
    },
    /**
     * What is to be said of the key: there is none, its record is damaged, or the service last refused it. It is not opened,
     * which would take a quarter of a `/help` (measured).
     */
    async problem(guildId: string): Promise<NoKey | undefined> {
      const found = await find(guildId, ({ invalidSince }) => invalidSince !== undefined);
      return 'code' in found ? found : undefined;
    },
    /** Stores the key in place of a previous one. */
    async set(guildId: string, key: Secret, by: { readonly userId: string }): Promise<void> {
      await store.inGuild(guildId, () =>
        records.set(guildId, {
          sealed: encryption.seal(key.reveal(), sealContext(guildId)),
          lastFour: key.lastFour(),
          setBy: by.userId,
          setAt: time(),
          workedAt: time(),
        }),
      );
      await store.cutLog();
    },
    /**
     * Stores what the outcome of a request says of its key, unless the guild has another key by now.
     * @returns what has changed, of which the admins have to be told
     */
    async noteOutcome(
      guildId: string,
      setAt: string,
      outcome: Outcome | GamesOutcome,
    ): Promise<KeyChange | undefined> {
      const said = saidOfKey(outcome);
      if (said === 'nothing') return undefined;
      return store.inGuild(guildId, async () => {
        const record = await readable(guildId);
        if (record?.setAt !== setAt) return undefined;
        const at = time();
        const change = changeOf(said, record);
        const next: KeyRecord = { ...record, answer: { at, ...messageOf(outcome) } };
        if (said === 'accepted') {
          next.workedAt = at;
          delete next.invalidSince;
        }
        if (change === 'rejected') next.invalidSince = at;
        await records.set(guildId, next);
        return change;
      });
    },
    /**
     * @param setAt deletes only the key that was set then; without it whichever there is
     * @returns whether it was deleted
     */
    async delete(guildId: string, setAt?: string): Promise<boolean> {
      const isDeleted = await store.inGuild(guildId, async () => {
        const record = setAt === undefined ? undefined : await readable(guildId);
        const isAnother = record !== undefined && record.setAt !== setAt;
        return !isAnother && (await records.delete(guildId));
      });
      if (isDeleted) await store.cutLog();
      return isDeleted;
    },
  };
}

function changeOf(said: SaidOfKey, { invalidSince }: KeyRecord): KeyChange | undefined {
  if (said === 'rejected') return invalidSince === undefined ? 'rejected' : undefined;
  return said === 'accepted' && invalidSince !== undefined ? 'works again' : undefined;
}

/** What an outcome says of the key. `unclear`: perhaps the service's words are about the key. */
type SaidOfKey = 'accepted' | 'rejected' | 'unclear' | 'nothing';

function saidOfKey(outcome: Outcome | GamesOutcome): SaidOfKey {
  switch (outcome.kind) {
    case 'games':
    case 'accepted':
      return 'accepted';
    case 'rejected':
      if (outcome.known === 'invalidKey') return 'rejected';
      // The other known errors are about the servers; words that nobody knows may be about the account.
      return outcome.known === undefined ? 'unclear' : 'nothing';
    default:
      return 'nothing';
  }
}

function messageOf(outcome: Outcome | GamesOutcome): { readonly message?: string } {
  if (!('message' in outcome)) return {};
  return { message: storedMessage(outcome.message) };
}
