import { z } from 'zod';
import {
  type GamesOutcome,
  isFailure,
  type KeyChange,
  type Outcome,
  storedMessage,
} from '../listing/contract.ts';
import type { Logger } from '../logger.ts';
import { createCache } from '../pacing/bounded-map.ts';
import { HOUR_MS } from '../pacing/durations.ts';
import { isRecent } from '../pacing/recent.ts';
import { createCollection } from '../storage/collection.ts';
import { type Encryption, UndecryptableError } from '../storage/encryption.ts';
import type { Store } from '../storage/store.ts';
import { Secret } from '../text/secret.ts';

const keySchema = z.object({
  /** The encrypted key. Its structure is only validated when it is decrypted. */
  sealed: z.unknown(),
  /** Identifies the key. Empty if the key has fewer than 12 characters. */
  lastFour: z.string(),
  /** The Discord user id of the member who ran /setkey; '' once the member has deleted their name. Version 0.4.0 needs a string. */
  setBy: z.string(),
  /** The member's name; missing once the member has deleted it, or if version 0.4.0 wrote the record. */
  setByName: z.exactOptional(z.string()),
  /** When the key was set (ISO 8601, like all times in this record). Distinguishes it from the guild's previous keys. */
  setAt: z.iso.datetime(),
  /** When the service last accepted the key. */
  workedAt: z.exactOptional(z.iso.datetime()),
  /** The service's last response that accepted or rejected this key. Responses with a list of games don't have a message. */
  answer: z.exactOptional(
    z.object({
      at: z.iso.datetime(),
      message: z.exactOptional(z.string()),
    }),
  ),
  /** When the service first rejected the key since it last accepted it. */
  invalidSince: z.exactOptional(z.iso.datetime()),
});
type KeyRecord = z.infer<typeof keySchema>;

/** Prefix of the names of stored keys, followed by the guild's id. */
export const API_KEYS = 'api-key';

/** Returns the encryption context that binds a key to its guild, so that the key can't be decrypted for another guild. */
export const sealContext = (guildId: string): string => `guild ${guildId}: API key`;

export interface ApiKeysDeps {
  readonly store: Pick<Store, 'values' | 'inGuild' | 'cutLog'>;
  readonly encryption: Pick<Encryption, 'seal' | 'open'>;
  readonly logger: Logger;
  readonly now?: () => number;
}

/** A key's stored details, without the key itself. For a damaged record, only `readable` is set. */
export interface KeyStatus extends Readonly<Partial<Omit<KeyRecord, 'sealed'>>> {
  /** Whether the key itself can be decrypted. */
  readonly readable: boolean;
}

interface KeySetting {
  /** The member who ran /setkey. */
  readonly by: { readonly id: string; readonly name: string };
  readonly previous?: Pick<KeyStatus, 'setAt'> | undefined;
}

export interface UsableKey {
  readonly key: Secret;
  /** When the key was set. Distinguishes it from a key that the guild sets later. */
  readonly setAt: string;
}

export type NoKey =
  | { readonly code: 'key-missing' }
  | { readonly code: 'key-unreadable' }
  /** The service has rejected the key. `setBy` and `setByName` are those of the stored key. */
  | ({ readonly code: 'key-invalid' } & Pick<KeyRecord, 'setBy' | 'setByName'>);

/** The guild's key, or why it can't be used. A key that was rejected a while ago can be tried again despite its problem. */
export type KeyToUse =
  | ({ readonly kind: 'usable'; readonly problem: NoKey | undefined } & UsableKey)
  | { readonly kind: 'unusable'; readonly problem: NoKey };

export type ApiKeys = ReturnType<typeof createApiKeys>;

/**
 * How long to avoid using a rejected key, in milliseconds. The next request then tries the key again, because the service
 * may have rejected it by mistake.
 */
const REST_MS = HOUR_MS;

/** Only a key's problem is cached, for display. */
const CACHED_MS = 5_000;

const UNREADABLE = { code: 'key-unreadable' } as const;

/** Creates the store for guilds' encrypted API keys. Every method throws a {@link StoreError} when the store fails. */
export function createApiKeys(deps: ApiKeysDeps) {
  const { store, encryption, logger, now = () => Date.now() } = deps;
  const records = createCollection<KeyRecord>({
    values: store.values,
    name: API_KEYS,
    schema: keySchema,
    logger,
  });
  const time = () => new Date(now()).toISOString();

  function open(guildId: string, { sealed }: KeyRecord): Secret | undefined {
    try {
      return new Secret(encryption.open(sealed, sealContext(guildId)));
    } catch (error) {
      if (error instanceof UndecryptableError) return undefined;
      throw error;
    }
  }

  function wasRecentlyRejected({ invalidSince, answer }: KeyRecord): boolean {
    return invalidSince !== undefined && isRecent(Date.parse(answer?.at ?? invalidSince), REST_MS, now());
  }

  /** Returns the key's record and whether the service rejects the key, or why the record is missing. */
  async function find(guildId: string) {
    const record = await records.get(guildId);
    if (record === undefined) return { kind: 'none', problem: { code: 'key-missing' } } as const;
    if (record === 'unreadable') return { kind: 'none', problem: UNREADABLE } as const;
    const { setBy, setByName, invalidSince } = record;
    const problem: NoKey | undefined =
      invalidSince === undefined
        ? undefined
        : { code: 'key-invalid', setBy, ...(setByName !== undefined && { setByName }) };
    return { kind: 'found', record, problem } as const;
  }

  const remembered = createCache(async (guildId) => (await find(guildId)).problem, CACHED_MS);

  const change = <Result>(guildId: string, how: () => Promise<Result>): Promise<Result> =>
    store.inGuild(guildId, how).finally(() => remembered.forget(guildId));

  return {
    /** Returns the key to use for a request, unless the service rejected it recently. */
    async usable(guildId: string): Promise<KeyToUse> {
      const found = await find(guildId);
      if (found.kind === 'none') return { kind: 'unusable', problem: found.problem };
      const { record, problem } = found;
      if (problem && wasRecentlyRejected(record)) return { kind: 'unusable', problem };
      const key = open(guildId, record);
      return key
        ? { kind: 'usable', key, setAt: record.setAt, problem }
        : { kind: 'unusable', problem: UNREADABLE };
    },
    /** Returns the key even if the service has rejected it, or `undefined` if it's missing or can't be decrypted. */
    async get(guildId: string): Promise<UsableKey | undefined> {
      const found = await find(guildId);
      if (found.kind === 'none') return undefined;
      const key = open(guildId, found.record);
      return key && { key, setAt: found.record.setAt };
    },
    async status(guildId: string): Promise<KeyStatus | undefined> {
      const record = await records.get(guildId);
      if (record === undefined) return undefined;
      if (record === 'unreadable') return { readable: false };
      const { sealed: _, ...known } = record;
      return { ...known, readable: open(guildId, record) !== undefined };
    },
    /**
     * Returns the problem with the guild's key, if any: it's missing, its record is damaged, or the service rejects it. The
     * key isn't decrypted, because that would take up a quarter of the time needed for `/help` (measured). Only meant for
     * display, because another process's changes appear up to 5 seconds later. Must not be used inside a transaction.
     */
    problem: (guildId: string): Promise<NoKey | undefined> => remembered.get(guildId),
    /**
     * Stores a tested key, unless the guild's key was replaced or removed during the test.
     * @returns whether the key was stored
     */
    async set(guildId: string, key: Secret, { by, previous }: KeySetting): Promise<boolean> {
      const isStored = await change(guildId, async () => {
        const { value: record, save } = await records.open(guildId);
        if (record?.setAt !== previous?.setAt) return false;
        await save({
          sealed: encryption.seal(key.reveal(), sealContext(guildId)),
          lastFour: key.lastFour(),
          setBy: by.id,
          setByName: by.name,
          setAt: time(),
          workedAt: time(),
        });
        return true;
      });
      if (isStored) await store.cutLog();
      return isStored;
    },
    /** Deletes the name and id of a member who set the guild's key. Must be called inside the guild's transaction. */
    async deleteName(guildId: string, userId: string): Promise<void> {
      const { value: record, save } = await records.open(guildId);
      if (record?.setBy !== userId) return;
      const { setByName: _, ...unnamed } = record;
      await save({ ...unnamed, setBy: '' });
      remembered.forget(guildId);
    },
    /**
     * Records whether the service accepted the key in a request. Ignores a key that the guild has replaced in the meantime.
     * @returns the change to notify the guild's admins of, if any
     */
    async noteOutcome(
      guildId: string,
      setAt: string,
      outcome: Outcome | GamesOutcome,
    ): Promise<KeyChange | undefined> {
      const said = keyVerdict(outcome);
      if (said === 'nothing') return undefined;
      return change(guildId, async () => {
        const { value: record, save } = await records.open(guildId);
        if (record?.setAt !== setAt) return undefined;
        const at = time();
        const change = changeOf(said, record);
        const next: KeyRecord = { ...record, answer: { at, ...messageOf(outcome) } };
        if (said === 'accepted') {
          next.workedAt = at;
          delete next.invalidSince;
        }
        if (change === 'rejected') next.invalidSince = at;
        await save(next);
        return change;
      });
    },
    /**
     * @param setAt if given, the key is only deleted if it was set at this time
     * @returns whether a key was deleted
     */
    async delete(guildId: string, setAt?: string): Promise<boolean> {
      const isDeleted = await change(guildId, async () => {
        const { value: record } = await records.open(guildId);
        const isAnother = setAt !== undefined && record !== undefined && record.setAt !== setAt;
        return !isAnother && (await records.delete(guildId));
      });
      if (isDeleted) await store.cutLog();
      return isDeleted;
    },
  };
}

function changeOf(said: KeyVerdict, { invalidSince }: KeyRecord): KeyChange | undefined {
  if (said === 'rejected') return invalidSince === undefined ? 'rejected' : undefined;
  return said === 'accepted' && invalidSince !== undefined ? 'works again' : undefined;
}

/** Whether a response accepts or rejects the key. `unclear`: the service's message may or may not be about the key. */
type KeyVerdict = 'accepted' | 'rejected' | 'unclear' | 'nothing';

function keyVerdict(outcome: Outcome | GamesOutcome): KeyVerdict {
  switch (outcome.kind) {
    case 'games':
    case 'accepted':
      return 'accepted';
    case 'rejected':
      if (outcome.known === 'invalidKey') return 'rejected';
      // All known errors except an invalid key are about the servers. An unknown message could be about the account.
      return outcome.known === undefined ? 'unclear' : 'nothing';
    default:
      return 'nothing';
  }
}

function messageOf(outcome: Outcome | GamesOutcome): { readonly message?: string } {
  if (outcome.kind === 'games' || isFailure(outcome)) return {};
  return { message: storedMessage(outcome.message) };
}
