import { existsSync } from 'node:fs';
import { type FileHandle, open, rename, rm, stat, statfs } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Logger } from '../logger.ts';
import { checkFile, sync, withDatabaseFile } from '../storage/database-file.ts';
import { reason, StoreError } from '../storage/store-error.ts';

/**
 * Returns the path of a backup file while it is incomplete. All backups of a database to the same folder use this path, so
 * the next backup overwrites a partial file left by a killed process.
 */
export const partialIn = (folder: string, path: string): string => join(folder, `${basename(path)}.partial`);

export interface BackupDeps {
  /** The path of the database file, which may be in use by a bot. */
  readonly path: string;
  /** The path of the backup file, which must not exist yet. */
  readonly file: string;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Copies a snapshot of the database into a file that only its owner can read. The file contains everything except deleted
 * data and the encryption key. It appears only when it's complete, checked and synced.
 *
 * `VACUUM INTO` reads everything in one transaction and doesn't disturb writers. It took 266 ms, compared with 2.3 s for
 * SQLite's online backup, which restarts after each write (measured). The copy blocks its process, so the bot runs it in a
 * separate process.
 * @returns the size of the file, in bytes
 * @throws StoreError if the backup failed
 */
export async function makeBackup({ path, file, logger }: BackupDeps): Promise<number> {
  if (!existsSync(path)) throw new StoreError(`there is no database at ${path}`);
  if (existsSync(file)) {
    throw new StoreError(`${file} already exists: choose another file`);
  }
  const folder = dirname(resolve(file));
  if (!existsSync(folder)) throw new StoreError(`there is no folder ${folder}: create it first`);

  const { freeBytes, neededBytes } = await roomForBackup(path, folder);
  if (freeBytes < neededBytes) {
    throw new StoreError(
      `could not make a backup: only ${mebibytes(freeBytes)} is free in ${folder}, but ${mebibytes(neededBytes)} is needed`,
    );
  }

  const partial = partialIn(folder, path);
  let copy: FileHandle | undefined;
  try {
    await removePartial(partial);
    // Creates the file before SQLite opens it, so that it has the right permissions.
    copy = await open(partial, 'wx', 0o600);
    withDatabaseFile(path, (database) => database.prepare('VACUUM INTO ?').run(partial));
    await copy.sync();
    await checkFile(partial);
    const { nlink } = await copy.stat();
    if (nlink === 0) throw new StoreError(`another backup of ${path} to ${folder} has started since then`);
    await rename(partial, file);
  } catch (cause) {
    throw new StoreError(`could not make a backup: ${reason(cause)}`, { cause });
  } finally {
    await copy?.close();
    await removePartial(partial);
  }
  await sync(folder).catch((error: unknown) => {
    const text = `the backup is complete, but may be lost in a power failure: ${reason(error)}`;
    logger.warn({ err: error }, text);
  });
  return (await stat(file)).size;
}

export async function removePartial(partial: string): Promise<void> {
  await rm(partial, { force: true });
  await rm(`${partial}-journal`, { force: true });
}

/** This space must remain free after a backup. */
export const MIN_FREE_BYTES = 100 * 1024 * 1024;

export const mebibytes = (bytes: number): string => `${Math.floor(bytes / 1024 / 1024)} MiB`;

export async function roomForBackup(
  path: string,
  folder = dirname(resolve(path)),
): Promise<{ freeBytes: number; neededBytes: number }> {
  const { bavail, bsize } = await statfs(folder);
  const size = existsSync(path) ? (await stat(path)).size : 0;
  return { freeBytes: bavail * bsize, neededBytes: MIN_FREE_BYTES + size };
}
