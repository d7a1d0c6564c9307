import { setTimeout as sleep } from 'node:timers/promises';

export interface RetryOptions {
  readonly signal: AbortSignal;
  /** The first pause in milliseconds, doubled with each further one up to the longest. */
  readonly firstMs: number;
  readonly longestMs: number;
  /** Told of each failure with the pause that follows; returns a longer pause where the failure asks for one. */
  readonly onFailure: (error: unknown, pauseMs: number) => number;
}

/**
 * Tries once more after each of the pauses, which are in milliseconds.
 * @param onFailure told of each failure; by throwing it ends this early
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

/** A timer of Node's that is set to more goes off at once (Node docs: Timers, `setTimeout`). */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Tries until it succeeds, with growing pauses; `undefined` when the signal is aborted. */
export async function retry<Result>(
  attempt: () => Promise<Result>,
  { signal, firstMs, longestMs, onFailure }: RetryOptions,
): Promise<Result | undefined> {
  for (let pauseMs = firstMs; !signal.aborted; pauseMs = Math.min(2 * pauseMs, longestMs)) {
    try {
      return await attempt();
    } catch (error) {
      if (signal.aborted) return undefined;
      const waitMs = Math.min(onFailure(error, pauseMs), LONGEST_TIMER_MS);
      await sleep(waitMs, undefined, { signal }).catch(() => undefined);
    }
  }
  return undefined;
}
