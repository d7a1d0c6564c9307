import { createEncryption, type Encryption, UndecryptableError } from '../storage/encryption.ts';
import { EncryptionKeyError, USED_KEY, usedKeysOf } from '../storage/encryption-key.ts';
import type { Store } from '../storage/store.ts';
import { API_KEYS, sealContext } from './api-keys.ts';

export interface RotationDeps {
  readonly store: Pick<Store, 'values' | 'inGuild' | 'cutLog'>;
  /** Encryption keys, newest first: the first seals, all open. */
  readonly keys: readonly Buffer[];
}

export interface RotationResult {
  readonly newestKeyId: string;
  /** Records that were sealed with a former key, and are now with the newest. */
  readonly rotated: number;
  /** Records that were sealed with the newest key before. */
  readonly already: number;
  /** Records that could not be opened. While there are any, the former keys are not forgotten. */
  readonly failed: readonly string[];
}

/**
 * Seals every API key anew with the newest encryption key, each in a transaction of its own: stopped at any moment and
 * begun again it goes on. The bot may run meanwhile. What else it seals lives for 15 minutes.
 * @throws EncryptionKeyError if no bot has run with the newest key: it would go on to seal with a former one
 */
export async function rotateKeys({ store, keys }: RotationDeps): Promise<RotationResult> {
  const { values } = store;
  const encryption = createEncryption(keys);
  const { newestKeyId } = encryption;
  const usedKeys = await usedKeysOf(values);
  if (!usedKeys.includes(newestKeyId)) {
    throw new EncryptionKeyError(
      `the bot has never run with the first key (its id is ${newestKeyId}): start it once with this ENCRYPTION_KEY, and ` +
        'run this again while it runs or after it has stopped. Nothing was changed.',
    );
  }

  let rotated = 0;
  let already = 0;
  const failed: string[] = [];
  for (const record of await values.keys(`${API_KEYS}:`)) {
    const guildId = record.slice(API_KEYS.length + 1);
    await store.inGuild(guildId, async () => {
      const stored = await values.get(record);
      // The guild's key was removed meanwhile.
      if (stored === undefined) return;
      const value = Object(stored);
      if (Object(value.sealed).k === newestKeyId) {
        already += 1;
        return;
      }
      const plain = openOrUndefined(encryption, value.sealed, sealContext(guildId));
      if (plain === undefined) {
        failed.push(record);
        return;
      }
      await values.set(record, { ...value, sealed: encryption.seal(plain, sealContext(guildId)) });
      rotated += 1;
    });
  }

  if (failed.length === 0) {
    for (const id of usedKeys) {
      if (id !== newestKeyId) await values.delete(USED_KEY + id);
    }
  }
  await store.cutLog();
  return { newestKeyId, rotated, already, failed };
}

function openOrUndefined(encryption: Encryption, sealed: unknown, context: string): string | undefined {
  try {
    return encryption.open(sealed, context);
  } catch (error) {
    if (error instanceof UndecryptableError) return undefined;
    throw error;
  }
}
