import { existsSync } from 'node:fs';
import { chmod, copyFile, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Config } from '../config/config.ts';
import { AFTER_A_RESTORE } from '../storage/database.ts';
import { checkFile, hasTable, readDatabase, sync } from '../storage/database-file.ts';
import { keysAtHand, usedKeysOf } from '../storage/encryption-key.ts';
import { createFileLock } from '../storage/lock.ts';
import { useValues } from '../storage/store.ts';
import { fileOf, reason, StoreError } from '../storage/store-error.ts';
import { sqliteAt } from '../store-url.ts';

/** The files that are one database: the second has what was not yet written into the first. */
const FILES = ['', '-wal'];
/** What SQLite makes beside a file while the file is open. */
const LEFTOVERS = ['-wal', '-shm'];

export interface RestoreDeps {
  readonly config: Pick<Config, 'storeUrl' | 'encryptionKey'>;
  readonly file: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Puts a backup in the place of the database, once it is known that a bot can use it. No bot may run on the database
 * meanwhile, and none can start. What was there is kept under another name.
 * @returns that name; `undefined` if nothing was there
 * @throws StoreError if it cannot be restored; everything is as it was
 */
export async function restore({ config, file, now }: RestoreDeps): Promise<string | undefined> {
  const path = fileOf(config.storeUrl, 'restore it with pg_restore, while no bot runs');
  if (!existsSync(file)) throw new StoreError(`there is no file ${file}`);
  if (resolve(file) === resolve(path)) throw new StoreError(`${file} is the database itself`);
  const wasThere = existsSync(path);
  const lock = createFileLock(path);
  await lock.start();
  const copy = `${path}.restoring`;
  try {
    await copyDatabase(file, copy);
    await check({ copy, path, config });
    forgetWhatWasUnderWay(copy);
    await sync(copy);
    const kept = wasThere ? await moveAway(path, now) : undefined;
    await rename(copy, path);
    await sync(dirname(resolve(path)));
    return kept;
  } catch (cause) {
    // The lock has made an empty file.
    if (!wasThere) await rm(path, { force: true });
    const why = reason(cause).replaceAll(copy, file);
    throw new StoreError(`${file} was not restored, and nothing was changed: ${why}`, { cause });
  } finally {
    for (const suffix of ['', ...LEFTOVERS]) await rm(copy + suffix, { force: true });
    await lock.stop();
  }
}

/** For its owner alone, whatever the rights of the file are. */
async function copyDatabase(file: string, copy: string): Promise<void> {
  for (const suffix of LEFTOVERS) await rm(copy + suffix, { force: true });
  for (const suffix of FILES.filter((each) => existsSync(file + each))) {
    await copyFile(file + suffix, copy + suffix);
    await chmod(copy + suffix, 0o600);
  }
}

interface Checked {
  readonly copy: string;
  readonly path: string;
  readonly config: RestoreDeps['config'];
}

/** Whether a bot of this version could start on the copy with the key that it has. */
async function check({ copy, path, config }: Checked): Promise<void> {
  await checkFile(copy);
  const isOurs = readDatabase(copy, (database) => hasTable(database, 'submissions'));
  if (!isOurs) throw new StoreError('it is no database of this bot');
  await keysAtHand({
    configured: config.encryptionKey,
    keyFile: `${path}.key`,
    usedKeys: (await useValues(sqliteAt(copy), usedKeysOf)) ?? [],
  });
}

function forgetWhatWasUnderWay(copy: string): void {
  const database = new DatabaseSync(copy);
  try {
    for (const statement of AFTER_A_RESTORE) database.exec(statement);
  } finally {
    // This also writes what a copied log has into the file itself.
    database.close();
  }
}

/** Renames the database that was there, with its log: without that the latest changes would be lost. */
async function moveAway(path: string, now: number): Promise<string> {
  const time = new Date(now).toISOString().replace(/\.\d+/, '').replaceAll(':', '-');
  const kept = `${path}.replaced-${time}`;
  if (existsSync(kept)) throw new StoreError(`${kept} is there already: move it away first`);
  // The log first: one that stays behind would be taken for the new database's.
  if (existsSync(`${path}-wal`)) await rename(`${path}-wal`, `${kept}-wal`);
  await rm(`${path}-shm`, { force: true });
  await rename(path, kept);
  return kept;
}
