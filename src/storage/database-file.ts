import { constants, existsSync } from 'node:fs';
import { access, mkdir, open, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { codeOf } from '../error-code.ts';
import { refuseUnknown } from './migrations.ts';
import { BUSY_TIMEOUT_MS } from './sqlite.ts';
import { reason, StoreError } from './store-error.ts';

/** The file is damaged; `why` is what SQLite says. */
export class DamagedFileError extends StoreError {
  readonly why: string;
  constructor(path: string, why: string) {
    super(
      `the database ${path} is damaged (${why}). Nothing was changed: restore it from a backup, or move it away to start ` +
        'with an empty one.',
    );
    this.why = why;
  }
}

/** SQLITE_CORRUPT and SQLITE_NOTADB (SQLite docs: Result and Error Codes). */
const CORRUPTION = [11, 26];

/**
 * Makes the folder and the file if they are missing: SQLite would make no folder, and a file that everybody may read. The
 * `-wal` and `-shm` files get the mode of the file.
 * @throws StoreError saying what to do
 */
export async function prepareFile(path: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await (await open(path, 'a', 0o600)).close();
  } catch (cause) {
    throw await cannotWrite(path, cause);
  }
}

/**
 * Reads the whole file once, read-only, before anything writes to it.
 * @returns the names of its migrations
 * @throws StoreError if the file is damaged, is not SQLite's, is locked, or was written by another version of the bot;
 *   the file is left as it is
 */
export async function checkFile(path: string): Promise<readonly string[]> {
  let found: { readonly verdict: string; readonly migrations: readonly string[] };
  try {
    found = useFile(path, (database) => ({
      verdict: column(database, 'PRAGMA quick_check(1)').join(),
      migrations: migrationsIn(database),
    }));
  } catch (cause) {
    if (CORRUPTION.includes(primaryCode(cause))) throw new DamagedFileError(path, reason(cause));
    throw await cannotWrite(path, cause);
  }
  if (found.verdict !== 'ok') throw new DamagedFileError(path, found.verdict);
  refuseUnknown(path, found.migrations);
  return found.migrations;
}

/**
 * Opens the file for one use. A bot may run on it.
 * @param isWritten otherwise nothing can be written
 */
export function useFile<Result>(
  path: string,
  use: (database: DatabaseSync) => Result,
  isWritten = false,
): Result {
  const database = new DatabaseSync(path, { readOnly: !isWritten, timeout: BUSY_TIMEOUT_MS });
  try {
    return use(database);
  } finally {
    database.close();
  }
}

/** The first column of the rows of a query. */
export function column(database: DatabaseSync, sql: string): readonly string[] {
  const rows = database.prepare(sql).all();
  return rows.map((row) => String(Object.values(row)[0]));
}

export function hasTable(database: DatabaseSync, name: string): boolean {
  return column(database, "SELECT name FROM sqlite_master WHERE type = 'table'").includes(name);
}

function migrationsIn(database: DatabaseSync): readonly string[] {
  return hasTable(database, 'kysely_migration') ? column(database, 'SELECT name FROM kysely_migration') : [];
}

/** SQLite's result code without its extension; NaN if the error is not of SQLite. */
export function primaryCode(error: unknown): number {
  return Number(Object(error).errcode) & 0xff;
}

export async function cannotWrite(path: string, cause: unknown): Promise<StoreError> {
  return new StoreError(`cannot write to ${path}: ${reason(cause)}; ${await whatToDo(path)}`, { cause });
}

/** A database's files by what is added to its name. */
const BESIDE = ['', '-wal', '-shm', '.key', '.lock'];

/** The command that mends it, if the rights of the folder or of a file in it are in the way. */
async function whatToDo(path: string): Promise<string> {
  const folder = resolve(dirname(path));
  for (const name of [nearest(folder), ...BESIDE.map((suffix) => resolve(path) + suffix)]) {
    switch (await refusalOf(name)) {
      case 'EROFS':
        return `${folder} is on a file system that is read-only. Mount a volume or a folder there, or name another place in STORE_URL.`;
      case 'EACCES': {
        const { uid } = await stat(name);
        return `this process runs as user ${process.getuid?.()}, and ${name} belongs to user ${uid}. Run: ${chownCommand(folder)}`;
      }
    }
  }
  return 'check its owner and free space';
}

/** The code of the system's error if this process may not write; `undefined` if it may. */
async function refusalOf(name: string): Promise<string | undefined> {
  try {
    await access(name, constants.R_OK | constants.W_OK);
    return undefined;
  } catch (error) {
    return codeOf(error);
  }
}

/** The folder, or if it is missing the nearest one above it. */
export function nearest(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearest(dirname(folder));
}

/** The command that gives a folder with all that is in it to the user that runs this process. */
export function chownCommand(folder: string): string {
  const quoted = /^[\w./:-]+$/.test(folder) ? folder : `'${folder.replaceAll("'", `'\\''`)}'`;
  const make = existsSync(folder) ? '' : `sudo mkdir -p ${quoted} && `;
  return `${make}sudo chown -R ${process.getuid?.() ?? 'USER'}:${process.getgid?.() ?? 'GROUP'} ${quoted}`;
}

/** A time as a part of a file's name, such as `2026-01-31T12-00-00Z`; sorted names are sorted times. */
export const timeInName = (at: number): string =>
  new Date(at).toISOString().replace(/\.\d+/, '').replaceAll(':', '-');

/**
 * Writes a file, or the names in a folder, to the disk: without that they may be gone after a power cut. Windows writes
 * names at once, and syncs nothing that is only read.
 */
export async function sync(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
