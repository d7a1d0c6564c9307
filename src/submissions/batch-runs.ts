import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Failure } from '../listing/contract.ts';
import { type Store, StoreError } from '../storage/store.ts';
import { BATCH_LIVES_MS } from './batches.ts';
import type { Halt, ServerOutcome } from './submit-all.ts';

const outcomeSchema = z.union([
  z.object({ kind: z.enum(['accepted', 'rejected']), message: z.string() }),
  z.object({ kind: z.literal('not-sent'), why: z.custom<Halt | Failure>() }),
  z.object({ kind: z.literal('unknown'), why: z.custom<Failure>() }),
]) satisfies z.ZodType<ServerOutcome>;

const recordSchema = z.object({
  v: z.literal(1),
  /** The interaction that submits the batch. */
  by: z.string(),
  startedAt: z.number(),
  /** The places of the servers in the request that is on its way. */
  sending: z.array(z.int()).readonly(),
  /** The different outcomes so far, and for each the places that had it. */
  outcomes: z.array(z.object({ outcome: outcomeSchema, places: z.array(z.int()) })),
});

/** A batch on its way, as far as it has come. */
export interface Run {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Whether the bot was stopped in the middle of it. */
  readonly isResumed: boolean;
  /** What is known of its servers; one that was being sent when the bot was stopped is unknown. */
  readonly known: ReadonlyMap<number, ServerOutcome>;
  /** Writes down how far it has come; before the first time it can still be abandoned. */
  note(sending: readonly number[], outcomes: ReadonlyMap<number, ServerOutcome>): Promise<void>;
  /** It was not begun after all, so that it can be begun again. */
  abandon(): void;
}

/** Lets each batch be submitted by one interaction only, and knows after a crash how far that had come. */
export interface BatchRuns {
  /** @returns undefined when another interaction submits the batch, or has */
  begin(batch: { readonly guildId: string; readonly id: string }, by: string): Promise<Run | undefined>;
}

const INTERRUPTED: ServerOutcome = {
  kind: 'unknown',
  why: { kind: 'unknown', reason: 'aborted', detail: 'the bot was stopped while it waited for the answer' },
};

export function createBatchRuns(deps: {
  readonly store: Pick<Store, 'get' | 'set'>;
  readonly now?: () => number;
}): BatchRuns {
  const { store, now = Date.now } = deps;
  /** Between the first look at a batch and its first note; the guild's interactions all come to this process. */
  const claims = new Map<string, string>();

  return {
    async begin({ guildId, id }, by) {
      const place = `batch-runs:${guildId}:${id}`;
      const stored = await store.get(place);
      const read = recordSchema.safeParse(stored);
      if (stored !== undefined && !read.success)
        throw new StoreError(`${place} is not a record of this version`);
      if ((read.data?.by ?? by) !== by || (claims.get(place) ?? by) !== by) return undefined;
      claims.set(place, by);
      const startedAt = read.data?.startedAt ?? now();
      return {
        startedAt,
        isResumed: read.success,
        known: new Map([
          ...(read.data?.outcomes ?? []).flatMap(({ outcome, places }) =>
            places.map((server) => [server, outcome] as const),
          ),
          ...(read.data?.sending ?? []).map((server) => [server, INTERRUPTED] as const),
        ]),
        async note(sending, outcomes) {
          const record = { v: 1, by, startedAt, sending, outcomes: grouped(outcomes) };
          await store.set(place, record, 2 * BATCH_LIVES_MS);
          claims.delete(place);
        },
        abandon: () => void claims.delete(place),
      };
    },
  };
}

/** A thousand servers have a handful of different outcomes. */
function grouped(outcomes: ReadonlyMap<number, ServerOutcome>): z.infer<typeof recordSchema>['outcomes'] {
  const groups: { outcome: ServerOutcome; places: number[] }[] = [];
  for (const [place, outcome] of outcomes) {
    const group = groups.findLast((each) => isDeepStrictEqual(each.outcome, outcome));
    if (group) group.places.push(place);
    else groups.push({ outcome, places: [place] });
  }
  return groups;
}
