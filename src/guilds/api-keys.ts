import { z } from 'zod';
import { createCache } from '../bounded-map.ts';
import { type GamesOutcome, type Outcome, storedMessage } from '../listing/contract.ts';
import type { Logger } from '../logger.ts';
import { Secret } from '../secret.ts';
import { createCollection } from '../storage/collection.ts';
import { type Encryption, UndecryptableError } from '../storage/encryption.ts';
import type { Store } from '../storage/store.ts';
import type { Refusals } from './refusals.ts';

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
      accepted: z.boolean(),
      message: z.exactOptional(z.string()),
    }),
  ),
  /** Since when the service refuses the key; nothing is sent with it meanwhile. */
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
  /** Absent: every refusal is believed. */
  readonly refusals?: Pick<Refusals, 'note' | 'forget'>;
  readonly logger: Logger;
  /** Milliseconds since 1970. */
  readonly now: () => number;
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

/** How long the problem of a key is remembered for /help, in milliseconds. */
const REMEMBERED_MS = 5_000;

/** The API key of each guild, sealed. Every method throws a {@link StoreError} when the store fails. */
export function createApiKeys(deps: ApiKeysDeps) {
  const { store, encryption, refusals, logger, now } = deps;
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

  /** The key, unless there is none, it cannot be opened, or the service has refused it: then nothing is sent. */
  async function usable(guildId: string): Promise<UsableKey | NoKey> {
    const record = await records.get(guildId);
    if (record === undefined) return { code: 'key-missing' };
    if (record === 'unreadable') return { code: 'key-unreadable' };
    const { invalidSince, setBy, setAt } = record;
    if (invalidSince !== undefined) return { code: 'key-invalid', setBy };
    const key = open(guildId, record);
    return key ? { key, setAt } : { code: 'key-unreadable' };
  }

  async function problemOf(guildId: string): Promise<NoKey | undefined> {
    const key = await usable(guildId);
    return 'code' in key ? key : undefined;
  }
  const problems = createCache(problemOf, REMEMBERED_MS);

  /** Forgets the remembered problem after a change, failed or not. */
  async function change<Result>(guildId: string, how: () => Promise<Result>): Promise<Result> {
    try {
      return await store.inGuild(guildId, how);
    } finally {
      problems.forget(guildId);
    }
  }

  return {
    usable,
    /** The key, whether or not the service has refused it; `undefined` without one, or when it cannot be opened. */
    async get(guildId: string): Promise<UsableKey | undefined> {
      const record = await readable(guildId);
      const key = record && open(guildId, record);
      return key && { key, setAt: record.setAt };
    },
    async status(guildId: string): Promise<KeyStatus | undefined> {
      const record = await records.get(guildId);
      if (record === undefined) return undefined;
      if (record === 'unreadable') return { readable: false };
      const { sealed: _, ...known } = record;
      return { ...known, readable: open(guildId, record) !== undefined };
    },
    /** Why there is no usable key; `undefined` when there is one. */
    problem: problemOf,
    /** The same, up to a few seconds old. Never to be used inside a transaction (see `GuildSettings.remembered`). */
    rememberedProblem: problems.get,
    /** Stores the key in place of a previous one. */
    async set(guildId: string, key: Secret, by: { readonly userId: string }): Promise<void> {
      await change(guildId, () =>
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
     * `renews`: the request was made to try the key, so that success takes away the mark of an earlier refusal.
     * @returns whether this is the first refusal: from now on the key is marked, and the admins have to be told
     */
    async noteOutcome(
      guildId: string,
      setAt: string,
      outcome: Outcome | GamesOutcome,
      { renews = false }: { readonly renews?: boolean } = {},
    ): Promise<boolean> {
      const said = saidOfKey(outcome);
      if (said === 'nothing') return false;
      return change(guildId, async () => {
        const record = await readable(guildId);
        if (record?.setAt !== setAt) return false;
        const at = time();
        const isNewRefusal = said === 'refused' && record.invalidSince === undefined;
        const isDoubted = isNewRefusal && (await refusals?.note(guildId)) === true;
        const isFirstRefusal = isNewRefusal && !isDoubted;
        if (said === 'accepted') refusals?.forget(guildId);
        const next: KeyRecord = {
          ...record,
          answer: { at, accepted: said === 'accepted', ...messageOf(outcome) },
        };
        if (said === 'accepted') next.workedAt = at;
        if (said === 'accepted' && renews) delete next.invalidSince;
        if (isFirstRefusal) next.invalidSince = at;
        await records.set(guildId, next);
        return isFirstRefusal;
      });
    },
    /** Takes away the mark of a refusal. */
    async lift(guildId: string): Promise<void> {
      await change(guildId, async () => {
        const record = await readable(guildId);
        if (record === undefined) return;
        const { invalidSince: _, ...unmarked } = record;
        await records.set(guildId, unmarked);
      });
    },
    /** The guilds that have a key. */
    guilds: (): Promise<readonly string[]> => store.values.ids(API_KEYS),
    /**
     * @param setAt deletes only the key that was set then; without it whichever there is
     * @returns whether it was deleted
     */
    async delete(guildId: string, setAt?: string): Promise<boolean> {
      const isDeleted = await change(guildId, async () => {
        const record = setAt === undefined ? undefined : await readable(guildId);
        const isAnother = record !== undefined && record.setAt !== setAt;
        return !isAnother && (await records.delete(guildId));
      });
      if (isDeleted) await store.cutLog();
      return isDeleted;
    },
  };
}

/** What an outcome says of the key. `unclear`: perhaps the service's words are about the key. */
type SaidOfKey = 'accepted' | 'refused' | 'unclear' | 'nothing';

function saidOfKey(outcome: Outcome | GamesOutcome): SaidOfKey {
  switch (outcome.kind) {
    case 'games':
    case 'accepted':
      return 'accepted';
    case 'rejected':
      if (outcome.known === 'invalidKey') return 'refused';
      // The other known errors are about the servers; words that nobody knows may be about the account.
      return outcome.known === undefined ? 'unclear' : 'nothing';
    default:
      return 'nothing';
  }
}

/** The service's words, if it said any. */
function messageOf(outcome: Outcome | GamesOutcome): { readonly message?: string } {
  if (!('message' in outcome)) return {};
  return { message: storedMessage(outcome.message) };
}
