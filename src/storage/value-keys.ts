import type { Kysely } from 'kysely';
import type { Tables } from './tables.ts';

/** Above every key that begins with the prefix it is put after. */
const LAST = '\u{10FFFF}';

/** The keys of values that begin with this, in order. */
export async function valueKeys(db: Kysely<Tables>, prefix: string): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('keyv')
    .select('key')
    .where('key', '>=', prefix)
    .where('key', '<', prefix + LAST)
    .orderBy('key')
    .execute();
  return rows.map(({ key }) => key);
}
