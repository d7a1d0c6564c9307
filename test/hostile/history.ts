import { Client } from 'pg';
import { readStored } from '../support/stored.ts';

/** A server that a guild has submitted. */
interface Submitted {
  readonly guildId: string;
  readonly server: string;
}

/** What is in the bot's store at the moment that it is asked. */
export interface History {
  /** What has not come to its end: interactions that were not answered, and submissions that were begun. */
  unfinished(): Promise<readonly string[]>;
  /** How each of these servers of one guild ended at last, by its host. */
  latest(servers: readonly Submitted[]): Promise<ReadonlyMap<string, string | undefined>>;
  /** `GUILD SERVER` of all that was accepted, or may have been received. */
  submitted(): Promise<ReadonlySet<string>>;
}

/** @param data the folder of the bot's database */
export function historyInFile(data: string): History {
  return {
    unfinished: async () => readStored(data).unfinished,
    async latest(servers) {
      const { ended } = readStored(data);
      return new Map(servers.map(({ guildId, server }) => [server, ended(guildId, server)[0]]));
    },
    submitted: async () => readStored(data).submitted(),
  };
}

export function historyInPostgres(url: string): History {
  async function rows<Row>(sql: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    const client = new Client({ connectionString: url });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query(sql, [...values])).rows;
    } finally {
      await client.end();
    }
  }
  const texts = async (sql: string) => (await rows<{ text: string }>(sql)).map(({ text }) => text);

  return {
    unfinished: () =>
      texts(`select 'interaction ' || id as text from interactions where sealed is not null
        union all select 'submission ' || id from submissions where state = 'running'`),
    async latest(servers) {
      const found = await rows<{ host: string; outcome: string }>(
        `select host, outcome from servers
          where guild_id = $1 and host = any($2) and outcome is not null order by ended_at, submission_id`,
        [servers[0]?.guildId, servers.map(({ server }) => server)],
      );
      return new Map(found.map(({ host, outcome }) => [host, outcome]));
    },
    submitted: async () =>
      new Set(
        await texts(`select distinct guild_id || ' ' || host as text from servers
          where outcome in ('accepted', 'unknown')`),
      ),
  };
}
