import { existsSync } from 'node:fs';
import { ConfigError, readStoreConfig } from '../config/config.ts';
import { keysAtHand, usedKeysOf } from '../storage/encryption-key.ts';
import { createStore } from '../storage/store.ts';
import { StoreError } from '../storage/store-error.ts';
import { rotateKeys } from './key-rotation.ts';
import { runTool } from './tool.ts';

/** Seals everything anew with the first key of `ENCRYPTION_KEY`, and says how many records these were. */
await runTool('rotate-key', async (logger) => {
  const { storeUrl, encryptionKey: configured } = readStoreConfig(process.env);
  const store = createStore({ url: storeUrl, logger });
  const keyFile = store.path && `${store.path}.key`;
  if (store.path !== undefined && !existsSync(store.path))
    throw new StoreError(`there is no database at ${store.path}`);
  if (configured === undefined) {
    throw new ConfigError(
      'ENCRYPTION_KEY is missing: put the new key first, and the former one behind it (ENCRYPTION_KEY=new,former). ' +
        `Without ENCRYPTION_KEY the bot uses the key in ${keyFile}.`,
    );
  }

  await store.start();
  try {
    const usedKeys = await usedKeysOf(store.values);
    const keys = await keysAtHand({ configured, keyFile, usedKeys });
    const { newestKeyId, rotated, already, failed } = await rotateKeys({ store, keys });
    process.stdout.write(
      `Re-encrypted ${records(rotated)} to the key ${newestKeyId}; ${already} had it already.\n`,
    );
    if (failed.length === 0) {
      process.stdout.write('The other keys can be removed from ENCRYPTION_KEY.\n');
      return;
    }
    logger.warn(
      { failed },
      `${records(failed.length)} could not be decrypted, so keep every key: ${failed.join(', ')}`,
    );
    process.exitCode = 1;
  } finally {
    await store.stop();
  }
});

function records(count: number): string {
  return count === 1 ? '1 record' : `${count} records`;
}
