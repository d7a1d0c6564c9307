/**
 * Reads every regular expression of the product, and fails when one is not linear. A part of `npm run check`. The
 * sandbox is no part of the product: nobody but its user writes to it.
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
