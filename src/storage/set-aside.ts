import { isDeepStrictEqual } from 'node:util';
import type { KeyvSqlite } from '@keyv/sqlite';
import type { Logger } from '../logger.ts';
import { keysOf, LAST, valueIn } from './database-rows.ts';

/** What a record that could not be read is called from then on: this, and behind it the name that it had. */
export const SET_ASIDE = 'set-aside.';

/** Names of records in one line of the log. */
const MOST_NAMED = 20;

/** See `Store.setAside`. The row stays as it is, byte for byte; an earlier one of the same name gives way. */
export async function setAside(
  adapter: KeyvSqlite,
  logger: Logger,
  { key, read, why }: { readonly key: string; readonly read: unknown; readonly why: string },
): Promise<void> {
  const [row] = await adapter.query(`SELECT value FROM "keyv" WHERE namespace = '' AND key = ?`, key);
  if (row === undefined) return;
  const stored: unknown = Object(row).value;
  if (!isDeepStrictEqual(valueIn(stored), read)) return;
  const renamed = await adapter.query(
    `UPDATE OR REPLACE "keyv" SET key = ? WHERE namespace = '' AND key = ? AND value IS ? RETURNING key`,
    SET_ASIDE + key,
    key,
    stored,
  );
  if (renamed.length === 0) return;
  logger.error({ record: key, setAside: SET_ASIDE + key, why }, 'a record cannot be read and was set aside');
}

/** Gives every record that is set aside its own name back, unless that is taken by now, and logs how many there were. */
export async function tryAgain(adapter: KeyvSqlite, logger: Logger): Promise<void> {
  const range = `namespace = '' AND key >= ? AND key < ?`;
  const rows = await adapter.query(`SELECT key FROM "keyv" WHERE ${range}`, SET_ASIDE, SET_ASIDE + LAST);
  if (rows.length === 0) return;
  await adapter.query(
    `UPDATE OR IGNORE "keyv" SET key = substr(key, ?) WHERE ${range}`,
    SET_ASIDE.length + 1,
    SET_ASIDE,
    SET_ASIDE + LAST,
  );
  logger.warn(
    { count: rows.length, records: keysOf(rows).slice(0, MOST_NAMED) },
    'records were set aside since they could not be read; they are tried again now',
  );
}
