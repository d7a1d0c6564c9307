import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, open, readFile, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { Part } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import type { Secret } from '../secret.ts';
import {
  createCollection,
  createEncryption,
  type Encryption,
  KEY_BYTES,
  keyId,
  sealedRecordSchema,
  VERSION,
} from './collection.ts';
import type { Database } from './database.ts';
import { syncFolder } from './database-file.ts';
import type { Store } from './store.ts';

/** The data cannot be used with the encryption key at hand. Its message is for the operator. */
export class EncryptionKeyError extends Error {
  override readonly name = 'EncryptionKeyError';
}

/**
 * The proofs: one sealed record for each key that ever sealed anything, under the key's id, written before anything
 * else is sealed with it. When all of them open, so does all the data.
 */
const PROOFS = {
  name: 'encryption:proof',
  version: VERSION,
  schema: sealedRecordSchema.omit({ v: true }),
} as const;
/** What the names of the proofs begin with. */
export const PROOF = `${PROOFS.name}:`;

export interface StoreEncryptionDeps {
  /** `ENCRYPTION_KEY`: 32 bytes each in base64, newest first. Without it a key is kept beside the database. */
  readonly configured?: readonly Secret[] | undefined;
  readonly database: Store & Pick<Database, 'path' | 'keys'>;
  readonly logger: Logger;
}

/** Encryption with the keys of this bot. It has none before `start`. */
export interface StoreEncryption extends Encryption, Part {
  /** @throws EncryptionKeyError when the data was written with a key that is not at hand; nothing is changed */
  start(): Promise<void>;
}

/** To be started after the database and before everything that seals or opens. */
export function createStoreEncryption({
  configured,
  database,
  logger,
}: StoreEncryptionDeps): StoreEncryption {
  const proofs = createCollection({ store: database, ...PROOFS });
  const keyFile = `${database.path}.key`;
  const encryption = createEncryption();

  /** One that is damaged, although the very key that it names is at hand, is set aside. */
  async function opens(candidate: Encryption, id: string): Promise<boolean> {
    const proof = await proofs.get(id);
    if (proof === undefined) return false;
    try {
      candidate.open({ v: VERSION, ...proof }, PROOF + id);
      return true;
    } catch {
      await proofs.setAside(id, proof, 'it cannot be decrypted');
      return false;
    }
  }

  async function start(): Promise<void> {
    const proven: string[] = [];
    for await (const key of database.keys(PROOF)) proven.push(key.slice(PROOF.length));

    const keys = configured?.map((key) => Buffer.from(key.reveal(), 'base64')) ?? [
      await keyBeside(database.path, { hasData: proven.length > 0, keyFile, logger }),
    ];
    const byId = new Map(keys.map((key) => [keyId(key), key]));
    const id = proven.find((one) => !byId.has(one));
    if (id !== undefined) {
      throw new EncryptionKeyError(another({ path: database.path, id, keyFile, configured }));
    }
    const candidate = createEncryption(keys);
    const [newest] = [...byId.keys()];
    for (const [id, key] of byId) {
      const isNeeded = id === newest || proven.includes(id);
      if (!isNeeded || (await opens(candidate, id))) continue;
      const { v: _, ...proof } = createEncryption([key]).seal(id, PROOF + id);
      await proofs.set(id, proof);
    }
    encryption.use(keys);
  }

  return Object.assign(encryption, { name: 'encryption', start });
}

/** The key in the file beside the database, which is made where nothing was ever sealed. */
async function keyBeside(
  path: string,
  about: { readonly hasData: boolean; readonly keyFile: string; readonly logger: Logger },
): Promise<Buffer> {
  const { hasData, keyFile, logger } = about;
  try {
    if (!hasData && (await makeKeyFile(keyFile))) {
      logger.info({ keyFile }, 'made an encryption key; back it up: without it the stored API keys are lost');
    } else if (!hasData && existsSync(keyFile)) {
      logger.warn({ database: path, keyFile }, lost(path, keyFile));
    }
    const key = await readKeyFile(keyFile);
    if (key === undefined) throw new EncryptionKeyError(missing(path, keyFile));
    if (await isOpenToOthers(keyFile)) {
      logger.warn({ keyFile }, 'others may read the encryption key; give the file mode 0600');
    }
    return key;
  } catch (error) {
    if (error instanceof EncryptionKeyError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new EncryptionKeyError(`cannot use the encryption key in ${keyFile}: ${why}`, { cause: error });
  }
}

function lost(path: string, keyFile: string): string {
  return (
    `${path} is empty, but its encryption key ${keyFile} was there before it: unless the data was deleted on purpose, ` +
    'stop the bot and put the database back, or correct STORE_URL'
  );
}

function missing(path: string, keyFile: string): string {
  return (
    `the data in ${path} is encrypted, and its key is missing: put ${keyFile} back or set ENCRYPTION_KEY. ` +
    'Nothing was changed.'
  );
}

function another(about: { path: string; id: string; keyFile: string; configured: unknown }): string {
  const given = about.configured === undefined ? `the key in ${about.keyFile}` : 'ENCRYPTION_KEY';
  return (
    `the data in ${about.path} was encrypted with another key (its id is ${about.id}) than ${given}. ` +
    'Give the former key back, or both with the new one first (ENCRYPTION_KEY=new,former). Nothing was changed.'
  );
}

/**
 * The key in the file, or `undefined` when there is no such file.
 * @throws Error when it cannot be read or holds something else; the text does not say what
 */
export async function readKeyFile(path: string): Promise<Buffer | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length !== KEY_BYTES)
    throw new Error(`${path} does not hold a key of ${KEY_BYTES} bytes in base64`);
  return key;
}

/** Whether others than its owner have any right to the file. Windows has other rights, and names none of them here. */
export async function isOpenToOthers(path: string): Promise<boolean> {
  if (process.platform === 'win32') return false;
  return ((await stat(path)).mode & 0o077) !== 0;
}

/**
 * Makes a key and keeps it in a new file that only its owner may read. The file appears whole or not at all, and
 * never replaces another: when two processes do this at once, one of them finds the file of the other.
 * @returns whether this call made the file
 */
async function makeKeyFile(path: string): Promise<boolean> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(`${randomBytes(KEY_BYTES).toString('base64')}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await link(draft, path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
  await syncFolder(dirname(path));
  return true;
}

/** Under one id: the key that the running bot seals with. */
const IN_USE = {
  name: 'encryption',
  version: 2,
  schema: z.object({ keyId: z.string() }),
  // 0.1 kept the bare id.
  previous: [z.string().transform((keyId) => ({ keyId }))],
};
const IN_USE_ID = 'in-use';

/**
 * Says in the store which key the bot seals with while it runs. It stays when the bot ends without notice, so it
 * may say too much, but never too little. To be started after the encryption.
 */
export function keyInUse(deps: {
  readonly database: Store;
  readonly encryption: Pick<Encryption, 'newestKeyId'>;
}): Part {
  const records = createCollection({ store: deps.database, ...IN_USE });
  return {
    name: 'key in use',
    start: () => records.set(IN_USE_ID, { keyId: deps.encryption.newestKeyId }),
    async stop() {
      await records.delete(IN_USE_ID);
    },
  };
}

/** The id of the key that a running bot seals with; `undefined` when none runs, `unreadable` when nobody knows. */
export async function readKeyInUse(store: Store): Promise<string | undefined> {
  const records = createCollection({ store, ...IN_USE });
  const record = await records.get(IN_USE_ID);
  if (record !== undefined) return record.keyId;
  return (await records.aside(IN_USE_ID)) && 'unreadable';
}
