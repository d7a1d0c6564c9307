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

const fieldsSchema = z.record(z.string(), z.unknown()).catch({});

/** Stores records of one kind, keyed by id. Every method throws a StoreError when the store fails. */
export function createCollection<Value extends object>(deps: CollectionDeps<Value>) {
  const { values, name, schema, logger } = deps;
  const loggedRecords = new Set<string>();

  function logOnce(record: string): void {
    if (loggedRecords.has(record)) return;
    loggedRecords.add(record);
    logger.error(
      { record },
      'could not read a stored record; treating it as unreadable until it is replaced',
    );
  }

  function parse(record: string, stored: unknown): Value | Unreadable | undefined {
    if (stored === undefined) return undefined;
    const parsed = schema.safeParse(stored);
    if (parsed.success) return parsed.data;
    logOnce(record);
    return 'unreadable';
  }

  return {
    get: async (id: string): Promise<Value | Unreadable | undefined> =>
      parse(`${name}:${id}`, await values.get(`${name}:${id}`)),
    /**
     * Reads a record that may have to change. An unreadable record counts as missing. `save` replaces only the fields in the
     * schema, because a newer version may have added other fields.
     */
    async open(id: string) {
      const record = `${name}:${id}`;
      const stored = await values.get(record);
      const found = parse(record, stored);
      return {
        value: found === 'unreadable' ? undefined : found,
        isUnreadable: found === 'unreadable',
        async save(value: Value): Promise<void> {
          const fields = Object.entries(fieldsSchema.parse(stored));
          const unknown = fields.filter(([field]) => !Object.hasOwn(schema.shape, field));
          await values.set(record, { ...Object.fromEntries(unknown), ...value });
        },
      };
    },
    /** @returns whether the record existed */
    delete: (id: string): Promise<boolean> => values.delete(`${name}:${id}`),
  };
}
