import { chmodSync, copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** What is in test/fixtures/0.1; its README says how it came to be. */
export const IN_0_1 = {
  /** When the bot was killed, in milliseconds since 1970. */
  killedAt: 1_795_301_162_202,
  guild: '1323802873036800000',
  otherGuild: '1323802873040994304',
  member: '146634305496797257',
  otherMember: '126408941365012128',
  /** Interactions whose answers had buttons: one server that was submitted before, and a list that waits. */
  offer: '1573831878161465344',
  draft: '1573831878689947648',
  /** A list that was submitted and answered. */
  finishedList: '1573831876278222848',
  /** A list of 250, and the interaction that was submitting it: 100 were accepted, 100 were on their way. */
  list: '1573831879033880577',
  submitting: '1573831879742717952',
  /** /addserver for w1 to w4: three were on their way, the fourth waited for a free connection. */
  waiting: ['1573831881655320576', '1573831882917806080', '1573831884180291584', '1573831885438582784'],
} as const;

const FOLDER = join(import.meta.dirname, '..', 'fixtures', '0.1');
const DAY_MS = 86_400_000;

/** Puts a copy of the store into a folder, as if the bot had been killed just now, and everything today; its path. */
export function copyStoreOf01(folder: string): string {
  const path = join(folder, 'bot.sqlite');
  copyFileSync(join(FOLDER, 'bot.sqlite'), path);
  copyFileSync(join(FOLDER, 'bot.sqlite.key'), `${path}.key`);
  chmodSync(path, 0o600);
  chmodSync(`${path}.key`, 0o600);
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  changeValues(path, later(Math.max(Date.now(), today + 60_000) - IN_0_1.killedAt));
  return path;
}

/** Changes every row of Keyv in a store that nobody has open. */
export function changeValues(
  path: string,
  change: (key: string, value: string) => readonly [string, string],
): void {
  const database = new DatabaseSync(path);
  try {
    for (const row of database.prepare('SELECT key, value, expires FROM keyv').all()) {
      const [key, value] = change(String(row.key), String(row.value));
      const expires = row.expires === null ? null : Number(Object(JSON.parse(value)).expires ?? row.expires);
      database
        .prepare('UPDATE keyv SET key = ?, value = ?, expires = ? WHERE key = ?')
        .run(key, value, expires, String(row.key));
    }
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } finally {
    database.close();
  }
}

/** Moves every moment of the week around the kill by so many milliseconds. */
const later = (ms: number) => (key: string, value: string) =>
  [
    key.replace(
      /^(quota:.*:)(\d+)$/,
      (_, place: string, day: string) =>
        `${place}${Math.floor((Number(day) * DAY_MS + (IN_0_1.killedAt % DAY_MS) + ms) / DAY_MS)}`,
    ),
    value.replace(/(?<=[:,[])\d{13}(?=[,}\]])/g, (time) =>
      Math.abs(Number(time) - IN_0_1.killedAt) < 7 * DAY_MS ? String(Number(time) + ms) : time,
    ),
  ] as const;
