/** Loaded before anything else. Makes the system report 3 MiB of free space on every disk. */
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const ask = fs.statfs;
fs.statfs = (async (path: string) => ({
  ...(await ask(path)),
  bsize: 1024,
  bavail: 3 * 1024,
})) as typeof fs.statfs;
syncBuiltinESMExports();
