import { resolve } from 'node:path';
import { ConfigError, readStoreConfig } from './config/config.ts';
import { restore } from './operations/restore.ts';
import { StoreError } from './storage/store.ts';

const USAGE = 'say which backup: npm run restore -- FILE';

/** Puts a backup in the place of the database, while no bot runs on it. */
async function main(): Promise<void> {
  const [file, ...rest] = process.argv.slice(2);
  if (!file || rest.length > 0) throw new ConfigError(USAGE);
  const kept = await restore({ config: readStoreConfig(process.env), file: resolve(file), now: Date.now() });
  process.stdout.write(
    `Restored ${resolve(file)}. Start the bot.\n` +
      'What was submitted after the backup is not in it: members may be asked to submit it again, so look at the list first.\n' +
      (kept === undefined
        ? ''
        : `What was there is kept as ${resolve(kept)}: delete it when it is not needed any more.\n`),
  );
}

main().catch((error: unknown) => {
  if (!(error instanceof ConfigError || error instanceof StoreError)) throw error;
  process.stderr.write(`restore: ${error.message}\n`);
  process.exitCode = 1;
});
