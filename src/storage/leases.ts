import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { createJob, type Part } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import type { Store } from './store.ts';

/** How long a process counts as alive after it was last heard of, and how often it says so, in milliseconds. */
const LEASE_MS = 20_000;
const RENEWED_EVERY_MS = 5_000;

/** Others have counted this process as dead, and taken over what it had. It must end at once, and say nothing more. */
export class LeaseOver extends Error {
  override readonly name = 'LeaseOver';
}

/** Does work in one of all processes at a time: see {@link Leases.onlyOne}. */
export type OnlyOne = (name: string, ms: number, work: () => Promise<unknown>) => Promise<boolean>;

/**
 * Which processes are alive, by the clock of the database. Each has a row of its own, which it renews. Who finds a row
 * whose time is over deletes it: that process is dead, and stays so, since a row that is gone cannot be renewed. What
 * belongs to nobody alive is then taken over.
 */
export interface Leases extends Part {
  /** The id of this process. What it takes bears it. */
  readonly owner: string;
  /**
   * Does the work unless another living process has begun it less than so many milliseconds ago.
   * @returns whether it was done
   */
  readonly onlyOne: OnlyOne;
}

export interface LeasesDeps {
  readonly store: Pick<Store, 'tables' | 'clock'>;
  /** The lock of the store keeps all others away: what there is of them is of the past. */
  readonly isAlone: boolean;
  /** Takes over what belongs to nobody alive: at the start, and when another process was found dead. */
  readonly takeOver: () => Promise<void>;
  readonly onOver: (error: LeaseOver) => void;
  /** The id of the encryption key that this process seals with. */
  readonly sealingKeyId: () => string;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly leaseMs?: number | undefined;
  readonly renewedEveryMs?: number | undefined;
}

/** The ids of all processes that are alive. */
export const living = ({ tables }: Pick<Store, 'tables'>) => tables().selectFrom('leases').select('name');

/** The ids of the encryption keys that processes seal with which have not stopped, or have died and are not found yet. */
export async function sealingKeysOf({ tables }: Pick<Store, 'tables'>): Promise<readonly string[]> {
  const rows = await tables()
    .selectFrom('leases')
    .select('sealing_key')
    .where('sealing_key', 'is not', null)
    .where('until', '>', 0)
    .execute();
  return rows.flatMap((row) => row.sealing_key ?? []);
}

export function createLeases(deps: LeasesDeps): Leases {
  const { store, isAlone, takeOver, onOver, sealingKeyId, logger } = deps;
  const { leaseMs = LEASE_MS, renewedEveryMs: everyMs = RENEWED_EVERY_MS } = deps;
  const owner = randomUUID();
  const renewal = createJob({ firstMs: everyMs, everyMs, run: renew });
  const watch = createJob({ firstMs: everyMs, everyMs, run: lookForDead });
  let isTakeoverDue = false;
  let failedAt = Number.NEGATIVE_INFINITY;

  const inMs = (ms: number) => sql<number>`${store.clock} + ${sql.lit(ms)}`;

  async function renew(): Promise<void> {
    try {
      const { numUpdatedRows } = await store
        .tables()
        .updateTable('leases')
        .set({ until: inMs(leaseMs) })
        .where('name', '=', owner)
        .executeTakeFirst();
      if (numUpdatedRows > 0n) return;
      onOver(new LeaseOver('this process was silent for too long, and others have taken over what it had'));
    } catch (error) {
      failedAt = performance.now();
      logger.warn({ err: error }, 'the lease of this process could not be renewed; it is tried again');
    }
  }

  async function lookForDead(): Promise<void> {
    // Where the database was away, the others come first to renew what is theirs.
    if (performance.now() - failedAt < leaseMs) return;
    try {
      const dead = await store
        .tables()
        .deleteFrom('leases')
        .where('until', '<=', store.clock)
        .where('name', '<>', owner)
        .returning('name')
        .execute();
      isTakeoverDue ||= dead.length > 0;
      if (!isTakeoverDue) return;
      await takeOver();
      isTakeoverDue = false;
      logger.info({}, 'took over what belonged to nobody alive');
    } catch (error) {
      logger.warn({ err: error }, 'what a dead process has left could not be taken over; it is tried again');
    }
  }

  return {
    name: 'leases',
    owner,
    async onlyOne(name, ms, work) {
      const until = inMs(ms);
      const { numInsertedOrUpdatedRows } = await store
        .tables()
        .insertInto('leases')
        .values({ name, owner, until })
        .onConflict((conflict) =>
          conflict
            .column('name')
            .doUpdateSet({ owner, until })
            .where(({ or, eb }) =>
              or([
                eb('leases.owner', '=', owner),
                eb('leases.until', '<=', store.clock),
                eb('leases.owner', 'not in', living(store)),
              ]),
            ),
        )
        .executeTakeFirstOrThrow();
      if (numInsertedOrUpdatedRows !== 1n) return false;
      await work();
      return true;
    },
    async start() {
      if (isAlone) await store.tables().deleteFrom('leases').execute();
      await store
        .tables()
        .insertInto('leases')
        .values({ name: owner, owner, until: inMs(leaseMs), sealing_key: sealingKeyId() })
        .execute();
      await takeOver();
      // Nobody could count this one as dead.
      if (isAlone) return;
      renewal.start();
      watch.start();
    },
    async stop() {
      await Promise.all([renewal.stop(), watch.stop()]);
      // Its row stays until somebody finds it, and takes over what this one did not end.
      await store.tables().updateTable('leases').set({ until: 0 }).where('owner', '=', owner).execute();
    },
  };
}
