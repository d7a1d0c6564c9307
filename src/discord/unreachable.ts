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

/** Logs once a minute that Discord cannot be reached, since several parts ask it at the start. */
export function createUnreachableLog(apiUrl: string, logger: Pick<Logger, 'error'>) {
  let toldAt = Number.NEGATIVE_INFINITY;

  /** @returns whether Discord could not be reached, so that nothing else needs to be logged */
  return (error: unknown, pauseMs: number): boolean => {
    const why = whyUnreachable(error);
    if (why === undefined) return false;
    if (performance.now() - toldAt < EVERY_MS) return true;
    toldAt = performance.now();
    const seconds = Math.ceil(pauseMs / 1000);
    logger.error({}, `${new URL(apiUrl).host} cannot be reached (${why}); next try in ${seconds} s`);
    return true;
  };
}
