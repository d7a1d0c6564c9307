import { existsSync } from 'node:fs';
import { chmod, copyFile, link, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { CompiledQuery } from 'kysely';
import type { Config } from '../config/config.ts';
import { SILENT } from '../logger.ts';
import { AFTER_A_RESTORE } from '../storage/database.ts';
import { checkFile, DamagedFileError, sync, timeInName } from '../storage/database-file.ts';
import { keysAtHand, usedKeyIdsOf } from '../storage/encryption-key.ts';
import { createFileLock } from '../storage/lock.ts';
import { openFile } from '../storage/sqlite.ts';
import { createSqliteDatabase } from '../storage/sqlite-database.ts';
import { useValues } from '../storage/store.ts';
import { reason, StoreError, sqlitePathOf } from '../storage/store-error.ts';
import { sqliteAt } from '../store-url.ts';

/** The second file contains changes that haven't been written to the first one. */
const DATABASE_SUFFIXES = ['', '-wal'];
/** SQLite creates these files for an open database. */
const LEFTOVER_SUFFIXES = ['-wal', '-shm'];

export interface RestoreDeps {
  readonly config: Pick<Config, 'storeUrl' | 'encryptionKey'>;
  readonly file: string;
}

/**
 * Replaces the database with a backup after checking that a bot can use the backup. No bot may be using the database; a
 * lock prevents one from starting. The previous database is kept under another name.
 * @returns the name of the previous database, or `undefined` if it didn't exist
 * @throws StoreError if the backup can't be restored, in which case the database is unchanged
 */
export async function restore({ config, file }: RestoreDeps): Promise<string | undefined> {
  const path = sqlitePathOf(config.storeUrl, 'restore it with pg_restore, while no bot runs');
  if (!existsSync(file)) throw new StoreError(`there is no file ${file}`);
  if (resolve(file) === resolve(path)) throw new StoreError(`${file} is the database itself`);
  const wasThere = existsSync(path);
  const lock = createFileLock(path);
  await lock.start();
  const copy = `${path}.restoring`;
  try {
    await copyDatabase(file, copy);
    await check(copy);
    await keysAtHand({
      configured: config.encryptionKey,
      keyFile: `${path}.key`,
      usedKeyIds: (await useValues(sqliteAt(copy), usedKeyIdsOf)) ?? [],
    });
    await migrateAndMarkAsRestored(copy);
    await sync(copy);
    const kept = wasThere ? await keep(path) : undefined;
    await rename(copy, path);
    await sync(dirname(resolve(path)));
    return kept;
  } catch (cause) {
    // If the database didn't exist, acquiring the lock created an empty file.
    if (!wasThere) await rm(path, { force: true });
    const why = reason(cause).replaceAll(copy, file);
    const isSaid = why.includes('Nothing was changed');
    throw new StoreError(`${file} was not restored: ${why}${isSaid ? '' : '. Nothing was changed.'}`, {
      cause,
    });
  } finally {
    for (const suffix of ['', ...LEFTOVER_SUFFIXES]) await rm(copy + suffix, { force: true });
    await lock.stop();
  }
}

async function copyDatabase(file: string, copy: string): Promise<void> {
  for (const suffix of LEFTOVER_SUFFIXES) await rm(copy + suffix, { force: true });
  for (const suffix of DATABASE_SUFFIXES.filter((each) => existsSync(file + each))) {
    await copyFile(file + suffix, copy + suffix);
    await chmod(copy + suffix, 0o600);
  }
}

/** @throws StoreError if this version of the bot couldn't start with the copy */
async function check(copy: string): Promise<void> {
  const migrations = await checkFile(copy).catch((error: unknown) => {
    if (!(error instanceof DamagedFileError)) throw error;
    throw new StoreError(`this backup is damaged (${error.why}): use another one`, { cause: error });
  });
  if (migrations.length === 0) throw new StoreError('this database was not created by this bot');
}

async function migrateAndMarkAsRestored(copy: string): Promise<void> {
  const database = createSqliteDatabase({ path: copy, logger: SILENT });
  await database.prepare(true);
  // Closing the database writes the changes from the copied write-ahead log into it.
  await using db = await database.open();
  for (const statement of AFTER_A_RESTORE) await db.executeQuery(CompiledQuery.raw(statement));
}

/**
 * Gives the previous database a second name. It stays complete under at least one of its names, even after a power failure.
 * Then removes its write-ahead log, which SQLite would otherwise apply to the new database.
 */
async function keep(path: string): Promise<string> {
  const kept = `${path}.replaced-${timeInName(Date.now())}`;
  if (existsSync(kept)) throw new StoreError(`${kept} already exists: move it somewhere else first`);
  await applyLogIfUndamaged(path);
  for (const suffix of DATABASE_SUFFIXES.filter((each) => existsSync(path + each))) {
    // Some file systems don't support hard links.
    await link(path + suffix, kept + suffix).catch(() => copyFile(path + suffix, kept + suffix));
  }
  await sync(dirname(resolve(path)));
  for (const suffix of LEFTOVER_SUFFIXES) await rm(path + suffix, { force: true });
  return kept;
}

async function applyLogIfUndamaged(path: string): Promise<void> {
  const isDamaged = await checkFile(path).then(
    () => false,
    (error: unknown) => error instanceof DamagedFileError,
  );
  // SQLite writes and deletes the log when its last connection is closed.
  if (!isDamaged) openFile(path).close();
}
