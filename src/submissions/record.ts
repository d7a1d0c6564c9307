import type { Outcome, ServerSubmission } from '../listing/contract.ts';
import type { Database } from '../storage/database.ts';
import type { ServersTable, SubmissionsTable } from '../storage/tables.ts';
import type { Draft } from './draft.ts';
import { createDrafts, DRAFT_LIVES_MS, ROWS_AT_ONCE, type Submitter } from './drafts.ts';
import { storedDraft } from './stored-draft.ts';
import { outcomeOf, outcomeToStore } from './stored-outcome.ts';

/** One server of a record, at its position. */
export type RecordServer = Pick<
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

  async function load(where: { readonly id: string } | { readonly interaction_id: string }, guildId: string) {
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

  return {
    ...createDrafts({ database, now }),
    /** The member's draft; `gone`: never there, too old, submitted, or cancelled. */
    async findDraft(
      { guildId, user }: Submitter,
      id: string,
    ): Promise<SubmissionRecord | 'gone' | 'of-another-member'> {
      const record = await load({ id }, guildId);
      if (record?.state !== 'draft') return 'gone';
      if (record.created_at <= now() - DRAFT_LIVES_MS) return 'gone';
      return record.user_id === user.id ? record : 'of-another-member';
    },
    /** Whether there is no draft any more because it was submitted. */
    async isSubmitted({ guildId, user }: Submitter, id: string): Promise<boolean> {
      const record = await load({ id }, guildId);
      return record !== undefined && record.state !== 'draft' && record.user_id === user.id;
    },
    /** What an interaction carries out, or has carried out before the bot was stopped. */
    carriedOutBy: (guildId: string, interactionId: string) =>
      load({ interaction_id: interactionId }, guildId),

    /** A draft is carried out from now on; the servers at these positions count for limits and are on their way. */
    async begin(id: string, interactionId: string, positions: readonly number[]): Promise<void> {
      const at = now();
      await tables
        .updateTable('submissions')
        .set({ state: 'running', interaction_id: interactionId, started_at: at })
        .where('id', '=', id)
        .execute();
      await update(id, positions, { reserved_at: at });
    },
    /** A request with these servers is about to leave. */
    leave: (id: string, positions: readonly number[]) => update(id, positions, { sent_at: now() }),
    /** A request with these servers was refused as a whole; they leave again in smaller ones. */
    leaveAgain: (id: string, positions: readonly number[]) => update(id, positions, { sent_at: null }),
    /** How servers ended. What was not sent is given back: it counts no more, and can be submitted again. */
    async end(id: string, positions: readonly number[], outcome: Outcome): Promise<void> {
      await update(id, positions, {
        ...outcomeToStore(outcome),
        ended_at: now(),
        ...(outcome.kind === 'not-sent' && { reserved_at: null, sent_at: null }),
      });
    },
    async finish(id: string): Promise<void> {
      await tables
        .updateTable('submissions')
        .set({ state: 'done', ended_at: now() })
        .where('id', '=', id)
        .execute();
    },
  };

  async function update(id: string, positions: readonly number[], set: Partial<ServersTable>): Promise<void> {
    for (let from = 0; from < positions.length; from += ROWS_AT_ONCE) {
      await tables
        .updateTable('servers')
        .set(set)
        .where('submission_id', '=', id)
        .where('position', 'in', positions.slice(from, from + ROWS_AT_ONCE))
        .execute();
    }
  }
}

function submissionOf({ host, port, query_port, game }: ServersTable): ServerSubmission {
  return { server: host, port, ...(query_port !== null && { queryPort: query_port }), game };
}
