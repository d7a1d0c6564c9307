import { z } from 'zod';
import type { Logger } from '../logger.ts';
import type { Values } from './values.ts';

/** Stands for a record that is damaged, or of a shape that this version does not know. */
export type Unreadable = 'unreadable';

export interface CollectionDeps<Value extends object> {
  readonly values: Values;
  /** The first part of the records' keys, such as `settings` in `settings:123`. */
  readonly name: string;
  readonly schema: z.ZodType<Value> & { readonly shape: object };
  readonly logger: Pick<Logger, 'error'>;
}

/** Any record; none where what is stored is damaged. */
const fieldsSchema = z.record(z.string(), z.unknown()).catch({});

/** Records of one kind, under an id each. Every method throws a StoreError when the store fails. */
export function createCollection<Value extends object>(deps: CollectionDeps<Value>) {
  const { values, name, schema, logger } = deps;
  /** Unreadable records that were logged. */
  const told = new Set<string>();

  function tell(record: string): void {
    if (told.has(record)) return;
    told.add(record);
    logger.error({ record }, 'a record cannot be read; it counts as unreadable until it is set anew');
  }

  return {
    async get(id: string): Promise<Value | Unreadable | undefined> {
      const stored = await values.get(`${name}:${id}`);
      if (stored === undefined) return undefined;
      const parsed = schema.safeParse(stored);
      if (parsed.success) return parsed.data;
      tell(`${name}:${id}`);
      return 'unreadable';
    },
    /** Replaces every field that the schema knows; what a newer version has stored beside them stays. */
    async set(id: string, value: Value): Promise<void> {
      const stored = fieldsSchema.parse(await values.get(`${name}:${id}`));
      const unknown = Object.entries(stored).filter(([field]) => !Object.hasOwn(schema.shape, field));
      await values.set(`${name}:${id}`, { ...Object.fromEntries(unknown), ...value });
    },
    /** @returns whether there was one */
    delete: (id: string): Promise<boolean> => values.delete(`${name}:${id}`),
  };
}
