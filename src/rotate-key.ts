import { existsSync } from 'node:fs';
import { ConfigError, readStoreConfig } from './config/config.ts';
import { interactionContext } from './discord/taken.ts';
import { API_KEYS } from './guilds/api-keys.ts';
import { inOrder } from './lifecycle.ts';
import type { Logger } from './logger.ts';
import type { SealedKind } from './storage/collection.ts';
import { createDatabase } from './storage/database.ts';
import { createStoreEncryption, EncryptionKeyError } from './storage/encryption-key.ts';
import { type RotationResult, rotate } from './storage/rotation.ts';
import { StoreError } from './storage/store.ts';
import { JOURNAL } from './submissions/previous/shapes.ts';

/** Every collection with sealed records; the last is what a start of the bot has not moved yet. */
const COLLECTIONS: readonly SealedKind[] = [
  API_KEYS,
  {
    ...JOURNAL,
    context: (id) => {
      const [guildId = '', interactionId = ''] = id.split(':');
      return interactionContext(guildId, interactionId);
    },
  },
];

/** Failures whose message tells the operator all there is to do. */
const EXPLAINED = [ConfigError, EncryptionKeyError, StoreError];

/** Seals all data anew with the first key of `ENCRYPTION_KEY`, and says how many records that were. */
async function main(): Promise<void> {
  const { storeUrl, encryptionKey } = readStoreConfig(process.env);
  const warn = (_: object, message: string) => say(message);
  const logger: Logger = { debug: () => {}, info: () => {}, warn, error: warn };
  const database = createDatabase({ url: storeUrl, logger, rewrites: false });
  if (!existsSync(database.path)) throw new StoreError(`there is no database at ${database.path}`);
  if (encryptionKey === undefined) throw new ConfigError(howToBegin(`${database.path}.key`));

  const encryption = createStoreEncryption({ configured: encryptionKey, database, logger });
  const parts = inOrder([database, encryption], logger);
  await parts.start();
  try {
    report(
      await rotate({ database, encryption, collections: COLLECTIONS, interactionContext }),
      encryption.newestKeyId,
    );
  } finally {
    await parts.stop();
  }
}

function report({ rotated, already, failed }: RotationResult, id: string): void {
  const records = (count: number) => (count === 1 ? '1 record' : `${count} records`);
  process.stdout.write(`Re-encrypted ${records(rotated)} to the key ${id}; ${already} had it already.\n`);
  if (failed.length === 0) {
    process.stdout.write('The other keys can be removed from ENCRYPTION_KEY.\n');
    return;
  }
  say(`${records(failed.length)} could not be decrypted, so keep every key: ${failed.join(', ')}`);
  process.exitCode = 1;
}

function howToBegin(keyFile: string): string {
  return (
    'ENCRYPTION_KEY is missing: put the new key first, and the former one behind it (ENCRYPTION_KEY=new,former). ' +
    `Without ENCRYPTION_KEY the bot uses the key in ${keyFile}.`
  );
}

function say(message: string): void {
  process.stderr.write(`rotate-key: ${message}\n`);
}

main().catch((error: unknown) => {
  if (!EXPLAINED.some((kind) => error instanceof kind)) throw error;
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
