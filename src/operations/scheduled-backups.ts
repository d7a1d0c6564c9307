import { execFile } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Config } from '../config/config.ts';
import { createJob, type Part } from '../lifecycle.ts';
import { type Logger, scrub } from '../logger.ts';
import { DAY_MS, HOUR_MS } from '../pacing/durations.ts';
import { isRecent } from '../pacing/recent.ts';
import { timeInName } from '../storage/database-file.ts';
import type { Store } from '../storage/store.ts';
import { reason } from '../storage/store-error.ts';
import { sqliteAt } from '../store-url.ts';
import { backupFolderOf, backupsOf, deleteBackupFailure, saveBackupFailure } from './backup-files.ts';
import { partialIn, removePartial } from './make-backup.ts';

/** Returns how many days deleted data remains in backups; 0 if the bot doesn't make backups. */
export function backupDaysOf(config: Pick<Config, 'storeUrl' | 'backupEveryHours' | 'backupKeep'>): number {
  const { storeUrl, backupEveryHours, backupKeep } = config;
  return storeUrl.kind === 'postgres' ? 0 : Math.ceil((backupEveryHours * backupKeep * HOUR_MS) / DAY_MS);
}

export type BackupOutcome =
  | { readonly kind: 'made' }
  /** `why` doesn't contain any secrets. */
  | { readonly kind: 'failed'; readonly why: string };

export interface ScheduledBackupsDeps {
  readonly config: Pick<Config, 'backupEveryHours' | 'backupKeep'>;
  readonly store: Pick<Store, 'path' | 'values'>;
  readonly onBackup?: ((outcome: BackupOutcome) => void) | undefined;
  readonly logger: Pick<Logger, 'info' | 'error'>;
}

/** A failed backup is also retried at this interval. */
const CHECK_IF_DUE_EVERY_MS = 600_000;
export const BACKUP_OVERDUE_AFTER_MS = HOUR_MS;
/** The value is in milliseconds since 1970. */
const LAST_BACKUP_AT_KEY = 'backup:last';
const PROGRAM = fileURLToPath(new URL('../tools/backup.ts', import.meta.url));

/**
 * Creates the job that makes a backup at a fixed interval after the last one. Restarts and backups by the operator don't
 * reset the interval. A separate process writes the backups to the folder `backups` next to the database. Only the latest
 * ones are kept. Must be started after the store.
 */
export function createScheduledBackups(deps: ScheduledBackupsDeps): Part {
  const { config, store, onBackup, logger } = deps;
  const everyMs = config.backupEveryHours * HOUR_MS;
  // A PostgreSQL database doesn't have a path, and the bot doesn't back it up.
  const { path = '' } = store;
  const folder = backupFolderOf(path);
  const { name, ext } = parse(path);
  const job = createJob({ firstMs: 0, everyMs: CHECK_IF_DUE_EVERY_MS, run: backUpIfDue });
  const { stopping } = job;

  async function backUpIfDue(): Promise<void> {
    try {
      if (!(await isDue())) return await deleteBackupFailure(store.values);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const at = Date.now();
      const made = `${name}-${timeInName(at)}${ext}`;
      const file = join(folder, made);
      // If the process is killed, it leaves a partial file behind.
      await backUp(file, path, stopping).finally(() => removePartial(partialIn(folder, path)));
      onBackup?.({ kind: 'made' });
      logger.info({ file }, 'made a backup; it does not contain the encryption key');
      await store.values.set(LAST_BACKUP_AT_KEY, at);
      await deleteBackupFailure(store.values);
      await removeOthers(made).catch((error: unknown) =>
        logger.error({ err: error, folder }, 'could not delete old backups; will retry after the next one'),
      );
    } catch (error) {
      if (stopping.aborted) return;
      const why = scrub(reason(error));
      onBackup?.({ kind: 'failed', why });
      logger.error({ err: error, folder }, 'could not make a backup; will try again');
      // For the doctor. If the database doesn't accept writes, the doctor finds that anyway.
      await saveBackupFailure(store.values, why).catch(() => undefined);
    }
  }

  async function isDue(): Promise<boolean> {
    const last = await store.values.get(LAST_BACKUP_AT_KEY);
    return typeof last !== 'number' || !isRecent(last, everyMs);
  }

  /**
   * Keeps `made` and the latest backups before it. Backups with later names were made while the clock was ahead, and are
   * deleted first.
   */
  async function removeOthers(made: string): Promise<void> {
    const backups = await backupsOf(path);
    const fromTheFuture = backups.filter((file) => file > made);
    const others = backups.filter((file) => file <= made);
    for (const file of [...fromTheFuture, ...others].slice(0, -config.backupKeep)) {
      await rm(join(folder, file), { force: true });
    }
  }

  return {
    name: 'backups',
    async start() {
      if (everyMs > 0 && store.path !== undefined) job.start();
    },
    stop: job.stop,
  };
}

/**
 * Runs the same program as `npm run backup`. It usually takes seconds and is stopped after an hour. It needs the location
 * of the database, but no secrets.
 * @throws Error with the program's error output
 */
async function backUp(file: string, path: string, signal: AbortSignal): Promise<void> {
  const env = { STORE_URL: sqliteAt(path).name };
  const options = { env, signal, timeout: HOUR_MS, killSignal: 'SIGKILL' } as const;
  await promisify(execFile)(process.execPath, [PROGRAM, file], options).catch((error) => {
    throw new Error(error.stderr.trim().replace(/^backup: /, '') || error.message);
  });
}
