import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, parse, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Config } from '../config/config.ts';
import type { Part } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import { createCollection } from '../storage/collection.ts';
import type { Database } from '../storage/database.ts';
import { checkFile, syncFolder } from '../storage/database-file.ts';
import { createStatements } from '../storage/statements.ts';
import { openValues, reason, type Store, StoreError } from '../storage/store.ts';

/** How long a writer may hold up the backup, in milliseconds; a bot holds the database for less than a tenth of it. */
const BUSY_TIMEOUT_MS = 10_000;
/** Stands behind a backup's name, and something random behind it, until it is complete. */
const PARTIAL = '.partial-';

export interface BackupDeps {
  /** The database's file; a bot may run on it. */
  readonly path: string;
  /** The backup; there must be nothing of that name. */
  readonly file: string;
  readonly logger: Logger;
}

/**
 * Copies the database as it is at one moment, without what was deleted, into a file that only its owner may read.
 * The file appears whole, checked and synced, or not at all. It has everything but the encryption key.
 *
 * `VACUUM INTO` reads within one transaction and disturbs no writer: 266 ms where SQLite's online backup, which begins
 * anew with each write, took 2.3 s (measured). It occupies its process, so it is not for that of the bot.
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
  const partial = `${file}${PARTIAL}${randomBytes(6).toString('hex')}`;
  try {
    await copyInto(path, partial);
    await checkFile(partial, BUSY_TIMEOUT_MS);
    await rename(partial, file);
    await syncFolder(folder);
  } catch (cause) {
    throw new StoreError(`no backup was made: ${reason(cause)}`, { cause });
  } finally {
    await rm(partial, { force: true });
  }
  await remember(at, { path, logger });
  return (await stat(file)).size;
}

async function copyInto(path: string, copy: string): Promise<void> {
  // Made before SQLite opens it, with the rights that it has to have.
  const target = await open(copy, 'wx', 0o600);
  try {
    const database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
    try {
      database.prepare('VACUUM INTO ?').run(copy);
    } finally {
      database.close();
    }
    await target.sync();
  } finally {
    await target.close();
  }
}

/** For the metrics and the next backup in turn. The tables stay as they are: the bot may be of another version. */
async function remember(at: number, { path, logger }: Pick<BackupDeps, 'path' | 'logger'>): Promise<void> {
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    const statements = createStatements(database);
    await recordBackup(await openValues({ path, statements, logger }), at);
  } catch (error) {
    logger.warn({ err: error }, `the backup is complete, but its time could not be kept: ${reason(error)}`);
  } finally {
    database.close();
  }
}

/** Under one id: when the last backup was made, in milliseconds since 1970. */
const BACKUPS = { name: 'backup', version: 1, schema: z.object({ at: z.number().positive() }) };
const LAST = 'last';

/** To be called when a backup is complete and was checked. */
export const recordBackup = (store: Store, at: number): Promise<void> =>
  createCollection({ store, ...BACKUPS }).set(LAST, { at });

/** When the last backup was made, in milliseconds since 1970; `undefined` when there was none. */
export const readLastBackup = async (store: Store): Promise<number | undefined> =>
  (await createCollection({ store, ...BACKUPS }).get(LAST))?.at;

export interface ScheduledBackupsDeps {
  readonly config: Pick<Config, 'storeUrl' | 'backupEveryHours' | 'backupKeep'>;
  readonly database: Store & Pick<Database, 'path'>;
  readonly onBackup?: ((outcome: 'made' | 'failed') => void) | undefined;
  readonly logger: Logger;
  /** How often it is looked whether one is due, in milliseconds, where it is not to be the usual time. */
  readonly lookEveryMs?: number;
}

const HOUR_MS = 3_600_000;
const LOOK_EVERY_MS = 60_000;
/** How soon one that failed is tried again, in milliseconds; in a tenth of the time between two where that is less. */
const AGAIN_MS = 600_000;
/** A backup takes seconds. One that takes an hour does not end, and is ended. */
const LONGEST_MS = HOUR_MS;
const PROGRAM = fileURLToPath(new URL('../backup.ts', import.meta.url));

/**
 * Makes a backup every so many hours, counted from the last one that anybody made, over restarts too: in the folder
 * `backups` beside the database, by a process of its own. The latest ones stay. To be started after the store.
 */
export function createScheduledBackups(deps: ScheduledBackupsDeps): Part {
  const { config, database, onBackup, logger, lookEveryMs = LOOK_EVERY_MS } = deps;
  const everyMs = config.backupEveryHours * HOUR_MS;
  const folder = join(dirname(resolve(database.path)), 'backups');
  const { name, ext } = parse(database.path);
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let looking = Promise.resolve();
  let notBefore = 0;

  async function isDue(): Promise<boolean> {
    const now = Date.now();
    if (now < notBefore) return false;
    const last = await readLastBackup(database);
    // One of the future was made before the clock was set back.
    return last === undefined || now - last >= everyMs || last > now;
  }

  async function make(): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const time = new Date().toISOString().replace(/\.\d+/, '').replaceAll(':', '-');
    const file = join(folder, `${name}-${time}${ext}`);
    await backUp(file, config.storeUrl, stopping.signal);
    onBackup?.('made');
    logger.info({ file }, 'made a backup; it does not hold the encryption key');
  }

  /** The names are in the order of their times. What a killed process has left goes as well. */
  async function removeOld(): Promise<void> {
    const all = (await readdir(folder)).filter((each) => each.startsWith(`${name}-`)).sort();
    const complete = all.filter((each) => isBackup(each, { name, ext }));
    const partial = all.filter((each) => each.includes(PARTIAL));
    for (const each of [...complete.slice(0, -config.backupKeep), ...partial]) {
      await rm(join(folder, each), { force: true });
    }
  }

  async function look(): Promise<void> {
    try {
      if (!(await isDue()) || stopping.signal.aborted) return;
      await make();
      await removeOld();
    } catch (error) {
      if (stopping.signal.aborted) return;
      notBefore = Date.now() + Math.min(AGAIN_MS, everyMs / 10);
      onBackup?.('failed');
      logger.error({ err: error, folder: basename(folder) }, 'no backup could be made; will try again');
    }
  }

  return {
    name: 'backups',
    async start() {
      if (everyMs === 0) return;
      const next = () => {
        looking = look().finally(() => {
          if (!stopping.signal.aborted) timer = setTimeout(next, lookEveryMs).unref();
        });
      };
      next();
    },
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await looking;
    },
  };
}

const TIME = /^-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/;
function isBackup(file: string, { name, ext }: { readonly name: string; readonly ext: string }): boolean {
  return file.endsWith(ext) && TIME.test(file.slice(name.length, file.length - ext.length));
}

/**
 * Runs `npm run backup` without npm. It needs to know where the database is, and no secret.
 * @throws Error with what it printed
 */
function backUp(file: string, storeUrl: string, signal: AbortSignal): Promise<void> {
  const { promise, resolve: done, reject } = Promise.withResolvers<void>();
  const options = {
    env: { STORE_URL: storeUrl },
    signal,
    timeout: LONGEST_MS,
    killSignal: 'SIGKILL',
  } as const;
  execFile(process.execPath, [PROGRAM, file], options, (error, _stdout, stderr) => {
    if (error === null) done();
    else reject(new Error(stderr.trim().replace(/^backup: /, '') || error.message));
  });
  return promise;
}
