import { codeOf } from '../error-code.ts';
import type { Logger } from '../logger.ts';

/** Why a request did not reach Discord, by the error's code (Node docs: Errors, "Common system errors"; undici docs: Errors). */
const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'no DNS',
  EAI_AGAIN: 'no DNS',
  ENETUNREACH: 'no network',
  EHOSTUNREACH: 'no network',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection cut',
  UND_ERR_SOCKET: 'connection cut',
  ETIMEDOUT: 'no answer',
  UND_ERR_CONNECT_TIMEOUT: 'no answer',
};
const EVERY_MS = 60_000;

/** Why a request has not reached Discord, in a few words; `undefined` if it has, or nobody knows. */
export const whyUnreachable = (error: unknown): string | undefined => REASONS[codeOf(error)];

/**
 * Logs that a request failed, which is made again after `waitMs` milliseconds: `otherwise` and the error, or once a minute that
 * Discord cannot be reached, since several parts ask it at the start.
 */
export function createFailureLog(apiUrl: string, logger: Pick<Logger, 'error'>) {
  let toldAt = Number.NEGATIVE_INFINITY;

  return (error: unknown, waitMs: number, otherwise: string): void => {
    const why = whyUnreachable(error);
    const seconds = Math.ceil(waitMs / 1000);
    if (why === undefined) {
      logger.error({ err: error, againInSeconds: seconds }, otherwise);
    } else if (performance.now() - toldAt >= EVERY_MS) {
      toldAt = performance.now();
      logger.error({}, `${new URL(apiUrl).host} cannot be reached (${why}); next try in ${seconds} s`);
    }
  };
}
