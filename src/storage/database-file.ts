import { constants, existsSync, statSync } from 'node:fs';
import { access, mkdir, open, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Part } from '../lifecycle.ts';
import { reason, StoreError } from './store.ts';

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

/** What stands behind the name of a database's file in the names of the files that go with it. */
const BESIDE = ['', '-wal', '-shm', '.key', '.lock'];

/**
 * Why this process cannot write the database, and the very command that mends it, where the rights of its folder or of
 * a file in it are in the way; `undefined` where they are not.
 * @param path of the database's file
 */
async function rightsTrouble(path: string): Promise<string | undefined> {
  const folder = resolve(dirname(path));
  const found = nearest(folder);
  if (!statSync(found).isDirectory()) return undefined;
  const names = [found, ...(found === folder ? BESIDE.map((suffix) => resolve(path) + suffix) : [])];
  for (const name of names) {
    const code = await access(name, wanted(name === found)).then(
      () => undefined,
      (error: NodeJS.ErrnoException) => error.code,
    );
    if (code === 'EROFS') return readOnly(folder);
    if (code === 'EACCES' || code === 'EPERM') return notOurs({ name, folder, isThere: found === folder });
  }
  return undefined;
}

/** The command that gives something to the user that runs this process; a folder of the bot's with all that is in it. */
export function chownCommand(path: string): string {
  const { getuid, getgid } = process;
  return `sudo chown ${recursive(path)}${getuid?.() ?? 'USER'}:${getgid?.() ?? 'GROUP'} ${quoted(path)}`;
}

const wanted = (isFolder: boolean) =>
  constants.R_OK | constants.W_OK | (isFolder ? constants.X_OK : constants.F_OK);

/** The folder, or the one that it would be made in. */
function nearest(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearest(dirname(folder));
}

async function notOurs(about: { readonly name: string; readonly folder: string; readonly isThere: boolean }) {
  const { name, folder, isThere } = about;
  // Of a folder that is not there yet, and not of the one above it, which may be anybody's.
  const subject = !isThere || isShared(folder) === false ? folder : name;
  const { uid } = await stat(name);
  const ours = process.getuid?.();
  if (uid === ours && isThere) {
    return `its own user may not write ${name}. Run: chmod ${recursive(subject)}u+rwX ${quoted(subject)}`;
  }
  const make = isThere ? '' : `sudo mkdir -p ${quoted(folder)} && `;
  const container = isContainer()
    ? ` This is a container: run it on the host, for the folder that is mounted at ${folder}.`
    : '';
  const whose = `this process runs as user ${ours}, and ${name} belongs to user ${uid}`;
  return `${whose}. Run: ${make}${chownCommand(subject)}${container}`;
}

const readOnly = (folder: string) =>
  `${folder} is on a file system that is read-only. Mount a volume or a folder there, or name another place in STORE_URL.`;

/** Not all that is below it is the bot's. */
const isShared = (folder: string) => [process.cwd(), homedir(), dirname(folder)].includes(folder);

const recursive = (path: string) => (isShared(path) ? '' : '-R ');

const isContainer = () => existsSync('/.dockerenv') || existsSync('/run/.containerenv');

const quoted = (path: string) => (/^[\w./:-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`);
