import { z } from 'zod';
import type { Store } from '../storage/store.ts';
import type { Row } from './bulk-text.ts';
import type { RowProblem } from './row.ts';
import { submissionSchema } from './submission.ts';

/** How long a batch is kept, in milliseconds: as long as an interaction can be answered. */
export const BATCH_LIVES_MS = 15 * 60_000;

const typedSchema = z.object({
  server: z.string(),
  port: z.string(),
  queryPort: z.string(),
  game: z.string(),
});
const common = { line: z.int(), text: z.string() };
const rowSchema = z.union([
  z.object({ ...common, ok: z.literal(true), submission: submissionSchema }),
  z.object({ ...common, ok: z.literal(false), duplicateOf: z.int(), submission: submissionSchema }),
  z.object({
    ...common,
    ok: z.literal(false),
    // Written by us, of many shapes, and only read to be put into words.
    problem: z.custom<RowProblem>((value) => typeof Object(value).code === 'string'),
    typed: typedSchema,
  }),
]) satisfies z.ZodType<Row>;

const formerSchema = z.object({
  /** The place of the row among the rows of the batch. */
  row: z.int(),
  /** Milliseconds since 1970. */
  at: z.number(),
  userName: z.string(),
  outcome: z.enum(['accepted', 'unknown']),
});

const batchSchema = z.object({
  v: z.literal(1),
  /** The member whose batch it is. */
  userId: z.string(),
  /** Milliseconds since 1970 when it ends. */
  until: z.number(),
  /** Whether rows are lines of a text, or addresses found in a message. */
  source: z.enum(['text', 'message']),
  rows: z.array(rowSchema).readonly(),
  /** Rows that the guild has submitted before, and whether they are to be submitted all the same. */
  former: z.array(formerSchema).readonly(),
  includesFormer: z.boolean(),
});

type Stored = z.infer<typeof batchSchema>;
/** A row's earlier submission. */
export type Former = Readonly<z.infer<typeof formerSchema>>;

/** Servers that a member is about to submit. */
export type Batch = Readonly<Omit<Stored, 'v' | 'userId' | 'until'>>;

export interface Owner {
  readonly guildId: string;
  readonly userId: string;
}

export type Kept =
  | { readonly kind: 'batch'; readonly batch: Batch }
  /** Never there, too old, or cancelled. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'of-another-member' };

/**
 * What members are about to submit, kept over restarts under the interaction it came with. A batch can be reached
 * from its own guild and by its own member only: its id travels in custom ids, which are anyone's text.
 */
export interface Batches {
  /** Keeps a batch, or its new state, for 15 minutes from now. */
  keep(owner: Owner, id: string, batch: Batch): Promise<void>;
  find(owner: Owner, id: string): Promise<Kept>;
  drop(owner: Owner, id: string): Promise<void>;
}

export interface BatchesDeps {
  readonly store: Pick<Store, 'get' | 'set' | 'delete'>;
  readonly now?: () => number;
}

export function createBatches({ store, now = Date.now }: BatchesDeps): Batches {
  return {
    async keep({ guildId, userId }, id, batch) {
      const record: Stored = { v: 1, userId, until: now() + BATCH_LIVES_MS, ...batch };
      await store.set(place(guildId, id), record, BATCH_LIVES_MS);
    },
    async find({ guildId, userId }, id) {
      if (!ID.test(id)) return { kind: 'gone' };
      const stored = batchSchema.safeParse(await store.get(place(guildId, id)));
      if (!stored.success || stored.data.until <= now()) return { kind: 'gone' };
      const { v: _, userId: ownerId, until: __, ...batch } = stored.data;
      return ownerId === userId ? { kind: 'batch', batch } : { kind: 'of-another-member' };
    },
    async drop({ guildId }, id) {
      await store.delete(place(guildId, id));
    },
  };
}

/** Discord's ids are 64 bits in decimal digits. */
const ID = /^\d{1,20}$/;

const place = (guildId: string, id: string) => `batches:${guildId}:${id}`;
