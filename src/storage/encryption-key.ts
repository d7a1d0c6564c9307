import { randomBytes } from 'node:crypto';
import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from '../error-code.ts';
import type { Logger } from '../logger.ts';
import type { Secret } from '../secret.ts';
import { sync } from './database-file.ts';
import { createEncryption, type Encryption, KEY_BYTES, keyId } from './encryption.ts';
import type { Store } from './store.ts';
import { reason } from './store-error.ts';
import type { Values } from './values.ts';

/** The data cannot be used with the encryption key at hand. Its message is for the operator. */
export class EncryptionKeyError extends Error {
  override readonly name = 'EncryptionKeyError';
}

/**
 * The area of a value for each key that the data was ever encrypted with, under the key's id. It is written before the
 * key is used: if all of these keys are at hand, all the data opens.
 */
export const USED_KEY = 'encryption:used-key';

/** The ids of the keys that the data was ever encrypted with. */
export const usedKeysOf = (values: Pick<Values, 'ids'>): Promise<readonly string[]> => values.ids(USED_KEY);

export interface KeysAtHand {
  /** `ENCRYPTION_KEY`: 32 bytes each in base64, newest first. */
  readonly configured?: readonly Secret[] | undefined;
  /** The file of the keys, one a line, newest first, for when there is no `ENCRYPTION_KEY`; with PostgreSQL there is no file. */
  readonly keyFile: string | undefined;
  readonly usedKeys: readonly string[];
}

/**
 * The keys, newest first; none if there is neither `ENCRYPTION_KEY` nor a key file, nor any data.
 * @throws EncryptionKeyError if the data was encrypted with a key that is not at hand
 */
export async function keysAtHand({ configured, keyFile, usedKeys }: KeysAtHand): Promise<readonly Buffer[]> {
  const keys = configured?.map((key) => Buffer.from(key.reveal(), 'base64')) ?? (await readKeyFile(keyFile));
  const ids = keys.map(keyId);
  const missing = usedKeys.find((id) => !ids.includes(id));
  if (missing === undefined) return keys;
  if (keys.length === 0) {
    throw new EncryptionKeyError(
      `the data is encrypted, and its key is missing: put ${keyFile} back or set ENCRYPTION_KEY. Nothing was changed.`,
    );
  }
  const given = configured ? 'ENCRYPTION_KEY' : `the key in ${keyFile}`;
  throw new EncryptionKeyError(
    `the data was encrypted with another key (its id is ${missing}) than ${given}. ` +
      'Give the former key back, or both with the new one first (ENCRYPTION_KEY=new,former; in the file each in a line). ' +
      'Nothing was changed.',
  );
}

export interface StoreEncryptionDeps {
  readonly configured?: KeysAtHand['configured'];
  readonly store: Pick<Store, 'path' | 'values'>;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

/** Encryption with the keys of this bot, to be started after the store and before everything that seals or opens. */
export function createStoreEncryption({ configured, store, logger }: StoreEncryptionDeps) {
  const { path, values } = store;
  const keyFile = path === undefined ? undefined : `${path}.key`;
  let encryption: Encryption | undefined;

  function started(): Encryption {
    if (encryption === undefined) throw new Error('the encryption was used before it was started');
    return encryption;
  }

  async function lookAtKeyFile(keyFile: string, hasData: boolean): Promise<void> {
    if (!hasData) {
      logger.warn(
        { database: path, keyFile },
        `${path} is empty, but its encryption key ${keyFile} was there before it: unless the data was deleted on ` +
          'purpose, stop the bot and put the database back, or correct STORE_URL',
      );
    }
    if (await isOpenToOthers(keyFile)) {
      logger.warn({ keyFile }, 'others may read the encryption key; give the file mode 0600');
    }
  }

  return {
    name: 'encryption',
    /** @throws EncryptionKeyError if the data was encrypted with a key that is not at hand; nothing is changed */
    async start(): Promise<void> {
      const usedKeys = await usedKeysOf(values);
      let keys = await keysAtHand({ configured, keyFile, usedKeys });
      if (keyFile !== undefined && keys.length === 0) {
        keys = [await makeKeyFile(keyFile)];
        logger.info(
          { keyFile },
          'made an encryption key; back it up: without it the stored API keys are lost',
        );
      } else if (keyFile !== undefined && configured === undefined) {
        await lookAtKeyFile(keyFile, usedKeys.length > 0);
      }
      encryption = createEncryption(keys);
      await values.set(`${USED_KEY}:${encryption.newestKeyId}`, true);
    },
    seal: (plain: string, context: string) => started().seal(plain, context),
    open: (record: unknown, context: string) => started().open(record, context),
    /** The id of the key that `seal` uses. */
    sealingKeyId: (): string => started().newestKeyId,
  };
}

/** The keys in the file, or none if there is no such file. */
async function readKeyFile(path: string | undefined): Promise<readonly Buffer[]> {
  if (path === undefined)
    throw new EncryptionKeyError('ENCRYPTION_KEY is missing: PostgreSQL has no key file');
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return [];
    throw new EncryptionKeyError(`the encryption key cannot be read: ${reason(cause)}`, { cause });
  }
  const keys = text
    .trim()
    .split(/\s+/)
    .map((line) => Buffer.from(line, 'base64'));
  if (keys.every((key) => key.length === KEY_BYTES)) return keys;
  throw new EncryptionKeyError(`${path} does not hold a key of ${KEY_BYTES} bytes in base64 in each line`);
}

/** Whether others than its owner have any right to the file. Windows has other rights, and names none of them here. */
export async function isOpenToOthers(path: string): Promise<boolean> {
  if (process.platform === 'win32') return false;
  return ((await stat(path)).mode & 0o077) !== 0;
}

/** Makes a key, and keeps it in a file that only its owner may read. The file appears whole or not at all. */
async function makeKeyFile(path: string): Promise<Buffer> {
  const key = randomBytes(KEY_BYTES);
  await writeFile(`${path}.new`, `${key.toString('base64')}\n`, { mode: 0o600, flush: true });
  await rename(`${path}.new`, path);
  await sync(dirname(path));
  return key;
}
