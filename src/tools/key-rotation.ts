import { createEncryption, type SealedRecord, UndecryptableError } from '../storage/encryption.ts';
import { EncryptionKeyError, USED_KEY, usedKeysOf } from '../storage/encryption-key.ts';
import { sealingKeysOf } from '../storage/leases.ts';
import type { Store } from '../storage/store.ts';
import { eachSealed } from './sealed-values.ts';

export interface RotationDeps {
  readonly store: Pick<Store, 'tables' | 'values' | 'inGuild' | 'cutLog'>;
  /** Encryption keys, newest first: the first seals, all open. */
  readonly keys: readonly Buffer[];
}

export interface RotationResult {
  readonly newestKeyId: string;
  /** Records that were sealed with a former key, and are sealed with the newest now. */
  readonly rotated: number;
  /** Records that were sealed with the newest key before. */
  readonly already: number;
  /** Records that could not be opened. If there are any, the former keys are still needed. */
  readonly failed: readonly string[];
}

/**
 * Seals every API key and every unanswered interaction anew with the newest encryption key, one by one, so that it can be
 * stopped and begun again at any time. Bots may run meanwhile.
 * @throws EncryptionKeyError if no bot has run with the newest key yet, or if one runs that still seals with a former key
 */
export async function rotateKeys({ store, keys }: RotationDeps): Promise<RotationResult> {
  const { values } = store;
  const encryption = createEncryption(keys);
  const { newestKeyId } = encryption;
  let rotated = 0;
  let already = 0;
  const failed: string[] = [];

  async function refuseOtherKeys(): Promise<void> {
    const other = (await sealingKeysOf(store)).find((id) => id !== newestKeyId);
    if (other === undefined) return;
    throw new EncryptionKeyError(
      `a bot runs, or ran until a moment ago, that encrypts with another key (its id is ${other}) than the first one: ` +
        'restart all bots with this ENCRYPTION_KEY, and run this again. Until then every key is needed.',
    );
  }

  /** @returns `undefined` where the record stays as it is */
  function sealedAnew(name: string, sealed: unknown, context: string): SealedRecord | undefined {
    if (Object(sealed).k === newestKeyId) {
      already += 1;
      return undefined;
    }
    try {
      const anew = encryption.seal(encryption.open(sealed, context), context);
      rotated += 1;
      return anew;
    } catch (error) {
      if (!(error instanceof UndecryptableError)) throw error;
      failed.push(name);
      return undefined;
    }
  }

  const usedKeys = await usedKeysOf(values);
  if (!usedKeys.includes(newestKeyId)) {
    throw new EncryptionKeyError(
      `the bot has never run with the first key (its id is ${newestKeyId}): start it once with this ENCRYPTION_KEY, and ` +
        'run this again while it runs or after it has stopped. Nothing was changed.',
    );
  }
  await refuseOtherKeys();
  await eachSealed(store, sealedAnew);
  if (failed.length === 0) {
    // Such a bot may have been started meanwhile.
    await refuseOtherKeys();
    for (const id of usedKeys) {
      if (id !== newestKeyId) await values.delete(`${USED_KEY}:${id}`);
    }
  }
  await store.cutLog();
  return { newestKeyId, rotated, already, failed };
}
