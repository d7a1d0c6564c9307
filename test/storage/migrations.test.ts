import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import {
  DummyDriver,
  Kysely,
  type SchemaModule,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely';
import type { Migration } from 'kysely/migration';
import { describe, expect, it } from 'vitest';
import { SILENT } from '../../src/logger.ts';
import { column, withDatabaseFile } from '../../src/storage/database-file.ts';
import { MIGRATIONS, migrate } from '../../src/storage/migrations.ts';
import { openFile, sqliteDialect } from '../../src/storage/sqlite.ts';
import type { Tables } from '../../src/storage/tables.ts';
import { folder } from '../support/machine.ts';
import { NEXT_VERSION } from '../support/next-version.ts';

/** A future migration. If only half of it had been applied, no version could read the data correctly. */
const TOMORROW: typeof MIGRATIONS = {
  ...MIGRATIONS,
  '9.0-of-next-year': {
    async up(db) {
      await db.schema.alterTable('jobs').renameColumn('process_id', 'process').execute();
      await db.schema.alterTable('jobs').addColumn('begun', 'integer').execute();
      await db.updateTable('jobs').set({ begun: 1 }).execute();
      await db.schema.createIndex('jobs_by_process').on('jobs').column('process').execute();
    },
  },
};

const newPath = () => join(folder(), 'bot.sqlite');

/** @param onOpen called with the database before the migration */
async function migrateFile(
  path: string,
  migrations: typeof MIGRATIONS,
  onOpen: (database: DatabaseSync) => void = () => undefined,
): Promise<void> {
  const database = openFile(path);
  onOpen(database);
  const db = new Kysely<Tables>({ dialect: sqliteDialect(database) });
  await migrate(db, [], SILENT, migrations).finally(() => db.destroy());
}

/** Returns every table and index in a file, and the rows of the table that the future migration changes. */
const contentOf = (path: string) =>
  withDatabaseFile(path, (database) => ({
    shape: database.prepare('SELECT sql FROM sqlite_schema ORDER BY name').all(),
    rows: database.prepare('SELECT * FROM jobs').all(),
  }));

describe.each([
  ['first', undefined, MIGRATIONS],
  ['second', MIGRATIONS, TOMORROW],
])('the %s SQLite migration', (_, before, after) => {
  /** Returns the path of a file from the previous version, if there is one. */
  async function newFile(): Promise<string> {
    const path = newPath();
    if (before === undefined) return path;
    await migrateFile(path, before);
    // Removes free pages. Otherwise a migration would fill them before the disk is full.
    const fill = "VACUUM; INSERT INTO jobs VALUES ('a job', 'a process', 1)";
    withDatabaseFile(path, (database) => database.exec(fill), true);
    return path;
  }

  async function wholeContent() {
    const path = await newFile();
    await migrateFile(path, after);
    return contentOf(path);
  }

  it('completes on the next start if killed between two statements', async () => {
    const path = await newFile();
    const killed: string[] = [];
    await migrateFile(path, after, (database) => {
      const prepare = database.prepare.bind(database);
      // If a process is killed before a statement, the files stay as they are at that point.
      database.prepare = (...statement) => {
        const copy = newPath();
        for (const suffix of ['', '-wal'].filter((each) => existsSync(path + each))) {
          copyFileSync(path + suffix, copy + suffix);
        }
        killed.push(copy);
        return prepare(...statement);
      };
    });
    const whole = await wholeContent();
    expect(killed.length).toBeGreaterThan(5);
    for (const copy of killed) {
      await migrateFile(copy, after);
      expect(contentOf(copy)).toEqual(whole);
    }
  });

  it('completes on the next start if the disk was full', async () => {
    const whole = await wholeContent();
    let failures = 0;
    for (let pages = 0; ; pages += 1) {
      const path = await newFile();
      const refusal = await migrateFile(path, after, (database) => {
        const [count] = column(database, 'PRAGMA page_count');
        database.exec(`PRAGMA max_page_count = ${Number(count) + pages}`);
      }).catch(String);
      await migrateFile(path, after);
      expect(contentOf(path)).toEqual(whole);
      if (refusal === undefined) break;
      expect(refusal).toContain('database or disk is full');
      failures += 1;
    }
    expect(failures).toBeGreaterThan(0);
  });
});

/** Lists the changes in a migration that would break or block a process of the previous version. */
async function harmIn(migration: Migration): Promise<readonly string[]> {
  const statements: string[] = [];
  const db = new Kysely({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (own) => new SqliteIntrospector(own),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
    log: ({ query }) => void statements.push(query.sql),
  });
  await migration.up(db);
  const made = new Set<string>();
  return statements.filter((statement) => {
    const [, table] = /^create table "(\w+)"/.exec(statement) ?? [];
    if (table !== undefined) made.add(table);
    const [, indexed = ''] = /^create (?:unique )?index .*? on "(\w+)"/.exec(statement) ?? [];
    const isNullableColumn = /^alter table "\w+" add column "\w+" \w+$/.test(statement);
    const isOwnTable = table !== undefined && !statement.includes(' references ');
    return !(isNullableColumn || isOwnTable || made.has(indexed));
  });
}

describe('a compatible migration', () => {
  const compatible = Object.entries({ ...MIGRATIONS, ...NEXT_VERSION }).filter(([name]) =>
    name.endsWith('-compatible'),
  );

  it.each(compatible)('only adds tables, their indexes and nullable columns: %s', async (_, migration) => {
    expect(await harmIn(migration)).toEqual([]);
  });

  it.each<[string, (schema: SchemaModule) => { execute(): Promise<unknown> }]>([
    [
      'a column that requires a value',
      (schema) => schema.alterTable('jobs').addColumn('a', 'text', (a) => a.notNull()),
    ],
    [
      'a column with a default',
      (schema) => schema.alterTable('jobs').addColumn('a', 'text', (a) => a.defaultTo('')),
    ],
    ['a renamed column', (schema) => schema.alterTable('jobs').renameColumn('process_id', 'process')],
    ['a dropped column', (schema) => schema.alterTable('jobs').dropColumn('process_id')],
    ['a dropped table', (schema) => schema.dropTable('jobs')],
    ['an index on an existing table', (schema) => schema.createIndex('a').on('servers').column('message')],
    ['a dropped index', (schema) => schema.dropIndex('servers_by_time')],
    [
      'a table that prevents deletions in others',
      (schema) => schema.createTable('a').addColumn('id', 'text', (id) => id.references('jobs.name')),
    ],
  ])("can't contain %s", async (_, change) => {
    const migration: Migration = { up: async (db) => void (await change(db.schema).execute()) };
    expect(await harmIn(migration)).toHaveLength(1);
  });

  it("can't change rows", async () => {
    const migration: Migration = {
      up: async (db) => void (await sql`update jobs set until = 0`.execute(db)),
    };
    expect(await harmIn(migration)).toHaveLength(1);
  });
});
