import { existsSync } from 'node:fs';
import type { Part } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import type { Secret } from '../secret.ts';
import type { Database } from './database.ts';
import { createEncryption, type Encryption, keyId } from './encryption.ts';
import { isOpenToOthers, makeKeyFile, readKeyFile } from './encryption-key-file.ts';

/** The data cannot be used with the encryption key at hand. Its message is for the operator. */
export class EncryptionKeyError extends Error {
  override readonly name = 'EncryptionKeyError';
}

/**
 * Where the proofs are: one sealed record for each key that ever sealed anything, written before anything else
 * is sealed with it. When all of them open, so does all the data.
 */
export const PROOF = 'encryption:proof:';

export interface StoreEncryptionDeps {
  /** `ENCRYPTION_KEY`: 32 bytes each in base64, newest first. Without it a key is kept beside the database. */
  readonly configured?: readonly Secret[] | undefined;
  readonly database: Pick<Database, 'path' | 'set' | 'entries' | 'setAside'>;
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
  const keyFile = `${database.path}.key`;
  let encryption: Encryption | undefined;

  function started(): Encryption {
    if (encryption === undefined) throw new Error('the encryption was used before it was started');
    return encryption;
  }

  async function keyBesideDatabase(hasData: boolean): Promise<Buffer> {
    try {
      if (!hasData && (await makeKeyFile(keyFile))) {
        logger.info(
          { keyFile },
          'made an encryption key; back it up: without it the stored API keys are lost',
        );
      } else if (!hasData && existsSync(keyFile)) {
        logger.warn({ database: database.path, keyFile }, lost(database.path, keyFile));
      }
      const key = await readKeyFile(keyFile);
      if (key === undefined) throw new EncryptionKeyError(missing(database.path, keyFile));
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

  async function start(): Promise<void> {
    const proofs: (readonly [id: string, record: unknown])[] = [];
    for await (const [key, record] of database.entries(PROOF)) proofs.push([key.slice(PROOF.length), record]);

    const keys = configured?.map((key) => Buffer.from(key.reveal(), 'base64')) ?? [
      await keyBesideDatabase(proofs.length > 0),
    ];
    const byId = new Map(keys.map((key) => [keyId(key), key]));
    const candidate = createEncryption(keys);
    const missing = new Map([...byId].slice(0, 1));
    const damaged: typeof proofs = [];
    for (const [id, record] of proofs) {
      const key = byId.get(id);
      try {
        candidate.open(record, PROOF + id);
        missing.delete(id);
      } catch (cause) {
        if (key === undefined) {
          throw new EncryptionKeyError(another({ path: database.path, id, keyFile, configured }), { cause });
        }
        // The very key that it names is at hand: the record is damaged.
        missing.set(id, key);
        damaged.push([id, record]);
      }
    }
    for (const [id, record] of damaged) {
      await database.setAside(PROOF + id, record, 'it cannot be decrypted');
    }
    for (const [id, key] of missing) {
      await database.set(PROOF + id, createEncryption([key]).seal(id, PROOF + id));
    }
    encryption = candidate;
  }

  return {
    name: 'encryption',
    start,
    get newestKeyId() {
      return started().newestKeyId;
    },

    seal: (plain, context) => started().seal(plain, context),
    open: (record, context) => started().open(record, context),
    pseudonyms: (text) => started().pseudonyms(text),
  };
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
