import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { rightsTrouble } from './rights.ts';
import { StoreError } from './store.ts';

/** What a file of SQLite begins with (SQLite docs: "Database File Format", 1.3). */
const MAGIC = 'SQLite format 3\0';

/**
 * Makes the folder and the file where they are missing (SQLite makes no folder, and a file readable by all;
 * the `-wal` and `-shm` files take the rights of the file).
 * @throws StoreError saying what to look at
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
 * Reads the whole file once, read-only, before anything may write to it.
 * @throws StoreError when it is damaged, is not SQLite's, or is locked; it is left as it is
 */
export async function checkFile(path: string, busyTimeoutMs: number): Promise<void> {
  // The first to open a file that may not be read.
  const start = await head(path).catch(async (cause) => {
    throw await cannotWrite(path, cause);
  });
  if (start === '') return;
  if (start !== MAGIC) throw damaged(path, 'it is not a file of SQLite');

  let verdict: unknown;
  try {
    const database = new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs });
    try {
      verdict = database.prepare('PRAGMA quick_check(1)').get()?.quick_check;
    } finally {
      database.close();
    }
  } catch (cause) {
    if (isCorruption(cause)) throw damaged(path, reason(cause), cause);
    // Reading needs the `-shm` file, which may have to be made.
    throw new StoreError(`cannot read ${path}: ${reason(cause)}; ${await whatToDo(path)}`, { cause });
  }
  if (verdict !== 'ok') throw damaged(path, reason(verdict));
}

async function head(path: string): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAGIC.length), 0, MAGIC.length, 0);
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await file.close();
  }
}

export async function cannotWrite(path: string, cause: unknown): Promise<StoreError> {
  return new StoreError(`cannot write to ${path}: ${reason(cause)}; ${await whatToDo(path)}`, { cause });
}

const whatToDo = async (path: string) => (await rightsTrouble(path)) ?? 'check its owner and free space';

function damaged(path: string, why: string, cause?: unknown): StoreError {
  const advice = 'Nothing was changed: restore it from a backup, or move it away to start with an empty one.';
  return new StoreError(`the database ${path} is damaged (${why}). ${advice}`, { cause });
}

/** SQLITE_CORRUPT and SQLITE_NOTADB (SQLite docs: "Result and Error Codes"). */
function isCorruption(error: unknown): boolean {
  if (!(error instanceof Error) || !('errcode' in error)) return false;
  const primary = Number(error.errcode) & 0xff;
  return primary === 11 || primary === 26;
}

/** What SQLite or the file system says of a failure, on one line; they name files and keys, never values. */
export function reason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/\s+/g, ' ').trim();
}

/**
 * Without this the name of a new file may be gone after a power cut, and what is in it. Windows writes names at once,
 * and syncs no folder.
 */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
