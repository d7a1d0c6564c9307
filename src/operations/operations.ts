import type { Config } from '../config/config.ts';
import type { InteractionEnd } from '../discord/traces.ts';
import type { Part } from '../lifecycle.ts';
import type { ListingRequest } from '../listing/client.ts';
import type { Logger } from '../logger.ts';
import type { TransactionEnd } from '../storage/store.ts';
import type { Observer } from '../submissions/pipeline.ts';
import { createHealth, serve, type WatchedParts } from './health.ts';
import type { Metrics } from './metrics.ts';

export interface OperationsDeps {
  /** Where health and metrics are served. Without a port nothing is measured, and what counts is not even loaded. */
  readonly config: Config;
  readonly logger: Logger;
}

/** What the other parts tell of themselves. */
export interface Listeners {
  onInteraction(end: InteractionEnd): void;
  onListingRequest(request: ListingRequest): void;
  onTransaction(end: TransactionEnd): void;
  onRateLimited(scope: string): void;
  onBackup(outcome: 'made' | 'failed'): void;
  readonly observer: Observer;
}

export interface Operations {
  readonly listeners: Listeners;
  /** Serves how these parts are. To be started first, so that it can tell of a slow start. */
  watch(parts: WatchedParts): Part;
}

/** Health and metrics over HTTP, and what is told to them. */
export function createOperations({ config, logger }: OperationsDeps): Operations {
  const { httpPort: port, httpHost: host } = config;
  let metrics: Metrics | undefined;
  let stop: (() => Promise<void>) | undefined;

  return {
    listeners: {
      onInteraction: (end) => metrics?.interaction(end),
      onListingRequest: (request) => metrics?.listingRequest(request),
      onTransaction: (end) => metrics?.transaction(end),
      onRateLimited: (scope) => metrics?.rateLimited(scope),
      onBackup: (outcome) => metrics?.backup(outcome),
      observer: {
        async ended(_, { outcomes }) {
          for (const { kind } of outcomes) metrics?.submitted(kind);
        },
        async refused(_, servers) {
          for (const _server of servers) metrics?.submitted('refused');
        },
      },
    },
    watch: (parts) => ({
      name: 'operations',
      async start() {
        if (port === undefined) return;
        const { createMetrics } = await import('./metrics.ts');
        const health = createHealth(parts);
        metrics = createMetrics({ ...parts, health });
        stop = await serve({ port, host, health, metrics, logger });
      },
      stop: async () => stop?.(),
    }),
  };
}
