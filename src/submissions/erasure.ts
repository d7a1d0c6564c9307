import { setImmediate } from 'node:timers/promises';
import type { Encryption } from '../storage/collection.ts';
import type { Database } from '../storage/database.ts';
import { kysely } from '../storage/kysely.ts';
import { type Checks, memberHashes } from './checks.ts';

/** Rows in one statement; what others wait for runs in between. */
export const ROWS_AT_ONCE = 500;

/** Deletes what is kept of submissions. Every method throws a StoreError when the store fails. */
export interface Erasure {
  /**
   * Takes a member's id and name out of the guild's submissions; from how many servers. What they have typed and not
   * submitted goes. As long as a limit counts one
   * of those, a hash stands for the member.
   */
  forgetMember(guildId: string, userId: string): Promise<number>;
  /** Lets go of the hashes of members whose servers count for no limit any more. */
  dropOldHashes(): Promise<void>;
  deleteGuild(guildId: string): Promise<void>;
  /** The guilds that have submitted anything, are about to, or have an interaction on record, in their order. */
  guilds(): AsyncIterable<string>;
}

/** Does something again as long as it finds a full number of rows; how many it were. */
export async function inParts(part: () => Promise<number>): Promise<number> {
  for (let all = 0; ; ) {
    const rows = await part();
    all += rows;
    if (rows < ROWS_AT_ONCE) return all;
  }
}

export function createErasure(deps: {
  readonly database: Pick<Database, 'tables'>;
  readonly encryption: Pick<Encryption, 'pseudonyms'>;
  readonly checks: Pick<Checks, 'countsSince'>;
}): Erasure {
  const { database, encryption, checks } = deps;
  const { tables } = database;
  const someServers = () =>
    tables.selectFrom('servers').select(['submission_id', 'position']).limit(ROWS_AT_ONCE);
  type Some = ReturnType<typeof someServers>;

  async function changeMember(some: Some, hash: string | null, since: number): Promise<number> {
    // Who only reads waits for nobody, and holds up nobody.
    if ((await some.executeTakeFirst()) === undefined) return 0;
    const { numUpdatedRows } = await tables
      .updateTable('servers')
      .set({
        user_id: null,
        user_hash: kysely().sql<string | null>`case when reserved_at >= ${since} then ${hash} end`,
      })
      .where(kysely().sql<boolean>`(submission_id, position) in ${some}`)
      .executeTakeFirst();
    return Number(numUpdatedRows);
  }

  return {
    async forgetMember(guildId, userId) {
      const [hash = null] = memberHashes(encryption, { guildId, userId });
      const since = checks.countsSince('of members');
      await dropDrafts(tables, guildId, userId);
      const ofMember = someServers().where('guild_id', '=', guildId).where('user_id', '=', userId);
      const count = await inParts(() => changeMember(ofMember, hash, since));
      await inParts(() => forgetNames(tables, guildId, userId));
      return count;
    },
    async dropOldHashes() {
      const since = checks.countsSince('of members');
      const old = someServers()
        .where('user_hash', 'is not', null)
        .where(({ or, eb }) => or([eb('reserved_at', '<', since), eb('reserved_at', 'is', null)]));
      await inParts(() => changeMember(old, null, since));
    },
    async deleteGuild(guildId) {
      const ofGuild = someServers().where('guild_id', '=', guildId);
      await inParts(async () => {
        const { numDeletedRows } = await tables
          .deleteFrom('servers')
          .where(kysely().sql<boolean>`(submission_id, position) in ${ofGuild}`)
          .executeTakeFirst();
        return Number(numDeletedRows);
      });
      for (const table of ['submissions', 'interactions'] as const) {
        const some = tables
          .selectFrom(table)
          .where('guild_id', '=', guildId)
          .select('id')
          .limit(ROWS_AT_ONCE);
        await inParts(async () => {
          const { numDeletedRows } = await tables
            .deleteFrom(table)
            .where('id', 'in', some)
            .executeTakeFirst();
          return Number(numDeletedRows);
        });
      }
    },
    async *guilds() {
      const found = new Set<string>();
      for (const table of ['submissions', 'interactions'] as const) {
        for await (const guildId of guildsIn(tables, table)) {
          if (!found.has(guildId)) yield guildId;
          found.add(guildId);
        }
      }
    },
  };
}

async function* guildsIn(
  tables: Database['tables'],
  table: 'submissions' | 'interactions',
): AsyncGenerator<string> {
  for (let last = ''; ; ) {
    const next = await tables
      .selectFrom(table)
      .where('guild_id', '>', last)
      .select('guild_id')
      .orderBy('guild_id')
      .limit(1)
      .executeTakeFirst();
    if (next === undefined) return;
    last = next.guild_id;
    yield last;
    // What is read is there at once: others have their turn between two guilds.
    await setImmediate();
  }
}

/** What a member has typed and not submitted; there are few of them. */
async function dropDrafts(tables: Database['tables'], guildId: string, userId: string): Promise<void> {
  const drafts = tables
    .selectFrom('submissions')
    .where('guild_id', '=', guildId)
    .where('user_id', '=', userId)
    .where('state', '=', 'draft')
    .select('id');
  await tables.deleteFrom('servers').where('submission_id', 'in', drafts).execute();
  await tables.deleteFrom('submissions').where('id', 'in', drafts).execute();
}

/** Of some submissions of a member; of how many. */
async function forgetNames(tables: Database['tables'], guildId: string, userId: string): Promise<number> {
  const some = tables
    .selectFrom('submissions')
    .where('guild_id', '=', guildId)
    .where('user_id', '=', userId)
    .select('id')
    .limit(ROWS_AT_ONCE);
  const { numUpdatedRows } = await tables
    .updateTable('submissions')
    .set({ user_id: null, user_name: null })
    .where('id', 'in', some)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}
