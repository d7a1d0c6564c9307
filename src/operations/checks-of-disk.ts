import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Config } from '../config/config.ts';
import { checkFile, chownCommand, nearest } from '../storage/database-file.ts';
import { isOpenToOthers, keysAtHand, usedKeysIn } from '../storage/encryption-key.ts';
import { BUSY_TIMEOUT_MS } from '../storage/sqlite.ts';
import { reason, storePath } from '../storage/store-error.ts';
import { CheckFailure } from './finding.ts';

type StoreConfig = Pick<Config, 'storeUrl' | 'encryptionKey'>;

/** Free space below which trouble is near, in bytes: 100 MiB, and as much as the database, of which backups are made. */
const LEAST_FREE = 100 * 1024 * 1024;

/** Looks at the file, and begins a transaction that writes nothing; a bot may run on it. */
export async function checkStore({ storeUrl }: StoreConfig): Promise<string> {
  const path = storePath(storeUrl);
  const folder = nearest(resolve(dirname(path)));
  try {
    // Tried and not asked for: rights are not all that can be in the way.
    await rm(await mkdtemp(join(folder, '.doctor-')), { recursive: true });
    if (!existsSync(path)) return `${path} will be made at the first start`;
    await checkFile(path);
    tryToWrite(path);
    return `${path} is whole and can be written`;
  } catch (error) {
    throw new CheckFailure(
      reason(error),
      `by what it says: ${chownCommand(folder)}, end what locks it, or restore it from a backup`,
    );
  }
}

function tryToWrite(path: string): void {
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    database.exec('BEGIN IMMEDIATE');
    database.exec('ROLLBACK');
  } finally {
    database.close();
  }
}

/** Whether every key is at hand that the data was encrypted with. */
export async function checkEncryption({ storeUrl, encryptionKey }: StoreConfig): Promise<string> {
  const path = storePath(storeUrl);
  const keyFile = `${path}.key`;
  let keys: readonly Buffer[];
  try {
    const usedKeys = existsSync(path) ? usedKeysIn(path) : [];
    keys = await keysAtHand({ configured: encryptionKey, keyFile, usedKeys });
  } catch (error) {
    throw new CheckFailure(
      reason(error),
      `put ${keyFile} back, or set ENCRYPTION_KEY to the key that the data was encrypted with, behind a new one if you changed it`,
    );
  }
  if (keys.length === 0) return `${keyFile} will be made at the first start`;
  if (encryptionKey) return 'ENCRYPTION_KEY opens the data';
  if (await isOpenToOthers(keyFile)) {
    throw new CheckFailure(`others may read ${keyFile}`, `chmod 600 ${keyFile}`);
  }
  return `${keyFile} opens the data; keep a copy of it`;
}

export async function checkDisk({ storeUrl }: StoreConfig): Promise<string> {
  const path = storePath(storeUrl);
  const { bavail, bsize } = await statfs(nearest(resolve(dirname(path))));
  const free = bavail * bsize;
  const size = existsSync(path) ? (await stat(path)).size : 0;
  const needed = LEAST_FREE + size;
  const mebibytes = (bytes: number) => `${Math.floor(bytes / 1024 / 1024)} MiB`;
  if (free >= needed) return `${mebibytes(free)} are free`;
  throw new CheckFailure(
    `only ${mebibytes(free)} are free where ${path} is`,
    `make room: ${mebibytes(needed)} are needed`,
  );
}
