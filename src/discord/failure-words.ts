import { randomUUID } from 'node:crypto';
import type { Logger } from '../logger.ts';
import { UserError } from '../user-error.ts';
import type { Context } from './command.ts';

export interface FailureWordsDeps {
  readonly logger: Logger;
  /** The sentence for a failure that has one of its own; `undefined` for all others. */
  readonly explain: (error: unknown, t: Context['t']) => string | undefined;
}

/** What a member reads in place of an answer. */
export type FailureWords = (error: unknown, context: Context) => string;

/** A UserError's own words; everything else is logged whole, under a reference that the member sees too. */
export function createFailureWords({ logger, explain }: FailureWordsDeps): FailureWords {
  return (error, { t, interactionId, guildId }) => {
    if (error instanceof UserError) return error.message;
    const reference = randomUUID().slice(0, 8);
    logger.error({ err: error, reference, interactionId, guildId }, 'an interaction failed');
    return t('dispatch.failed', { what: explain(error, t) ?? t('failure.unexpected'), reference });
  };
}
