import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folder } from '../support/machine.ts';

/** Prints the bot's errors in a process that can't open any more files. */
const SCRIPT = `
  import { openSync } from 'node:fs';
  import { createListingApi } from './src/listing/client.ts';
  import { Secret } from './src/text/secret.ts';
  import { prepareFile } from './src/storage/database-file.ts';
  const api = createListingApi({ baseUrl: 'http://127.0.0.1:1', timeoutMs: 5_000, arrayFormat: 'brackets' });
  // Loads every module while files can still be opened.
  await api.games(new Secret('key'));
  await prepareFile(process.argv[1] + '/bot.sqlite');
  try {
    while (true) openSync('/dev/null');
  } catch {}
  const { reason } = await api.games(new Secret('key'));
  const { message } = await prepareFile(process.argv[1] + '/bot.sqlite').catch((error) => error);
  process.stdout.write(JSON.stringify({ reason, message }));
  process.exit();
`;

it("the bot doesn't blame the service when the machine runs out of file handles", () => {
  const limited = ['-c', 'ulimit -n 100; exec "$0" "$@"', process.execPath];
  const said = execFileSync('sh', [...limited, '--input-type=module', '-e', SCRIPT, folder()], {
    cwd: join(import.meta.dirname, '../..'),
    encoding: 'utf8',
  });
  expect(JSON.parse(said)).toEqual({
    reason: 'bot',
    message: expect.stringMatching(/bot\.sqlite: EMFILE: too many open files/),
  });
});
