import { setImmediate } from 'node:timers/promises';
import { tellingContext } from '../approval/tellings.ts';
import { API_KEYS, sealContext } from '../guilds/api-keys.ts';
import { interactionContext } from '../interactions/record.ts';
import type { Logger } from '../logger.ts';
import { type Encryption, type SealedRecord, UndecryptableError } from '../storage/encryption.ts';
import { USED_KEY, usedKeysOf } from '../storage/encryption-key.ts';
import { encryptionKeysInUse } from '../storage/leases.ts';
import type { Store } from '../storage/store.ts';

export interface SealingDeps {
  readonly store: Pick<Store, 'tables' | 'values' | 'inGuild'>;
  readonly encryption: Pick<Encryption, 'seal' | 'open'> & { readonly encryptionKeyId: () => string };
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

/**
 * Seals anew what is sealed with a former key, once every process seals with the new one. The former key counts as used until
 * all is done, so that after a crash it is all looked through again.
 */
export function createSealing({ store, encryption, logger }: SealingDeps) {
  return async (stopping: AbortSignal): Promise<void> => {
    const encryptionKeyId = encryption.encryptionKeyId();
    const formerKeys = (await usedKeysOf(store.values)).filter((id) => id !== encryptionKeyId);
    if (formerKeys.length === 0) return;
    if ((await encryptionKeysInUse(store)).some((id) => id !== encryptionKeyId)) {
      logger.info(
        { encryptionKeyId },
        'another process encrypts with another key, so each key is still needed',
      );
      return;
    }
    const sealAnew: SealAnew = (sealed, plain, context) =>
      Object(sealed).k === encryptionKeyId ? undefined : encryption.seal(plain, context);
    const unreadable = await openSealed(store, encryption, sealAnew, stopping);
    if (unreadable.length > 0) {
      logger.warn({ unreadable }, 'records that no encryption key opens stay as they are');
    }
    for (const id of formerKeys) await store.values.delete(`${USED_KEY}:${id}`);
    logger.info(
      { encryptionKeyId, formerKeys },
      'everything is encrypted with the new key: the former one can be removed; backups from before still need it',
    );
  };
}

/** What to store in place of what was opened; `undefined`: it stays. */
type SealAnew = (sealed: unknown, plain: string, context: string) => SealedRecord | undefined;

/**
 * Opens everything that is sealed: the API keys, the interactions without a reply, and what is to be told. Bots may run meanwhile.
 * @returns the names of what no key opens
 * @throws what `stopping` was aborted with, between two values
 */
export async function openSealed(
  { tables, values, inGuild }: SealingDeps['store'],
  { open }: Pick<Encryption, 'open'>,
  sealAnew: SealAnew = () => undefined,
  stopping?: AbortSignal,
): Promise<readonly string[]> {
  const unreadable: string[] = [];
  function look(name: string, sealed: unknown, context: string): SealedRecord | undefined {
    try {
      return sealAnew(sealed, open(sealed, context), context);
    } catch (error) {
      if (!(error instanceof UndecryptableError)) throw error;
      unreadable.push(name);
      return undefined;
    }
  }

  for (const guildId of await values.ids(API_KEYS)) {
    stopping?.throwIfAborted();
    const name = `${API_KEYS}:${guildId}`;
    const lookAtKey = async () => {
      const stored = await values.get(name);
      // The guild's key was removed meanwhile.
      if (stored === undefined) return;
      const value = Object(stored);
      const sealed = look(name, value.sealed, sealContext(guildId));
      if (sealed) await values.set(name, { ...value, sealed });
    };
    await inGuild(guildId, lookAtKey, { synced: false });
    // Others have their turn.
    await setImmediate();
  }

  const withoutReply = await tables()
    .selectFrom('interactions')
    .select(['id', 'guild_id', 'encrypted'])
    .where('encrypted', 'is not', null)
    .execute();
  for (const { id, guild_id, encrypted: before } of withoutReply) {
    const sealed = look(`interaction ${id}`, parsed(before ?? ''), interactionContext(guild_id, id));
    if (!sealed) continue;
    await tables()
      .updateTable('interactions')
      .set({ encrypted: JSON.stringify(sealed) })
      .where('id', '=', id)
      // The interaction may have got its reply meanwhile.
      .where('encrypted', '=', before)
      .execute();
  }

  const toTell = await tables()
    .selectFrom('submissions')
    .select(['id', 'guild_id', 'document_id', 'telling'])
    .where('telling', 'is not', null)
    .execute();
  for (const { id, guild_id: guildId, document_id: documentId, telling: before } of toTell) {
    const context = tellingContext({ guildId, id: documentId });
    const sealed = look(`telling of ${id}`, parsed(before ?? ''), context);
    if (!sealed) continue;
    await tables()
      .updateTable('submissions')
      .set({ telling: JSON.stringify(sealed) })
      .where('id', '=', id)
      // The member may have been told meanwhile.
      .where('telling', '=', before)
      .execute();
  }
  return unreadable;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
