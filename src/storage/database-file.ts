import { constants, existsSync } from 'node:fs';
import { access, mkdir, open, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { codeOf } from '../text/error-code.ts';
import { visibleLine } from '../text/one-line.ts';
import { rejectUnknown } from './migrations.ts';
import { BUSY_TIMEOUT_MS } from './sqlite.ts';
import { reason, StoreError, UnusableStoreError } from './store-error.ts';

/** `why` is SQLite's error message, on a single line. */
export class DamagedFileError extends UnusableStoreError {
  readonly why: string;
  constructor(path: string, message: string) {
    const why = visibleLine(message);
    super(
      `the database ${path} is damaged (${why}). Nothing was changed: restore it from a backup, or move it and its ` +
        'key file away to start with an empty one.',
    );
    this.why = why;
  }
}

/** Result codes SQLITE_CORRUPT and SQLITE_NOTADB (SQLite docs: Result and Error Codes). */
const CORRUPTION_CODES = [11, 26];

/**
 * Creates the folder and the file if they don't exist. SQLite wouldn't create the folder, and would make the file readable
 * by everyone. The `-wal` and `-shm` files inherit the mode of the database file.
 * @throws StoreError with instructions for the operator
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
 * Checks the whole file in read-only mode, before the bot writes to it.
 * @returns the names of the migrations that have been applied to the file
 * @throws StoreError if the file is damaged or locked, isn't a SQLite database or was written by an incompatible version
 */
export async function checkFile(path: string): Promise<readonly string[]> {
  let found: { readonly verdict: string; readonly migrations: readonly string[] };
  try {
    found = withDatabaseFile(path, (database) => ({
      verdict: column(database, 'PRAGMA quick_check(1)').join(),
      migrations: migrationsIn(database),
    }));
  } catch (cause) {
    if (CORRUPTION_CODES.includes(sqlitePrimaryCode(cause))) throw new DamagedFileError(path, reason(cause));
    throw await cannotWrite(path, cause);
  }
  if (found.verdict !== 'ok') throw new DamagedFileError(path, found.verdict);
  rejectUnknown(path, found.migrations);
  return found.migrations;
}

/** Works even while a bot is using the file. */
export function withDatabaseFile<Result>(
  path: string,
  use: (database: DatabaseSync) => Result,
  isWritable = false,
): Result {
  using database = new DatabaseSync(path, { readOnly: !isWritable, timeout: BUSY_TIMEOUT_MS });
  return use(database);
}

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

/** Returns 0 for an error that isn't from SQLite. */
export function sqlitePrimaryCode(error: unknown): number {
  return Number(Object(error).errcode) & 0xff;
}

export async function cannotWrite(path: string, cause: unknown): Promise<StoreError> {
  return new StoreError(`cannot write to ${path}: ${reason(cause)}; ${await whatToDo(path)}`, { cause });
}

/**
 * Rejects an empty database whose key file already exists. Either `STORE_URL` is wrong, or the database was lost.
 * @throws UnusableStoreError
 */
export function rejectLostFile(path: string, appliedMigrations: readonly string[]): void {
  const keyFile = `${path}.key`;
  if (appliedMigrations.length > 0 || !existsSync(keyFile)) return;
  throw new UnusableStoreError(
    `the database ${path} is empty, but its encryption key ${keyFile} already exists. Nothing was changed: put the database ` +
      'back, or correct STORE_URL. If the data was deleted on purpose, move the key file away too.',
  );
}

const DATABASE_SUFFIXES = ['', '-wal', '-shm', '.key', '.lock'];

async function whatToDo(path: string): Promise<string> {
  const folder = resolve(dirname(path));
  for (const name of [
    nearestExisting(folder),
    ...DATABASE_SUFFIXES.map((suffix) => resolve(path) + suffix),
  ]) {
    switch (await accessErrorOf(name)) {
      case 'EROFS':
        return `${folder} is on a read-only file system. Mount a volume or a folder there, or set another path in STORE_URL.`;
      case 'EACCES': {
        const { uid } = await stat(name);
        return `this process runs as user ${process.getuid?.()}, and ${name} belongs to user ${uid}. Run: ${chownCommand(folder)}`;
      }
    }
  }
  return 'check its owner and free space';
}

async function accessErrorOf(name: string): Promise<string | undefined> {
  try {
    await access(name, constants.R_OK | constants.W_OK);
    return undefined;
  } catch (error) {
    return codeOf(error);
  }
}

export function nearestExisting(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestExisting(dirname(folder));
}

export function chownCommand(folder: string): string {
  const quoted = /^[\w./:-]+$/.test(folder) ? folder : `'${folder.replaceAll("'", `'\\''`)}'`;
  const make = existsSync(folder) ? '' : `sudo mkdir -p ${quoted} && `;
  return `${make}sudo chown -R ${process.getuid?.() ?? 'USER'}:${process.getgid?.() ?? 'GROUP'} ${quoted}`;
}

/** Formats a time for file names, such as `2026-01-31T12-00-00Z`. The names sort chronologically. */
export const timeInName = (at: number): string =>
  new Date(at).toISOString().replace(/\.\d+/, '').replaceAll(':', '-');

/** Returns the time that {@link timeInName} formatted, in milliseconds since 1970. */
export const timeFromName = (text: string): number => Date.parse(text.replace(/T(\d\d)-(\d\d)-/, 'T$1:$2:'));

export const isTimeInName = (text: string): boolean => /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/.test(text);

/**
 * Flushes a file or a folder's entries to disk, in case of a power failure. Returns immediately on Windows, which writes
 * directory entries immediately and can't sync a file opened read-only.
 */
export async function sync(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  await using handle = await open(path, 'r');
  await handle.sync();
}
