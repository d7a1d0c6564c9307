/**
 * Checks every regular expression of the product, and fails if one isn't linear. Part of `npm run check`. The sandbox is left
 * out, because its only input comes from its own user.
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
