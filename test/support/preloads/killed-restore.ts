/**
 * Loaded before anything else. Kills the process before it changes the names of the database's files for the
 * `KILLED_BEFORE`th time.
 */
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

let left = Number(process.env.KILLED_BEFORE);

const killing =
  <Arguments extends readonly [path: unknown, ...unknown[]], Result>(change: (...all: Arguments) => Result) =>
  (...all: Arguments): Result => {
    if (/\.sqlite(?:-wal)?$|sqlite\.restoring$/.test(String(all[0]))) left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
    return change(...all);
  };

fs.rename = killing(fs.rename);
fs.link = killing(fs.link);
fs.rm = killing(fs.rm);
syncBuiltinESMExports();
