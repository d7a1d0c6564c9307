import type { Config } from '../config.ts';
import type { InteractionEnd } from '../discord/traces.ts';
import type { Part } from '../lifecycle.ts';
import type { ListingRequest } from '../listing/client.ts';
import type { Logger } from '../logger.ts';
import type { StatementEnd } from '../storage/statements.ts';
import type { Observer } from '../submissions/order.ts';
import type { Metrics } from './metrics.ts';
import { createStartReport, type StartReport } from './start-report.ts';
import type { WatchedParts } from './watched-parts.ts';

export interface OperationsDeps {
  /** Where health and metrics are served. Without a port nothing is measured, and nothing of this is even loaded. */
  readonly config: Config;
  readonly logger: Logger;
}

/** What the other parts tell of themselves. Each is `undefined` where nobody listens, so that it costs nothing. */
export interface Listeners {
  readonly onInteraction?: (end: InteractionEnd) => void;
  readonly onListingRequest?: (request: ListingRequest) => void;
  readonly onStatement?: (end: StatementEnd) => void;
  readonly onRateLimited?: (scope: string) => void;
  readonly onOnline: StartReport['online'];
  readonly onBackup?: (outcome: 'made' | 'failed') => void;
  readonly observers: readonly Observer[];
}

export interface Operations {
  readonly listeners: Listeners;
  /** Serves how these parts are. To be started first, so that it can tell of a slow start. */
  watch(parts: WatchedParts): Part;
}

/** Health and metrics over HTTP, and what is told to them. */
export function createOperations({ config, logger }: OperationsDeps): Operations {
  const { httpPort: port, httpHost: host } = config;
  const startReport = createStartReport({ config, logger });
  const onOnline = startReport.online;
  const stopReport = async () => startReport.stop();
  if (port === undefined) {
    return {
      listeners: { onOnline, observers: [] },
      watch: () => ({ name: 'operations', stop: stopReport }),
    };
  }
  let metrics: Metrics | undefined;
  let stop: (() => Promise<void>) | undefined;

  return {
    listeners: {
      onOnline,
      onInteraction: (end) => metrics?.interaction(end),
      onListingRequest: (request) => metrics?.listingRequest(request),
      onStatement: (end) => metrics?.statement(end),
      onRateLimited: (scope) => metrics?.rateLimited(scope),
      onBackup: (outcome) => metrics?.backup(outcome),
      observers: [
        {
          ended: async (_, { outcomes }) => {
            for (const { kind } of outcomes) metrics?.submitted(kind);
          },
          refused: async (_, servers) => {
            for (const _server of servers) metrics?.submitted('refused');
          },
        },
      ],
    },
    watch: (parts) => ({
      name: 'operations',
      async start() {
        const [{ createHealth }, { createMetrics }, { serve }] = await Promise.all([
          import('./health.ts'),
          import('./metrics.ts'),
          import('./http-server.ts'),
        ]);
        const health = createHealth(parts);
        metrics = createMetrics({ ...parts, health });
        stop = await serve({ port, host, health, metrics, logger });
      },
      async stop() {
        startReport.stop();
        await stop?.();
      },
    }),
  };
}
