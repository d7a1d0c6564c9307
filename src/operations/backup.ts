import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Logger } from '../logger.ts';
import { checkFile, syncFolder } from '../storage/database-file.ts';
import { createStatements } from '../storage/statements.ts';
import { openValues, reason, StoreError } from '../storage/store.ts';
import { recordBackup } from './last-backup.ts';

/** How long a writer may hold up the backup, in milliseconds; a bot holds the database for less than a tenth of it. */
const BUSY_TIMEOUT_MS = 10_000;
/** Stands behind a backup's name, and something random behind it, until it is complete. */
export const PARTIAL = '.partial-';

export interface BackupDeps {
  /** The database's file; a bot may run on it. */
  readonly path: string;
  /** The backup; there must be nothing of that name. */
  readonly file: string;
  readonly logger: Logger;
}

/**
 * Copies the database as it is at one moment, without what was deleted, into a file that only its owner may read.
 * The file appears whole, checked and synced, or not at all. It has everything but the encryption key.
 *
 * `VACUUM INTO` reads within one transaction and disturbs no writer: 266 ms where SQLite's online backup, which begins
 * anew with each write, took 2.3 s (measured). It occupies its process, so it is not for that of the bot.
 * @returns its size in bytes
 * @throws StoreError when nothing was made
 */
export async function makeBackup({ path, file, logger }: BackupDeps): Promise<number> {
  if (!existsSync(path)) throw new StoreError(`there is no database at ${path}`);
  if (existsSync(file)) {
    throw new StoreError(`${file} is there already: name another file, nothing is overwritten`);
  }
  const folder = dirname(resolve(file));
  if (!existsSync(folder)) throw new StoreError(`there is no folder ${folder}: make it first`);

  const at = Date.now();
  const partial = `${file}${PARTIAL}${randomBytes(6).toString('hex')}`;
  try {
    await copyInto(path, partial);
    await checkFile(partial, BUSY_TIMEOUT_MS);
    await rename(partial, file);
    await syncFolder(folder);
  } catch (cause) {
    throw new StoreError(`no backup was made: ${reason(cause)}`, { cause });
  } finally {
    await rm(partial, { force: true });
  }
  await remember(at, { path, logger });
  return (await stat(file)).size;
}

async function copyInto(path: string, copy: string): Promise<void> {
  // Made before SQLite opens it, with the rights that it has to have.
  const target = await open(copy, 'wx', 0o600);
  try {
    const database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
    try {
      database.prepare('VACUUM INTO ?').run(copy);
    } finally {
      database.close();
    }
    await target.sync();
  } finally {
    await target.close();
  }
}

/** For the metrics and the next backup in turn. The tables stay as they are: the bot may be of another version. */
async function remember(at: number, { path, logger }: Pick<BackupDeps, 'path' | 'logger'>): Promise<void> {
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    const statements = createStatements(database);
    await recordBackup(await openValues({ path, statements, logger }), at);
  } catch (error) {
    logger.warn({ err: error }, `the backup is complete, but its time could not be kept: ${reason(error)}`);
  } finally {
    database.close();
  }
}
