import { ConfigError, readEncryptionKey, readStoreUrl } from '../config/config.ts';
import { copyStore } from './copy-tables.ts';
import { runTool, usage } from './tool.ts';

const USAGE =
  'say from where and to where: npm run copy-store -- FROM TO, each a file as sqlite://data/bot.sqlite, or the name ' +
  'of a variable that has the URL, such as STORE_URL';

/** Moves everything from SQLite to PostgreSQL, or back, while no bot runs on either. */
await runTool('copy-store', async (logger) => {
  const [first = '', second = ''] = usage(USAGE, { arguments: 2 });
  const from = readStoreUrl(process.env, first);
  const to = readStoreUrl(process.env, second);
  const encryptionKey = readEncryptionKey(process.env);
  if (encryptionKey === undefined) {
    throw new ConfigError(
      'ENCRYPTION_KEY is missing: put the key there that the data is encrypted with. Without ENCRYPTION_KEY the bot ' +
        'has it beside the file of SQLite, as in data/bot.sqlite.key.',
    );
  }
  const { counts, unreadable } = await copyStore({ from, to, encryptionKey, logger });
  const rows = Object.entries(counts).map(([table, count]) => `${count} of ${table}`);
  process.stdout.write(
    `Copied ${from.name} to ${to.name}, and counted the rows: ${rows.join(', ')}.\n` +
      'Set STORE_URL to the new one, and start the bot. The old one stays as it was: delete it when it is not needed any more.\n',
  );
  if (unreadable.length > 0) {
    logger.warn({}, `ENCRYPTION_KEY does not open ${unreadable.length} records: ${unreadable.join(', ')}`);
  }
});
