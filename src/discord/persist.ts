import { retryAfter } from '../pacing/retry.ts';
import { isUncertain } from './api.ts';

/** Short at first, then long enough to outlast an outage. */
const RETRY_PAUSES_MS = [500, 2_000, 5_000, 20_000, 60_000];

/** Retries while the outcome is unknown, after a network failure or a 5xx response. Throws the last failure. */
export function persist<Result>(attempt: () => Promise<Result>): Promise<Result> {
  return retryAfter(RETRY_PAUSES_MS, attempt, (error) => {
    if (!isUncertain(error)) throw error;
  });
}
