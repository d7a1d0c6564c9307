import { realpath } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import type { Part } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import type { StoreUrl } from '../store-url.ts';
import { cannotWrite, prepareFile, primaryCode } from './database-file.ts';
import { createPostgresLock } from './postgres-lock.ts';
import { StoreError } from './store-error.ts';

/** Result code SQLITE_BUSY (SQLite docs: Result and Error Codes). */
const BUSY = 5;

export interface StoreLockDeps {
  readonly url: StoreUrl;
  /** Whether other processes of the same bot may use the database at the same time. Only PostgreSQL supports this. */
  readonly isShared?: boolean;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
}

/**
 * Locks a database for one bot, which may consist of several processes. A second bot would reply to the same interactions
 * and mistake the first bot's work for leftovers from a crash. Tools that can run alongside a bot don't take the lock.
 */
export function createStoreLock({ url, isShared = false, logger }: StoreLockDeps): Required<Part> {
  return url.kind === 'sqlite' ? createFileLock(url.path) : createPostgresLock({ ...url, isShared, logger });
}

/**
 * Locks an empty file next to the database. The lock is taken through SQLite, because Node has no API for locking files.
 * The kernel releases the lock when the process ends, even after `kill -9`. The file remains, but has no effect.
 * @param path the database file
 */
export function createFileLock(path: string): Required<Part> {
  let held: DatabaseSync | undefined;

  return {
    name: 'lock',
    /** @throws StoreError if another process holds the lock or the file can't be created */
    async start() {
      await prepareFile(path);
      // Resolves symbolic links, so that every path to the database leads to the same lock file.
      const file = `${await realpath(path)}.lock`;
      try {
        held = new DatabaseSync(file, { timeout: 0 });
        // Keeps SQLite from creating a journal file next to the lock file.
        held.exec('PRAGMA journal_mode = MEMORY');
        held.exec('BEGIN EXCLUSIVE');
      } catch (error) {
        await this.stop();
        if (primaryCode(error) !== BUSY) throw await cannotWrite(file, error);
        throw new StoreError(
          `another bot is running on the database ${path} (it has locked ${file}). Only one can use it: stop that one first, ` +
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
