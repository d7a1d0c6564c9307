import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import { HOUR_MS } from '../numbers.ts';
import { checkFile, chownCommand, nearest, withDatabaseFile } from '../storage/database-file.ts';
import { EncryptionKeyError, isOpenToOthers, keysAtHand, usedKeysOf } from '../storage/encryption-key.ts';
import { migrationsOfNewer, useValues } from '../storage/store.ts';
import { reason } from '../storage/store-error.ts';
import { clearTextWarning } from '../store-url.ts';
import { CheckFailedError, CheckSkippedError, CheckWarningError } from './finding.ts';
import { mebibytes, readLastBackup, roomFor } from './make-backup.ts';
import { OVERDUE_MS } from './scheduled-backups.ts';

type StoreConfig = Pick<Config, 'storeUrl' | 'encryptionKey'>;
type BackupConfig = Pick<Config, 'storeUrl' | 'backupEveryHours'>;
type PostgresServer = Config['storeUrl'] & { readonly kind: 'postgres' };

/** The memory that the bot needs, in bytes: 300 MiB under load, and 170 for a long export (measured). */
const LEAST_MEMORY = 480 * 1024 * 1024;

/** Checks whether a bot of this version can use the database. Doesn't write anything; a bot may be using the database. */
export async function checkStore({ storeUrl }: StoreConfig): Promise<string> {
  const says = await (storeUrl.kind === 'sqlite' ? checkSqlite(storeUrl.path) : checkPostgres(storeUrl));
  const newer = await migrationsOfNewer(storeUrl);
  if (newer.length === 0) return says;
  return `${says}\na newer version has changed it (${newer.join(', ')}), and this one works beside that`;
}

async function checkSqlite(path: string): Promise<string> {
  const folder = nearest(resolve(dirname(path)));
  try {
    // Tries to write instead of reading the file's permissions, because other things can prevent writing.
    await rm(await mkdtemp(join(folder, '.doctor-')), { recursive: true });
    if (!existsSync(path)) return `${path} will be made at the first start`;
    await checkFile(path);
    // A transaction that doesn't write anything.
    withDatabaseFile(path, (database) => database.exec('BEGIN IMMEDIATE; ROLLBACK'), true);
    return `${path} is whole and can be written`;
  } catch (error) {
    throw new CheckFailedError(
      reason(error),
      `by what it says: ${chownCommand(folder)}, end what locks it, or restore it from a backup`,
    );
  }
}

async function checkPostgres(server: PostgresServer): Promise<string> {
  try {
    const hasTables = await useValues(server, async () => true);
    const answers = hasTables
      ? `${server.name} answers`
      : `${server.name} answers; its tables will be made at the first start`;
    const warning = clearTextWarning(server);
    return warning ? `${answers}\n${warning}` : answers;
  } catch (error) {
    throw new CheckFailedError(
      reason(error),
      'by what it says: start the server, or correct user, password, host and database in STORE_URL',
    );
  }
}

/** Checks whether all keys that encrypted the data are available. */
export async function checkEncryption({ storeUrl, encryptionKey }: StoreConfig): Promise<string> {
  const keyFile = storeUrl.kind === 'sqlite' ? `${storeUrl.path}.key` : undefined;
  let keys: readonly Buffer[];
  try {
    const usedKeys = (await useValues(storeUrl, usedKeysOf)) ?? [];
    keys = await keysAtHand({ configured: encryptionKey, keyFile, usedKeys });
  } catch (error) {
    if (!(error instanceof EncryptionKeyError)) throw new CheckSkippedError('the store first');
    throw new CheckFailedError(
      reason(error),
      `${keyFile ? `put ${keyFile} back, or ` : ''}set ENCRYPTION_KEY to the key that the data was encrypted with, behind ` +
        'a new one if you changed it',
    );
  }
  if (encryptionKey) return 'ENCRYPTION_KEY opens the data';
  if (keys.length === 0) return `${keyFile} will be made at the first start`;
  if (keyFile && (await isOpenToOthers(keyFile))) {
    throw new CheckFailedError(`others may read ${keyFile}`, `chmod 600 ${keyFile}`);
  }
  return `${keyFile} opens the data; keep a copy of it`;
}

/** @param most the memory that the process can use, in bytes; defaults to the limit of the machine or its container */
export function checkMemory(
  most = Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem()),
): string {
  if (most >= LEAST_MEMORY) return `${mebibytes(most)} may be used`;
  throw new CheckFailedError(
    `only ${mebibytes(most)} may be used, and a long export ends the bot`,
    'give it 768 MB: mem_limit in compose.yaml, limits.memory in Kubernetes, the memory of a panel',
  );
}

function agoOf(ms: number): string {
  const hours = Math.round(ms / HOUR_MS);
  return hours < 2 ? 'in the last two hours' : `${hours} hours ago`;
}

/** Returns when the last backup was made, and checks whether the next one is on time. */
export async function checkBackups({ storeUrl, backupEveryHours }: BackupConfig): Promise<string> {
  if (storeUrl.kind === 'postgres')
    throw new CheckSkippedError('PostgreSQL has its own: see docs/scaling.md');
  const last = await useValues(storeUrl, readLastBackup).catch(() => {
    throw new CheckSkippedError('the store first');
  });
  const elsewhere = 'copy them to another machine: see "Off-site backups" in docs/operate.md';
  if (backupEveryHours === 0) {
    const says = last === undefined ? 'none was made' : `the last was made ${agoOf(Date.now() - last)}`;
    throw new CheckWarningError(
      `${says}, and BACKUP_EVERY_HOURS=0 makes none`,
      'leave it out: a backup is then made once a day',
    );
  }
  if (last === undefined)
    return `the first start makes one, and then every ${backupEveryHours} hours; ${elsewhere}`;
  const agoMs = Date.now() - last;
  const says = `the last was made ${agoOf(agoMs)}; ${elsewhere}`;
  if (agoMs < backupEveryHours * HOUR_MS + OVERDUE_MS) return says;
  throw new CheckWarningError(says, 'start the bot; if it runs, its log says why it makes none');
}

export async function checkDisk({ storeUrl }: StoreConfig): Promise<string> {
  if (storeUrl.kind === 'postgres') throw new CheckSkippedError('the disk is that of PostgreSQL');
  const { path } = storeUrl;
  const { free, needed } = await roomFor(path, nearest(resolve(dirname(path))));
  if (free >= needed) return `${mebibytes(free)} are free`;
  throw new CheckFailedError(
    `only ${mebibytes(free)} are free where ${path} is`,
    `make room: ${mebibytes(needed)} are needed`,
  );
}
