import './node-version.js';
import { existsSync } from 'node:fs';

/**
 * Loaded before the programs of package.json: reads the file `.env` where there is one; what the environment says counts
 * more. Node's own `--env-file-if-exists` prints a line whenever there is none.
 */
if (existsSync('.env')) process.loadEnvFile('.env');
