import { retryAfter } from '../retry.ts';
import { isUncertain } from './api.ts';

/** Pauses between attempts to deliver a message, in milliseconds: short, then long enough for an outage to pass. */
const RETRY_PAUSES = [500, 2_000, 5_000, 20_000, 60_000];

/** Asks again while nobody knows whether Discord did it: network failures and 5xx pass. @throws the last failure */
export function persist<Result>(attempt: () => Promise<Result>): Promise<Result> {
  return retryAfter(RETRY_PAUSES, attempt, (error) => {
    if (!isUncertain(error)) throw error;
  });
}
