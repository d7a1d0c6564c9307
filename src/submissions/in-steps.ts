import { setImmediate } from 'node:timers/promises';
import type { DeleteQueryBuilder, DeleteResult } from 'kysely';
import type { Tables } from '../storage/tables.ts';

/** Rows in one statement: 100,000 at once stop everybody for 750 ms (measured). */
export const ROWS_AT_ONCE = 500;

/**
 * Repeats a step until it finds fewer rows than {@link ROWS_AT_ONCE}; others have their turn in between.
 * @param step changes at most {@link ROWS_AT_ONCE} rows, and returns how many
 * @throws what `stopping` was aborted with, between two steps
 */
export async function inSteps(
  step: () => Promise<number>,
  stopping?: AbortSignal | undefined,
): Promise<void> {
  let changed = ROWS_AT_ONCE;
  while (changed === ROWS_AT_ONCE) {
    stopping?.throwIfAborted();
    changed = await step();
    await setImmediate();
  }
}

/** Deletes in steps. @param some deletes {@link ROWS_AT_ONCE} rows at most */
export const deleteInSteps = <Table extends keyof Tables>(
  some: DeleteQueryBuilder<Tables, Table, DeleteResult>,
  stopping?: AbortSignal | undefined,
): Promise<void> => inSteps(async () => Number((await some.executeTakeFirst()).numDeletedRows), stopping);
