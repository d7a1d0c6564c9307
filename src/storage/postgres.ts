import { type Dialect, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import { DatabaseError, Pool, type PoolClient, type QueryResult, types } from 'pg';
import type { Secret } from '../secret.ts';
import { isOver, sessionConfig } from './postgres-session.ts';
import { reason, StoreError } from './store-error.ts';

/** How long a connection is kept: later its name may lead to another server. */
const LIFE_SECONDS = 3_600;

/** The type of `bigint` (PostgreSQL: `pg_type`). Times in milliseconds are exact as numbers. */
const INT8 = 20;

export interface PostgresOptions {
  readonly url: Secret;
  /** Told of a connection that was lost while nobody used it, as when the server restarts. */
  readonly onLost: (error: Error) => void;
  /** How many connections are opened at most. */
  readonly connections: number;
  /** Whether statements may take as long as they need. */
  readonly isUnhurried?: boolean;
}

/** Kysely's own dialect over a pool of connections. Whatever PostgreSQL or the network says becomes a {@link StoreError}. */
export function postgresDialect(options: PostgresOptions): Dialect {
  const { url, onLost, connections, isUnhurried = false } = options;
  const pool = new Pool({
    ...sessionConfig({ url, application: 'server-listing-bot', isUnhurried }),
    max: connections,
    maxLifetimeSeconds: LIFE_SECONDS,
    types: { getTypeParser },
  });
  // Without these two listeners a lost connection is an uncaught exception.
  pool.on('error', onLost);
  pool.on('connect', (client) => {
    // A connection that is lost while it is used: the statement that runs on it says so.
    client.on('error', () => undefined);
  });
  return new PostgresDialect({ pool: poolOf(pool) });
}

function getTypeParser(type: number, format?: 'text' | 'binary') {
  return type === INT8 ? Number : types.getTypeParser(type, format);
}

function poolOf(pool: Pool): PostgresPool {
  return {
    // Kysely would use it to cancel statements, which nobody does here.
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
      // After any other error nobody knows what the connection is doing.
      isBroken ||= !(error instanceof DatabaseError) || isOver(error.code);
      throw failure(error);
    }
  }

  const release = (isDiscarded?: boolean) => client.release(isBroken || Boolean(isDiscarded));
  // The type also has queries by cursor, for streams.
  return { query, release } as object as PostgresPoolClient;
}

/** Texts of PostgreSQL cannot hold the character 0 (PostgreSQL docs: Character Types). */
function storable(value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\0', '\u{FFFD}') : value;
}

function failure(cause: unknown): StoreError {
  return new StoreError(`the database failed: ${reason(cause)}`, { cause });
}
