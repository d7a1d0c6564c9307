import { z } from 'zod';
import type { Failure, Halt } from '../../listing/contract.ts';
import { type Row, type RowProblem, submissionSchema } from '../../server-lists/row.ts';

/*
 * What version 0.1 kept of submissions, each record under `area:guild` or `area:guild:id`, with 1 as its version. All times are milliseconds
 * since 1970. This describes what was released: it is never changed.
 */

/** How one server ended; what is not kept is not there. */
const ended = {
  outcome: z.enum(['accepted', 'rejected', 'unknown', 'not-sent']),
  /** The service's words, cut to 300 code points. */
  message: z.exactOptional(z.string()),
};

/** One server in the history. Id and name of the member are empty once they were forgotten. */
export const entrySchema = submissionSchema.extend({
  at: z.number(),
  userId: z.string(),
  userName: z.string(),
  ...ended,
});
export type Entry = Readonly<z.infer<typeof entrySchema>>;
/** `ledger:guild`: newest first. */
const ledgerSchema = z.object({ entries: z.array(z.unknown()) });

/** `offer:guild:interaction`: one server that a button submits. */
const offerSchema = z.object({
  userId: z.string(),
  submission: submissionSchema,
  again: z.boolean(),
  until: z.number(),
  /** The interaction that has taken it. */
  takenBy: z.exactOptional(z.string()),
});
export type PreviousOffer = z.infer<typeof offerSchema>;

const typed = z.object({ server: z.string(), port: z.string(), queryPort: z.string(), game: z.string() });
const line = { line: z.int(), text: z.string() };
const rowSchema = z.union([
  z.object({ ...line, ok: z.literal(true), submission: submissionSchema }),
  z.object({ ...line, ok: z.literal(false), duplicateOf: z.int(), submission: submissionSchema }),
  z.object({
    ...line,
    ok: z.literal(false),
    problem: z.custom<RowProblem>((value) => typeof Object(value).code === 'string'),
    typed,
  }),
]) satisfies z.ZodType<Row>;

/** `batches:guild:interaction`: a list that waits for a button, or whose button was pressed. */
const batchSchema = z
  .object({
    userId: z.string(),
    until: z.number(),
    source: z.enum(['text', 'message']),
    rows: z.array(rowSchema),
    former: z.array(
      z.object({
        row: z.int(),
        at: z.number(),
        userName: z.string(),
        outcome: z.enum(['accepted', 'unknown']),
      }),
    ),
    includesFormer: z.boolean(),
  })
  .transform(({ former: previous, includesFormer: includesPrevious, ...others }) => ({
    ...others,
    previous,
    includesPrevious,
  }));
export type Batch = z.infer<typeof batchSchema>;

/** It also had a kind, which said the same as the reason. */
type WhyFailed = Omit<Failure, 'kind'> & { readonly kind: string };

const outcomeSchema = z.union([
  z.object({ kind: z.enum(['accepted', 'rejected']), message: z.string() }),
  z.object({ kind: z.literal('not-sent'), why: z.custom<Halt | WhyFailed>() }),
  z.object({ kind: z.literal('unknown'), why: z.custom<WhyFailed>() }),
]);

/** `batch-runs:guild:interaction`: how far the list of that name has come. Indices count what is submitted of it. */
const runSchema = z.object({
  /** The interaction that submits it. */
  by: z.string(),
  startedAt: z.number(),
  /** In the request that was on its way. */
  sending: z.array(z.int()),
  outcomes: z.array(
    z
      .object({ outcome: outcomeSchema, places: z.array(z.int()) })
      .transform(({ outcome, places: indices }) => ({ outcome, indices })),
  ),
});
export type PreviousRun = z.infer<typeof runSchema>;

/** `journal:guild:interaction`: an interaction that was not answered, and its requests. */
const journalSchema = z.object({
  at: z.number(),
  guildId: z.string(),
  interactionId: z.string(),
  sealed: z.record(z.string(), z.unknown()),
  sent: z.array(
    z.object({
      servers: z.array(submissionSchema),
      /** Absent as long as there was no answer. */
      outcome: z.exactOptional(ended.outcome),
      message: ended.message,
    }),
  ),
});
export type JournalEntry = z.infer<typeof journalSchema>;

/** What is needed here of the sealed part of an interaction. */
export const previousCarriedSchema = z.object({ user: z.object({ id: z.string(), name: z.string() }) });
export type User = z.infer<typeof previousCarriedSchema>['user'];

const version = 1;
export const LEDGERS = { name: 'ledger', version, schema: ledgerSchema } as const;
export const OFFERS = { name: 'offer', version, schema: offerSchema } as const;
export const BATCHES = { name: 'batches', version, schema: batchSchema } as const;
export const RUNS = { name: 'batch-runs', version, schema: runSchema } as const;
export const JOURNAL = { name: 'journal', version, schema: journalSchema } as const;

/** All that version 0.1 has of submissions. `quota`: what a member has submitted in a day, which the servers tell. */
export const AREAS = [
  ...[LEDGERS.name, OFFERS.name, BATCHES.name, RUNS.name, JOURNAL.name, 'quota'],
] as const;
export type Area = (typeof AREAS)[number];
