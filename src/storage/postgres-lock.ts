import type { Client } from 'pg';
import { createJob, type Part } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import type { PostgresUrl } from '../store-url.ts';
import { sessionConfig } from './postgres-session.ts';
import { cannotUsePostgres, reason, StoreError } from './store-error.ts';

/** An arbitrary number that must never change. */
const BOT_LOCK_ID = 3_728_115_202;
const CHECK_SERVER_EVERY_MS = 1_000;
/**
 * After a power failure of this machine, the server releases the lock within 25 seconds. With the default settings, this
 * takes two hours, or 15 minutes if the server was still waiting for an acknowledgement (PostgreSQL docs: TCP Settings;
 * Linux: tcp(7)).
 */
const KEEPALIVE_SETTINGS = {
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  // How long the server waits for a response to be acknowledged, in milliseconds. During that time, it doesn't send
  // keepalives. Kernels may delay an acknowledgement by up to 40 ms.
  tcp_user_timeout: '25000',
};

export interface PostgresLockDeps extends PostgresUrl {
  /** A shared lock still excludes processes that need an exclusive one. */
  readonly isShared: boolean;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
}

/**
 * Creates a PostgreSQL advisory lock. It belongs to a connection, so the server releases it when the process exits or the
 * connection ends. If the connection is lost, for example because the server restarts, the bot soon retakes the lock.
 */
export function createPostgresLock({ url, name, isShared, logger }: PostgresLockDeps): Required<Part> {
  let client: Client | undefined;
  const tryLock = isShared ? 'pg_try_advisory_lock_shared' : 'pg_try_advisory_lock';

  /**
   * @returns whether the lock was free
   * @throws if the server can't be queried or is read-only
   */
  async function tryTake(): Promise<boolean> {
    const driver = await import('pg');
    const applicationName = 'server-listing-bot lock';
    const taking = new driver.Client(sessionConfig({ url, applicationName, settings: KEEPALIVE_SETTINGS }));
    taking.on('error', (error) =>
      logger.warn({ reason: reason(error) }, 'lost the database lock; will retry'),
    );
    try {
      await taking.connect();
      await checkIsWritable(taking);
      const { rows } = await taking.query(`select ${tryLock}($1) as "isTaken"`, [BOT_LOCK_ID]);
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

  async function check(): Promise<void> {
    const checked = client;
    // Closes the connection if the server doesn't respond or is read-only. Only the current primary may hold the lock.
    if (checked) return checkIsWritable(checked).catch(() => checked.end());
    const isTaken = await tryTake().catch(() => undefined);
    if (isTaken !== false) return;
    logger.error({ database: name }, 'another bot is running on the same database: stop one of them');
  }

  const watch = createJob({ firstMs: CHECK_SERVER_EVERY_MS, everyMs: CHECK_SERVER_EVERY_MS, run: check });

  return {
    name: 'lock',
    /** @throws StoreError if another process holds the lock, or the server can't be queried or is read-only */
    async start() {
      const isTaken = await tryTake().catch((cause: unknown) => {
        throw cannotUsePostgres(name, cause);
      });
      if (!isTaken) {
        throw new StoreError(
          `another bot is running on the database ${name}. Only one can use it: stop that one first, or give this one a STORE_URL ` +
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

/** Checks that the server is writable. A failover can leave a host name or connection pointing to a read-only server. */
async function checkIsWritable(client: Client): Promise<void> {
  const { rows } = await client.query("select current_setting('transaction_read_only') as readonly");
  if (rows[0].readonly !== 'off') throw new Error('the server is read-only');
}
