import { setTimeout as sleep } from 'node:timers/promises';

export interface RetryOptions {
  readonly signal: AbortSignal;
  /** The delay before the first retry, in milliseconds. It doubles with each retry, up to `maxMs`. */
  readonly firstMs: number;
  readonly maxMs: number;
  readonly minMs?: (error: unknown) => number;
  readonly onFailure: (error: unknown, waitMs: number) => void;
}

/**
 * Retries after each of the given delays, in milliseconds.
 * @param onFailure called after each failure; can throw to stop retrying
 * @throws the last failure
 */
export async function retryAfter<Result>(
  pauses: readonly number[],
  attempt: () => Promise<Result>,
  onFailure: (error: unknown) => void = () => undefined,
): Promise<Result> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await attempt();
    } catch (error) {
      onFailure(error);
      const pauseMs = pauses[failures];
      if (pauseMs === undefined) throw error;
      await sleep(pauseMs);
    }
  }
}

/** Node fires timers with longer delays immediately (Node docs: Timers, `setTimeout`). */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Retries with increasing delays until the attempt succeeds. Returns `undefined` if the signal is aborted. */
export async function retry<Result>(
  attempt: () => Promise<Result>,
  { signal, firstMs, maxMs, minMs = () => 0, onFailure }: RetryOptions,
): Promise<Result | undefined> {
  for (let pauseMs = firstMs; !signal.aborted; pauseMs = Math.min(2 * pauseMs, maxMs)) {
    try {
      return await attempt();
    } catch (error) {
      if (signal.aborted) return undefined;
      const waitMs = Math.min(Math.max(pauseMs, minMs(error)), MAX_TIMER_MS);
      onFailure(error, waitMs);
      await sleep(waitMs, undefined, { signal }).catch(() => undefined);
    }
  }
  return undefined;
}
