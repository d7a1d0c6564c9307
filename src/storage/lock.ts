import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import type { Part } from '../lifecycle.ts';
import { cannotWrite, prepareFile } from './database-file.ts';
import { StoreError } from './store.ts';

/**
 * Sees to it that one bot at a time runs on a database: a second one would answer the same interactions, and take what
 * the first one is doing for what a crash has left. Tools that may run beside a bot do not take it.
 *
 * SQLite's own lock on an empty file beside the database. It belongs to the process: the kernel frees it at any end,
 * `kill -9` too, and Node itself can lock no file. The file stays; by itself it says nothing.
 * @param path of the database's file
 */
export function createStoreLock(path: string): Part & { start(): Promise<void>; stop(): Promise<void> } {
  let held: DatabaseSync | undefined;

  return {
    name: 'lock',
    /** @throws StoreError when another process has the lock, or the file cannot be made */
    async start() {
      await prepareFile(path);
      // One for each file, under whatever name it was given.
      const file = `${await realpath(path)}.lock`;
      // A second handle that is closed would free the lock of its own process: what is there is not opened again.
      if (!existsSync(file)) await prepareFile(file);
      let connection: DatabaseSync | undefined;
      try {
        connection = new DatabaseSync(file, { timeout: 0 });
        // Otherwise a journal is made beside it.
        connection.exec('PRAGMA journal_mode = MEMORY');
        connection.exec('BEGIN EXCLUSIVE');
        held = connection;
      } catch (error) {
        connection?.close();
        throw isBusy(error) ? new StoreError(taken(path, file)) : await cannotWrite(file, error);
      }
    },
    async stop() {
      held?.close();
      held = undefined;
    },
  };
}

/** SQLITE_BUSY (SQLite docs: "Result and Error Codes"). */
function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === 5;
}

function taken(path: string, file: string): string {
  return (
    `another bot runs on the database ${path} (it has locked ${file}). Only one can: stop that one first, ` +
    'or give this one a STORE_URL of its own.'
  );
}
