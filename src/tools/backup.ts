import { resolve } from 'node:path';
import { readStoreConfig } from '../config/config.ts';
import { makeBackup } from '../operations/make-backup.ts';
import { fileOf } from '../storage/store-error.ts';
import { runTool, usage } from './tool.ts';

/** Makes a backup beside a bot that may run, and says what it does not hold. */
await runTool('backup', async (logger) => {
  const [given = ''] = usage('say where to: npm run backup -- FILE', { arguments: 1 });
  const file = resolve(given);
  const { storeUrl, encryptionKey } = readStoreConfig(process.env);
  const path = resolve(fileOf(storeUrl, 'back it up with pg_dump'));
  const bytes = await makeBackup({ path, file, logger });
  const key = encryptionKey === undefined ? `${path}.key` : 'the value of ENCRYPTION_KEY';
  process.stdout.write(
    `Backed up ${path} to ${file} (${Math.ceil(bytes / 1024)} KiB), and checked it.\n` +
      `It does not hold the encryption key, and nobody can read the API keys in it without: keep ${key} too, ` +
      'in another place than the backup.\n',
  );
});
