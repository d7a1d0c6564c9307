import { randomBytes } from 'node:crypto';
import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Logger } from '../logger.ts';
import { codeOf } from '../text/error-code.ts';
import type { Secret } from '../text/secret.ts';
import { sync } from './database-file.ts';
import { createEncryption, type Encryption, KEY_BYTES, keyId } from './encryption.ts';
import type { Store } from './store.ts';
import { reason } from './store-error.ts';
import type { Values } from './values.ts';

/** The message is meant for the operator. */
export class EncryptionKeyError extends Error {
  override readonly name = 'EncryptionKeyError';
}

/** Thrown if only the operator can solve the problem, because a restart would fail in the same way. */
export class WrongKeyError extends EncryptionKeyError {}

/**
 * Prefix of the stored values that record the ids of all encryption keys ever used. Each id is stored before its key is
 * used, so a bot with all of these keys can decrypt all data.
 */
export const USED_KEY = 'encryption:used-key';

export const usedKeyIdsOf = (values: Pick<Values, 'ids'>): Promise<readonly string[]> => values.ids(USED_KEY);

export interface AvailableKeys {
  /** The keys from `ENCRYPTION_KEY`, newest first. Each key is 32 bytes, encoded as base64. */
  readonly configured?: readonly Secret[] | undefined;
  /** Path of the key file, with one key per line, newest first. Used with SQLite if `ENCRYPTION_KEY` isn't set. */
  readonly keyFile: string | undefined;
  readonly usedKeyIds: readonly string[];
}

/**
 * Returns the available keys, newest first. The list is empty if there is no `ENCRYPTION_KEY`, no key file and no data yet.
 * @throws EncryptionKeyError if a used key is missing, or the key file can't be read
 */
export async function keysAtHand({
  configured,
  keyFile,
  usedKeyIds,
}: AvailableKeys): Promise<readonly Buffer[]> {
  const keys = configured?.map((key) => Buffer.from(key.reveal(), 'base64')) ?? (await readKeyFile(keyFile));
  const ids = keys.map(keyId);
  const missing = usedKeyIds.find((id) => !ids.includes(id));
  if (missing === undefined) return keys;
  if (keys.length === 0) {
    throw new EncryptionKeyError(
      `the data is encrypted, and its key is missing: put ${keyFile} back or set ENCRYPTION_KEY. Nothing was changed.`,
    );
  }
  const given = configured ? 'ENCRYPTION_KEY' : `the key in ${keyFile}`;
  throw new WrongKeyError(
    `the data was encrypted with another key (id ${missing}), not with ${given}. ` +
      'Restore the old key, or provide both with the new one first (ENCRYPTION_KEY=new,old; in the file, one per line). ' +
      'Nothing was changed.',
  );
}

export interface StoreEncryptionDeps {
  readonly configured?: AvailableKeys['configured'];
  readonly store: Pick<Store, 'path' | 'values'>;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

/** Sets up encryption with this bot's keys. Start it after the store, and before encrypting or decrypting anything. */
export function createStoreEncryption({ configured, store, logger }: StoreEncryptionDeps) {
  const { path, values } = store;
  const keyFile = path === undefined ? undefined : `${path}.key`;
  let encryption: Encryption | undefined;

  function started(): Encryption {
    if (encryption === undefined) throw new Error('the encryption key was used before it was loaded');
    return encryption;
  }

  return {
    name: 'encryption',
    /** @throws EncryptionKeyError if data was encrypted with an unavailable key; no data is changed */
    async start(): Promise<void> {
      const usedKeyIds = await usedKeyIdsOf(values);
      let keys = await keysAtHand({ configured, keyFile, usedKeyIds });
      if (keyFile !== undefined && keys.length === 0) {
        keys = [await makeKeyFile(keyFile)];
        logger.info(
          { keyFile },
          'created an encryption key; back it up: without it the stored API keys are lost',
        );
      } else if (keyFile !== undefined && configured === undefined && (await isOpenToOthers(keyFile))) {
        logger.warn({ keyFile }, 'other users can read the encryption key; set the file mode to 0600');
      }
      encryption = createEncryption(keys);
      await values.set(`${USED_KEY}:${encryption.newestKeyId}`, true);
    },
    seal: (plain: string, context: string) => started().seal(plain, context),
    open: (record: unknown, context: string) => started().open(record, context),
    encryptionKeyId: (): string => started().newestKeyId,
  };
}

/** Returns the keys in the key file, or an empty list if the file doesn't exist. */
async function readKeyFile(path: string | undefined): Promise<readonly Buffer[]> {
  if (path === undefined)
    throw new WrongKeyError('ENCRYPTION_KEY is missing: with PostgreSQL, there is no key file');
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return [];
    throw new EncryptionKeyError(`could not read the encryption key: ${reason(cause)}`, { cause });
  }
  const keys = text
    .trim()
    .split(/\s+/)
    .map((line) => Buffer.from(line, 'base64'));
  if (keys.every((key) => key.length === KEY_BYTES)) return keys;
  throw new WrongKeyError(`each line of ${path} must be a ${KEY_BYTES}-byte key in base64`);
}

export async function isOpenToOthers(path: string): Promise<boolean> {
  if (process.platform === 'win32') return false;
  return ((await stat(path)).mode & 0o077) !== 0;
}

/** Writes a temporary file first and renames it, so the key file is never incomplete. */
async function makeKeyFile(path: string): Promise<Buffer> {
  const key = randomBytes(KEY_BYTES);
  await writeFile(`${path}.new`, `${key.toString('base64')}\n`, { mode: 0o600, flush: true });
  await rename(`${path}.new`, path);
  await sync(dirname(path));
  return key;
}
