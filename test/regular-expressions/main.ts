/**
 * Fails if a regular expression in the bot isn't linear, as part of `npm run check`. Skips the sandbox, because all of its
 * input comes from its own user.
 */
import { glob, readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { faultsIn } from './check.ts';

const files = await Array.fromAsync(glob(['src/**/*.ts', 'commands/**/*.ts']));
const faults: string[] = [];

async function checkRemainingFiles(): Promise<void> {
  for (let file = files.pop(); file !== undefined; file = files.pop()) {
    for (const fault of await faultsIn(await readFile(file, 'utf8'))) faults.push(`${file}:${fault}`);
  }
}

// Each expression is checked in its own process, so several files can be checked at the same time.
await Promise.all(Array.from({ length: availableParallelism() }, checkRemainingFiles));
for (const fault of faults.sort()) process.stderr.write(`${fault}\n`);
process.exitCode = faults.length === 0 ? 0 : 1;
