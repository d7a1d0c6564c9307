import { constants } from 'node:fs';
import { access, mkdtemp, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Config } from '../config/config.ts';
import { keyId } from '../storage/collection.ts';
import { checkFile, chownCommand } from '../storage/database-file.ts';
import { isOpenToOthers, PROOF, readKeyFile } from '../storage/encryption-key.ts';
import { MIGRATIONS } from '../storage/migrations.ts';
import { reason, storePath } from '../storage/store.ts';

/** What a check has found. */
export interface Finding {
  readonly check: string;
  /** `skipped`: another check has to succeed first. */
  readonly state: 'ok' | 'failed' | 'skipped';
  readonly says: string;
  /** How it is mended. */
  readonly mend?: string;
}

/** Something is not as it must be. */
export class CheckFailure extends Error {
  override readonly name = 'CheckFailure';
  readonly mend: string;
  constructor(says: string, mend: string) {
    super(says);
    this.mend = mend;
  }
}

/** Carries one check out: what it returns is said. Whatever else it throws is a failure that nobody foresaw. */
export async function find(check: string, look: () => Promise<string> | string): Promise<Finding> {
  try {
    return { check, state: 'ok', says: await look() };
  } catch (error) {
    const says = error instanceof Error ? error.message : String(error);
    const mend = error instanceof CheckFailure ? error.mend : 'nobody foresaw this: please report it';
    return { check, state: 'failed', says, mend };
  }
}

type StoreConfig = Pick<Config, 'storeUrl' | 'encryptionKey'>;

/** How long another process may hold the database, in milliseconds. */
const BUSY_TIMEOUT_MS = 1_000;
/** Free space below which trouble is near, in bytes: 100 MiB, and as much as the database, which is rewritten at times. */
const LEAST_FREE = 100 * 1024 * 1024;

/** Looks at the file, and begins a transaction that writes nothing; it may be in use by a bot. */
export async function checkStore({ storeUrl }: StoreConfig): Promise<string> {
  const path = storePath(storeUrl);
  const folder = await nearestFolder(path);
  await needWritable(folder);
  if (!(await exists(path))) return `${path} will be made at the first start`;
  try {
    await access(path, constants.R_OK | constants.W_OK);
    await checkFile(path, BUSY_TIMEOUT_MS);
    withDatabase(path, (database) => {
      database.exec('BEGIN IMMEDIATE');
      database.exec('ROLLBACK');
    });
  } catch (error) {
    throw new CheckFailure(
      reason(error),
      `give it to the user that runs the bot (${chownCommand(folder)}), end what locks it, or restore it from a backup`,
    );
  }
  const newer = migrationsIn(path).find((name) => !(name in MIGRATIONS));
  if (newer !== undefined) {
    throw new CheckFailure(
      `${path} was written by a newer version of the bot (${newer})`,
      'run that version, or restore a backup from before it',
    );
  }
  return `${path} is whole and can be written`;
}

/**
 * Whether all that sealed the data is at hand.
 * @param keyFile where the key is without ENCRYPTION_KEY
 */
export async function checkEncryption(
  { storeUrl, encryptionKey }: StoreConfig,
  keyFile = `${storePath(storeUrl)}.key`,
): Promise<string> {
  const path = storePath(storeUrl);
  const wanted = (await exists(path)) ? idsIn(path) : [];
  const inFile = encryptionKey === undefined ? await readKey(keyFile) : undefined;
  const keys = encryptionKey?.map((key) => Buffer.from(key.reveal(), 'base64')) ?? (inFile ? [inFile] : []);
  if (keys.length === 0 && wanted.length === 0) return `${keyFile} will be made at the first start`;
  const ids = keys.map(keyId);
  const missing = wanted.find((id) => !ids.includes(id));
  if (missing !== undefined) {
    throw new CheckFailure(
      keys.length === 0
        ? `${keyFile} is missing`
        : `the data was encrypted with another key (its id is ${missing})`,
      `put ${keyFile} back, or set ENCRYPTION_KEY to the key that the data was encrypted with, behind a new one if you changed it`,
    );
  }
  if (inFile && (await isOpenToOthers(keyFile))) {
    throw new CheckFailure(`others may read ${keyFile}`, `chmod 600 ${keyFile}`);
  }
  return inFile ? `${keyFile} opens the data; keep a copy of it` : 'ENCRYPTION_KEY opens the data';
}

export async function checkDisk({ storeUrl }: StoreConfig): Promise<string> {
  const path = storePath(storeUrl);
  const folder = await nearestFolder(path);
  const { bavail, bsize } = await statfs(folder);
  const size = (await exists(path)) ? (await stat(path)).size : 0;
  const free = bavail * bsize;
  const mebibytes = (bytes: number) => `${Math.floor(bytes / 1024 / 1024)} MiB`;
  if (free >= LEAST_FREE + size) return `${mebibytes(free)} are free`;
  throw new CheckFailure(
    `only ${mebibytes(free)} are free where ${path} is`,
    `make room: ${mebibytes(LEAST_FREE + size)} are needed`,
  );
}

async function readKey(keyFile: string): Promise<Buffer | undefined> {
  try {
    return await readKeyFile(keyFile);
  } catch (error) {
    throw new CheckFailure(
      reason(error),
      `put the right ${keyFile} back, readable by the user that runs the bot`,
    );
  }
}

function withDatabase<Result>(
  path: string,
  task: (database: DatabaseSync) => Result,
  readOnly = false,
): Result {
  const database = new DatabaseSync(path, { readOnly, timeout: BUSY_TIMEOUT_MS });
  try {
    return task(database);
  } finally {
    database.close();
  }
}

/** A column of the rows of a query, or nothing where its table is not there yet. */
function column(path: string, table: string, sql: string): readonly string[] {
  return withDatabase(
    path,
    (database) => {
      const has = database
        .prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?")
        .get(table);
      return has
        ? database
            .prepare(sql)
            .all()
            .map(({ value }) => String(value))
        : [];
    },
    true,
  );
}

const migrationsIn = (path: string) =>
  column(path, 'kysely_migration', 'SELECT name AS value FROM kysely_migration');
function idsIn(path: string): readonly string[] {
  try {
    const keys = column(path, 'keyv', `SELECT key AS value FROM keyv WHERE key LIKE '${PROOF}%'`);
    return keys.map((key) => key.slice(PROOF.length));
  } catch (error) {
    throw new CheckFailure(`the data cannot be read: ${reason(error)}`, 'see "Store"');
  }
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

/** The folder of the file, or the one that it would be made in. */
async function nearestFolder(path: string): Promise<string> {
  for (let folder = resolve(dirname(path)); ; folder = dirname(folder)) {
    if ((await exists(folder)) || folder === dirname(folder)) return folder;
  }
}

/** Tried and not asked for: rights are not all that can be in the way. */
async function needWritable(folder: string): Promise<void> {
  try {
    const made = await mkdtemp(join(folder, '.doctor-'));
    await rm(made, { recursive: true });
  } catch (error) {
    throw new CheckFailure(`${folder} cannot be written: ${reason(error)}`, chownCommand(folder));
  }
}
