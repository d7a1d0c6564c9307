import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { inject } from 'vitest';
import { parseStoreUrl } from '../../src/store-url.ts';

/** Whether this run of the tests has a server of PostgreSQL. */
export const hasPostgres = (): boolean => Boolean(inject('postgres'));

export type TestDatabase = Awaited<ReturnType<typeof newDatabase>>;

/**
 * A database of its own on the server of this run.
 * @param options of `create database`
 */
export async function newDatabase(options = '') {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const server = inject('postgres');
  const address = new URL(server);
  address.pathname = `/${name}`;
  const url = address.href;
  const storeUrl = parseStoreUrl(url);
  if (storeUrl === undefined) throw new Error('the URL of the database of a test cannot be used');
  await run(server, `create database ${name} ${options}`);
  const endSessions = async () =>
    void (await run(server, 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
      name,
    ]));

  return {
    /** As `STORE_URL` names it. */
    url,
    storeUrl,
    /** Runs a statement as another process does. */
    query: (sql: string, values?: readonly unknown[]) => run(url, sql, values),
    /** Ends all connections and lets in no more, as a server that restarts. */
    async leave() {
      await run(server, `alter database ${name} with allow_connections false`);
      await endSessions();
    },
    comeBack: async () => void (await run(server, `alter database ${name} with allow_connections true`)),
    /** A default of the sessions that begin from now on. */
    setDefault: async (setting: string, value: string) =>
      void (await run(server, `alter database ${name} set ${setting} = '${value}'`)),
    endSessions,
    drop: async () => void (await run(server, `drop database ${name} with (force)`)),
  };
}

async function run(url: string, sql: string, values: readonly unknown[] = []) {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql, [...values])).rows as readonly Readonly<Record<string, unknown>>[];
  } finally {
    await client.end();
  }
}
