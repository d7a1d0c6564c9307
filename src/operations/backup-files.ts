import { readdir, stat } from 'node:fs/promises';
import { dirname, join, parse, resolve } from 'node:path';
import { isTimeInName, timeFromName } from '../storage/database-file.ts';
import type { Values } from '../storage/values.ts';
import { codeOf } from '../text/error-code.ts';

export const backupFolderOf = (path: string): string => join(dirname(resolve(path)), 'backups');

/**
 * Returns the names of a database's scheduled backups, oldest first. The folder may also contain other databases' backups.
 */
export async function backupsOf(path: string): Promise<readonly string[]> {
  const { name, ext } = parse(path);
  const timeOf = (file: string) => file.slice(name.length + 1, file.length - ext.length);
  const files = await readdir(backupFolderOf(path)).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  });
  return files
    .filter((file) => file.startsWith(`${name}-`) && file.endsWith(ext) && isTimeInName(timeOf(file)))
    .sort();
}

export interface BackupFile {
  /** When the backup was made, in milliseconds since 1970. */
  readonly at: number;
  readonly bytes: number;
}

/**
 * Returns the newest scheduled backup, or `undefined` if the folder doesn't have any. Ignores backups from the future, which
 * were made while the clock was ahead.
 */
export async function newestBackup(path: string): Promise<BackupFile | undefined> {
  const { name, ext } = parse(path);
  const files = await backupsOf(path);
  const times = files.map((file) => timeFromName(file.slice(name.length + 1, file.length - ext.length)));
  const index = times.findLastIndex((at) => at <= Date.now());
  const [file, at] = [files[index], times[index]];
  if (file === undefined || at === undefined) return undefined;
  const { size: bytes } = await stat(join(backupFolderOf(path), file));
  return { at, bytes };
}

/** Holds why the last backup failed. Deleted when a backup succeeds or isn't due, and in a restored database. */
const LAST_FAILURE_KEY = 'backup:failed';

export const saveBackupFailure = (values: Pick<Values, 'set'>, why: string): Promise<void> =>
  values.set(LAST_FAILURE_KEY, { why });

export const deleteBackupFailure = async (values: Pick<Values, 'delete'>): Promise<void> => {
  await values.delete(LAST_FAILURE_KEY);
};

export async function readBackupFailure(values: Pick<Values, 'get'>): Promise<string | undefined> {
  const { why } = Object(await values.get(LAST_FAILURE_KEY));
  return typeof why === 'string' ? why : undefined;
}
