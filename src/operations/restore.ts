import { existsSync } from 'node:fs';
import { chmod, copyFile, open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Config } from '../config/config.ts';
import { checkFile, createStoreLock, prepareFile, syncFolder } from '../storage/database-file.ts';
import { MIGRATIONS } from '../storage/migrations.ts';
import { reason, StoreError, storePath } from '../storage/store.ts';
import { INTERRUPTED, outcomeToStore } from '../submissions/draft.ts';
import { CheckFailure, checkEncryption } from './checks-of-disk.ts';

const BUSY_TIMEOUT_MS = 1_000;
/** The files that are one database: the second has what was not yet written into the first. */
const FILES = ['', '-wal'];

export interface RestoreDeps {
  readonly config: Pick<Config, 'storeUrl' | 'encryptionKey'>;
  readonly file: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Puts a backup in the place of the database, once it is known that a bot can use it. No bot may run on the database
 * meanwhile, and none can start. What was there is kept under another name.
 * @returns that name; `undefined` where nothing was there
 * @throws StoreError when it cannot be; everything is as it was
 */
export async function restore({ config, file, now }: RestoreDeps): Promise<string | undefined> {
  const path = storePath(config.storeUrl);
  if (!existsSync(file)) throw new StoreError(`there is no file ${file}`);
  if (resolve(file) === resolve(path)) throw new StoreError(`${file} is the database itself`);
  const wasThere = existsSync(path);
  const lock = createStoreLock(path);
  await lock.start();
  const copy = `${path}.restoring`;
  try {
    await copyDatabase(file, copy);
    await check({ file, copy, path, config });
    endWhatWasUnderWay(copy, now);
    await sync(copy);
    const kept = wasThere ? await moveAway(path, now) : undefined;
    await rename(copy, path);
    await syncFolder(dirname(resolve(path)));
    return kept;
  } catch (cause) {
    if (!wasThere) await rm(path, { force: true });
    if (cause instanceof StoreError) throw cause;
    throw new StoreError(`${file} could not be restored: ${reason(cause)}`, { cause });
  } finally {
    for (const each of ['', '-wal', '-shm', '-journal']) await rm(copy + each, { force: true });
    await lock.stop();
  }
}

async function copyDatabase(file: string, copy: string): Promise<void> {
  for (const each of [...FILES, '-shm', '-journal']) await rm(copy + each, { force: true });
  for (const each of FILES.filter((suffix) => existsSync(file + suffix))) {
    await prepareFile(copy + each);
    await copyFile(file + each, copy + each);
    // A copy may have the rights of what was copied.
    await chmod(copy + each, 0o600);
  }
}

async function sync(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

interface Checked {
  readonly file: string;
  readonly copy: string;
  readonly path: string;
  readonly config: RestoreDeps['config'];
}

/** Whether a bot of this version could start on it with the key that it has. */
async function check({ file, copy, path, config }: Checked): Promise<void> {
  const refuse = (why: string) => new StoreError(`${file} was not restored, and nothing was changed: ${why}`);
  await checkFile(copy, BUSY_TIMEOUT_MS).catch((error: unknown) => {
    throw refuse(`it is damaged, or no backup at all (${reason(Object(error).cause ?? error)})`);
  });
  const database = new DatabaseSync(copy, { timeout: BUSY_TIMEOUT_MS });
  try {
    const named = (sql: string) =>
      database
        .prepare(sql)
        .all()
        .map(({ name }) => String(name));
    const tables = named("SELECT name FROM sqlite_master WHERE type = 'table'");
    if (!tables.includes('keyv')) throw refuse('it is no database of this bot');
    const migrations = tables.includes('kysely_migration') ? named('SELECT name FROM kysely_migration') : [];
    const newer = migrations.find((name) => !(name in MIGRATIONS));
    if (newer !== undefined) {
      throw refuse(`a newer version of the bot has written it (it has "${newer}"): update the bot first`);
    }
  } finally {
    database.close();
  }
  await checkEncryption({ ...config, storeUrl: `sqlite://${copy}` }, `${path}.key`).catch(
    (error: unknown) => {
      if (error instanceof CheckFailure) throw refuse(`${error.message}; ${error.mend}`);
      throw error;
    },
  );
}

/**
 * What had begun at the time of the backup went on after it. A bot that took it up again would send it a second time.
 * Nobody knows how it ended; by now no interaction of then should be answered.
 */
function endWhatWasUnderWay(copy: string, now: number): void {
  const database = new DatabaseSync(copy, { timeout: BUSY_TIMEOUT_MS });
  try {
    const has = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'submissions'");
    if (has.get() === undefined) return;
    database.exec('PRAGMA secure_delete = ON');
    database.exec('BEGIN IMMEDIATE');
    database.exec('UPDATE interactions SET sealed = NULL WHERE sealed IS NOT NULL');
    const { outcome, message, reason: why } = outcomeToStore(INTERRUPTED);
    database
      .prepare(
        `UPDATE servers SET outcome = ?, message = ?, reason = ?, ended_at = ? WHERE outcome IS NULL
          AND reserved_at IS NOT NULL AND submission_id IN (SELECT id FROM submissions WHERE state = 'running')`,
      )
      .run(outcome, message, why, now);
    database.prepare("UPDATE submissions SET state = 'done', ended_at = ? WHERE state = 'running'").run(now);
    database.exec('COMMIT');
    database.exec('PRAGMA journal_mode = DELETE');
  } finally {
    database.close();
  }
}

/** The database that was there, with its log: without that the latest changes would be lost. */
async function moveAway(path: string, now: number): Promise<string> {
  const kept = `${path}.replaced-${new Date(now).toISOString().replace(/\.\d+/, '').replaceAll(':', '-')}`;
  if (existsSync(kept)) throw new StoreError(`${kept} is there already: move it away first`);
  try {
    // All into one file; a log that stayed behind would be taken for the new database's.
    const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
    try {
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } finally {
      database.close();
    }
  } catch {
    // It is damaged, which may be why it is replaced; it is kept as it is.
  }
  for (const each of ['-wal', '-shm', '-journal'].filter((suffix) => existsSync(path + suffix))) {
    await rename(path + each, kept + each);
  }
  await rename(path, kept);
  return kept;
}
