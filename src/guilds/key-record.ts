import { z } from 'zod';
import { type Collection, createCollection } from '../storage/collection.ts';
import type { Store } from '../storage/store.ts';

const common = {
  /** A `SealedRecord`; whoever opens it checks it. */
  sealed: z.unknown(),
  /** For people to recognise the key by, also when it cannot be opened. */
  // Earlier versions kept up to three characters of a key that has less than 12.
  lastFour: z.string().transform((text) => ([...text].length < 4 ? '' : text)),
  /** The Discord id of the member who ran /setkey. */
  setBy: z.string(),
  /** ISO 8601, like every time here. */
  setAt: z.iso.datetime(),
};

const schema = z.object({
  ...common,
  /** When the service last took the key. */
  workedAt: z.exactOptional(z.iso.datetime()),
  /** What the service last said to a request with the key; no message when it sent the games list. */
  answer: z.exactOptional(
    z.object({
      at: z.iso.datetime(),
      accepted: z.boolean(),
      message: z.exactOptional(z.string()),
    }),
  ),
  /** Since when the service refuses the key; nothing is sent with it meanwhile. */
  invalidSince: z.exactOptional(z.iso.datetime()),
});
export type KeyRecord = Readonly<z.infer<typeof schema>>;

/** Even then a key was only kept when the service had just taken it. */
const first = z
  .object({ v: z.literal(1), ...common })
  .transform(({ v: _, ...record }): KeyRecord => ({ ...record, workedAt: record.setAt }));

/** Where the keys are, for whoever seals them anew. */
export const SEALED_API_KEYS = {
  prefix: 'api-key:',
  field: 'sealed',
  context: (guildId: string) => `guild ${guildId}: API key`,
} as const;

export const keyRecords = (store: Store): Collection<KeyRecord> =>
  createCollection<KeyRecord>({ store, name: 'api-key', version: 2, schema, former: [first] });
