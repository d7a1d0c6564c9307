import { type ExpressionBuilder, sql } from 'kysely';
import { DAY_MS } from '../numbers.ts';
import type { Store } from '../storage/store.ts';
import type { Tables } from '../storage/tables.ts';
import { DRAFT_LIVES_MS } from './drafts.ts';
import type { Erasure } from './erasure.ts';
import { type History, MOST_ENTRIES } from './history.ts';
import { deleteInSteps, inSteps, ROWS_AT_ONCE } from './in-steps.ts';
import type { Limits } from './limits.ts';
import type { SubmissionRecord } from './submission-record.ts';

/** For how many days rejected servers are kept, and servers that were not sent. */
export const REFUSED_KEPT_DAYS = 30;
/** No interaction can still carry out a submission that has been running for longer; in milliseconds. */
const LONGEST_RUN_MS = 20 * 60_000;

export interface PruningDeps {
  readonly store: Pick<Store, 'tables'>;
  readonly records: Pick<SubmissionRecord, 'endUnfinished'>;
  readonly limits: Pick<Limits, 'countsSince'>;
  readonly erasure: Pick<Erasure, 'guilds'>;
  readonly history: Pick<History, 'size'>;
  /** For how many days servers are kept that were accepted or may have been received. */
  readonly days: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Deletes drafts and history that are too old, and ends submissions that have been running for too long. If a guild has too
 * much history, servers that were not sent are deleted first, then the oldest. A server that a limit still counts is not
 * deleted for its age. It throws between two steps when the bot stops.
 */
export function createPruning(deps: PruningDeps): { prune(stopping?: AbortSignal): Promise<void> } {
  const { store, records, limits, erasure, history, days, now } = deps;
  const { tables } = store;
  const servers = () => tables().selectFrom('servers').select(['submission_id', 'position']);
  type Servers = ReturnType<typeof servers>;

  /** Deletes these servers, and submissions without servers. @returns how many servers were deleted */
  async function drop(some: Servers): Promise<number> {
    const rows = await tables()
      .deleteFrom('servers')
      .where(sql<boolean>`(submission_id, position) in ${some}`)
      .returning('submission_id')
      .execute();
    if (rows.length > 0) await dropEmpty([...new Set(rows.map(({ submission_id }) => submission_id))]);
    return rows.length;
  }

  async function dropEmpty(ids: readonly string[]): Promise<void> {
    await tables()
      .deleteFrom('submissions')
      .where('id', 'in', ids)
      .where('state', '=', 'done')
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(selectFrom('servers').select('position').whereRef('submission_id', '=', 'submissions.id')),
        ),
      )
      .execute();
  }

  async function dropDrafts(stopping?: AbortSignal): Promise<void> {
    const before = now() - DRAFT_LIVES_MS;
    const isOld = ({ and, eb }: ExpressionBuilder<Tables, 'submissions'>) =>
      and([
        eb('state', '=', 'draft'),
        eb('created_at', '<=', before),
        // The message of the submission does not say yet that it was withdrawn.
        eb('message_due_at', 'is', null),
      ]);
    const old = tables().selectFrom('submissions').select('id').where(isOld).limit(ROWS_AT_ONCE);
    // Asked twice: of a row that is submitted meanwhile PostgreSQL asks the outer condition again, not the inner one.
    await deleteInSteps(tables().deleteFrom('submissions').where('id', 'in', old).where(isOld), stopping);
  }

  async function dropOld(stopping?: AbortSignal): Promise<void> {
    const refusedDays = Math.min(days, REFUSED_KEPT_DAYS);
    for (const [outcome, kept] of [
      ['accepted', days],
      ['unknown', days],
      ['rejected', refusedDays],
      ['not-sent', refusedDays],
    ] as const) {
      const before = Math.min(now() - kept * DAY_MS, limits.countsSince());
      const old = servers().where('outcome', '=', outcome).where('ended_at', '<=', before);
      await inSteps(() => drop(old.limit(ROWS_AT_ONCE)), stopping);
    }
  }

  /** Servers that were not sent are deleted first, so that they never push out what the guild has submitted. */
  async function dropExcess(guildId: string, stopping?: AbortSignal): Promise<void> {
    const ofGuild = servers().where('guild_id', '=', guildId).where('ended_at', 'is not', null);
    const notSent = ofGuild.where('reserved_at', 'is', null).where('outcome', '=', 'not-sent');
    const oldest = ofGuild.orderBy('ended_at').orderBy('submission_id').orderBy('position');
    let excess = (await history.size(guildId)) - MOST_ENTRIES;
    for (const some of [notSent, oldest]) {
      await inSteps(async () => {
        const dropped = excess > 0 ? await drop(some.limit(Math.min(excess, ROWS_AT_ONCE))) : 0;
        excess -= dropped;
        return dropped;
      }, stopping);
    }
  }

  return {
    async prune(stopping) {
      await records.endUnfinished(now() - LONGEST_RUN_MS);
      await dropDrafts(stopping);
      await dropOld(stopping);
      for await (const guildId of erasure.guilds()) await dropExcess(guildId, stopping);
    },
  };
}
