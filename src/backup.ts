import { resolve } from 'node:path';
import { ConfigError, readStoreConfig } from './config/config.ts';
import { makeBackup } from './operations/backup.ts';
import { StoreError, storePath } from './storage/store.ts';

const USAGE = 'say where to: npm run backup -- FILE';

/** Makes a backup beside a bot that may run, and says what it does not hold. */
async function main(): Promise<void> {
  const [file, ...rest] = process.argv.slice(2);
  if (!file || rest.length > 0) throw new ConfigError(USAGE);
  const { storeUrl, encryptionKey } = readStoreConfig(process.env);
  const path = storePath(storeUrl);
  const warn = (_: object, message: string) => say(message);
  const logger = { debug: () => {}, info: () => {}, warn, error: warn };
  const bytes = await makeBackup({ path, file: resolve(file), logger });
  const key = encryptionKey === undefined ? `${resolve(path)}.key` : 'the value of ENCRYPTION_KEY';
  process.stdout.write(
    `Backed up ${resolve(path)} to ${resolve(file)} (${Math.ceil(bytes / 1024)} KiB), and checked it.\n` +
      `It does not hold the encryption key, and nobody can read the API keys in it without: keep ${key} too, ` +
      'in another place than the backup.\n',
  );
}

function say(message: string): void {
  process.stderr.write(`backup: ${message}\n`);
}

main().catch((error: unknown) => {
  if (!(error instanceof ConfigError || error instanceof StoreError)) throw error;
  say(error.message);
  process.exitCode = 1;
});
