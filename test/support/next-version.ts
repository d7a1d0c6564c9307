import type { Migration } from 'kysely/migration';

/** Table changes that the next version might make. The current version still works with these changes. */
export const NEXT_VERSION: Readonly<Record<string, Migration>> = {
  '9.00-notes-compatible': {
    async up(db) {
      await db.schema.alterTable('servers').addColumn('note', 'text').execute();
      await db.schema
        .createTable('notes')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('guild_id', 'text', (column) => column.notNull())
        .execute();
      await db.schema.createIndex('notes_by_guild').on('notes').column('guild_id').execute();
    },
  },
};
