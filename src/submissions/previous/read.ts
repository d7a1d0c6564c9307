import type { z } from 'zod';
import type { Database } from '../../storage/database.ts';
import { type Entry, entrySchema, ledgerSchema } from './shapes.ts';

/** Takes records out of the store; one that cannot be read is set aside, as {@link Database.setAside} says. */
export function createReading(database: Pick<Database, 'get' | 'set' | 'delete' | 'setAside'>) {
  /** Takes a record out of the store, unless it cannot be read. */
  async function take<Schema extends z.ZodType>(
    key: string,
    schema: Schema,
  ): Promise<z.infer<Schema> | undefined> {
    const stored = await database.get(key);
    if (stored === undefined) return undefined;
    const parsed = schema.safeParse(stored);
    if (parsed.success) await database.delete(key);
    else await database.setAside(key, stored, 'it is damaged, or of another version of the bot');
    return parsed.data;
  }

  async function takeAll<Schema extends z.ZodType>(
    keys: readonly string[] = [],
    schema: Schema,
  ): Promise<ReadonlyMap<string, z.infer<Schema>>> {
    const found = new Map<string, z.infer<Schema>>();
    for (const key of keys) {
      const record = await take(key, schema);
      if (record !== undefined) found.set(key.split(':')[2] ?? '', record);
    }
    return found;
  }

  /** The entries of a guild, newest first; those that cannot be read are set aside without the others. */
  async function takeLedger(guildId: string): Promise<readonly Entry[]> {
    const key = `ledger:${guildId}`;
    const { entries = [] } = (await take(key, ledgerSchema)) ?? {};
    const read = entries.map((entry) => entrySchema.safeParse(entry).data);
    const unreadable = { v: 1, entries: entries.filter((_, place) => !read[place]) };
    if (unreadable.entries.length > 0) {
      await database.set(key, unreadable);
      await database.setAside(key, unreadable, 'these entries are damaged, or of another version of the bot');
    }
    return read.filter((entry) => entry !== undefined);
  }

  return { takeAll, takeLedger };
}
