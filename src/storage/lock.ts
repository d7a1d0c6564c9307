import { realpath, stat } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { createJob, type Part } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import type { StoreUrl } from '../store-url.ts';
import { cannotWrite, prepareFile, sqlitePrimaryCode } from './database-file.ts';
import { createPostgresLock } from './postgres-lock.ts';
import { StoreError } from './store-error.ts';

/** SQLite docs: Result and Error Codes. */
const SQLITE_BUSY = 5;
const CHECK_LOCK_FILE_EVERY_MS = 1_000;

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
  if (url.kind === 'postgres') return createPostgresLock({ ...url, isShared, logger });
  const lock = createFileLock(url.path);
  const watch = createJob({
    firstMs: CHECK_LOCK_FILE_EVERY_MS,
    everyMs: CHECK_LOCK_FILE_EVERY_MS,
    run: () =>
      lock.retake().catch((error: unknown) => {
        logger.error(
          { err: error },
          'the lock file of the database was deleted, and could not be locked again',
        );
      }),
  });
  return {
    name: lock.name,
    async start() {
      await lock.start();
      watch.start();
    },
    async stop() {
      await watch.stop();
      await lock.stop();
    },
  };
}

/**
 * Locks an empty file next to the database. The lock is taken through SQLite, because Node doesn't have an API for locking
 * files. The kernel releases the lock when the process ends, even after `kill -9`. The file remains, but is unlocked.
 */
export function createFileLock(databasePath: string) {
  let held: DatabaseSync | undefined;
  /** Other files can't get the same inode while the locked file is open. */
  let lockedInode: number | undefined;

  // Resolves symbolic links, so that every path to the database leads to the same lock file.
  const nameOfFile = async () => `${await realpath(databasePath)}.lock`;

  async function take(): Promise<void> {
    const file = await nameOfFile();
    try {
      held = new DatabaseSync(file, { timeout: 0 });
      // Keeps SQLite from creating a journal file next to the lock file.
      held.exec('PRAGMA journal_mode = MEMORY');
      held.exec('BEGIN EXCLUSIVE');
      lockedInode = (await stat(file)).ino;
    } catch (error) {
      release();
      if (sqlitePrimaryCode(error) !== SQLITE_BUSY) throw await cannotWrite(file, error);
      throw new StoreError(
        `another bot is running on the database ${databasePath} (it has locked ${file}). Only one can use it: stop that one first, ` +
          'or give this one a STORE_URL of its own.',
      );
    }
  }

  function release(): void {
    held?.close();
    held = undefined;
    lockedInode = undefined;
  }

  return {
    name: 'lock',
    /** @throws StoreError if another process holds the lock or the file can't be created */
    async start(): Promise<void> {
      await prepareFile(databasePath);
      await take();
    },
    /**
     * Takes the lock again if its file was deleted, which would let another bot start.
     * @throws StoreError like `start`
     */
    async retake(): Promise<void> {
      const found = await stat(await nameOfFile()).catch(() => undefined);
      if (found !== undefined && found.ino === lockedInode) return;
      release();
      await take();
    },
    async stop(): Promise<void> {
      release();
    },
  };
}
