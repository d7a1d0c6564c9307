import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Asks a store of either kind what has not come to its end: {@link Stored.unfinished}. */
export const UNFINISHED = `SELECT 'interaction ' || id AS text FROM interactions WHERE sealed IS NOT NULL
  UNION ALL SELECT 'submission ' || id AS text FROM submissions WHERE state = 'running'`;

/** What is in the bot's store at the moment that it is asked, as another process reads it from the file. */
export interface Stored {
  /** What has not come to its end: interactions that were not answered, and submissions that were begun. */
  readonly unfinished: readonly string[];
  /** How a server ended by the guild's history, the newest entry first; empty when it is not in there. */
  ended(guildId: string, server: string): readonly string[];
}

/** @param data the folder of the bot's database */
export function readStored(data: string): Stored {
  const texts = (sql: string, ...values: readonly string[]) => {
    const database = new DatabaseSync(join(data, 'bot.sqlite'), { readOnly: true });
    try {
      const rows = database.prepare(sql).all(...values);
      return rows.map(({ text }) => String(text));
    } finally {
      database.close();
    }
  };
  return {
    get unfinished() {
      return texts(UNFINISHED);
    },
    ended: (guildId, server) =>
      texts(
        `SELECT outcome AS text FROM servers WHERE guild_id = ? AND host = ? AND outcome IS NOT NULL
          ORDER BY ended_at DESC, submission_id DESC`,
        guildId,
        server,
      ),
  };
}
