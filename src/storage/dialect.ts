import {
  type DatabaseConnection,
  type Dialect,
  type DialectAdapter,
  type QueryResult,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Statements } from './statements.ts';

const none = async () => undefined;

/** Our statements pass a queue of their own; Kysely's would wait for it, and it for Kysely's. */
const ADAPTER: DialectAdapter = {
  supportsCreateIfNotExists: true,
  supportsMultipleConnections: true,
  supportsTransactionalDdl: false,
  supportsReturning: true,
  acquireMigrationLock: none,
  releaseMigrationLock: none,
};

/** Kysely over our {@link Statements}. Transactions are made there, not with Kysely's `transaction()`. */
export function createDialect(statements: Pick<Statements, 'execute'>): Dialect {
  const connection: DatabaseConnection = {
    async executeQuery<R>({ sql, parameters }: { sql: string; parameters: readonly unknown[] }) {
      const { rows, changes } = await statements.execute(sql, parameters);
      return { rows, numAffectedRows: BigInt(changes) } as QueryResult<R>;
    },
    streamQuery() {
      throw new Error('queries are not streamed: a stream would hold up every other statement');
    },
  };
  const ours = async () => {
    throw new Error('transactions are made with inGuild()');
  };
  return {
    createAdapter: () => ADAPTER,
    createDriver: () => ({
      init: none,
      acquireConnection: async () => connection,
      beginTransaction: ours,
      commitTransaction: ours,
      rollbackTransaction: ours,
      releaseConnection: none,
      destroy: none,
    }),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}
