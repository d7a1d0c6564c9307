import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { KeyvSqlite } from '@keyv/sqlite';
import { Keyv } from 'keyv';
import { CompiledQuery, Kysely, sql } from 'kysely';
import type { Database } from './database.ts';
import { cannotWrite, checkFile, hasTable, prepareFile } from './database-file.ts';
import { migrate, rejectOtherShape } from './migrations.ts';
import { BUSY_TIMEOUT_MS, openFile, sqliteDialect } from './sqlite.ts';
import type { Tables } from './tables.ts';

/** How long a tool waits while the running bot has the file locked, in milliseconds. */
const BESIDE_TIMEOUT_MS = 10_000;

/** Creates a SQLite database. Kysely has one connection to it, so writes happen one after another. */
export function createSqliteDatabase(path: string): Database {
  /** The migrations that had already been applied when the bot started. */
  let found: readonly string[] = [];

  return {
    path,
    name: path,
    clock: sql<number>`cast(unixepoch('subsec') * 1000 as integer)`,
    async prepare(mayMigrate) {
      await prepareFile(path);
      found = await checkFile(path);
      if (!mayMigrate) rejectOtherShape(path, found);
    },
    async open() {
      const db = new Kysely<Tables>({ dialect: sqliteDialect(openFile(path)) });
      try {
        await migrate(db, found);
        return db;
      } catch (error) {
        await db.destroy();
        throw error;
      }
    },
    openApart: async (db) => db,
    async openBeside(isWritten) {
      if (!existsSync(path)) return undefined;
      const database = new DatabaseSync(path, { readOnly: !isWritten, timeout: BESIDE_TIMEOUT_MS });
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
      // Without this listener, a failed `set` would return `false` without a reason.
      adapter.on('error', (error: Error) => {
        throw error;
      });
      // If a transaction created the table, a rollback would remove it.
      await adapter.ready;
      return new Keyv({ store: adapter, serialization: JSON });
    },
    transaction: (db, { synced }, change) =>
      db()
        .connection()
        .execute(async (connection) => {
          // The level can't be changed inside a transaction (SQLite docs: PRAGMA synchronous).
          const sync = (level: string) =>
            connection.executeQuery(CompiledQuery.raw(`pragma synchronous = ${level}`));
          if (synced) await sync('full');
          try {
            return await connection.transaction().execute(change);
          } finally {
            if (synced) await sync('normal');
          }
        }),
    async cutLog(db) {
      const isCut = await db.connection().execute(cutLogOf);
      if (!isCut) throw new Error('another process is reading it');
    },
    cannotOpen: (cause) => cannotWrite(path, cause),
  };
}

/** Truncates the log. @returns false if another process was reading it */
async function cutLogOf(connection: Kysely<Tables>): Promise<boolean> {
  const pragma = async (text: string) =>
    (await connection.executeQuery(CompiledQuery.raw(`pragma ${text}`))).rows;
  // A backup may read the log for seconds. Waiting for it would block the whole bot.
  await pragma('busy_timeout = 0');
  try {
    const [row] = await pragma('wal_checkpoint(truncate)');
    return Object(row).busy === 0;
  } finally {
    await pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }
}
