import { resolve } from 'node:path';
import { readStoreConfig } from '../config/config.ts';
import { makeBackup } from '../operations/make-backup.ts';
import { sqlitePathOf } from '../storage/store-error.ts';
import { runTool, usage } from './tool.ts';

/** Backs up the database, even while a bot is using it. */
await runTool('backup', async (logger) => {
  const [given = ''] = usage('specify the file: npm run backup -- FILE', { arguments: 1 });
  const file = resolve(given);
  const { storeUrl, encryptionKey } = readStoreConfig(process.env);
  const path = resolve(sqlitePathOf(storeUrl, 'back it up with pg_dump'));
  const bytes = await makeBackup({ path, file, logger });
  const key = encryptionKey === undefined ? `${path}.key` : 'the value of ENCRYPTION_KEY';
  process.stdout.write(
    `Backed up ${path} to ${file} (${Math.ceil(bytes / 1024)} KiB), and checked it.\n` +
      `It does not contain the encryption key, without which the API keys cannot be decrypted: keep ${key} too, ` +
      'in a different place.\n',
  );
});
