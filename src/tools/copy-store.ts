import { ConfigError, readEncryptionKey, readStoreUrl } from '../config/config.ts';
import { copyStore } from './copy-tables.ts';
import { runTool, usage } from './tool.ts';

const USAGE =
  'specify the source and the target: npm run copy-store -- FROM TO, each a file such as sqlite://data/bot.sqlite, or the name ' +
  'of a variable that contains the URL, such as STORE_URL';

/** Copies all data from SQLite to PostgreSQL or back. No bot may be using either database. */
await runTool('copy-store', async (logger) => {
  const [first = '', second = ''] = usage(USAGE, { arguments: 2 });
  const from = readStoreUrl(process.env, first);
  const to = readStoreUrl(process.env, second);
  const encryptionKey = readEncryptionKey(process.env);
  if (encryptionKey === undefined) {
    throw new ConfigError(
      'ENCRYPTION_KEY is missing: set it to the key that the data is encrypted with. Without ENCRYPTION_KEY, the bot ' +
        'stores the key next to the SQLite file, for example in data/bot.sqlite.key.',
    );
  }
  const { counts, unreadable } = await copyStore({ from, to, encryptionKey, logger });
  const rows = Object.entries(counts).map(([table, count]) => `${count} of ${table}`);
  process.stdout.write(
    `Copied ${from.name} to ${to.name}, and counted the rows: ${rows.join(', ')}.\n` +
      'Set STORE_URL to the new one, and start the bot. The old one is unchanged: delete it when you no longer need it.\n',
  );
  if (unreadable.length > 0) {
    logger.warn({}, `ENCRYPTION_KEY cannot decrypt ${unreadable.length} records: ${unreadable.join(', ')}`);
  }
});
