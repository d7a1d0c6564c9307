import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { madeAnew, TRANSCRIPTS } from './transcript.ts';

// npm run transcript: puts what the bot says today into the transcripts. Look at what has changed before you commit it.
process.chdir(fileURLToPath(new URL('../..', import.meta.url)));
for (const path of TRANSCRIPTS) {
  await writeFile(path, await madeAnew(await readFile(path, 'utf8')));
  process.stdout.write(`${path} is as the bot speaks today\n`);
}
process.exit(0);
