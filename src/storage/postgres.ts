import { type Dialect, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import { DatabaseError, Pool, type PoolClient, type QueryResult, types } from 'pg';
import { isConnectionUnusableAfter, type SessionOptions, sessionConfig } from './postgres-session.ts';
import { reason, StoreError } from './store-error.ts';

/** Older connections aren't reused, because their host name may point to a different server. */
const MAX_CONNECTION_AGE_SECONDS = 3_600;

/** Type id of `bigint` (PostgreSQL: `pg_type`), used for times in milliseconds. A number can represent them exactly. */
const INT8 = 20;

export interface PostgresOptions extends Pick<SessionOptions, 'url' | 'isUnhurried'> {
  readonly onIdleConnectionLost: (error: Error) => void;
  readonly connections: number;
}

/** Creates a Kysely dialect on top of a connection pool. PostgreSQL and network errors become a {@link StoreError}. */
export function postgresDialect(options: PostgresOptions): Dialect {
  const { url, onIdleConnectionLost, connections, isUnhurried = false } = options;
  const pool = new Pool({
    ...sessionConfig({ url, applicationName: 'server-listing-bot', isUnhurried }),
    max: connections,
    maxLifetimeSeconds: MAX_CONNECTION_AGE_SECONDS,
    types: { getTypeParser },
  });
  // Without error listeners, a lost connection would cause an uncaught exception.
  pool.on('error', onIdleConnectionLost);
  pool.on('connect', (client) => {
    // Ignored, because a statement also fails if its connection is lost while it is running.
    client.on('error', () => undefined);
  });
  return new PostgresDialect({ pool: poolOf(pool) });
}

function getTypeParser(type: number, format?: 'text' | 'binary') {
  return type === INT8 ? Number : types.getTypeParser(type, format);
}

function poolOf(pool: Pool): PostgresPool {
  return {
    // Kysely only uses these options to cancel statements, which the bot never does.
    options: {},
    async connect() {
      const client = await pool.connect().catch((cause: unknown) => {
        throw failure(cause);
      });
      return clientOf(client);
    },
    end: () => pool.end(),
  };
}

function clientOf(client: PoolClient): PostgresPoolClient {
  let isBroken = false;

  async function query(sql: string, parameters: readonly unknown[]): Promise<QueryResult> {
    try {
      return await client.query(sql, parameters.map(storable));
    } catch (error) {
      // Any error that isn't a database error leaves the connection in an unknown state.
      isBroken ||= !(error instanceof DatabaseError) || isConnectionUnusableAfter(error.code);
      throw failure(error);
    }
  }

  const release = (isDiscarded?: boolean) => client.release(isBroken || Boolean(isDiscarded));
  // The cast is needed because the type includes cursor queries for streaming, which this client doesn't implement.
  return { query, release } as object as PostgresPoolClient;
}

/** Replaces null characters, because PostgreSQL text can't contain them (PostgreSQL docs: Character Types). */
function storable(value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\0', '\u{FFFD}') : value;
}

function failure(cause: unknown): StoreError {
  return new StoreError(`the database failed: ${reason(cause)}`, { cause });
}
