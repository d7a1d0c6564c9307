import { Keyv } from 'keyv';
import { CompiledQuery, Kysely, sql } from 'kysely';
import type { Logger } from '../logger.ts';
import { createInOrder } from '../pacing/in-order.ts';
import { clearTextWarning, type PostgresUrl } from '../store-url.ts';
import { AFTER_A_RESTORE, type Database } from './database.ts';
import { migrate, rejectOtherShape, rejectUnknown } from './migrations.ts';
import { checkSession } from './postgres-session.ts';
import { cannotUsePostgres, LockedGuildError, reason, StoreError } from './store-error.ts';
import type { Tables } from './tables.ts';

/** An arbitrary number that must never change. */
const MIGRATION_LOCK_ID = 3_728_115_201;
/** The process's lease uses a separate connection. */
const POOL_SIZE = 10;

export interface PostgresDatabaseDeps extends PostgresUrl {
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly isUnhurried: boolean;
}

/** Creates a PostgreSQL database. Several processes can use it at the same time. */
export function createPostgresDatabase({ url, name, logger, isUnhurried }: PostgresDatabaseDeps): Database {
  /** Limits each guild to one connection. Otherwise, 20 button presses in one guild could use up the pool while waiting. */
  const changes = createInOrder();
  const onIdleConnectionLost = (error: Error) =>
    logger.warn({ database: name, reason: reason(error) }, 'a connection to the database was lost');

  async function connect(connections: number, hasTime = false): Promise<Kysely<Tables>> {
    // Imported lazily, because a bot on SQLite doesn't need the driver. Loading it takes 30 ms and 12 MiB (measured).
    const { postgresDialect } = await import('./postgres.ts');
    return new Kysely({
      dialect: postgresDialect({ url, onIdleConnectionLost, connections, isUnhurried: hasTime }),
    });
  }

  return {
    path: undefined,
    name,
    // `now()` can't be used, because it returns the start time of the transaction.
    clock: sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`,
    async prepare(mayMigrate) {
      const warning = clearTextWarning({ url, name });
      if (warning) logger.warn({ database: name }, `${warning.text}: ${warning.fix}`);
      // The lock belongs to the pool's only connection, and is released when that connection is closed.
      await using db = await connect(1, true);
      const lockTables = sql`select pg_advisory_lock(${sql.lit(MIGRATION_LOCK_ID)})`;
      await lockTables.execute(db).catch((cause: unknown) => {
        throw cannotUsePostgres(name, cause);
      });
      await checkSession(db, { name, isUnhurried: true });
      const migrations = await migrationsIn(db);
      rejectUnknown(name, migrations);
      if (!mayMigrate) rejectOtherShape(name, migrations);
      await migrate(db, migrations, logger).catch((cause: unknown) => {
        // Kysely throws its own error if the server restarts.
        throw cause instanceof StoreError ? cause : cannotUsePostgres(name, cause);
      });
      await makeKeyvTable(db);
      await noticeRestore(db);
    },
    open: () => (isUnhurried ? connect(1, true) : connect(POOL_SIZE)),
    openApart: () => connect(1),
    async openBeside() {
      const db = await connect(1);
      let hasTables = false;
      try {
        await checkSession(db, { name, isUnhurried: false });
        const migrations = await migrationsIn(db);
        rejectUnknown(name, migrations);
        hasTables = migrations.length > 0;
        return hasTables ? db : undefined;
      } finally {
        if (!hasTables) await db.destroy();
      }
    },
    openKeyv: async (tables) => new Keyv({ store: keyvRows(tables), serialization: JSON }),
    transaction(db, { guildId, unsynced, ifFree }, change) {
      const run = () =>
        db()
          .transaction()
          .execute(async (own) => {
            await (ifFree ? lockIfFree(own, guildId) : lock(own, guildId));
            if (unsynced) await sql`set local synchronous_commit = off`.execute(own);
            return change(own);
          });
      return ifFree ? run() : changes.run(guildId, run);
    },
    unsynced: (db, _name, write) => write(db()),
    // Not needed, because the server's autovacuum removes deleted data.
    cutLog: async () => undefined,
    cannotOpen: async (cause) => cannotUsePostgres(name, cause),
  };
}

/** Waits for the guild's advisory lock, which excludes other {@link Database.transaction}s until this one ends. */
async function lock(own: Kysely<Tables>, guildId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${guildId}, 0))`.execute(own);
}

/** @throws LockedGuildError if another transaction holds the lock */
async function lockIfFree(own: Kysely<Tables>, guildId: string): Promise<void> {
  const { rows } = await sql<{ isFree: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${guildId}, 0)) as "isFree"`.execute(own);
  if (!rows[0]?.isFree) throw new LockedGuildError('another transaction of the guild is under way');
}

async function migrationsIn(db: Kysely<Tables>): Promise<readonly string[]> {
  const found = await sql<{ isThere: boolean }>`
    select to_regclass('kysely_migration') is not null as "isThere"`.execute(db);
  if (!found.rows[0]?.isThere) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  return rows.map((row) => row.name);
}

/** Creates the same table as `@keyv/sqlite`. Keys are sorted by their bytes, as in SQLite. */
async function makeKeyvTable(db: Kysely<Tables>): Promise<void> {
  await sql`
    create table if not exists keyv (
      key varchar(255) collate "C" not null,
      value text,
      namespace varchar(255) not null default '',
      expires bigint default null,
      unique (key, namespace)
    )`.execute(db);
}

/** The value holds the oids of the database and one of its tables. Restoring a backup changes both oids. */
export const DATABASE_OIDS_KEY = 'store:place';

/** Detects a restore with `pg_restore`, and prepares the database as `npm run restore` does for SQLite. */
async function noticeRestore(db: Kysely<Tables>): Promise<void> {
  await db.transaction().execute(async (own) => {
    const { rows } = await sql<{ database: number; table: number }>`
      select oid as database, 'interactions'::regclass::oid as table
      from pg_database where datname = current_database()`.execute(own);
    const [{ database, table } = {}] = rows;
    const place = JSON.stringify({ value: `${database} ${table}` });
    const values = keyvRows(() => own);
    const before = await values.get(DATABASE_OIDS_KEY);
    if (before === place) return;
    if (before !== undefined) {
      for (const statement of AFTER_A_RESTORE) await own.executeQuery(CompiledQuery.raw(statement));
    }
    await values.set(DATABASE_OIDS_KEY, place);
  });
}

/** Stores rows in the same format as `@keyv/sqlite`. */
function keyvRows(tables: () => Kysely<Tables>) {
  return {
    async get(key: string) {
      const row = await tables()
        .selectFrom('keyv')
        .select('value')
        .where('key', '=', key)
        .where('namespace', '=', '')
        .executeTakeFirst();
      return row?.value ?? undefined;
    },
    async set(key: string, value: string) {
      await tables()
        .insertInto('keyv')
        .values({ key, value, namespace: '' })
        .onConflict((conflict) => conflict.columns(['key', 'namespace']).doUpdateSet({ value }))
        .execute();
      return true;
    },
    async delete(key: string) {
      const { numDeletedRows } = await tables()
        .deleteFrom('keyv')
        .where('key', '=', key)
        .where('namespace', '=', '')
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    /** Never called, but required in every Keyv adapter. */
    async clear() {
      await tables().deleteFrom('keyv').where('namespace', '=', '').execute();
    },
  };
}
