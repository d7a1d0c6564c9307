import { open, readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import type { Statements } from './statements.ts';
import { reason, StoreError } from './store.ts';
import type { Tables } from './tables.ts';

/** How long the copy from before a migration stays, in milliseconds: 7 days. */
const COPY_KEPT_MS = 7 * 86_400_000;

export interface MigrateDeps {
  /** The file. */
  readonly path: string;
  readonly tables: Kysely<Tables>;
  readonly statements: Statements;
  readonly migrations: Readonly<Record<string, Migration>>;
}

/**
 * Brings the tables to the present shape. Of a store that has data a copy is made before, beside it.
 * @throws StoreError when a newer version has written the store; nothing is changed
 */
export async function migrate({ path, tables, statements, migrations }: MigrateDeps): Promise<void> {
  const db = tables.withTables<{ readonly kysely_migration: { readonly name: string } }>();
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } });

  const present = await db.introspection.getTables();
  const hasMigrated = (await db.introspection.getTables({ withInternalKyselyTables: true })).some(
    ({ name }) => name === 'kysely_migration',
  );
  const done = hasMigrated ? await db.selectFrom('kysely_migration').select('name').execute() : [];
  const unknown = done.find(({ name }) => !(name in migrations));
  if (unknown) throw new StoreError(newer(path, unknown.name));

  const [next] = (await migrator.getMigrations()).filter(({ executedAt }) => !executedAt);
  if (next && present.length > 0) await copyStore(path, `${path}${BEFORE}${next.name}`, statements);
  const migrateUp = async () => {
    const { error, results = [] } = await migrator.migrateUp();
    if (error) throw new StoreError(`cannot migrate ${path}: ${reason(error)}`, { cause: error });
    return results.length === 0;
  };
  // Not synced: what a loss of power undoes is undone as a whole, and done again at the next start.
  while (!(await statements.transaction(migrateUp, { synced: false })));
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

/**
 * Every change of the tables, in the order of their names. What was once released is never changed, only added to.
 * Each runs in a transaction of its own, together with the note that it was done.
 */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-tables': { up: createTables },
  '0002-left-out': { up: addLeftOut },
  '0003-indices': { up: renewIndices },
  '0004-reasons': { up: nameReasons },
};

/** Why a server was not sent was a text where no request was tried, and an object elsewhere. A game is kept by server. */
async function nameReasons(db: Kysely<unknown>): Promise<void> {
  await sql`update servers set reason = '{"reason":' || reason || '}' where reason like '"%'`.execute(db);
  await db.schema.alterTable('submissions').dropColumn('default_game').execute();
}

/** What is counted or skipped is in the index itself: without it 100,000 rows of a guild would be read for a page. */
async function renewIndices({ schema }: Kysely<unknown>): Promise<void> {
  for (const name of ['servers_by_time', 'servers_by_address', 'servers_by_member', 'servers_by_hash']) {
    await schema.dropIndex(name).execute();
  }
  const indices = [
    // The history of a guild and of a member, newest first.
    ['servers_by_time', ['guild_id', 'ended_at', 'submission_id', 'position']],
    ['servers_by_member_time', ['guild_id', 'user_id', 'ended_at', 'submission_id', 'position']],
    // Whether an address is on its way, and when it was last accepted.
    ['servers_by_address', ['guild_id', 'address', 'outcome', 'reserved_at']],
    // The counts of limits and of the daily quota.
    ['servers_by_member', ['guild_id', 'user_id', 'reserved_at', 'outcome']],
    // What is past its time.
    ['servers_by_outcome', ['outcome', 'ended_at']],
  ] as const;
  for (const [name, columns] of indices) {
    await schema
      .createIndex(name)
      .on('servers')
      .columns([...columns])
      .execute();
  }
  // Few have one.
  await schema
    .createIndex('servers_by_hash')
    .on('servers')
    .columns(['guild_id', 'user_hash', 'reserved_at', 'outcome'])
    .where('user_hash', 'is not', null)
    .execute();
  for (const column of ['refused_lines', 'repeated_lines']) {
    await schema
      .createIndex(`submissions_with_${column}`)
      .on('submissions')
      .columns(['ended_at'])
      .where(sql.ref(column), 'is not', null)
      .execute();
  }
}

async function addLeftOut({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .alterTable('servers')
    .addColumn('submitted_before', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}

async function createTables(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('interactions')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('guild_id', 'text', (column) => column.notNull())
    .addColumn('taken_at', 'bigint', (column) => column.notNull())
    .addColumn('sealed', 'text')
    .execute();
  await schema
    .createTable('submissions')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('guild_id', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text')
    .addColumn('user_name', 'text')
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('again', 'integer', (column) => column.notNull())
    .addColumn('default_game', 'text')
    .addColumn('refused_lines', 'text')
    .addColumn('repeated_lines', 'text')
    .addColumn('interaction_id', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('started_at', 'bigint')
    .addColumn('ended_at', 'bigint')
    .execute();
  await schema
    .createTable('servers')
    .addColumn('submission_id', 'text', (column) => column.notNull())
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('guild_id', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text')
    .addColumn('user_hash', 'text')
    .addColumn('line', 'integer', (column) => column.notNull())
    .addColumn('host', 'text', (column) => column.notNull())
    .addColumn('port', 'integer', (column) => column.notNull())
    .addColumn('query_port', 'integer')
    .addColumn('game', 'text', (column) => column.notNull())
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('reserved_at', 'bigint')
    .addColumn('sent_at', 'bigint')
    .addColumn('ended_at', 'bigint')
    .addColumn('outcome', 'text')
    .addColumn('message', 'text')
    .addColumn('reason', 'text')
    .addPrimaryKeyConstraint('servers_pk', ['submission_id', 'position'])
    .execute();
  for (const [name, table, columns] of INDICES) {
    await schema
      .createIndex(name)
      .on(table)
      .columns([...columns])
      .execute();
  }
}

/** Each for one question: see the comments. */
const INDICES = [
  // What was taken an hour ago; what of a guild is unanswered.
  ['interactions_by_time', 'interactions', ['taken_at']],
  ['interactions_by_guild', 'interactions', ['guild_id']],
  // The drafts of a member; what an interaction carries out.
  ['submissions_by_member', 'submissions', ['guild_id', 'user_id', 'state', 'created_at']],
  ['submissions_by_interaction', 'submissions', ['interaction_id']],
  // Drafts that nobody submits any more.
  ['submissions_by_state', 'submissions', ['state', 'created_at']],
  // The history, newest first; whether an address was submitted before; the counts of limits.
  ['servers_by_time', 'servers', ['guild_id', 'ended_at']],
  ['servers_by_address', 'servers', ['guild_id', 'address']],
  ['servers_by_member', 'servers', ['guild_id', 'user_id', 'reserved_at']],
  ['servers_by_hash', 'servers', ['guild_id', 'user_hash', 'reserved_at']],
  ['servers_by_reservation', 'servers', ['guild_id', 'reserved_at']],
] as const;
