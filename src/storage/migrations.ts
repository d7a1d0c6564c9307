import { open, readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Kysely } from 'kysely';
import { kysely } from './kysely.ts';
import type { Statements } from './statements.ts';
import { reason, StoreError } from './store.ts';
import type { Tables } from './tables.ts';

/** How long the copy from before a migration stays, in milliseconds: 7 days. */
const COPY_KEPT_MS = 7 * 86_400_000;

/** The statements that bring the tables to their next shape. Only what SQLite and PostgreSQL share. */
export type Migration = readonly string[];

export interface MigrateDeps {
  /** The file. */
  readonly path: string;
  readonly tables: Kysely<Tables>;
  readonly statements: Statements;
  /** By name, in the order of the names. */
  readonly migrations: Readonly<Record<string, Migration>>;
}

/**
 * Brings the tables to the present shape. Of a store that has data a copy is made before, beside it.
 * @throws StoreError when a newer version has written the store; nothing is changed
 */
export async function migrate(deps: MigrateDeps): Promise<void> {
  const { path, statements, migrations } = deps;
  const names = Object.keys(migrations).sort();
  const done = await namesOfDone(statements);
  const unknown = done.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new StoreError(newer(path, unknown));
  const next = names.find((name) => !done.includes(name));
  if (next === undefined) return;
  try {
    if (await statements.transaction(() => createAll(names, deps), NOT_SYNCED)) return;
    await copyStore(path, `${path}${BEFORE}${next}`, statements);
    await migrateUp(deps);
  } catch (cause) {
    if (cause instanceof StoreError) throw cause;
    throw new StoreError(`cannot migrate ${path}: ${reason(cause)}`, { cause });
  }
}

/** What a loss of power undoes is undone as a whole, and done again at the next start. */
const NOT_SYNCED = { synced: false };

/** In a new store nothing has to be moved, and no start waits for Kysely; whether it was new. */
async function createAll(
  names: readonly string[],
  { statements, migrations }: MigrateDeps,
): Promise<boolean> {
  if ((await tablesIn(statements)).length > 0) return false;
  for (const sql of [DONE, ...names.flatMap((name) => migrations[name] ?? [])]) await statements.execute(sql);
  const at = new Date().toISOString();
  for (const name of names) {
    await statements.execute('insert into kysely_migration (name, timestamp) values (?, ?)', [name, at]);
  }
  return true;
}

/** Where Kysely's migrator notes what it has done, as it makes it itself. */
const DONE = `create table kysely_migration
  (name varchar(255) not null primary key, timestamp varchar(255) not null)`;

/** Each in a transaction of its own. */
async function migrateUp({ tables, statements, migrations }: MigrateDeps): Promise<void> {
  const { Migrator } = await import('kysely/migration');
  const inSql = (migration: Migration) => async (db: Kysely<unknown>) => {
    for (const sql of migration) await kysely().sql.raw(sql).execute(db);
  };
  const provided = Object.entries(migrations).map(([name, each]) => [name, { up: inSql(each) }] as const);
  const migrator = new Migrator({
    db: tables,
    provider: { getMigrations: async () => Object.fromEntries(provided) },
  });
  const one = async () => {
    const { error, results = [] } = await migrator.migrateUp();
    if (error) throw error;
    return results.length > 0;
  };
  while (await statements.transaction(one, NOT_SYNCED));
}

const tablesIn = (statements: Statements) =>
  namesIn(statements, "select name from sqlite_master where type = 'table'");

async function namesOfDone(statements: Statements): Promise<readonly string[]> {
  const hasMigrated = (await tablesIn(statements)).includes('kysely_migration');
  return hasMigrated ? namesIn(statements, 'select name from kysely_migration') : [];
}

async function namesIn(statements: Statements, query: string): Promise<readonly string[]> {
  return (await statements.execute(query)).rows.map((row) => String(Object(row).name));
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
 * Every change of the tables. What was once released is never changed, only added to. Each runs in a transaction of its
 * own, together with the note that it was done.
 */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-tables': [
    `create table interactions
      (id text not null primary key, guild_id text not null, taken_at bigint not null, sealed text)`,
    `create table submissions
      (id text not null primary key, guild_id text not null, user_id text, user_name text, state text not null,
      source text not null, again integer not null, default_game text, refused_lines text, repeated_lines text,
      interaction_id text, created_at bigint not null, started_at bigint, ended_at bigint)`,
    `create table servers
      (submission_id text not null, position integer not null, guild_id text not null, user_id text, user_hash text,
      line integer not null, host text not null, port integer not null, query_port integer, game text not null,
      address text not null, reserved_at bigint, sent_at bigint, ended_at bigint, outcome text, message text,
      reason text, constraint servers_pk primary key (submission_id, position))`,
    // What was taken an hour ago; what of a guild is unanswered.
    'create index interactions_by_time on interactions (taken_at)',
    'create index interactions_by_guild on interactions (guild_id)',
    // The drafts of a member; what an interaction carries out.
    'create index submissions_by_member on submissions (guild_id, user_id, state, created_at)',
    'create index submissions_by_interaction on submissions (interaction_id)',
    // Drafts that nobody submits any more.
    'create index submissions_by_state on submissions (state, created_at)',
    // The history, newest first; whether an address was submitted before; the counts of limits.
    'create index servers_by_time on servers (guild_id, ended_at)',
    'create index servers_by_address on servers (guild_id, address)',
    'create index servers_by_member on servers (guild_id, user_id, reserved_at)',
    'create index servers_by_hash on servers (guild_id, user_hash, reserved_at)',
    'create index servers_by_reservation on servers (guild_id, reserved_at)',
  ],
  '0002-left-out': ['alter table servers add column submitted_before integer default 0 not null'],
  // What is counted or skipped is in the index itself: without it 100,000 rows of a guild would be read for a page.
  '0003-indices': [
    'drop index servers_by_time',
    'drop index servers_by_address',
    'drop index servers_by_member',
    'drop index servers_by_hash',
    // The history of a guild and of a member, newest first.
    'create index servers_by_time on servers (guild_id, ended_at, submission_id, position)',
    'create index servers_by_member_time on servers (guild_id, user_id, ended_at, submission_id, position)',
    // Whether an address is on its way, and when it was last accepted.
    'create index servers_by_address on servers (guild_id, address, outcome, reserved_at)',
    // The counts of limits and of the daily quota.
    'create index servers_by_member on servers (guild_id, user_id, reserved_at, outcome)',
    // What is past its time.
    'create index servers_by_outcome on servers (outcome, ended_at)',
    // Few have one.
    `create index servers_by_hash on servers (guild_id, user_hash, reserved_at, outcome)
      where user_hash is not null`,
    'create index submissions_with_refused_lines on submissions (ended_at) where refused_lines is not null',
    'create index submissions_with_repeated_lines on submissions (ended_at) where repeated_lines is not null',
  ],
  // Why a server was not sent was a text where no request was tried, and an object elsewhere. A game is kept by server.
  '0004-reasons': [
    `update servers set reason = '{"reason":' || reason || '}' where reason like '"%'`,
    'alter table submissions drop column default_game',
  ],
};
