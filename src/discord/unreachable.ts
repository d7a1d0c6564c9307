import type { Logger } from '../logger.ts';
import { codeOf } from '../text/error-code.ts';

/** Why a request couldn't reach Discord, by error code (Node docs: Errors, "Common system errors"; undici docs: Errors). */
const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'no DNS',
  EAI_AGAIN: 'no DNS',
  ENETUNREACH: 'no network',
  EHOSTUNREACH: 'no network',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection cut',
  UND_ERR_SOCKET: 'connection cut',
  ETIMEDOUT: 'no response',
  UND_ERR_CONNECT_TIMEOUT: 'no response',
};
const LOG_EVERY_MS = 60_000;

/** Returns `undefined` if the request reached Discord or the reason is unknown. */
export const whyUnreachable = (error: unknown): string | undefined => REASONS[codeOf(error)];

/**
 * Creates a logger for failed requests that will be retried after `waitMs`. It normally logs the given message with the
 * error. If Discord is unreachable, it logs only that fact, at most once a minute, because several parts of the bot connect
 * at startup.
 */
export function createFailureLog(apiUrl: string, logger: Pick<Logger, 'error'>) {
  let loggedAt = Number.NEGATIVE_INFINITY;

  return (error: unknown, waitMs: number, message: string): void => {
    const why = whyUnreachable(error);
    const seconds = Math.ceil(waitMs / 1000);
    if (why === undefined) {
      logger.error({ err: error, againInSeconds: seconds }, message);
    } else if (performance.now() - loggedAt >= LOG_EVERY_MS) {
      loggedAt = performance.now();
      logger.error({}, `${new URL(apiUrl).host} is unreachable (${why}); will retry in ${seconds} s`);
    }
  };
}
