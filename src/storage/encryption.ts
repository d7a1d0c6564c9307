import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { z } from 'zod';

/** The length of an AES-256 key. */
export const KEY_BYTES = 32;
const FORMAT_VERSION = 1;
/** Each record has a random 96-bit IV and a full-length tag (NIST SP 800-38D §5.2.1, §8.2.2). */
const IV_BYTES = 12;
const TAG_BYTES = 16;

const sealedRecordSchema = z.object({
  v: z.literal(FORMAT_VERSION),
  k: z.string(),
  iv: z.base64(),
  data: z.base64(),
  tag: z.base64(),
});
export type SealedRecord = z.infer<typeof sealedRecordSchema>;

/** Thrown if a stored value can't be decrypted with the available keys. Callers must not treat the value as missing. */
export class UndecryptableError extends Error {
  override readonly name = 'UndecryptableError';
}

export type Encryption = ReturnType<typeof createEncryption>;

/**
 * Creates AES-256-GCM encryption. The context is authenticated as associated data, so a record that was copied to another
 * guild can't be decrypted.
 * @param keys 32 bytes each, newest first. Encryption uses the first key, decryption any of them
 * @throws RangeError if the list is empty or a key has the wrong length
 */
export function createEncryption(keys: readonly Buffer[]) {
  const [newest] = keys;
  if (newest === undefined || keys.some((key) => key.length !== KEY_BYTES)) {
    throw new RangeError(`encryption needs ${KEY_BYTES}-byte keys`);
  }
  const byId = new Map(keys.map((key) => [keyId(key), key]));
  const newestKeyId = keyId(newest);

  return {
    newestKeyId,
    /** @param context identifies the owner and purpose of the value; the same context must be passed to `open` */
    seal(plain: string, context: string): SealedRecord {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', newest, iv, { authTagLength: TAG_BYTES });
      cipher.setAAD(associated(newestKeyId, context));
      const data = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return {
        v: FORMAT_VERSION,
        k: newestKeyId,
        iv: iv.toString('base64'),
        data: data.toString('base64'),
        tag: cipher.getAuthTag().toString('base64'),
      };
    },
    /** @throws UndecryptableError if the key isn't available, the context is different or the record was tampered with */
    open(record: unknown, context: string): string {
      const parsed = sealedRecordSchema.safeParse(record);
      if (!parsed.success) throw new UndecryptableError('the stored value is not a sealed record');
      const { k, iv, data, tag } = parsed.data;
      const key = byId.get(k);
      if (key === undefined) throw new UndecryptableError(`the stored value needs the encryption key ${k}`);
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64'), {
          authTagLength: TAG_BYTES,
        });
        decipher.setAAD(associated(k, context)).setAuthTag(Buffer.from(tag, 'base64'));
        return Buffer.concat([decipher.update(data, 'base64'), decipher.final()]).toString('utf8');
      } catch (cause) {
        throw new UndecryptableError('the stored value was altered or belongs to another context', { cause });
      }
    },
  };
}

/** Derives an id from a key without revealing any part of the key. */
export function keyId(key: Buffer): string {
  return createHmac('sha256', key).update('key id').digest('hex').slice(0, 12);
}

function associated(id: string, context: string): Buffer {
  return Buffer.from(`${FORMAT_VERSION}:${id}:${context}`, 'utf8');
}
