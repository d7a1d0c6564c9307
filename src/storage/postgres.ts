import { type Dialect, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import { DatabaseError, Pool, type PoolClient, type QueryResult, types } from 'pg';
import type { Secret } from '../secret.ts';
import { isOver, sessionConfig } from './postgres-session.ts';
import { reason, StoreError } from './store-error.ts';

/** How long a connection is reused, in seconds. Its host name may lead to another server by then. */
const LIFE_SECONDS = 3_600;

/** The type id of `bigint` (PostgreSQL: `pg_type`). Times in milliseconds can be represented exactly as a number. */
const INT8 = 20;

export interface PostgresOptions {
  readonly url: Secret;
  /** Called when an idle connection is lost, for example because the server restarts. */
  readonly onLost: (error: Error) => void;
  readonly connections: number;
  /** Whether statements have no time limit. */
  readonly isUnhurried?: boolean;
}

/**
 * Creates Kysely's own dialect on top of a connection pool. Turns every PostgreSQL or network error into a {@link
 * StoreError}.
 */
export function postgresDialect(options: PostgresOptions): Dialect {
  const { url, onLost, connections, isUnhurried = false } = options;
  const pool = new Pool({
    ...sessionConfig({ url, application: 'server-listing-bot', isUnhurried }),
    max: connections,
    maxLifetimeSeconds: LIFE_SECONDS,
    types: { getTypeParser },
  });
  // Without these two listeners, a lost connection would be an uncaught exception.
  pool.on('error', onLost);
  pool.on('connect', (client) => {
    // If a connection is lost while in use, its running statement reports it.
    client.on('error', () => undefined);
  });
  return new PostgresDialect({ pool: poolOf(pool) });
}

function getTypeParser(type: number, format?: 'text' | 'binary') {
  return type === INT8 ? Number : types.getTypeParser(type, format);
}

function poolOf(pool: Pool): PostgresPool {
  return {
    // Kysely would use this to cancel statements, which the bot doesn't do.
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
      // After any other error, the state of the connection is unknown.
      isBroken ||= !(error instanceof DatabaseError) || isOver(error.code);
      throw failure(error);
    }
  }

  const release = (isDiscarded?: boolean) => client.release(isBroken || Boolean(isDiscarded));
  // The type also covers cursor queries for streams, which aren't used.
  return { query, release } as object as PostgresPoolClient;
}

/** Replaces null characters, which PostgreSQL text can't contain (PostgreSQL docs: Character Types). */
function storable(value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\0', '\u{FFFD}') : value;
}

function failure(cause: unknown): StoreError {
  return new StoreError(`the database failed: ${reason(cause)}`, { cause });
}
