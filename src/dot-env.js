import './node-version.js';
import { readDotEnv } from './read-dot-env.js';

/*
 * Loaded before the programs in package.json. Reads the `.env` file if there is one. Variables that are already set in the
 * environment take precedence. Reports each problem with the file on one line, and exits if the file can't be read.
 */

const { values, complaints, isReadable } = readDotEnv('.env');
for (const complaint of complaints) process.stderr.write(`server-listing-bot: ${complaint}\n`);
if (!isReadable) process.exit(78);
for (const [name, value] of Object.entries(values)) process.env[name] ??= value;
