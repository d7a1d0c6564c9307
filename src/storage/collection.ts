import { z } from 'zod';
import type { Logger } from '../logger.ts';
import type { Values } from './values.ts';

/** Returned if a record is damaged or in a format unknown to this version. */
export type Unreadable = 'unreadable';

export interface CollectionDeps<Value extends object> {
  readonly values: Values;
  /** The prefix of the records' keys, such as `settings` in `settings:123`. */
  readonly name: string;
  readonly schema: z.ZodType<Value> & { readonly shape: object };
  readonly logger: Pick<Logger, 'error'>;
}

/** Accepts any record, and treats a damaged one as empty. */
const fieldsSchema = z.record(z.string(), z.unknown()).catch({});

/** Stores records of one kind, keyed by id. Every method throws a StoreError when the store fails. */
export function createCollection<Value extends object>(deps: CollectionDeps<Value>) {
  const { values, name, schema, logger } = deps;
  /** The unreadable records that have already been logged. */
  const logged = new Set<string>();

  function logOnce(record: string): void {
    if (logged.has(record)) return;
    logged.add(record);
    logger.error(
      { record },
      'could not read a stored record; treating it as unreadable until it is replaced',
    );
  }

  return {
    async get(id: string): Promise<Value | Unreadable | undefined> {
      const stored = await values.get(`${name}:${id}`);
      if (stored === undefined) return undefined;
      const parsed = schema.safeParse(stored);
      if (parsed.success) return parsed.data;
      logOnce(`${name}:${id}`);
      return 'unreadable';
    },
    /** Replaces only the fields in the schema. A newer version may have added other fields. */
    async set(id: string, value: Value): Promise<void> {
      const stored = fieldsSchema.parse(await values.get(`${name}:${id}`));
      const unknown = Object.entries(stored).filter(([field]) => !Object.hasOwn(schema.shape, field));
      await values.set(`${name}:${id}`, { ...Object.fromEntries(unknown), ...value });
    },
    /** @returns whether the record existed */
    delete: (id: string): Promise<boolean> => values.delete(`${name}:${id}`),
  };
}
