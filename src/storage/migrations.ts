import { type Kysely, PostgresAdapter, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import type { Logger } from '../logger.ts';
import { StoreError, UnusableStoreError } from './store-error.ts';
import type { Tables } from './tables.ts';

/**
 * All migrations, ordered by name. The numbers are padded, because `2.10` would sort before `2.2`. Never change a released
 * migration. Older versions of the bot can still run and start after a migration whose name ends in `-compatible`.
 */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '3.00-tables': {
    async up(db) {
      await db.schema
        .createTable('interactions')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('guild_id', 'text', (column) => column.notNull())
        .addColumn('owner', 'text', (column) => column.notNull())
        .addColumn('taken_at', 'bigint', (column) => column.notNull())
        .addColumn('sealed', 'text')
        .addColumn('changes', 'text')
        .execute();
      await db.schema
        .createTable('documents')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('guild_id', 'text', (column) => column.notNull())
        .addColumn('user_id', 'text', (column) => column.notNull())
        .addColumn('user_name', 'text', (column) => column.notNull())
        .addColumn('source', 'text', (column) => column.notNull())
        .addColumn('lines', 'text')
        .addColumn('changed_at', 'bigint', (column) => column.notNull())
        .execute();
      await db.schema
        .createTable('submissions')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('document_id', 'text', (column) => column.notNull())
        .addColumn('guild_id', 'text', (column) => column.notNull())
        .addColumn('user_id', 'text')
        .addColumn('user_name', 'text')
        .addColumn('state', 'text', (column) => column.notNull())
        .addColumn('interaction_id', 'text')
        .addColumn('owner', 'text')
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('started_at', 'bigint')
        .addColumn('ended_at', 'bigint')
        .addColumn('expires_at', 'bigint')
        .addColumn('decided_by', 'text')
        .addColumn('decision_id', 'text')
        .addColumn('corrected_by', 'text')
        .addColumn('refusal', 'text')
        .addColumn('refusal_key', 'text')
        .addColumn('channel_id', 'text')
        .addColumn('message_id', 'text')
        .addColumn('changes', 'integer', (column) => column.notNull().defaultTo(0))
        .addColumn('shown', 'integer', (column) => column.notNull().defaultTo(0))
        .addColumn('telling', 'text')
        .addColumn('told_at', 'bigint')
        .execute();
      await db.schema
        .createTable('servers')
        .addColumn('submission_id', 'text', (column) => column.notNull())
        .addColumn('position', 'integer', (column) => column.notNull())
        .addColumn('guild_id', 'text', (column) => column.notNull())
        .addColumn('user_id', 'text')
        .addColumn('line', 'integer', (column) => column.notNull())
        .addColumn('host', 'text', (column) => column.notNull())
        .addColumn('port', 'integer', (column) => column.notNull())
        .addColumn('query_port', 'integer')
        .addColumn('game', 'text', (column) => column.notNull())
        .addColumn('address', 'text', (column) => column.notNull())
        .addColumn('reserved_at', 'bigint')
        .addColumn('is_forgotten', 'integer', (column) => column.notNull().defaultTo(0))
        .addColumn('sent_at', 'bigint')
        .addColumn('ended_at', 'bigint')
        .addColumn('outcome', 'text')
        .addColumn('message', 'text')
        .addColumn('reason', 'text')
        .addPrimaryKeyConstraint('servers_pk', ['submission_id', 'position'])
        .execute();
      await db.schema
        .createTable('used')
        .addColumn('guild_id', 'text', (column) => column.primaryKey())
        .addColumn('count', 'integer', (column) => column.notNull())
        .addColumn('until', 'bigint', (column) => column.notNull())
        .execute();
      await db.schema
        .createTable('presence')
        .addColumn('guild_id', 'text', (column) => column.primaryKey())
        .addColumn('used_at', 'bigint')
        .addColumn('absent_since', 'bigint')
        .addColumn('was_listed', 'integer', (column) => column.notNull().defaultTo(0))
        .execute();
      await db.schema
        .createTable('leases')
        .addColumn('owner', 'text', (column) => column.primaryKey())
        .addColumn('until', 'bigint', (column) => column.notNull())
        .addColumn('sealing_key', 'text', (column) => column.notNull())
        .execute();
      await db.schema
        .createTable('jobs')
        .addColumn('name', 'text', (column) => column.primaryKey())
        .addColumn('owner', 'text', (column) => column.notNull())
        .addColumn('until', 'bigint', (column) => column.notNull())
        .execute();
      for (const [name, table, columns] of INDICES) {
        await db.schema.createIndex(name).on(table).columns(columns).execute();
      }
      // Covers only unanswered interactions, which are few. Every process regularly checks whether any have been abandoned.
      await db.schema
        .createIndex('interactions_unanswered')
        .on('interactions')
        .column('owner')
        .where(sql.ref('sealed'), 'is not', null)
        .execute();
      // Finds servers that still count towards a limit even though the member's name has been deleted.
      await db.schema
        .createIndex('servers_forgotten')
        .on('servers')
        .column('guild_id')
        .where(sql.ref('is_forgotten'), '=', 1)
        .execute();
      // Finds submissions whose message in the log channel is outdated.
      await db.schema
        .createIndex('submissions_message_due')
        .on('submissions')
        .column('document_id')
        .where(sql.ref('changes'), '>', sql.ref('shown'))
        .execute();
      // Finds submissions whose members still have to be notified.
      await db.schema
        .createIndex('submissions_to_tell')
        .on('submissions')
        .column('ended_at')
        .where(sql.ref('telling'), 'is not', null)
        .execute();
      await db.schema
        .createIndex('submissions_active')
        .on('submissions')
        .column('document_id')
        .unique()
        .where(sql.ref('state'), 'in', ['waiting', 'running'])
        .execute();
    },
  },
  // Renames tables, columns, indexes and values of version 0.3.0.
  '3.01-one-vocabulary': {
    async up(db) {
      await db.schema
        .createTable('guild_departures')
        .addColumn('guild_id', 'text', (column) => column.primaryKey())
        .addColumn('unused_since', 'bigint', (column) => column.notNull())
        .execute();
      // Guilds that removed the bot keep their grace period's start time. Other guilds' periods start at the next check.
      await sql`
        insert into guild_departures (guild_id, unused_since)
        select guild_id, case when used_at > absent_since then used_at else absent_since end
        from presence where absent_since is not null`.execute(db);
      await db.schema.dropTable('presence').execute();
      // SQLite can only add one column per statement.
      await db.schema.alterTable('submissions').addColumn('decided_by_name', 'text').execute();
      await db.schema.alterTable('submissions').addColumn('corrected_by_name', 'text').execute();
      await db.schema.alterTable('documents').renameTo('drafts').execute();
      // SQLite doesn't name primary key constraints.
      if (db.getExecutor().adapter instanceof PostgresAdapter) {
        await sql`alter table drafts rename constraint documents_pkey to drafts_pkey`.execute(db);
      }
      for (const [table, from, to] of RENAMED_COLUMNS) {
        await db.schema.alterTable(table).renameColumn(from, to).execute();
      }
      for (const [from, to] of RENAMED_IN_DRAFTS_JSON) {
        // Can't match text written by members, because JSON escapes its quotation marks.
        await sql`update drafts set lines = replace(lines, ${from}, ${to})`.execute(db);
      }
      await sql`update submissions set state = 'declined' where state = 'refused'`.execute(db);
      await sql`update servers set reason = 'declined' where reason = 'refused'`.execute(db);
      // SQLite can't rename an index, so each is dropped and recreated.
      for (const [from, to, table, columns] of RENAMED_INDICES) {
        await db.schema.dropIndex(from).execute();
        await db.schema
          .createIndex(to)
          .on(table)
          .columns([...columns])
          .execute();
      }
      await db.schema.dropIndex('submissions_to_tell').execute();
      await db.schema
        .createIndex('submissions_to_notify')
        .on('submissions')
        .column('ended_at')
        .where(sql.ref('notice'), 'is not', null)
        .execute();
    },
  },
  '4.04-key-trials-compatible': {
    async up(db) {
      await db.schema
        .createTable('key_trials')
        .addColumn('guild_id', 'text', (column) => column.notNull())
        .addColumn('user_id', 'text', (column) => column.notNull())
        .addColumn('at', 'bigint', (column) => column.notNull())
        .execute();
      await db.schema.createIndex('key_trials_by_time').on('key_trials').column('at').execute();
    },
  },
  '4.06-choices-compatible': {
    async up(db) {
      await db.schema.alterTable('servers').addColumn('part', 'integer').execute();
      await db.schema
        .createTable('choices')
        .addColumn('draft_id', 'text', (column) => column.primaryKey())
        .addColumn('guild_id', 'text', (column) => column.notNull())
        .addColumn('user_id', 'text', (column) => column.notNull())
        .addColumn('candidates', 'text', (column) => column.notNull())
        .execute();
      // Finds the choices of a guild or a member, for deletion.
      await db.schema
        .createIndex('choices_by_guild')
        .on('choices')
        .columns(['guild_id', 'user_id'])
        .execute();
    },
  },
  // Version 0.4.0 ignores the table, and opens a channel for each message.
  '4.07-direct-message-channels-compatible': {
    async up(db) {
      await db.schema
        .createTable('direct_message_channels')
        .addColumn('user_id', 'text', (column) => column.primaryKey())
        .addColumn('channel_id', 'text', (column) => column.notNull())
        .addColumn('opened_at', 'bigint', (column) => column.notNull())
        .execute();
      // Counts and deletes channels by age.
      await db.schema
        .createIndex('direct_message_channels_by_time')
        .on('direct_message_channels')
        .column('opened_at')
        .execute();
    },
  },
  // Version 0.4.0 ignores the column, and leaves it empty if a moderator corrects a submission there. The submission then shows
  // who corrected it, but not what was different before.
  '4.09-corrected-from-compatible': {
    async up(db) {
      await db.schema.alterTable('submissions').addColumn('corrected_from', 'text').execute();
    },
  },
  // Version 0.4.0 ignores the table, and doesn't block anyone.
  '4.10-blocks-compatible': {
    async up(db) {
      await db.schema
        .createTable('blocks')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('guild_id', 'text', (column) => column.notNull())
        .addColumn('user_id', 'text')
        .addColumn('host', 'text')
        .addColumn('reason', 'text', (column) => column.notNull())
        .addColumn('blocked_by', 'text')
        .addColumn('blocked_by_name', 'text')
        .addColumn('blocked_at', 'bigint', (column) => column.notNull())
        .addColumn('decision_id', 'text')
        .execute();
      await db.schema.createIndex('blocks_by_guild').on('blocks').column('guild_id').execute();
    },
  },
};

const RENAMED_COLUMNS = [
  ['interactions', 'owner', 'process_id'],
  ['interactions', 'sealed', 'encrypted'],
  ['interactions', 'changes', 'message_key'],
  ['submissions', 'owner', 'process_id'],
  ['submissions', 'telling', 'notice'],
  ['submissions', 'told_at', 'notified_at'],
  ['submissions', 'document_id', 'draft_id'],
  ['submissions', 'changes', 'revision'],
  ['submissions', 'shown', 'shown_revision'],
  ['submissions', 'refusal', 'decline_reason'],
  ['submissions', 'refusal_key', 'decline_reason_key'],
  ['leases', 'owner', 'process_id'],
  ['leases', 'sealing_key', 'encryption_key_id'],
  ['jobs', 'owner', 'process_id'],
] as const;

const RENAMED_IN_DRAFTS_JSON = [
  ['"kind":"refused"', '"kind":"invalid"'],
  ['"window":"refused"', '"modal":"invalid"'],
  ['"window":"', '"modal":"'],
] as const;

const RENAMED_INDICES = [
  ['documents_by_guild', 'drafts_by_guild', 'drafts', ['guild_id', 'user_id']],
  ['submissions_by_document', 'submissions_by_draft', 'submissions', ['draft_id', 'created_at']],
] as const;

/**
 * The indexes of the first migration. Those for counting and paging have all the columns that are needed. Otherwise, each
 * page would read up to 20,000 rows.
 */
const INDICES: readonly (readonly [name: string, table: string, columns: string[]])[] = [
  // Finds interactions older than an hour, and a guild's unanswered interactions.
  ['interactions_by_time', 'interactions', ['taken_at']],
  ['interactions_by_guild', 'interactions', ['guild_id']],
  // Finds the latest interaction that changes a message.
  ['interactions_by_message', 'interactions', ['changes', 'id']],
  ['documents_by_guild', 'documents', ['guild_id', 'user_id']],
  // Finds the pending submissions of a guild or a member.
  ['submissions_by_member', 'submissions', ['guild_id', 'state', 'user_id']],
  // Finds a draft's submissions, latest first.
  ['submissions_by_document', 'submissions', ['document_id', 'created_at']],
  // Finds the submissions that an interaction created or decided.
  ['submissions_by_interaction', 'submissions', ['interaction_id']],
  ['submissions_by_decision', 'submissions', ['decision_id']],
  // Finds submissions that are running or have waited too long.
  ['submissions_by_state', 'submissions', ['state']],
  // Finds pages of the history of a guild or a member, newest first, without reading the table.
  ['submissions_by_time', 'submissions', ['guild_id', 'ended_at', 'id', 'user_id', 'state']],
  // Finds servers in the history, for search and export.
  ['servers_by_time', 'servers', ['guild_id', 'ended_at', 'submission_id', 'position']],
  // Finds out whether an address is being submitted, and when it was last accepted.
  ['servers_by_address', 'servers', ['guild_id', 'address', 'outcome', 'reserved_at']],
  // Counts servers for limits and the daily quota.
  ['servers_by_member', 'servers', ['guild_id', 'user_id', 'reserved_at', 'outcome']],
  ['servers_by_reservation', 'servers', ['guild_id', 'reserved_at']],
];

/** Suffix of migrations that don't break older versions. docs/development/storage.md lists the changes allowed in them. */
const COMPATIBLE = '-compatible';
const isCompatible = (name: string): boolean => name.endsWith(COMPATIBLE);

/**
 * Brings the tables up to date, and logs the applied migrations. Compatible migrations from a newer version stay applied.
 * @param appliedMigrations already checked by {@link rejectUnknown}
 * @throws the database's error, leaving the tables unchanged
 */
export async function migrate(
  db: Kysely<Tables>,
  appliedMigrations: readonly string[],
  logger: Pick<Logger, 'info'>,
  migrations = MIGRATIONS,
): Promise<void> {
  const since = performance.now();
  // Kysely rejects a database that has an unknown migration.
  const ofNewer = appliedMigrations
    .filter(isCompatible)
    .map((name) => [name, { up: async () => undefined }] as const);
  const known = { ...Object.fromEntries(ofNewer), ...migrations };
  const migrator = new Migrator({ db, provider: { getMigrations: async () => known } });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
  if (results.length === 0) return;
  const names = results.map(({ migrationName }) => migrationName);
  const ms = Math.round(performance.now() - since);
  logger.info(
    { migrations: names, ms },
    appliedMigrations.length === 0 ? 'created the database' : 'updated the database',
  );
}

/** @throws UnusableStoreError if the database has an incompatible migration that this version doesn't know */
export function rejectUnknown(name: string, migrations: readonly string[]): void {
  const unknown = migrations.find((migration) => !(migration in MIGRATIONS) && !isCompatible(migration));
  if (unknown === undefined) return;
  const [first = ''] = Object.keys(MIGRATIONS);
  if (unknown < first) {
    throw new UnusableStoreError(
      `the database ${name} was written by an unreleased version of the bot from before 0.3.0 (it has "${unknown}"), and no ` +
        'released version can use it. Nothing was changed: move it and its key file away to start with an empty one, and ' +
        'let admins run /setkey again.',
    );
  }
  throw new UnusableStoreError(
    `the database ${name} was written by a newer version of the bot (it has "${unknown}"). Nothing was changed: ` +
      'start that version again, or restore a backup from before it.',
  );
}

/** @throws StoreError if the database's migrations differ from those of this version */
export function rejectOtherShape(name: string, migrations: readonly string[]): void {
  const ours = Object.keys(MIGRATIONS);
  if (ours.length === migrations.length && ours.every((each) => migrations.includes(each))) return;
  throw new StoreError(
    `the database ${name} lacks the tables that this version of the bot needs. Nothing was changed: start this version of the ` +
      'bot on it once.',
  );
}
