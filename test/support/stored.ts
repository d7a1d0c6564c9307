import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** What is in the bot's store, as another process reads it from the file. */
export interface Stored {
  /** Every key, in order. */
  readonly keys: readonly string[];
  /** What has not come to its end: interactions that were not answered, and submissions that were begun. */
  readonly unfinished: readonly string[];
  /** How a server ended by the guild's history, the newest entry first; empty when it is not in there. */
  ended(guildId: string, server: string): readonly string[];
}

/** @param data the folder of the bot's database */
export function readStored(data: string): Stored {
  const database = new DatabaseSync(join(data, 'bot.sqlite'), { readOnly: true });
  const texts = (sql: string, ...values: readonly string[]) =>
    database
      .prepare(sql)
      .all(...values)
      .map(({ text }) => String(text));
  const historyOf = `SELECT address, outcome AS text FROM servers WHERE guild_id = ? AND host = ? AND outcome IS NOT NULL
    ORDER BY ended_at DESC, submission_id DESC`;
  try {
    const all = new Map<string, readonly string[]>();
    for (const row of database.prepare('SELECT DISTINCT guild_id, host FROM servers').all()) {
      const [guildId, host] = [String(row.guild_id), String(row.host)];
      all.set(`${guildId} ${host}`, texts(historyOf, guildId, host));
    }
    return {
      keys: texts('SELECT key AS text FROM keyv ORDER BY key'),
      unfinished: [
        ...texts("SELECT 'interaction ' || id AS text FROM interactions WHERE sealed IS NOT NULL"),
        ...texts("SELECT 'submission ' || id AS text FROM submissions WHERE state = 'running'"),
      ],
      ended: (guildId, server) => all.get(`${guildId} ${server}`) ?? [],
    };
  } finally {
    database.close();
  }
}
