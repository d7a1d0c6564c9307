import './node-version.js';
import { readDotEnv } from './read-dot-env.js';

/*
 * Loaded before the programs of package.json: reads the file `.env` where there is one; what the environment says counts
 * more. What is wrong with the file is said in a line each; a file that cannot be read ends the program.
 */

const { values, complaints, isReadable } = readDotEnv('.env');
for (const complaint of complaints) process.stderr.write(`server-listing-bot: ${complaint}\n`);
if (!isReadable) process.exit(78);
for (const [name, value] of Object.entries(values)) process.env[name] ??= value;
