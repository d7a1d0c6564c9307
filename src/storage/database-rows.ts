import { isDeepStrictEqual } from 'node:util';
import type { KeyvSqlite } from '@keyv/sqlite';

/** Above every key that begins with the prefix it is put after. */
const LAST = '\u{10FFFF}';

/**
 * The first keys of a range that are still in time, in order. Keyv's own iterator reads the whole table; this
 * reads one range of the index.
 */
export async function readKeys(
  adapter: KeyvSqlite,
  { prefix, from, limit }: { readonly prefix: string; readonly from: string; readonly limit: number },
): Promise<readonly string[]> {
  const select =
    `SELECT key FROM "keyv" WHERE namespace = '' AND key >= ? AND key < ? ` +
    'AND (expires IS NULL OR expires > ?) ORDER BY key LIMIT ?';
  const rows = await adapter.query(select, from, prefix + LAST, Date.now(), limit);
  return rows.map((row) => String(Object(row).key));
}

/**
 * Puts a value in place of another in one step, whatever other processes do meanwhile. Keyv has no such thing; it
 * keeps a value as `{"value":…,"expires":…}`, of which only the value changes here.
 * @returns whether the former value was still there
 */
export async function replaceRow(
  adapter: KeyvSqlite,
  { key, former, value }: { readonly key: string; readonly former: unknown; readonly value: unknown },
): Promise<boolean> {
  const [row] = await adapter.query(`SELECT value FROM "keyv" WHERE namespace = '' AND key = ?`, key);
  const text = Object(row).value;
  if (typeof text !== 'string') return false;
  const envelope = Object(JSON.parse(text));
  if (!isDeepStrictEqual(envelope.value, former)) return false;
  const replaced = await adapter.query(
    `UPDATE "keyv" SET value = ? WHERE namespace = '' AND key = ? AND value = ? RETURNING key`,
    JSON.stringify({ ...envelope, value }),
    key,
    text,
  );
  return replaced.length > 0;
}
