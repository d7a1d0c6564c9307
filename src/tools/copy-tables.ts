import { existsSync } from 'node:fs';
import { type Kysely, sql } from 'kysely';
import { inOrder } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import { openEncrypted } from '../operations/re-encryption.ts';
import type { Secret } from '../secret.ts';
import { countOf } from '../storage/count.ts';
import { createEncryption } from '../storage/encryption.ts';
import { keysAtHand, usedKeysOf } from '../storage/encryption-key.ts';
import { createStoreLock } from '../storage/lock.ts';
import { PLACE } from '../storage/postgres-database.ts';
import { createStore, type Store, WRITE_TEST } from '../storage/store.ts';
import { StoreError } from '../storage/store-error.ts';
import type { Tables } from '../storage/tables.ts';
import type { StoreUrl } from '../store-url.ts';

/** The tables that are copied, with their primary keys. Values are copied by themselves; leases are not, since no process is alive. */
const TABLES: Readonly<Record<Exclude<keyof Tables, 'leases' | 'jobs' | 'keyv'>, readonly string[]>> = {
  interactions: ['id'],
  documents: ['id'],
  submissions: ['id'],
  servers: ['submission_id', 'position'],
  used: ['guild_id'],
  guild_departures: ['guild_id'],
};
/** Values that a store writes for itself at its start. */
const OWN_VALUES = [WRITE_TEST, PLACE];
/** Rows in one statement; SQLite takes 32,766 values. */
const ROWS_AT_ONCE = 500;

export interface CopyDeps {
  readonly from: StoreUrl;
  readonly to: StoreUrl;
  readonly encryptionKey: readonly Secret[];
  readonly logger: Logger;
}

export interface Copied {
  /** Rows, by table. */
  readonly counts: Readonly<Record<string, number>>;
  /** Sealed values that the keys at hand do not open, such as a record that was damaged before. */
  readonly unreadable: readonly string[];
}

/**
 * Copies everything that one database holds into another, which has to be empty; no bot may run on either. The first
 * stays as it is.
 * @throws StoreError or EncryptionKeyError saying why not; nothing was copied then
 */
export async function copyStore({ from, to, encryptionKey, logger }: CopyDeps): Promise<Copied> {
  if (from.kind === 'sqlite' && !existsSync(from.path)) {
    throw new StoreError(`there is no database at ${from.path}`);
  }
  // The one transaction may take minutes, but nobody waits for it.
  const quiet = { ...logger, warn: () => undefined };
  // An older version of the bot may be started on the first database again.
  const source = createStore({ url: from, logger: quiet, isUnhurried: true, mayMigrate: false });
  const target = createStore({ url: to, logger: quiet, isUnhurried: true });
  const locks = [from, to].map((url) => createStoreLock({ url, logger }));
  const parts = inOrder([...locks, source, target], logger);
  await parts.start();
  try {
    const usedKeys = await usedKeysOf(source.values);
    const keys = await keysAtHand({ configured: encryptionKey, keyFile: undefined, usedKeys });
    for (const store of [source, target]) {
      for (const value of OWN_VALUES) await store.values.delete(value);
    }
    const counts = await target.inGuild('every guild', () => copyTables(source, target));
    return { counts, unreadable: await openEncrypted(target, createEncryption(keys)) };
  } finally {
    await parts.stop();
  }
}

/** Called inside of a transaction of the target. */
async function copyTables(source: Store, target: Store): Promise<Copied['counts']> {
  let before = (await target.values.keys('')).length;
  for (const table of Object.keys(TABLES)) before += await rowsIn(target, table);
  if (before > 0) throw new StoreError('the database to copy to is not empty');
  const counts: Record<string, number> = {};
  for (const [table, primaryKey] of Object.entries(TABLES)) {
    for await (const rows of pagesOf(source, table, primaryKey)) {
      await untyped(target).insertInto(table).values(rows).execute();
    }
    const copied = await rowsIn(target, table);
    const there = await rowsIn(source, table);
    if (copied !== there) {
      throw new StoreError(`of ${there} rows of ${table} ${copied} were copied, so nothing was: try again`);
    }
    counts[table] = copied;
  }
  const keys = await source.values.keys('');
  for (const key of keys) await target.values.set(key, await source.values.get(key));
  return { ...counts, values: keys.length };
}

type Row = Readonly<Record<string, unknown>>;

/** The tables without their types, for loops over names and columns. */
const untyped = (store: Store) => store.tables() as object as Kysely<Record<string, Row>>;

const rowsIn = (store: Store, table: string): Promise<number> => countOf(untyped(store).selectFrom(table));

/** All rows of a table, {@link ROWS_AT_ONCE} at a time. */
async function* pagesOf(store: Store, table: string, primaryKey: readonly string[]): AsyncGenerator<Row[]> {
  const columns = sql.join(primaryKey.map((column) => sql.ref(column)));
  let after = sql``;
  for (;;) {
    const page = sql<Row>`select * from ${sql.table(table)} ${after} order by ${columns} limit ${ROWS_AT_ONCE}`;
    const { rows } = await page.execute(store.tables());
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    after = sql`where (${columns}) > (${sql.join(primaryKey.map((column) => last[column]))})`;
  }
}
