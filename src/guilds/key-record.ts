import { z } from 'zod';

const firstSchema = z.object({
  /** Of this shape. */
  v: z.literal(1),
  /** A `SealedRecord`; whoever opens it checks it. */
  sealed: z.unknown(),
  /** For people to recognise the key by, also when it cannot be opened. */
  lastFour: z.string(),
  /** The Discord id of the member who ran /setkey. */
  setBy: z.string(),
  /** ISO 8601, like every time here. */
  setAt: z.iso.datetime(),
});

const recordSchema = firstSchema.extend({
  v: z.literal(2),
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
export type KeyRecord = Readonly<z.infer<typeof recordSchema>>;

/** A stored record, brought to the present version; `undefined` when it is none that this version knows. */
export function readKeyRecord(stored: unknown): KeyRecord | undefined {
  const first = firstSchema.safeParse(stored);
  // Even then a key was only kept when the service had just taken it.
  if (first.success) return showable({ ...first.data, v: 2, workedAt: first.data.setAt });
  const record = recordSchema.safeParse(stored);
  return record.success ? showable(record.data) : undefined;
}

/** Earlier versions kept up to three characters of a key that has less than 12. */
const showable = (record: KeyRecord): KeyRecord =>
  [...record.lastFour].length < 4 ? { ...record, lastFour: '' } : record;
