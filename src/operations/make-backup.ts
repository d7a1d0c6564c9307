import { existsSync } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Logger } from '../logger.ts';
import { checkFile, sync, useFile } from '../storage/database-file.ts';
import { useValues } from '../storage/store.ts';
import { reason, StoreError } from '../storage/store-error.ts';
import type { Values } from '../storage/values.ts';
import { sqliteAt } from '../store-url.ts';

/** Endings of a backup's name until it is complete: of the copy, and of what SQLite writes beside it. */
const PARTIAL = '.partial';
const JOURNAL = `${PARTIAL}-journal`;

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

  const at = Date.now();
  const partial = file + PARTIAL;
  try {
    await removePartial(file);
    // The file is made before SQLite opens it, so that it has the right mode.
    await (await open(partial, 'w', 0o600)).close();
    useFile(path, (database) => database.prepare('VACUUM INTO ?').run(partial));
    await sync(partial);
    await checkFile(partial);
    await rename(partial, file);
  } catch (cause) {
    throw new StoreError(`no backup was made: ${reason(cause)}`, { cause });
  } finally {
    await removePartial(file);
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

/** Removes the parts of a backup that was not completed. */
export async function removePartial(file: string): Promise<void> {
  await rm(file + PARTIAL, { force: true });
  await rm(file + JOURNAL, { force: true });
}

/** The key of the time of the last backup, in milliseconds since 1970. */
const LAST = 'backup:last';

/** When the last backup was made, in milliseconds since 1970; `undefined` when there was none. */
export async function readLastBackup(values: Pick<Values, 'get'>): Promise<number | undefined> {
  const at = await values.get(LAST);
  return typeof at === 'number' ? at : undefined;
}
