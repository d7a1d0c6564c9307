import { sql } from 'kysely';
import { createJob, type Part } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import type { Store } from './store.ts';

/** How long a process counts as alive after its last renewal, and how often it renews, in milliseconds. */
const LEASE_MS = 20_000;
const RENEWED_EVERY_MS = 5_000;
/** A process looks for the dead only after so many renewals in a row that were on time. */
const ON_TIME_TO_LOOK = 2;

/** Others have counted this process as dead, and taken over what it had. It must end at once, and say nothing more. */
export class LeaseOver extends Error {
  override readonly name = 'LeaseOver';
}

export interface LeasesDeps {
  readonly store: Pick<Store, 'tables' | 'apart' | 'clock'>;
  /** The id of this process. What it takes bears it. */
  readonly owner: string;
  /** Whether other processes of the bot use the database. If not, all other owners in it are dead. */
  readonly isShared: boolean;
  /** Takes over what belongs to dead processes, until the signal is aborted. Called again and again, so that what failed is tried again. */
  readonly takeOver: (stopping: AbortSignal) => Promise<void>;
  readonly onOver: (error: LeaseOver) => void;
  readonly sealingKeyId: () => string;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly leaseMs?: number | undefined;
  readonly renewedEveryMs?: number | undefined;
}

/** The ids of all processes that are alive. */
export const living = ({ tables }: Pick<Store, 'tables'>) => tables().selectFrom('leases').select('owner');

/** Whether the owner of a row is dead. A process never counts itself as dead, even when its lease is gone. */
export const isAbandoned = (store: Pick<Store, 'tables'>, owner: string) =>
  sql<boolean>`owner <> ${owner} and owner not in ${living(store)}`;

/** The ids of the encryption keys that processes with a lease seal with; a dead one has it until it is found. */
export async function sealingKeysOf({ tables }: Pick<Store, 'tables'>): Promise<readonly string[]> {
  const rows = await tables().selectFrom('leases').select('sealing_key').execute();
  return rows.map((row) => row.sealing_key);
}

/**
 * Knows which processes are alive, by the clock of the database. Each process has a row, which it renews over a
 * connection of its own. Whoever sees a row out of date at two looks deletes it. The process of that row counts as dead
 * for ever, since a row that is gone cannot be renewed, and what it owned is taken over.
 */
export function createLeases(deps: LeasesDeps): Required<Part> {
  const { store, owner, isShared, takeOver, onOver, sealingKeyId, logger } = deps;
  const { leaseMs = LEASE_MS, renewedEveryMs: everyMs = RENEWED_EVERY_MS } = deps;
  const renewals = createJob({ firstMs: everyMs, everyMs, run: renewAndLook });
  const takeovers = createJob({ firstMs: everyMs, everyMs, run: takeOverOrTryAgain });
  let heldUntil = 0;
  let onTimeInARow = 0;
  /** The processes that were out of date at the last look. */
  let outOfDate: ReadonlySet<string> = new Set();

  const inMs = (ms: number) => sql<number>`${store.clock} + ${sql.lit(ms)}`;

  async function renewAndLook(): Promise<void> {
    try {
      await renew();
      await lookForDead();
    } catch (error) {
      onTimeInARow = 0;
      logger.warn({ err: error }, 'the lease of this process could not be renewed; it is tried again');
    }
  }

  async function renew(): Promise<void> {
    const renewed = await store
      .apart()
      .updateTable('leases')
      .set({ until: inMs(leaseMs) })
      .where('owner', '=', owner)
      .returning('until')
      .executeTakeFirst();
    if (renewed === undefined) {
      onTimeInARow = 0;
      onOver(new LeaseOver('this process was silent for too long, and others have taken over what it had'));
      return;
    }
    const sinceLastMs = renewed.until - heldUntil;
    heldUntil = renewed.until;
    const isOnTime = sinceLastMs >= 0 && sinceLastMs <= leaseMs / 2;
    onTimeInARow = isOnTime ? onTimeInARow + 1 : 0;
  }

  /** Looks only while this process is on time: after a pause of all processes the others get time to renew their rows. */
  async function lookForDead(): Promise<void> {
    const before = outOfDate;
    outOfDate = new Set();
    if (onTimeInARow < ON_TIME_TO_LOOK) return;
    const rows = await store
      .apart()
      .selectFrom('leases')
      .select('owner')
      .where('until', '<=', store.clock)
      .where('owner', '<>', owner)
      .execute();
    outOfDate = new Set(rows.map((row) => row.owner));
    const dead = [...outOfDate].filter((each) => before.has(each));
    if (dead.length === 0) return;
    await store
      .apart()
      .deleteFrom('leases')
      .where('owner', 'in', dead)
      .where('until', '<=', store.clock)
      .execute();
    logger.info({ dead }, 'another process is dead; what it had is taken over');
    void takeovers.run();
  }

  async function takeOverOrTryAgain(): Promise<void> {
    try {
      await takeOver(takeovers.stopping);
    } catch (error) {
      logger.warn({ err: error }, 'what belongs to nobody alive could not be taken over; it is tried again');
    }
  }

  return {
    name: 'leases',
    async start() {
      if (!isShared) await store.tables().deleteFrom('leases').execute();
      const held = await store
        .tables()
        .insertInto('leases')
        .values({ owner, until: inMs(leaseMs), sealing_key: sealingKeyId() })
        .returning('until')
        .executeTakeFirstOrThrow();
      heldUntil = held.until;
      if (isShared) renewals.start();
      await takeovers.run();
      takeovers.start();
    },
    async stop() {
      await Promise.all([renewals.stop(), takeovers.stop()]);
      // From now on others may take over what this process has not ended.
      await store.tables().deleteFrom('leases').where('owner', '=', owner).execute();
    },
  };
}
