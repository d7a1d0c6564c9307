import { sql } from 'kysely';
import { createJob, type Part } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import type { Store } from './store.ts';

const LEASE_MS = 20_000;
const LEASE_RENEWED_EVERY_MS = 5_000;
const MIN_CONSECUTIVE_ON_TIME_RENEWALS = 2;

/** Thrown if other processes considered this process dead and took over its work. The process must exit immediately. */
export class ExpiredLeaseError extends Error {
  override readonly name = 'ExpiredLeaseError';
}

export interface LeasesDeps {
  readonly store: Pick<Store, 'tables' | 'apart' | 'clock'>;
  /** Stored with all work that the process claims. */
  readonly processId: string;
  /** Whether several processes of the bot may use the database. If not, all other processes recorded there are dead. */
  readonly isShared: boolean;
  /** Takes over the work of dead processes until the signal is aborted. Called regularly, so failures are retried. */
  readonly takeOver: (stopping: AbortSignal) => Promise<void>;
  readonly onOver: (error: ExpiredLeaseError) => void;
  readonly encryptionKeyId: () => string;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly leaseMs?: number | undefined;
  readonly renewedEveryMs?: number | undefined;
}

export const liveProcessIds = ({ tables }: Pick<Store, 'tables'>) =>
  tables().selectFrom('leases').select('process_id');

/** SQL condition that matches rows of dead processes. Never matches this process's rows, even if its lease was deleted. */
export const isAbandoned = (store: Pick<Store, 'tables'>, processId: string) =>
  sql<boolean>`process_id <> ${processId} and process_id not in ${liveProcessIds(store)}`;

/** Includes the keys of processes with an expired lease. */
export async function encryptionKeyIdsInUse({ tables }: Pick<Store, 'tables'>): Promise<readonly string[]> {
  const rows = await tables().selectFrom('leases').select('encryption_key_id').execute();
  return rows.map((row) => row.encryption_key_id);
}

/**
 * Tracks which processes are alive, by the database's clock. Each process regularly renews its lease over a separate
 * connection. If a process finds that another's lease has expired at two consecutive checks, it deletes that lease. A
 * process without a lease counts as dead, and others take over its work.
 */
export function createLeases(deps: LeasesDeps): Required<Part> {
  const { store, processId, isShared, takeOver, onOver, encryptionKeyId, logger } = deps;
  const { leaseMs = LEASE_MS, renewedEveryMs: everyMs = LEASE_RENEWED_EVERY_MS } = deps;
  const renewals = createJob({ firstMs: everyMs, everyMs, run: renewAndFindDead });
  const takeovers = createJob({ firstMs: everyMs, everyMs, run: takeOverOrRetry });
  let heldUntil = 0;
  let onTimeInARow = 0;
  let expiredAtLastCheck: ReadonlySet<string> = new Set();

  const inMs = (ms: number) => sql<number>`${store.clock} + ${sql.lit(ms)}`;

  async function renewAndFindDead(): Promise<void> {
    try {
      await renew();
      await findDead();
    } catch (error) {
      onTimeInARow = 0;
      logger.warn({ err: error }, "could not renew this process's lease; will retry");
    }
  }

  async function renew(): Promise<void> {
    const renewed = await store
      .apart()
      .updateTable('leases')
      .set({ until: inMs(leaseMs) })
      .where('process_id', '=', processId)
      .returning('until')
      .executeTakeFirst();
    if (renewed === undefined) {
      onTimeInARow = 0;
      onOver(
        new ExpiredLeaseError('this process was silent for too long, and others have taken over its work'),
      );
      return;
    }
    const sinceLastMs = renewed.until - heldUntil;
    heldUntil = renewed.until;
    const isOnTime = sinceLastMs >= 0 && sinceLastMs <= leaseMs / 2;
    onTimeInARow = isOnTime ? onTimeInARow + 1 : 0;
  }

  /**
   * Looks for dead processes, but only if this process has renewed its own lease on time. If all processes were paused,
   * this gives the others time to renew their leases.
   */
  async function findDead(): Promise<void> {
    const before = expiredAtLastCheck;
    expiredAtLastCheck = new Set();
    if (onTimeInARow < MIN_CONSECUTIVE_ON_TIME_RENEWALS) return;
    const rows = await store
      .apart()
      .selectFrom('leases')
      .select('process_id')
      .where('until', '<=', store.clock)
      .where('process_id', '<>', processId)
      .execute();
    expiredAtLastCheck = new Set(rows.map((row) => row.process_id));
    const dead = [...expiredAtLastCheck].filter((each) => before.has(each));
    if (dead.length === 0) return;
    await store
      .apart()
      .deleteFrom('leases')
      .where('process_id', 'in', dead)
      .where('until', '<=', store.clock)
      .execute();
    logger.info({ dead }, 'another process is dead; taking over its work');
    void takeovers.run();
  }

  async function takeOverOrRetry(): Promise<void> {
    try {
      await takeOver(takeovers.stopping);
    } catch (error) {
      logger.warn({ err: error }, "could not take over a dead process's work; will retry");
    }
  }

  return {
    name: 'leases',
    async start() {
      if (!isShared) await store.tables().deleteFrom('leases').execute();
      const held = await store
        .tables()
        .insertInto('leases')
        .values({ process_id: processId, until: inMs(leaseMs), encryption_key_id: encryptionKeyId() })
        .returning('until')
        .executeTakeFirstOrThrow();
      heldUntil = held.until;
      if (isShared) renewals.start();
      await takeovers.run();
      takeovers.start();
    },
    async stop() {
      await Promise.all([renewals.stop(), takeovers.stop()]);
      // From now on, other processes can take over this process's unfinished work.
      await store.tables().deleteFrom('leases').where('process_id', '=', processId).execute();
    },
  };
}
