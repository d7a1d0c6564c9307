import type { Outcome, ServerSubmission } from '../listing/contract.ts';
import type { Database } from '../storage/database.ts';
import type { ServersTable, SubmissionsTable } from '../storage/tables.ts';
import { type Draft, draftToStore, outcomeOf, outcomeToStore, storedDraft } from './draft.ts';

/** How long a draft is kept, in milliseconds: as long as an interaction can be answered. */
export const DRAFT_LIVES_MS = 15 * 60_000;
/** Drafts that a member may have at a time; the oldest goes first. */
const MOST_DRAFTS = 10;
/** Rows in one statement: SQLite takes 32,766 values. */
export const INSERTED_AT_ONCE = 200;

type Tables = Database['tables'];

/** The id of the draft of what did not go when an interaction submitted one; that one's own id is taken. */
export const restIdOf = (interactionId: string): string => `${interactionId}${REST}`;
const REST = '-rest';

/** Whose submission it is. */
export interface Submitter {
  readonly guildId: string;
  readonly user: { readonly id: string; readonly name: string };
}

async function stateOf(tables: Tables, id: string): Promise<SubmissionsTable['state'] | undefined> {
  const row = await tables.selectFrom('submissions').select('state').where('id', '=', id).executeTakeFirst();
  return row?.state;
}

async function drop(tables: Tables, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await tables.deleteFrom('servers').where('submission_id', 'in', ids).execute();
  await tables.deleteFrom('submissions').where('id', 'in', ids).execute();
}

/** Of everybody's drafts past their time so many go with each that is kept: others wait meanwhile. */
const OLD_AT_ONCE = 2;

/** What a member has just kept, and when, in milliseconds since 1970. */
type Kept = Submitter & { readonly id: string; readonly at: number };

/** The oldest other drafts go, where there are too many: by a clock set back it may be older. So do some past their time. */
async function bound(tables: Tables, { guildId, user, id, at }: Kept): Promise<void> {
  const drafts = tables.selectFrom('submissions').select('id').where('state', '=', 'draft');
  const tooMany = await drafts
    .where('guild_id', '=', guildId)
    .where('user_id', '=', user.id)
    .where('id', '!=', id)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1_000)
    .offset(MOST_DRAFTS - 1)
    .execute();
  const tooOld = await drafts
    .where('created_at', '<=', at - DRAFT_LIVES_MS)
    .orderBy('created_at')
    .limit(OLD_AT_ONCE)
    .execute();
  await drop(
    tables,
    [...tooMany, ...tooOld].map((row) => row.id),
  );
}

/** A server that nothing has been done with yet. */
const NOT_BEGUN = {
  ...{ user_hash: null, reserved_at: null, sent_at: null, ended_at: null },
  ...{ outcome: null, message: null, reason: null },
};

/** The part of a record's life before it is carried out. */
function createDrafts({
  database,
  now,
}: {
  readonly database: Pick<Database, 'tables' | 'inGuild'>;
  readonly now: () => number;
}) {
  const { tables } = database;

  async function insert({ guildId, user }: Submitter, id: string, draft: Draft): Promise<void> {
    const { lines, servers } = draftToStore(draft);
    const state = await stateOf(tables, id);
    // What is carried out already is never made a draft again.
    if (state !== undefined && state !== 'draft') return;
    if (state === 'draft') await drop(tables, [id]);
    await tables
      .insertInto('submissions')
      .values({
        ...{ id, guild_id: guildId, user_id: user.id, user_name: user.name, state: 'draft', ...lines },
        ...{ interaction_id: null, created_at: now(), started_at: null, ended_at: null },
      })
      .execute();
    const rows = servers.map((server) => ({
      ...server,
      ...NOT_BEGUN,
      submission_id: id,
      guild_id: guildId,
      user_id: user.id,
    }));
    for (let from = 0; from < rows.length; from += INSERTED_AT_ONCE) {
      await tables
        .insertInto('servers')
        .values(rows.slice(from, from + INSERTED_AT_ONCE))
        .execute();
    }
  }

  /** Of a draft that is lost nothing was sent. */
  const change = <Done>(guildId: string, what: () => Promise<Done>) =>
    database.inGuild(guildId, what, { synced: false });

  /** Does something with a draft, unless it was submitted, cancelled or pushed out meanwhile; whether it did. */
  const ifStillThere = (guildId: string, id: string, what: () => Promise<void>) =>
    change(guildId, async () => {
      const isThere = (await stateOf(tables, id)) === 'draft';
      if (isThere) await what();
      return isThere;
    });

  async function save(by: Submitter, id: string, draft: Draft): Promise<void> {
    await insert(by, id, draft);
    await bound(tables, { ...by, id, at: now() });
  }

  return {
    /** The member's draft; `gone`: never there, too old, submitted, or cancelled. */
    async findDraft(
      { guildId, user }: Submitter,
      id: string,
    ): Promise<SubmissionRecord | 'gone' | 'of-another-member'> {
      const record = await load(tables, { id }, guildId);
      if (record?.state !== 'draft') return 'gone';
      if (record.created_at <= now() - DRAFT_LIVES_MS) return 'gone';
      return record.user_id === user.id ? record : 'of-another-member';
    },
    /** Keeps a new draft for 15 minutes from now. */
    saveDraft: (by: Submitter, id: string, draft: Draft) => change(by.guildId, () => save(by, id, draft)),
    /** Keeps a draft that is carried out at once, in the same transaction. */
    insertDraft: insert,
    /** Keeps the new state of a draft; whether it was still there. */
    changeDraft: (by: Submitter, id: string, draft: Draft) =>
      ifStillThere(by.guildId, id, () => save(by, id, draft)),
    /** Whether it was still there. */
    dropDraft: (guildId: string, id: string) => ifStillThere(guildId, id, () => drop(tables, [id])),
  };
}

/** One server of a record, at its position. */
type RecordServer = Pick<
  ServersTable,
  'position' | 'line' | 'submitted_before' | 'sent_at' | 'reserved_at'
> & {
  readonly submission: ServerSubmission;
  readonly outcome: Outcome | undefined;
};

/** A submission as it is stored. */
export interface SubmissionRecord
  extends Pick<SubmissionsTable, 'id' | 'state' | 'user_id' | 'again' | 'created_at'> {
  readonly startedAt: number | undefined;
  readonly draft: Draft;
  /** All of its servers, in their order. */
  readonly servers: readonly RecordServer[];
}

/**
 * The one record of a submission, of one server or a thousand: a draft, running, done. Every method throws a StoreError
 * when the store fails. Those that change something are called inside the guild's transaction.
 */
export type Records = ReturnType<typeof createRecords>;

export function createRecords({
  database,
  now = Date.now,
}: {
  readonly database: Pick<Database, 'tables' | 'inGuild'>;
  readonly now?: () => number;
}) {
  const { tables } = database;

  return {
    ...createDrafts({ database, now }),
    /** Whether there is no draft any more because it was submitted. */
    async isSubmitted({ guildId, user }: Submitter, id: string): Promise<boolean> {
      const record = await load(tables, { id }, guildId);
      return record !== undefined && record.state !== 'draft' && record.user_id === user.id;
    },
    /** What an interaction carries out, or has carried out before the bot was stopped. */
    carriedOutBy: (guildId: string, interactionId: string) =>
      load(tables, { interaction_id: interactionId }, guildId),

    /** A draft is carried out from now on; the servers at these positions count for limits and are on their way. */
    async begin(id: string, interactionId: string, positions: readonly number[]): Promise<void> {
      const at = now();
      await tables
        .updateTable('submissions')
        .set({ state: 'running', interaction_id: interactionId, started_at: at })
        .where('id', '=', id)
        .execute();
      await update(tables, id, positions, { reserved_at: at });
    },
    /** A request with these servers is about to leave; false where they were deleted, as with the guild's data. */
    leave: async (id: string, positions: readonly number[]) =>
      (await update(tables, id, positions, { sent_at: now() })) === positions.length,
    /** A request with these servers was refused as a whole; they leave again in smaller ones. */
    leaveAgain: (id: string, positions: readonly number[]) =>
      update(tables, id, positions, { sent_at: null }),
    /**
     * How servers ended. What was not sent, or refused for the key, is given back: it counts no more, and can be
     * submitted again.
     */
    async end(id: string, positions: readonly number[], outcome: Outcome): Promise<void> {
      const isForKey = outcome.kind === 'rejected' && outcome.known === 'invalidKey';
      await update(tables, id, positions, {
        ...outcomeToStore(outcome),
        ended_at: now(),
        ...(outcome.kind === 'not-sent' && { reserved_at: null, sent_at: null }),
        ...(isForKey && { reserved_at: null }),
      });
    },
    /** The submission of which this draft is the rest, and so corrects it, unless that was a correction itself. */
    async replacedBy(guildId: string, draftId: string): Promise<string | undefined> {
      if (!draftId.endsWith(REST)) return undefined;
      const row = await tables
        .selectFrom('submissions')
        .select('id')
        .where('interaction_id', '=', draftId.slice(0, -REST.length))
        .where('guild_id', '=', guildId)
        .executeTakeFirst();
      return row?.id.endsWith(REST) ? undefined : row?.id;
    },
    /** What the service refused of a submission counts no more, since a correction is sent in its place. */
    async giveBack(guildId: string, id: string): Promise<void> {
      await tables
        .updateTable('servers')
        .set({ reserved_at: null })
        .where('submission_id', '=', id)
        .where('guild_id', '=', guildId)
        .where('outcome', '=', 'rejected')
        .execute();
    },
    /** Whether it is still there, under the member's name: they may have had that deleted. */
    async finish(id: string): Promise<boolean> {
      const ended = tables.updateTable('submissions').set({ state: 'done', ended_at: now() });
      const row = await ended.where('id', '=', id).returning('user_id').executeTakeFirst();
      return row !== undefined && row.user_id !== null;
    },
  };
}

async function load(
  tables: Tables,
  where: { readonly id: string } | { readonly interaction_id: string },
  guildId: string,
) {
  const [column, value] =
    'id' in where ? (['id', where.id] as const) : (['interaction_id', where.interaction_id] as const);
  const row = await tables
    .selectFrom('submissions')
    .selectAll()
    .where(column, '=', value)
    .where('guild_id', '=', guildId)
    .executeTakeFirst();
  if (!row) return undefined;
  const servers = await tables
    .selectFrom('servers')
    .selectAll()
    .where('submission_id', '=', row.id)
    .orderBy('position')
    .execute();
  return {
    ...row,
    startedAt: row.started_at ?? undefined,
    draft: storedDraft(row, servers),
    servers: servers.map((server) => ({
      ...server,
      submission: submissionOf(server),
      outcome: outcomeOf(server),
    })),
  } satisfies SubmissionRecord;
}

/** How many rows it were. */
async function update(
  tables: Tables,
  id: string,
  positions: readonly number[],
  set: Partial<ServersTable>,
): Promise<number> {
  if (positions.length === 0) return 0;
  const some = tables.updateTable('servers').set(set).where('submission_id', '=', id);
  const { numUpdatedRows } = await some.where('position', 'in', positions).executeTakeFirst();
  return Number(numUpdatedRows);
}

function submissionOf({ host, port, query_port, game }: ServersTable): ServerSubmission {
  return { server: host, port, ...(query_port !== null && { queryPort: query_port }), game };
}
