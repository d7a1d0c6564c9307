import { existsSync } from 'node:fs';
import { type FileHandle, open, rename, rm, stat, statfs } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Logger } from '../logger.ts';
import { checkFile, sync, withDatabaseFile } from '../storage/database-file.ts';
import { useValues } from '../storage/store.ts';
import { reason, StoreError } from '../storage/store-error.ts';
import type { Values } from '../storage/values.ts';
import { sqliteAt } from '../store-url.ts';

/**
 * The name of a backup until it is complete. Every backup of a database into a folder uses the same name, so that the next
 * backup overwrites what a killed one left.
 */
export const partialIn = (folder: string, path: string): string => join(folder, `${basename(path)}.partial`);

export interface BackupDeps {
  /** The database's file; a bot may run on it. */
  readonly path: string;
  /** The backup; there must be nothing of that name. */
  readonly file: string;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Copies the database as it is at one moment, without deleted data, into a file that only its owner may read. The file
 * appears whole, checked and synced, or not at all. It has everything but the encryption key.
 *
 * `VACUUM INTO` reads within one transaction and disturbs no writer: 266 ms where SQLite's online backup, which begins
 * anew with each write, took 2.3 s (measured). It occupies its process, so the bot runs it in another one.
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

  const { free, needed } = await roomFor(path, folder);
  if (free < needed) {
    throw new StoreError(
      `no backup was made: only ${mebibytes(free)} are free in ${folder}, and ${mebibytes(needed)} are needed`,
    );
  }

  const at = Date.now();
  const partial = partialIn(folder, path);
  let copy: FileHandle | undefined;
  try {
    await removePartial(partial);
    // The file is made before SQLite opens it, so that it has the right mode.
    copy = await open(partial, 'wx', 0o600);
    withDatabaseFile(path, (database) => database.prepare('VACUUM INTO ?').run(partial));
    await copy.sync();
    await checkFile(partial);
    const { nlink } = await copy.stat();
    if (nlink === 0) throw new StoreError(`another backup of ${path} into ${folder} began meanwhile`);
    await rename(partial, file);
  } catch (cause) {
    throw new StoreError(`no backup was made: ${reason(cause)}`, { cause });
  } finally {
    await copy?.close();
    await removePartial(partial);
  }
  const warn = (but: string) => (error: unknown) =>
    logger.warn({ err: error }, `the backup is complete, but ${but}: ${reason(error)}`);
  await sync(folder).catch(warn('may be gone after a power cut'));
  // The metrics and the next scheduled backup read this. The bot may be of another version.
  await useValues(sqliteAt(path), (values) => values.set(LAST, at), true).catch(
    warn('its time could not be kept'),
  );
  return (await stat(file)).size;
}

/** Removes a backup that is not complete, and what SQLite writes beside it. @param partial see {@link partialIn} */
export async function removePartial(partial: string): Promise<void> {
  await rm(partial, { force: true });
  await rm(`${partial}-journal`, { force: true });
}

/** What has to stay free beside a backup, in bytes. */
export const LEAST_FREE = 100 * 1024 * 1024;

export const mebibytes = (bytes: number): string => `${Math.floor(bytes / 1024 / 1024)} MiB`;

/** How many bytes are free in a folder, and how many a backup of the database into it needs. */
export async function roomFor(
  path: string,
  folder = dirname(resolve(path)),
): Promise<{ free: number; needed: number }> {
  const { bavail, bsize } = await statfs(folder);
  const size = existsSync(path) ? (await stat(path)).size : 0;
  return { free: bavail * bsize, needed: LEAST_FREE + size };
}

/** The key of the time of the last backup, in milliseconds since 1970. */
const LAST = 'backup:last';

/** When the last backup was made, in milliseconds since 1970; `undefined` when there was none. */
export async function readLastBackup(values: Pick<Values, 'get'>): Promise<number | undefined> {
  const at = await values.get(LAST);
  return typeof at === 'number' ? at : undefined;
}
