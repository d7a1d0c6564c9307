import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Every change of the tables, in the order of their names. What was once released is never changed, only added to.
 * Each runs in a transaction of its own, together with the note that it was done.
 */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-tables': { up: createTables },
  '0002-left-out': { up: addLeftOut },
  '0003-indices': { up: renewIndices },
};

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
