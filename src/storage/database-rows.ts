import { isDeepStrictEqual } from 'node:util';
import type { KeyvSqlite } from '@keyv/sqlite';
import { jsonSerializer } from 'keyv';
import { UNREADABLE } from './store.ts';

/** Above every key that begins with the prefix it is put after. */
export const LAST = '\u{10FFFF}';

/**
 * The value of one key that is still in time. Keyv's own reading throws for a row that is no JSON, and takes a row of
 * another shape for "nothing there".
 */
export async function readRow(adapter: KeyvSqlite, key: string): Promise<unknown> {
  const [row] = await adapter.query(`SELECT value FROM "keyv" WHERE ${IN_TIME} AND key = ?`, Date.now(), key);
  return row === undefined ? undefined : valueIn(Object(row).value);
}

/**
 * The first keys of a range that are still in time, in order. Keyv's own iterator reads the whole table; this reads one
 * range of the index.
 */
export async function readKeys(
  adapter: KeyvSqlite,
  { prefix, from, limit }: { readonly prefix: string; readonly from: string; readonly limit: number },
): Promise<readonly string[]> {
  const select = `SELECT key FROM "keyv" WHERE ${IN_TIME} AND key >= ? AND key < ? ORDER BY key LIMIT ?`;
  return keysOf(await adapter.query(select, Date.now(), from, prefix + LAST, limit));
}

export const keysOf = (rows: readonly unknown[]) => rows.map((row) => String(Object(row).key));
const IN_TIME = `namespace = '' AND (expires IS NULL OR expires > ?)`;

/** Keyv keeps a value as `{"value":…,"expires":…}`, in JSON in which texts that begin with a colon mean something. */
function envelopeIn(text: unknown): { readonly value: unknown } | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    const envelope: unknown = jsonSerializer.parse(text);
    return typeof envelope === 'object' && envelope !== null && 'value' in envelope ? envelope : undefined;
  } catch {
    return undefined;
  }
}

export function valueIn(text: unknown): unknown {
  const envelope = envelopeIn(text);
  return envelope === undefined ? UNREADABLE : envelope.value;
}

/**
 * Puts a value in place of another in one step, whatever other processes do meanwhile. Keyv has no such thing.
 * @returns whether the former value was still there
 */
export async function replaceRow(
  adapter: KeyvSqlite,
  { key, former, value }: { readonly key: string; readonly former: unknown; readonly value: unknown },
): Promise<boolean> {
  const [row] = await adapter.query(`SELECT value FROM "keyv" WHERE namespace = '' AND key = ?`, key);
  const text: unknown = Object(row).value;
  const envelope = envelopeIn(text);
  if (!isDeepStrictEqual(envelope?.value, former)) return false;
  const replaced = await adapter.query(
    `UPDATE "keyv" SET value = ? WHERE namespace = '' AND key = ? AND value = ? RETURNING key`,
    jsonSerializer.stringify({ ...envelope, value }),
    key,
    text,
  );
  return replaced.length > 0;
}
