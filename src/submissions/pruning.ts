import { type ExpressionBuilder, sql } from 'kysely';
import { DAY_MS } from '../numbers.ts';
import { countOf } from '../storage/count.ts';
import type { Store } from '../storage/store.ts';
import type { Tables } from '../storage/tables.ts';
import { DRAFT_LIVES_MS } from './drafts.ts';
import type { Erasure } from './erasure.ts';
import { MOST_ENTRIES } from './history.ts';
import { deleteInSteps, ROWS_AT_ONCE } from './in-steps.ts';
import type { Limits } from './limits.ts';
import type { Runs } from './runs.ts';

/** For how many days rejected servers are kept, and servers that were not sent. */
export const REFUSED_KEPT_DAYS = 30;
/** No interaction can still carry out a submission that has been running for longer; in milliseconds. */
const LONGEST_RUN_MS = 20 * 60_000;

export interface PruningDeps {
  readonly store: Pick<Store, 'tables' | 'inGuild'>;
  readonly runs: Pick<Runs, 'endUnfinished'>;
  readonly limits: Pick<Limits, 'countsSince'>;
  readonly erasure: Pick<Erasure, 'guilds'>;
  /** For how many days servers are kept that were accepted or may have been received. */
  readonly days: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Deletes drafts and history that are too old, and ends submissions that have been running for too long. If a guild has too
 * much history, servers that were not sent are deleted first, then the oldest. A server that a limit still counts stays. It
 * throws between two guilds when the bot stops.
 */
export function createPruning(deps: PruningDeps): { prune(stopping?: AbortSignal): Promise<void> } {
  const { store, runs, limits, erasure, days, now } = deps;
  const { tables } = store;

  async function dropDrafts(stopping?: AbortSignal): Promise<void> {
    const before = now() - DRAFT_LIVES_MS;
    const isOld = ({ and, eb, not, exists, selectFrom }: ExpressionBuilder<Tables, 'documents'>) =>
      and([
        eb('changed_at', '<=', before),
        not(
          exists(
            selectFrom('submissions')
              .select('submissions.id')
              .whereRef('document_id', '=', 'documents.id')
              .where('state', 'in', ['waiting', 'running']),
          ),
        ),
      ]);
    const old = tables().selectFrom('documents').select('id').where(isOld).limit(ROWS_AT_ONCE);
    // Asked twice: of a row that is submitted meanwhile PostgreSQL asks the outer condition again, not the inner one.
    await deleteInSteps(tables().deleteFrom('documents').where('id', 'in', old).where(isOld), stopping);
    const withdrawn = tables()
      .selectFrom('submissions')
      .select('id')
      .where('state', '=', 'withdrawn')
      .where('ended_at', '<=', before)
      // Otherwise its message does not say yet that it was withdrawn.
      .whereRef('shown', '>=', 'changes')
      .limit(ROWS_AT_ONCE);
    await deleteInSteps(tables().deleteFrom('submissions').where('id', 'in', withdrawn), stopping);
  }

  /**
   * What is past its time, what is too much, and what was submitted without a server being left. In one transaction, so that
   * no submission stays without its servers.
   */
  const pruneGuild = (guildId: string): Promise<void> =>
    store.inGuild(
      guildId,
      async () => {
        await dropOld(guildId);
        await dropExcess(guildId);
        await dropEmpty(guildId);
      },
      { synced: false },
    );

  async function dropOld(guildId: string): Promise<void> {
    const before = now() - days * DAY_MS;
    const refusedBefore = now() - Math.min(days, REFUSED_KEPT_DAYS) * DAY_MS;
    await tables()
      .deleteFrom('servers')
      .where('guild_id', '=', guildId)
      .where('ended_at', '<=', refusedBefore)
      .where(({ or, eb }) =>
        or([eb('outcome', 'in', ['rejected', 'not-sent']), eb('ended_at', '<=', before)]),
      )
      .where(isUncounted)
      .execute();
  }

  /** Servers that were not sent go first, so that they never push out what the guild has submitted. */
  async function dropExcess(guildId: string): Promise<void> {
    const ended = tables()
      .selectFrom('servers')
      .where('guild_id', '=', guildId)
      .where('ended_at', 'is not', null);
    const excess = (await countOf(ended)) - MOST_ENTRIES;
    if (excess <= 0) return;
    const first = ended
      .select(['submission_id', 'position'])
      .where(isUncounted)
      .orderBy(sql`outcome <> 'not-sent'`)
      .orderBy('ended_at')
      .orderBy('submission_id')
      .orderBy('position')
      .limit(excess);
    await tables().deleteFrom('servers').where(sql<boolean>`(submission_id, position) in ${first}`).execute();
  }

  async function dropEmpty(guildId: string): Promise<void> {
    await tables()
      .deleteFrom('submissions')
      .where('guild_id', '=', guildId)
      .where('state', 'in', ['done', 'refused', 'expired'])
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(selectFrom('servers').select('position').whereRef('submission_id', '=', 'submissions.id')),
        ),
      )
      .execute();
  }

  /** No limit counts it. */
  const isUncounted = ({ or, eb }: ExpressionBuilder<Tables, 'servers'>) =>
    or([eb('reserved_at', 'is', null), eb('reserved_at', '<', limits.countsSince())]);

  return {
    async prune(stopping) {
      await runs.endUnfinished(now() - LONGEST_RUN_MS);
      await dropDrafts(stopping);
      for await (const guildId of erasure.guilds()) {
        stopping?.throwIfAborted();
        await pruneGuild(guildId);
      }
    },
  };
}
