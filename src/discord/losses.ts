import { DiscordAPIError, RESTJSONErrorCodes } from 'discord.js';
import type { Logger } from '../logger.ts';

/** So many within this time are no accident, in milliseconds; the warning is repeated after as long at the earliest. */
const MANY = 3;
const WITHIN_MS = 600_000;

/**
 * Logs each interaction that can no longer be answered, and notices another bot on the same token, with a database of its own: both are sent every interaction, and whoever answers
 * second hears that it is answered already (40060). What members are told depends on which of them was faster.
 * @returns to be called with what is known of one, and with why it was lost
 */
export function createLosses(deps: {
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly now?: () => number;
}): (about: object, cause: unknown) => void {
  const { logger, now = () => performance.now() } = deps;
  let times: readonly number[] = [];
  let warnedAt = Number.NEGATIVE_INFINITY;

  return (about, cause) => {
    logger.info({ ...about, err: cause }, 'interaction lost: answered too late or elsewhere');
    const code = cause instanceof DiscordAPIError ? cause.code : undefined;
    if (code !== RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged) return;
    const at = now();
    times = [...times, at].filter((time) => at - time < WITHIN_MS).slice(-MANY);
    if (times.length < MANY || at - warnedAt < WITHIN_MS) return;
    warnedAt = at;
    logger.warn(
      { count: times.length, withinMinutes: WITHIN_MS / 60_000 },
      'another bot is running on this token: Discord says again and again that an interaction is answered already (40060). ' +
        'Stop the other one; if it is not yours, reset the token in the Developer Portal',
    );
  };
}
