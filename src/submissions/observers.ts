import type { ServerSubmission } from '../listing/contract.ts';
import type { Secret } from '../secret.ts';
import type { Submitter } from './drafts.ts';
import type { Ended, PipelineDeps } from './order.ts';
import type { Refusal } from './refusal.ts';

/** Who wants to know of every submission. What an observer throws is logged and changes nothing. */
export interface Observer {
  refused?(by: Submitter, servers: readonly ServerSubmission[], refusal: Refusal): Promise<void>;
  /** @param key what the last request was sent with, if any was */
  ended?(
    by: Submitter,
    end: Pick<Ended, 'servers' | 'outcomes'> & { readonly key: Secret | undefined },
  ): Promise<void>;
}

export function createTeller({ observers, logger }: Pick<PipelineDeps, 'observers' | 'logger'>) {
  return async (whom: (observer: Observer) => Promise<void> | undefined): Promise<void> => {
    for (const observer of observers) {
      try {
        await whom(observer);
      } catch (error) {
        logger.error({ err: error }, 'what came of a submission could not be told');
      }
    }
  };
}
