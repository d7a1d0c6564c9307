import { z } from 'zod';
import { Secret } from '../secret.ts';
import type { Database } from '../storage/database.ts';
import { type Encryption, UndecryptableError } from '../storage/encryption.ts';
import { StoreError } from '../storage/store.ts';

const recordSchema = z.object({
  /** Of this shape. */
  v: z.literal(1),
  /** A `SealedRecord`; {@link Encryption.open} checks it. */
  sealed: z.unknown(),
  /** For people to recognise the key by, also when it cannot be opened. */
  lastFour: z.string(),
  /** The Discord id of the member who ran /setkey. */
  setBy: z.string(),
  /** ISO 8601. */
  setAt: z.iso.datetime(),
});
type KeyRecord = z.infer<typeof recordSchema>;

export interface ApiKeysDeps {
  readonly store: Pick<Database, 'get' | 'set' | 'delete' | 'scrub'>;
  readonly encryption: Pick<Encryption, 'seal' | 'open'>;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * The API key of each guild, sealed. Every method throws a {@link StoreError} when the store fails.
 */
export interface ApiKeys {
  /** @throws UndecryptableError when a key is stored but cannot be opened */
  get(guildId: string): Promise<Secret | undefined>;
  /** Keeps the key, in place of a former one. When it returns, the key was read back and is the same. */
  set(guildId: string, key: Secret, by: { readonly userId: string }): Promise<void>;
  /** Whether there was one. It is gone from the disk too, unless another process holds the file just then. */
  delete(guildId: string): Promise<boolean>;
}

export function createApiKeys({ store, encryption, now = Date.now }: ApiKeysDeps): ApiKeys {
  /** Writes run one after another, so that none reads back what another has just written. */
  let lastWrite: Promise<unknown> = Promise.resolve();

  function inTurn<Result>(write: () => Promise<Result>): Promise<Result> {
    const result = lastWrite.then(write);
    lastWrite = result.catch(() => undefined);
    return result;
  }

  async function get(guildId: string): Promise<Secret | undefined> {
    const stored = await store.get(place(guildId));
    if (stored === undefined) return undefined;
    const parsed = recordSchema.safeParse(stored);
    if (!parsed.success) throw new UndecryptableError('the stored API key is not a record of this version');
    return new Secret(encryption.open(parsed.data.sealed, context(guildId)));
  }

  return {
    get,
    set: (guildId, key, by) =>
      inTurn(async () => {
        const former = await store.get(place(guildId));
        const record: KeyRecord = {
          v: 1,
          sealed: encryption.seal(key.reveal(), context(guildId)),
          lastFour: key.lastFour(),
          setBy: by.userId,
          setAt: new Date(now()).toISOString(),
        };
        await store.set(place(guildId), record);
        if ((await get(guildId))?.reveal() !== key.reveal()) {
          throw new StoreError('the API key reads back differently from what was written');
        }
        if (former !== undefined) await store.scrub();
      }),
    delete: (guildId) =>
      inTurn(async () => {
        const existed = await store.delete(place(guildId));
        if (existed) await store.scrub();
        return existed;
      }),
  };
}

const place = (guildId: string) => `api-key:${guildId}`;
const context = (guildId: string) => `guild ${guildId}: API key`;
