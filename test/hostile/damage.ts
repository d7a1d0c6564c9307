import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Random } from './random.ts';
import { filled } from './texts.ts';

/**
 * A marker inside damaged records, which the bot must never output. It is short because JSON errors only quote a few
 * characters.
 */
export const HELD = 'Q7held7Q';

/** Columns with text that the bot parses, and SQL conditions that select a guild's rows. */
const COLUMNS = [
  { table: 'keyv', column: 'value', where: `key LIKE '%:' || ? || '%' OR key LIKE '%games:list'` },
  { table: 'interactions', column: 'encrypted', where: 'guild_id = ?' },
  { table: 'drafts', column: 'lines', where: 'guild_id = ?' },
  { table: 'servers', column: 'message', where: 'guild_id = ?' },
  { table: 'servers', column: 'reason', where: 'guild_id = ?' },
] as const;

/** Damages a record, as another version, a full disk or a manual edit might. */
function damaged(random: Random, text: string): string {
  return random.pick<() => string>([
    [3, () => `${text.slice(0, text.length / 2)}${HELD}`],
    [2, () => ''],
    [2, () => JSON.stringify({ value: { v: 1, held: HELD } })],
    [2, () => JSON.stringify({ value: { v: 99, held: HELD }, rows: HELD })],
    [1, () => JSON.stringify({ value: filled(`${HELD} `, 1024 * 1024) })],
    [1, () => 'null'],
    [1, () => HELD],
    [3, () => text.replace(/./, (first) => String.fromCharCode(first.charCodeAt(0) ^ 1))],
  ])();
}

/**
 * Damages a guild's records while the bot is stopped. Also adds two damaged records that a crash could have left behind: an
 * unfinished interaction and an unfinished submission.
 * @param data the folder with the bot's database
 * @returns how many records were damaged
 */
export function damage(data: string, guildId: string, random: Random): number {
  const database = new DatabaseSync(join(data, 'bot.sqlite'));
  let count = 0;
  try {
    const now = Date.now();
    // The admins have used up their tests of keys, and they set a key again before the limit would allow it.
    database.exec('DELETE FROM key_trials');
    database
      .prepare(
        "INSERT INTO interactions (id, guild_id, process_id, taken_at, encrypted) VALUES (?, ?, 'dead', ?, ?)",
      )
      .run(`damaged-${now}`, guildId, now, damaged(random, '{}'));
    database
      .prepare(
        `INSERT INTO drafts (id, guild_id, user_id, user_name, source, lines, changed_at)
          VALUES (?, ?, '7', 'mia', 'text', ?, ?)`,
      )
      .run(`damaged-${now}`, guildId, damaged(random, '{}'), now);
    database
      .prepare(
        `INSERT INTO submissions (id, draft_id, guild_id, user_id, user_name, state, interaction_id, process_id, created_at,
          started_at) VALUES (?, ?, ?, '7', 'mia', 'running', ?, 'dead', ?, ?)`,
      )
      .run(`run-${now}`, `damaged-${now}`, guildId, `damaged-${now}`, now, now);
    for (const { table, column, where } of COLUMNS) {
      const rows = database
        .prepare(
          `SELECT rowid AS row, ${column} AS text FROM ${table} WHERE ${column} IS NOT NULL AND (${where})`,
        )
        .all(guildId);
      const write = database.prepare(`UPDATE ${table} SET ${column} = ? WHERE rowid = ?`);
      for (const { row, text } of rows) {
        if (row === null || row === undefined || !random.chance(0.7)) continue;
        write.run(damaged(random, String(text)), row);
        count += 1;
      }
    }
  } finally {
    database.close();
  }
  return count;
}
