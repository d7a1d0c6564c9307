import type { Client } from 'pg';
import { createJob, type Part } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import type { PostgresUrl } from '../store-url.ts';
import { sessionConfig } from './postgres-session.ts';
import { cannotUse, reason, StoreError } from './store-error.ts';

/** Held by the bot that runs on a database. Any number, the same in every version. */
const BOT_LOCK = 3_728_115_202;
/** How often the lock's server is asked whether it is there and can be written to, in milliseconds. */
const LOOK_EVERY_MS = 1_000;
/**
 * How soon the server misses this machine: if that loses its power, the lock is free after 25 seconds. By default it takes two
 * hours, or a quarter of an hour where a response was not acknowledged yet (PostgreSQL docs: TCP Settings; Linux: tcp(7)).
 */
const MISSED_SOON = {
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  // In milliseconds. Kernels acknowledge a response up to 40 ms late, and keepalives do not begin before that.
  tcp_user_timeout: '25000',
};

export interface PostgresLockDeps extends PostgresUrl {
  /** Whether processes that share it may have it at the same time. The lock then keeps away only those that do not share. */
  readonly isShared: boolean;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
}

/**
 * An advisory lock of PostgreSQL that belongs to a connection: the server frees it when the process or the connection
 * ends. If the connection ends, as when the server restarts, the lock is taken again as soon as possible.
 */
export function createPostgresLock({ url, name, isShared, logger }: PostgresLockDeps): Required<Part> {
  let client: Client | undefined;
  const tryLock = isShared ? 'pg_try_advisory_lock_shared' : 'pg_try_advisory_lock';

  /** Whether nobody else has it. @throws when the server cannot be asked */
  async function take(): Promise<boolean> {
    const driver = await import('pg');
    const application = 'server-listing-bot lock';
    const taking = new driver.Client(sessionConfig({ url, application, settings: MISSED_SOON }));
    taking.on('error', (error) =>
      logger.warn({ reason: reason(error) }, 'the lock of the database was lost'),
    );
    try {
      await taking.connect();
      await askWhetherItWrites(taking);
      const { rows } = await taking.query(`select ${tryLock}($1) as "isTaken"`, [BOT_LOCK]);
      if (!rows[0].isTaken) {
        await taking.end();
        return false;
      }
    } catch (error) {
      void taking.end().catch(() => undefined);
      throw error;
    }
    client = taking;
    taking.on('end', () => {
      client = undefined;
    });
    return true;
  }

  async function look(): Promise<void> {
    if (client === undefined) return takeAgain();
    const looked = client;
    // A connection is ended that is silent, or is to a server that only reads: the lock on another server counts.
    await askWhetherItWrites(looked).catch(() => looked.end());
  }

  async function takeAgain(): Promise<void> {
    const isTaken = await take().catch(() => undefined);
    if (isTaken === false) {
      logger.error({ database: name }, 'another bot runs on the same database: stop one of them');
    }
  }

  const watch = createJob({ firstMs: LOOK_EVERY_MS, everyMs: LOOK_EVERY_MS, run: look });

  return {
    name: 'lock',
    /** @throws StoreError if another process has the lock, or the server cannot be asked */
    async start() {
      const isTaken = await take().catch((cause: unknown) => {
        throw cannotUse(name, cause);
      });
      if (!isTaken) {
        throw new StoreError(
          `another bot runs on the database ${name}. Only one can: stop that one first, or give this one a STORE_URL ` +
            'of its own.',
        );
      }
      watch.start();
    },
    async stop() {
      await watch.stop();
      await client?.end();
    },
  };
}

/** After a change of the primary an address, or an open connection, may lead to a server that only reads. */
async function askWhetherItWrites(client: Client): Promise<void> {
  const { rows } = await client.query("select current_setting('transaction_read_only') as readonly");
  if (rows[0].readonly !== 'off') throw new Error('the server only reads');
}
