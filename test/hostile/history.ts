import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { unfinishedIn } from '../support/database.ts';

interface Submitted {
  readonly guildId: string;
  readonly server: string;
}

/** A submission that is or was waiting for a moderator's decision. */
export interface StoredApproval {
  readonly id: string;
  readonly state: string;
  /** The id of the message with the submission. */
  readonly message: string;
  /** How many of the submission's servers were accepted. */
  readonly accepted: number;
}

/** Runs a statement on the bot's database over a separate connection. */
type Query = (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/** Creates queries for the bot's store. */
export function createHistory(query: Query) {
  const texts = async (sql: string) => (await query(sql)).map(({ text }) => String(text));
  return {
    /** Returns all unfinished records: interactions that have no reply, and submissions that are still running. */
    unfinished: () => unfinishedIn({ rows: query }),

    /** Returns each server's latest outcome by host. All servers must be from the same guild. */
    async latest(servers: readonly Submitted[]): Promise<ReadonlyMap<string, string>> {
      // The test chose these names, so nothing needs escaping.
      const hosts = servers.map(({ server }) => `'${server}'`);
      const rows = await query(`select host, outcome from servers
        where guild_id = '${servers[0]?.guildId}' and host in (${hosts.join(', ')}) and outcome is not null
        order by ended_at, submission_id`);
      return new Map(rows.map(({ host, outcome }) => [String(host), String(outcome)]));
    },

    /** Returns the servers sent in a guild. Leaves out the admin's servers, which don't need approval. */
    async sent(guildId: string, adminId: string) {
      const rows = await query(`select draft_id as id, host from servers
        join submissions on submissions.id = submission_id
        where servers.guild_id = '${guildId}' and sent_at is not null and submissions.user_id <> '${adminId}'`);
      return rows.map(({ id, host }) => ({ id: String(id), host: String(host) }));
    },

    async approvals(guildId: string): Promise<readonly StoredApproval[]> {
      const rows = await query(`select id, state, message_id, (select count(*) from servers
          where submission_id = submissions.id and outcome = 'accepted') as accepted
        from submissions where guild_id = '${guildId}' and expires_at is not null`);
      return rows.map(({ id, state, message_id, accepted }) => ({
        id: String(id),
        state: String(state),
        message: String(message_id),
        accepted: Number(accepted),
      }));
    },

    /** Returns the number of decisions that each guild member was notified of, by member id. */
    async decisionsNotified(guildId: string): Promise<ReadonlyMap<string, number>> {
      const rows = await query(`select user_id, count(*) as count from submissions
        where guild_id = '${guildId}' and notified_at is not null and user_id is not null group by user_id`);
      return new Map(rows.map(({ user_id, count }) => [String(user_id), Number(count)]));
    },

    /** Returns `GUILD SERVER` for each server that was accepted, or whose outcome is unknown. */
    async submitted(): Promise<ReadonlySet<string>> {
      const all = await texts(`select distinct guild_id || ' ' || host as text from servers
        where outcome in ('accepted', 'unknown')`);
      return new Set(all);
    },
  };
}

/** @param data the folder with the bot's database */
export const inFile =
  (data: string): Query =>
  async (sql) => {
    const database = new DatabaseSync(join(data, 'bot.sqlite'), { readOnly: true });
    try {
      return database.prepare(sql).all();
    } finally {
      database.close();
    }
  };

export const inPostgres =
  (url: string): Query =>
  async (sql) => {
    const client = new Client({ connectionString: url });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  };
