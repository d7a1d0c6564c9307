import { randomUUID } from 'node:crypto';
import type { Logger } from '../logger.ts';
import { UndecryptableError } from '../storage/encryption.ts';
import { StoreError } from '../storage/store.ts';
import { UserError } from '../user-error.ts';
import type { Context } from './command.ts';
import type { Traces } from './traces.ts';

export interface FailureWordsDeps {
  readonly traces: Pick<Traces, 'became'>;
  readonly logger: Logger;
}

/** What a member reads in place of an answer. */
export type FailureWords = (error: unknown, context: Context) => string;

/** A UserError's own words; everything else is logged whole, under a reference that the member sees too. */
export function createFailureWords({ traces, logger }: FailureWordsDeps): FailureWords {
  return (error, context) => {
    const { t, interactionId, guildId } = context;
    if (error instanceof UserError) {
      traces.became('refused');
      return error.message;
    }
    const reference = randomUUID().slice(0, 8);
    traces.became('failed', reference);
    logger.error({ err: error, reference, interactionId, guildId }, 'an interaction failed');
    return t('dispatch.failed', { what: causeText(error, context), reference });
  };
}

/** What went wrong, for the failures that members should tell apart. */
function causeText(error: unknown, { t, mention }: Context): string {
  if (error instanceof UndecryptableError) return t('failure.undecryptable', { setkey: mention('setkey') });
  return t(error instanceof StoreError ? 'failure.store' : 'failure.unexpected');
}
