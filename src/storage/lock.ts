import { realpath } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import type { Part } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import type { StoreUrl } from '../store-url.ts';
import { cannotWrite, prepareFile, primaryCode } from './database-file.ts';
import { createPostgresLock } from './postgres-lock.ts';
import { StoreError } from './store-error.ts';

/** SQLITE_BUSY (SQLite docs: "Result and Error Codes"). */
const BUSY = 5;

export interface StoreLockDeps {
  readonly url: StoreUrl;
  /** Whether other processes of the same bot may use the database at the same time. Only PostgreSQL supports this. */
  readonly isShared?: boolean;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
}

/**
 * Reserves a database for one bot, or for several processes that share it. A second bot would answer the same interactions,
 * and would treat the first one's work as left over from a crash. Tools that can run next to a bot don't take the lock.
 */
export function createStoreLock({ url, isShared = false, logger }: StoreLockDeps): Required<Part> {
  return url.kind === 'sqlite' ? createFileLock(url.path) : createPostgresLock({ ...url, isShared, logger });
}

/**
 * Uses SQLite to lock an empty file next to the database, because Node can't lock files itself. The kernel releases the
 * lock when the process ends, even after `kill -9`. The file remains, but means nothing without a lock.
 * @param path the database file
 */
export function createFileLock(path: string): Required<Part> {
  let held: DatabaseSync | undefined;

  return {
    name: 'lock',
    /** @throws StoreError if another process holds the lock, or the file can't be created */
    async start() {
      await prepareFile(path);
      // Resolves links, so that every path to the database leads to the same lock.
      const file = `${await realpath(path)}.lock`;
      try {
        held = new DatabaseSync(file, { timeout: 0 });
        // Without this, SQLite would create a journal next to the file.
        held.exec('PRAGMA journal_mode = MEMORY');
        held.exec('BEGIN EXCLUSIVE');
      } catch (error) {
        await this.stop();
        if (primaryCode(error) !== BUSY) throw await cannotWrite(file, error);
        throw new StoreError(
          `another bot runs on the database ${path} (it has locked ${file}). Only one can: stop that one first, ` +
            'or give this one a STORE_URL of its own.',
        );
      }
    },
    async stop() {
      held?.close();
      held = undefined;
    },
  };
}
