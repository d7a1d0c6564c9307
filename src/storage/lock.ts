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
  /** Whether other processes of the same bot may use it too, over PostgreSQL. */
  readonly isShared?: boolean;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
}

/**
 * Lets one bot at a time use a database, or several processes that share it. A second bot would answer the same
 * interactions, and take what the first is doing for the remains of a crash. Tools that may run beside a bot do not take
 * the lock.
 */
export function createStoreLock({ url, isShared = false, logger }: StoreLockDeps): Required<Part> {
  return url.kind === 'sqlite' ? createFileLock(url.path) : createPostgresLock({ ...url, isShared, logger });
}

/**
 * Locks an empty file beside the database by SQLite, since Node itself can lock no file. The kernel frees the lock when
 * the process ends, after a `kill -9` too. The file stays, and means nothing by itself.
 * @param path of the database's file
 */
export function createFileLock(path: string): Required<Part> {
  let held: DatabaseSync | undefined;

  return {
    name: 'lock',
    /** @throws StoreError if another process has the lock, or the file cannot be made */
    async start() {
      await prepareFile(path);
      // One lock, by whatever path the database is named.
      const file = `${await realpath(path)}.lock`;
      let connection: DatabaseSync | undefined;
      try {
        connection = new DatabaseSync(file, { timeout: 0 });
        // Otherwise SQLite makes a journal beside it.
        connection.exec('PRAGMA journal_mode = MEMORY');
        connection.exec('BEGIN EXCLUSIVE');
        held = connection;
      } catch (error) {
        connection?.close();
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
