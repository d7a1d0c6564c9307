import type { Logger } from '../logger.ts';

const LOG_EVERY_MS = 60_000;

export type SparingLog = Pick<Logger, 'info' | 'warn' | 'error'>;

/**
 * Creates a log for repeated failures. Each message is logged the first time, then at most once a minute. `times` is the
 * number of occurrences since it was last logged.
 */
export function createSparingLog(logger: SparingLog): SparingLog {
  const past = new Map<string, { loggedAt: number; times: number }>();

  const sparing = (level: keyof SparingLog) => (details: object, message: string) => {
    const known = past.get(message);
    const times = (known?.times ?? 0) + 1;
    if (known !== undefined && performance.now() - known.loggedAt < LOG_EVERY_MS) {
      known.times = times;
      return;
    }
    past.set(message, { loggedAt: performance.now(), times: 0 });
    logger[level](times > 1 ? { ...details, times } : details, message);
  };

  return { info: sparing('info'), warn: sparing('warn'), error: sparing('error') };
}
