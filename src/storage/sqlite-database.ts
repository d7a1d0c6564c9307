import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { KeyvSqlite } from '@keyv/sqlite';
import { Keyv } from 'keyv';
import { CompiledQuery, Kysely, sql } from 'kysely';
import type { Logger } from '../logger.ts';
import type { Database } from './database.ts';
import { cannotWrite, checkFile, hasTable, prepareFile, rejectLostFile } from './database-file.ts';
import { migrate, rejectOtherShape } from './migrations.ts';
import { BUSY_TIMEOUT_MS, openFile, sqliteDialect } from './sqlite.ts';
import type { Tables } from './tables.ts';

const TOOL_BUSY_TIMEOUT_MS = 10_000;

export interface SqliteDatabaseDeps {
  readonly path: string;
  readonly logger: Pick<Logger, 'info'>;
  readonly isUnhurried?: boolean;
}

/** Creates a SQLite database. Kysely has a single connection to it, so writes happen one after another. */
export function createSqliteDatabase({ path, logger, isUnhurried = false }: SqliteDatabaseDeps): Database {
  const busyTimeoutMs = isUnhurried ? TOOL_BUSY_TIMEOUT_MS : BUSY_TIMEOUT_MS;
  let appliedMigrations: readonly string[] = [];

  const unsynced: Database['unsynced'] = (db, name, write) =>
    db()
      .connection()
      .execute(async (connection) => {
        const pragma = (text: string) =>
          connection.executeQuery(CompiledQuery.raw(`pragma synchronous = ${text}`));
        // The comment shows the write's name in traces.
        await pragma(`normal /* ${name} */`);
        try {
          return await write(connection);
        } finally {
          await pragma('full');
        }
      });

  return {
    path,
    name: path,
    clock: sql<number>`cast(unixepoch('subsec') * 1000 as integer)`,
    async prepare(mayMigrate) {
      await prepareFile(path);
      appliedMigrations = await checkFile(path);
      rejectLostFile(path, appliedMigrations);
      if (!mayMigrate) rejectOtherShape(path, appliedMigrations);
    },
    async open() {
      const db = new Kysely<Tables>({ dialect: sqliteDialect(openFile(path, busyTimeoutMs)) });
      try {
        await migrate(db, appliedMigrations, logger);
        return db;
      } catch (error) {
        await db.destroy();
        throw error;
      }
    },
    openApart: async (db) => db,
    async openBeside() {
      if (!existsSync(path)) return undefined;
      const database = new DatabaseSync(path, { readOnly: true, timeout: TOOL_BUSY_TIMEOUT_MS });
      const db = new Kysely<Tables>({ dialect: sqliteDialect(database) });
      if (hasTable(database, 'keyv')) return db;
      await db.destroy();
      return undefined;
    },
    async openKeyv(tables) {
      const query = async (sql: string, ...parameters: unknown[]) =>
        (await tables().executeQuery(CompiledQuery.raw(sql, parameters))).rows;
      const adapter = new KeyvSqlite({
        driver: { name: 'custom', connect: async () => ({ query, close: async () => undefined }) },
      });
      // Without this listener, a failing `set` would return `false` without giving a reason.
      adapter.on('error', (error: Error) => {
        throw error;
      });
      // The table must exist before the first transaction. If a transaction created it, a rollback would remove it again.
      await adapter.ready;
      return new Keyv({ store: adapter, serialization: JSON });
    },
    transaction(db, { unsynced: name }, change) {
      if (name === undefined) return db().transaction().execute(change);
      // `synchronous` can't be changed inside a transaction (SQLite docs: PRAGMA synchronous).
      return unsynced(db, name, (connection) => connection.transaction().execute(change));
    },
    unsynced,
    async cutLog(db) {
      const isCut = await db.connection().execute((connection) => cutLogOf(connection, busyTimeoutMs));
      if (!isCut) throw new Error('another process is reading it');
    },
    cannotOpen: (cause) => cannotWrite(path, cause),
  };
}

/** @returns false if the log wasn't truncated, because another process was reading it */
async function cutLogOf(connection: Kysely<Tables>, busyTimeoutMs: number): Promise<boolean> {
  const pragma = async (text: string) =>
    (await connection.executeQuery(CompiledQuery.raw(`pragma ${text}`))).rows;
  // A backup may be reading the log for several seconds. Waiting for it would block the whole bot.
  await pragma('busy_timeout = 0');
  try {
    const [row] = await pragma('wal_checkpoint(truncate)');
    return Object(row).busy === 0;
  } finally {
    await pragma(`busy_timeout = ${busyTimeoutMs}`);
  }
}
