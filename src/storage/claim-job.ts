import { sql } from 'kysely';
import { liveProcessIds } from './leases.ts';
import type { Store } from './store.ts';

/**
 * Runs the work unless another live process has started the same job within the last `ms` milliseconds.
 * @returns whether the work was run
 */
export type ClaimJob = (name: string, ms: number, work: () => Promise<unknown>) => Promise<boolean>;

export interface ClaimJobDeps {
  readonly store: Pick<Store, 'tables' | 'clock' | 'unsynced'>;
  readonly processId: string;
}

export function createClaimJob({ store, processId }: ClaimJobDeps): ClaimJob {
  return async (name, ms, work) => {
    const until = sql<number>`${store.clock} + ${sql.lit(ms)}`;
    const { numInsertedOrUpdatedRows } = await store.unsynced('job claim', () =>
      store
        .tables()
        .insertInto('jobs')
        .values({ name, process_id: processId, until })
        .onConflict((conflict) =>
          conflict
            .column('name')
            .doUpdateSet({ process_id: processId, until })
            .where(({ or, eb }) =>
              or([
                eb('jobs.process_id', '=', processId),
                eb('jobs.until', '<=', store.clock),
                eb('jobs.process_id', 'not in', liveProcessIds(store)),
              ]),
            ),
        )
        .executeTakeFirstOrThrow(),
    );
    if (numInsertedOrUpdatedRows !== 1n) return false;
    await work();
    return true;
  };
}
