import { setImmediate } from 'node:timers/promises';
import { noticeContext } from '../approval/decision-notices.ts';
import { API_KEYS, sealContext } from '../guilds/api-keys.ts';
import { interactionContext } from '../interactions/interaction-store.ts';
import type { Logger } from '../logger.ts';
import { type Encryption, type SealedRecord, UndecryptableError } from '../storage/encryption.ts';
import { USED_KEY, usedKeyIdsOf } from '../storage/encryption-key.ts';
import { encryptionKeyIdsInUse } from '../storage/leases.ts';
import type { Store } from '../storage/store.ts';
import { parsedJson } from '../text/json.ts';

export interface ReencryptionDeps {
  readonly store: Pick<Store, 'tables' | 'values' | 'inGuild'>;
  readonly encryption: Pick<Encryption, 'seal' | 'open'> & { readonly encryptionKeyId: () => string };
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

/**
 * Creates the task that re-encrypts data from old keys once all processes encrypt with the new key. The old keys count as
 * in use until all data has been re-encrypted. A crash causes some work to be repeated, but doesn't lose data.
 */
export function createReencryption({ store, encryption, logger }: ReencryptionDeps) {
  return async (stopping: AbortSignal): Promise<void> => {
    const encryptionKeyId = encryption.encryptionKeyId();
    const formerKeys = (await usedKeyIdsOf(store.values)).filter((id) => id !== encryptionKeyId);
    if (formerKeys.length === 0) return;
    if ((await encryptionKeyIdsInUse(store)).some((id) => id !== encryptionKeyId)) {
      logger.info(
        { encryptionKeyId },
        'another process encrypts with another key, so all keys are still needed',
      );
      return;
    }
    const reencrypt: ReencryptRecord = (sealed, plain, context) =>
      Object(sealed).k === encryptionKeyId ? undefined : encryption.seal(plain, context);
    const unreadable = await openEncrypted(store, encryption, reencrypt, stopping);
    if (unreadable.length > 0) {
      logger.warn({ unreadable }, 'could not decrypt some records; leaving them unchanged');
    }
    for (const id of formerKeys) await store.values.delete(`${USED_KEY}:${id}`);
    logger.info(
      { encryptionKeyId, formerKeys },
      'encrypted all data with the new key; the old key can be removed, but older backups still need it',
    );
  };
}

type ReencryptRecord = (sealed: unknown, plain: string, context: string) => SealedRecord | undefined;

/**
 * Decrypts all encrypted data: the API keys, the interactions without a reply and the decision notices. Bots can keep
 * running in the meantime.
 * @returns the names of the records that can't be decrypted with any key
 * @throws the abort reason of `stopping`, between two records
 */
export async function openEncrypted(
  { tables, values, inGuild }: ReencryptionDeps['store'],
  { open }: Pick<Encryption, 'open'>,
  reencrypt: ReencryptRecord = () => undefined,
  stopping?: AbortSignal,
): Promise<readonly string[]> {
  const unreadable: string[] = [];
  function reencrypted(name: string, sealed: unknown, context: string): SealedRecord | undefined {
    try {
      return reencrypt(sealed, open(sealed, context), context);
    } catch (error) {
      if (!(error instanceof UndecryptableError)) throw error;
      unreadable.push(name);
      return undefined;
    }
  }

  for (const guildId of await values.ids(API_KEYS)) {
    stopping?.throwIfAborted();
    const name = `${API_KEYS}:${guildId}`;
    const reencryptKey = async () => {
      const stored = await values.get(name);
      // The guild's key has been removed since it was read.
      if (stored === undefined) return;
      const value = Object(stored);
      const sealed = reencrypted(name, value.sealed, sealContext(guildId));
      if (sealed) await values.set(name, { ...value, sealed });
    };
    await inGuild(guildId, reencryptKey);
    // Gives other work a chance to run.
    await setImmediate();
  }

  const withoutReply = await tables()
    .selectFrom('interactions')
    .select(['id', 'guild_id', 'encrypted'])
    .where('encrypted', 'is not', null)
    .execute();
  for (const { id, guild_id, encrypted: before } of withoutReply) {
    const sealed = reencrypted(
      `interaction ${id}`,
      parsedJson(before ?? ''),
      interactionContext(guild_id, id),
    );
    if (!sealed) continue;
    await tables()
      .updateTable('interactions')
      .set({ encrypted: JSON.stringify(sealed) })
      .where('id', '=', id)
      // Only updates the record if it's unchanged, because the interaction may have received its reply since it was read.
      .where('encrypted', '=', before)
      .execute();
  }

  const unsentNotices = await tables()
    .selectFrom('submissions')
    .select(['id', 'guild_id', 'draft_id', 'notice'])
    .where('notice', 'is not', null)
    .execute();
  for (const { id, guild_id: guildId, draft_id: draftId, notice: before } of unsentNotices) {
    const context = noticeContext({ guildId, id: draftId });
    const sealed = reencrypted(`decision notice ${id}`, parsedJson(before ?? ''), context);
    if (!sealed) continue;
    await tables()
      .updateTable('submissions')
      .set({ notice: JSON.stringify(sealed) })
      .where('id', '=', id)
      // Only updates the record if it's unchanged, because the member may have been notified since it was read.
      .where('notice', '=', before)
      .execute();
  }
  return unreadable;
}
