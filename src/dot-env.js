import './node-version.js';
import { readDotEnv } from './read-dot-env.js';

/*
 * Loaded before the programs of package.json. Reads the `.env` file if there is one; the environment takes precedence.
 * Reports each problem of the file on one line. If the file can't be read, it exits the program.
 */

const { values, complaints, isReadable } = readDotEnv('.env');
for (const complaint of complaints) process.stderr.write(`server-listing-bot: ${complaint}\n`);
if (!isReadable) process.exit(78);
for (const [name, value] of Object.entries(values)) process.env[name] ??= value;
