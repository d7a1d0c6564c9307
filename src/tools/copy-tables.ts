import { existsSync } from 'node:fs';
import { type Kysely, sql } from 'kysely';
import { startInOrder } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import { openEncrypted } from '../operations/re-encryption.ts';
import { countOf } from '../storage/count.ts';
import { createEncryption } from '../storage/encryption.ts';
import { keysAtHand, usedKeyIdsOf } from '../storage/encryption-key.ts';
import { createStoreLock } from '../storage/lock.ts';
import { DATABASE_OIDS_KEY } from '../storage/postgres-database.ts';
import { createStore, type Store, WRITE_TEST_KEY } from '../storage/store.ts';
import { StoreError } from '../storage/store-error.ts';
import type { Tables } from '../storage/tables.ts';
import type { StoreUrl } from '../store-url.ts';
import type { Secret } from '../text/secret.ts';

/** Values are copied separately. Leases, jobs and key tests aren't copied. */
const PRIMARY_KEYS_BY_TABLE: Readonly<
  Record<Exclude<keyof Tables, 'leases' | 'jobs' | 'key_trials' | 'keyv'>, readonly string[]>
> = {
  interactions: ['id'],
  drafts: ['id'],
  choices: ['draft_id'],
  blocks: ['id'],
  submissions: ['id'],
  servers: ['submission_id', 'position'],
  used: ['guild_id'],
  guild_departures: ['guild_id'],
  direct_message_channels: ['user_id'],
};
/** Each store writes these values at startup. */
const UNCOPIED_KEYS = [WRITE_TEST_KEY, DATABASE_OIDS_KEY];
/** SQLite allows 32,766 values in a statement. */
const ROWS_PER_STATEMENT = 500;

export interface CopyDeps {
  readonly from: StoreUrl;
  readonly to: StoreUrl;
  readonly encryptionKey: readonly Secret[];
  readonly logger: Logger;
}

export interface CopyResult {
  /** The number of copied rows, keyed by table, and the number of copied values as `values`. */
  readonly counts: Readonly<Record<string, number>>;
  /** The names of encrypted values that the given keys can't decrypt, for example because a record was damaged. */
  readonly unreadable: readonly string[];
}

/**
 * Copies all data from one database to another, which must be empty. No bot may be using either database. The source's
 * data isn't changed.
 * @throws StoreError or EncryptionKeyError with the reason, in which case the target remains empty
 */
export async function copyStore({ from, to, encryptionKey, logger }: CopyDeps): Promise<CopyResult> {
  if (from.kind === 'sqlite' && !existsSync(from.path)) {
    throw new StoreError(`there is no database at ${from.path}`);
  }
  // Suppresses warnings. The single transaction can take minutes, but it isn't holding up anything else.
  const quiet = { ...logger, warn: () => undefined };
  // The source isn't migrated, because the operator might go back to an older version of the bot.
  const source = createStore({ url: from, logger: quiet, isUnhurried: true, mayMigrate: false });
  const target = createStore({ url: to, logger: quiet, isUnhurried: true });
  const locks = [from, to].map((url) => createStoreLock({ url, logger }));
  const parts = startInOrder([...locks, source, target], logger);
  await parts.start();
  try {
    const usedKeyIds = await usedKeyIdsOf(source.values);
    const keys = await keysAtHand({ configured: encryptionKey, keyFile: undefined, usedKeyIds });
    const counts = await target.inGuild('every guild', () => copyTablesAndValues(source, target, to));
    return { counts, unreadable: await openEncrypted(target, createEncryption(keys)) };
  } finally {
    await parts.stop();
  }
}

/** Must be called inside a transaction on the target. */
async function copyTablesAndValues(
  source: Store,
  target: Store,
  to: StoreUrl,
): Promise<CopyResult['counts']> {
  let before = (await keysOf(target)).length;
  for (const table of Object.keys(PRIMARY_KEYS_BY_TABLE)) before += await rowsIn(target, table);
  if (before > 0) {
    const another =
      to.kind === 'sqlite'
        ? 'choose the path of a new file'
        : 'create another one with createdb, and use its URL';
    throw new StoreError(`the target database ${to.name} is not empty. Nothing was copied: ${another}`);
  }
  const counts: Record<string, number> = {};
  for (const [table, primaryKey] of Object.entries(PRIMARY_KEYS_BY_TABLE)) {
    for await (const rows of pagesOf(source, table, primaryKey)) {
      await untyped(target).insertInto(table).values(rows).execute();
    }
    const copied = await rowsIn(target, table);
    const there = await rowsIn(source, table);
    if (copied !== there) {
      throw new StoreError(`copied only ${copied} of ${there} rows of ${table}; rolled back, try again`);
    }
    counts[table] = copied;
  }
  const keys = await keysOf(source);
  for (const key of keys) await target.values.set(key, await source.values.get(key));
  return { ...counts, values: keys.length };
}

const keysOf = async ({ values }: Store): Promise<readonly string[]> =>
  (await values.keys('')).filter((key) => !UNCOPIED_KEYS.includes(key));

type Row = Readonly<Record<string, unknown>>;

/** Returns the tables without their types, for loops over table and column names. */
const untyped = (store: Store) => store.tables() as object as Kysely<Record<string, Row>>;

const rowsIn = (store: Store, table: string): Promise<number> => countOf(untyped(store).selectFrom(table));

async function* pagesOf(store: Store, table: string, primaryKey: readonly string[]): AsyncGenerator<Row[]> {
  const columns = sql.join(primaryKey.map((column) => sql.ref(column)));
  let after = sql``;
  for (;;) {
    const page = sql<Row>`select * from ${sql.table(table)} ${after} order by ${columns} limit ${ROWS_PER_STATEMENT}`;
    const { rows } = await page.execute(store.tables());
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    after = sql`where (${columns}) > (${sql.join(primaryKey.map((column) => last[column]))})`;
  }
}
