import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import { HOUR_MS } from '../pacing/durations.ts';
import { isRecent } from '../pacing/recent.ts';
import {
  checkFile,
  chownCommand,
  column,
  nearestExisting,
  rejectLostFile,
  withDatabaseFile,
} from '../storage/database-file.ts';
import { EncryptionKeyError, isOpenToOthers, keysAtHand, usedKeyIdsOf } from '../storage/encryption-key.ts';
import { migrationsOfNewerVersion, useValues } from '../storage/store.ts';
import { reason } from '../storage/store-error.ts';
import { clearTextWarning, type StoreUrl } from '../store-url.ts';
import { backupFolderOf, newestBackup, readBackupFailure } from './backup-files.ts';
import { CheckFailedError, CheckSkippedError, CheckWarningError } from './finding.ts';
import { mebibytes, roomForBackup } from './make-backup.ts';
import { BACKUP_OVERDUE_AFTER_MS } from './scheduled-backups.ts';

type StoreConfig = Pick<Config, 'storeUrl' | 'encryptionKey'>;

/** The memory that the bot needs: 300 MiB under load, plus 170 MiB for a long export (measured). */
const MIN_MEMORY_BYTES = 480 * 1024 * 1024;

/** Checks whether this version can use the database. Doesn't change the database, so it's safe while a bot is running. */
export async function checkStore({ storeUrl }: StoreConfig): Promise<string> {
  const text = await (storeUrl.kind === 'sqlite' ? checkSqlite(storeUrl.path) : checkPostgres(storeUrl));
  const newer = await migrationsOfNewerVersion(storeUrl);
  const lines = [text];
  if (newer.length > 0) {
    lines.push(`a newer version has migrated it (${newer.join(', ')}), but this version can still use it`);
  }
  const warning = storeUrl.kind === 'postgres' ? clearTextWarning(storeUrl) : undefined;
  if (warning === undefined) return lines.join('\n');
  throw new CheckWarningError([...lines, warning.text].join('\n'), warning.fix);
}

async function checkSqlite(path: string): Promise<string> {
  const folder = nearestExisting(resolve(dirname(path)));
  try {
    // Tests writing, because it can fail for reasons other than missing permissions.
    await rm(await mkdtemp(join(folder, '.doctor-')), { recursive: true });
    const isThere = existsSync(path);
    rejectLostFile(path, isThere ? await checkFile(path) : []);
    if (!isThere) return `${path} will be created at the first start`;
    // This transaction acquires the write lock without writing anything.
    withDatabaseFile(path, (database) => database.exec('BEGIN IMMEDIATE; ROLLBACK'), true);
    return `${path} is intact and writable`;
  } catch (error) {
    throw new CheckFailedError(
      reason(error),
      `depending on the error: free disk space, run ${chownCommand(folder)}, stop the program that locks it, or restore a backup`,
    );
  }
}

async function checkPostgres(server: StoreUrl & { readonly kind: 'postgres' }): Promise<string> {
  try {
    const hasTables = await useValues(server, async () => true);
    return hasTables
      ? `${server.name} responds`
      : `${server.name} responds; its tables will be created at the first start`;
  } catch (error) {
    throw new CheckFailedError(
      reason(error),
      'depending on the error: start the server, or correct the user, password, host or database in STORE_URL',
    );
  }
}

export async function checkEncryption({ storeUrl, encryptionKey }: StoreConfig): Promise<string> {
  const keyFile = storeUrl.kind === 'sqlite' ? `${storeUrl.path}.key` : undefined;
  let keys: readonly Buffer[];
  try {
    const usedKeyIds = (await useValues(storeUrl, usedKeyIdsOf)) ?? [];
    keys = await keysAtHand({ configured: encryptionKey, keyFile, usedKeyIds });
  } catch (error) {
    if (!(error instanceof EncryptionKeyError)) throw new CheckSkippedError('needs a working store');
    throw new CheckFailedError(
      reason(error),
      `${keyFile ? `put ${keyFile} back, or ` : ''}set ENCRYPTION_KEY to the key that the data was encrypted with, after ` +
        'the new one if you changed it',
    );
  }
  if (encryptionKey) return 'ENCRYPTION_KEY decrypts the data';
  if (keys.length === 0) return `${keyFile} will be created at the first start`;
  if (keyFile && (await isOpenToOthers(keyFile))) {
    throw new CheckFailedError(`other users can read ${keyFile}`, `chmod 600 ${keyFile}`);
  }
  return `${keyFile} decrypts the data; keep a copy of it`;
}

export function checkMemory(
  availableBytes = Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem()),
): string {
  if (availableBytes >= MIN_MEMORY_BYTES) return `${mebibytes(availableBytes)} available`;
  throw new CheckFailedError(
    `only ${mebibytes(availableBytes)} available, and a long export can crash the bot`,
    'give it 768 MB: mem_limit in compose.yaml, limits.memory in Kubernetes, or the memory setting of your hosting panel',
  );
}

function agoOf(ms: number): string {
  const hours = Math.round(ms / HOUR_MS);
  return hours < 2 ? 'in the last two hours' : `${hours} hours ago`;
}

/** Returns the age and size of the newest backup file. Fails if the last attempt failed; warns if the backup is old. */
export async function checkBackups(config: Pick<Config, 'storeUrl' | 'backupEveryHours'>): Promise<string> {
  const { storeUrl, backupEveryHours } = config;
  if (storeUrl.kind === 'postgres')
    throw new CheckSkippedError('PostgreSQL has its own backups: see docs/scaling.md');
  if (backupEveryHours === 0) {
    throw new CheckWarningError(
      'BACKUP_EVERY_HOURS=0 turns backups off',
      'remove BACKUP_EVERY_HOURS for a backup every day',
    );
  }
  const { path } = storeUrl;
  const folder = backupFolderOf(path);
  const newest = await newestBackup(path).catch((error: unknown) => {
    throw new CheckFailedError(reason(error), `make ${folder} a folder that this user can read and write`);
  });
  const text =
    newest === undefined
      ? `${folder} has no backup`
      : `the newest one was made ${agoOf(Date.now() - newest.at)} (${kibibytes(newest.bytes)})`;
  if (!existsSync(path)) return `the bot makes one at its first start, then every ${backupEveryHours} hours`;
  const failure = await useValues(storeUrl, readBackupFailure).catch(() => {
    throw new CheckSkippedError('needs a working store');
  });
  if (failure !== undefined) {
    throw new CheckFailedError(
      `the last attempt failed: ${failure}\n${text}`,
      'the bot retries every ten minutes',
    );
  }
  if (newest !== undefined && isRecent(newest.at, backupEveryHours * HOUR_MS + BACKUP_OVERDUE_AFTER_MS))
    return `${text}; copy them to another machine: see "Off-site backups" in docs/operate.md`;
  throw new CheckWarningError(text, 'start the bot, unless you keep your backups somewhere else');
}

/** Formats sizes such as a backup's, which is usually less than a mebibyte. */
const kibibytes = (bytes: number): string => `${Math.ceil(bytes / 1024).toLocaleString('en')} KiB`;

export async function checkDisk({ storeUrl }: StoreConfig): Promise<string> {
  if (storeUrl.kind === 'postgres') throw new CheckSkippedError("the bot cannot check PostgreSQL's disk");
  const { path } = storeUrl;
  const { freeBytes, neededBytes } = await roomForBackup(path, nearestExisting(resolve(dirname(path))));
  if (freeBytes >= neededBytes)
    return `${mebibytes(freeBytes)} is free${existsSync(path) ? unusedIn(path) : ''}`;
  throw new CheckFailedError(
    `the disk with ${path} has only ${mebibytes(freeBytes)} of free space`,
    `free some space: ${mebibytes(neededBytes)} is needed`,
  );
}

/** Describes how much of a SQLite file is unused. SQLite reuses this space, but never returns it to the disk. */
function unusedIn(path: string): string {
  try {
    const [size = 0, pages = 0, unused = 0] = withDatabaseFile(path, (database) =>
      ['page_size', 'page_count', 'freelist_count'].map((name) =>
        Number(column(database, `PRAGMA ${name}`)[0]),
      ),
    );
    return `; ${path} takes ${kibibytes(size * pages)}, of which ${kibibytes(size * unused)} is unused: see "Disk space" in docs/tasks.md`;
  } catch {
    // The check of the store explains why the file can't be read.
    return '';
  }
}
