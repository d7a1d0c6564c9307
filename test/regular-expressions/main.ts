/**
 * Fails if a regular expression in the bot isn't linear, as part of `npm run check`. Skips the sandbox, because all of its
 * input comes from its own user.
 */
import { glob, readFile } from 'node:fs/promises';
import { faultsIn } from './check.ts';

const files = glob(['src/**/*.ts', 'commands/**/*.ts']);
const faults: string[] = [];
for await (const file of files) {
  for (const fault of await faultsIn(await readFile(file, 'utf8'))) faults.push(`${file}:${fault}`);
}
for (const fault of faults.sort()) process.stderr.write(`${fault}\n`);
process.exitCode = faults.length === 0 ? 0 : 1;
