import { resolve } from 'node:path';
import { readStoreConfig } from '../config/config.ts';
import { restore } from './restore-backup.ts';
import { runTool, usage } from './tool.ts';

await runTool('restore', async () => {
  const [given = ''] = usage('specify the backup: npm run restore -- FILE', { arguments: 1 });
  const file = resolve(given);
  const kept = await restore({ config: readStoreConfig(process.env), file });
  process.stdout.write(
    `Restored ${file}. Start the bot.\n` +
      'Submissions after the backup are not in it. Members may be asked to submit them again, so check the list first.\n' +
      'Submissions approved after the backup are waiting again. Approving one would send it again, so check the list first.\n',
  );
  if (kept !== undefined) {
    process.stdout.write(
      `The previous database is kept as ${resolve(kept)}: delete it when you no longer need it.\n`,
    );
  }
});
