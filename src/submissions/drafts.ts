import type { Database } from '../storage/database.ts';
import type { SubmissionsTable } from '../storage/tables.ts';
import type { Draft } from './draft.ts';
import { draftToStore } from './stored-draft.ts';

/** How long a draft is kept, in milliseconds: as long as an interaction can be answered. */
export const DRAFT_LIVES_MS = 15 * 60_000;
/** Drafts that a member may have at a time; the oldest goes first. */
const MOST_DRAFTS = 10;
/** Rows in one statement: SQLite takes 32,766 values. */
export const ROWS_AT_ONCE = 200;

/** Whose submission it is. */
export interface Submitter {
  readonly guildId: string;
  readonly user: { readonly id: string; readonly name: string };
}

/** The part of a record's life before it is carried out. */
export function createDrafts({
  database,
  now,
}: {
  readonly database: Pick<Database, 'tables' | 'inGuild'>;
  readonly now: () => number;
}) {
  const { tables } = database;

  async function stateOf(id: string): Promise<SubmissionsTable['state'] | undefined> {
    const row = await tables
      .selectFrom('submissions')
      .select('state')
      .where('id', '=', id)
      .executeTakeFirst();
    return row?.state;
  }

  async function drop(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await tables.deleteFrom('servers').where('submission_id', 'in', ids).execute();
    await tables.deleteFrom('submissions').where('id', 'in', ids).execute();
  }

  async function insert({ guildId, user }: Submitter, id: string, draft: Draft): Promise<void> {
    const { lines, servers } = draftToStore(draft);
    const state = await stateOf(id);
    // What is carried out already is never made a draft again.
    if (state !== undefined && state !== 'draft') return;
    if (state === 'draft') await drop([id]);
    await tables
      .insertInto('submissions')
      .values({
        ...{ id, guild_id: guildId, user_id: user.id, user_name: user.name, state: 'draft', ...lines },
        ...{ interaction_id: null, created_at: now(), started_at: null, ended_at: null },
      })
      .execute();
    const rows = servers.map((server) => ({
      ...{ ...server, submission_id: id, guild_id: guildId, user_id: user.id, user_hash: null },
      ...{ reserved_at: null, sent_at: null, ended_at: null, outcome: null, message: null, reason: null },
    }));
    for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
      await tables
        .insertInto('servers')
        .values(rows.slice(from, from + ROWS_AT_ONCE))
        .execute();
    }
  }

  /** The oldest drafts of a member go, where there are too many, and those of everybody that are past their time. */
  async function bound({ guildId, user }: Submitter): Promise<void> {
    const drafts = tables.selectFrom('submissions').select('id').where('state', '=', 'draft');
    const tooMany = await drafts
      .where('guild_id', '=', guildId)
      .where('user_id', '=', user.id)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(1_000)
      .offset(MOST_DRAFTS)
      .execute();
    const tooOld = await drafts.where('created_at', '<=', now() - DRAFT_LIVES_MS).execute();
    await drop([...tooMany, ...tooOld].map((row) => row.id));
  }

  /** Of a draft that is lost nothing was sent. */
  const change = <Done>(guildId: string, what: () => Promise<Done>) =>
    database.inGuild(guildId, what, { synced: false });

  /** Does something with a draft, unless it was submitted, cancelled or pushed out meanwhile; whether it did. */
  const ifStillThere = (guildId: string, id: string, what: () => Promise<void>) =>
    change(guildId, async () => {
      const isThere = (await stateOf(id)) === 'draft';
      if (isThere) await what();
      return isThere;
    });

  async function save(by: Submitter, id: string, draft: Draft): Promise<void> {
    await insert(by, id, draft);
    await bound(by);
  }

  return {
    /** Keeps a new draft for 15 minutes from now. */
    saveDraft: (by: Submitter, id: string, draft: Draft) => change(by.guildId, () => save(by, id, draft)),
    /** Keeps a draft that is carried out at once, in the same transaction. */
    insertDraft: insert,
    /** Keeps the new state of a draft; whether it was still there. */
    changeDraft: (by: Submitter, id: string, draft: Draft) =>
      ifStillThere(by.guildId, id, () => save(by, id, draft)),
    /** Whether it was still there. */
    dropDraft: (guildId: string, id: string) => ifStillThere(guildId, id, () => drop([id])),
  };
}
