import { open, readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Kysely } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { reason } from './database-file.ts';
import { createDialect } from './dialect.ts';
import type { Statements } from './statements.ts';
import { StoreError } from './store.ts';

/** How long the copy from before a migration stays, in milliseconds: 7 days. */
const COPY_KEPT_MS = 7 * 86_400_000;

export interface MigrateDeps {
  /** The file. */
  readonly path: string;
  readonly statements: Statements;
  readonly migrations: Readonly<Record<string, Migration>>;
}

/**
 * Brings the tables to the present shape. Of a store that has data a copy is made before, beside it.
 * @throws StoreError when a newer version has written the store; nothing is changed
 */
export async function migrate({ path, statements, migrations }: MigrateDeps): Promise<void> {
  const db = new Kysely<{ readonly kysely_migration: { readonly name: string } }>({
    dialect: createDialect(statements),
  });
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } });

  const tables = await db.introspection.getTables();
  const hasMigrated = (await db.introspection.getTables({ withInternalKyselyTables: true })).some(
    ({ name }) => name === 'kysely_migration',
  );
  const done = hasMigrated ? await db.selectFrom('kysely_migration').select('name').execute() : [];
  const unknown = done.find(({ name }) => !(name in migrations));
  if (unknown) throw new StoreError(newer(path, unknown.name));

  const [next] = (await migrator.getMigrations()).filter(({ executedAt }) => !executedAt);
  if (next && tables.length > 0) await copyStore(path, `${path}${BEFORE}${next.name}`, statements);
  for (let isDone = false; !isDone; ) {
    isDone = await statements.transaction(async () => {
      const { error, results = [] } = await migrator.migrateUp();
      if (error) throw new StoreError(`cannot migrate ${path}: ${reason(error)}`, { cause: error });
      return results.length === 0;
    });
  }
}

const BEFORE = '.before-';

/** Complete and readable by its owner only, or not there at all. */
async function copyStore(path: string, copy: string, statements: Statements): Promise<void> {
  try {
    await rm(copy, { force: true });
    const file = await open(copy, 'wx', 0o600);
    try {
      // Into an empty file that is there already, with the rights that it has.
      await statements.alone((database) => database.prepare('VACUUM INTO ?').run(copy));
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (cause) {
    await rm(copy, { force: true }).catch(() => undefined);
    throw new StoreError(`cannot copy ${path} before it is migrated: ${reason(cause)}`, { cause });
  }
}

/** Removes the copies from before migrations: those of more than 7 days ago, or every one. */
export async function removeCopies(path: string, which: 'old' | 'all'): Promise<void> {
  const folder = dirname(path);
  const names = (await readdir(folder)).filter((name) => name.startsWith(basename(path) + BEFORE));
  for (const copy of names.map((name) => join(folder, name))) {
    const age = Date.now() - (await stat(copy)).mtimeMs;
    if (which === 'all' || age > COPY_KEPT_MS) await rm(copy, { force: true });
  }
}

function newer(path: string, name: string): string {
  return (
    `the database ${path} was written by a newer version of the bot (it has "${name}"). Nothing was changed: ` +
    'start that version again, or put back the copy from before it.'
  );
}
