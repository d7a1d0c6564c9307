import { readFile } from 'node:fs/promises';
import type { Config } from '../config/config.ts';
import type { Online } from '../discord/connection.ts';
import type { InteractionEnd } from '../discord/traces.ts';
import { createHttpAgent } from '../http-agent.ts';
import type { Part } from '../lifecycle.ts';
import type { ListingRequest } from '../listing/client.ts';

import type { Logger } from '../logger.ts';
import type { Commit, StatementEnd } from '../storage/statements.ts';
import type { Observer } from '../submissions/pipeline.ts';
import { createHealth, serve, type WatchedParts } from './health.ts';
import type { Metrics } from './metrics.ts';

export interface OperationsDeps {
  /** Where health and metrics are served. Without a port nothing is measured, and what counts is not even loaded. */
  readonly config: Config;
  readonly logger: Logger;
}

/** What the other parts tell of themselves. Each is `undefined` where nobody listens, so that it costs nothing. */
export interface Listeners {
  readonly onInteraction?: (end: InteractionEnd) => void;
  readonly onListingRequest?: (request: ListingRequest) => void;
  readonly onStatement?: (end: StatementEnd) => void;
  readonly onCommit?: (commit: Commit) => void;
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
      onCommit: (commit) => metrics?.commit(commit),
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
        const { createMetrics } = await import('./metrics.ts');
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

interface StartReport {
  /** Called once, when the bot is connected and its commands are published. Returns at once. */
  online(online: Online): void;
  /** Ends a question that is under way. */
  stop(): void;
}

/** How long the listing service is waited for, in milliseconds. Nobody else waits meanwhile. */
const ASK_MS = 5_000;

/** What an operator wants to know of a bot that has started, in one entry of the log. No secret is in it. */
function createStartReport({
  config,
  logger,
}: {
  readonly config: Config;
  readonly logger: Logger;
}): StartReport {
  const stopping = new AbortController();

  async function report({ guilds, commands, application }: Online): Promise<void> {
    const { listingApiUrl: baseUrl, listingApiTimeoutMs } = config;
    const timeoutMs = Math.min(ASK_MS, listingApiTimeoutMs);
    const reached = await reach({ baseUrl, timeoutMs, signal: stopping.signal });
    if (stopping.signal.aborted) return;
    const details = {
      version: await readVersion(),
      listing: reached.isReached
        ? `${baseUrl} answers, after ${reached.ms} ms`
        : `${baseUrl} does not answer: ${reached.why}`,
      gamesKey: config.listingApiKey ? 'LISTING_API_KEY' : 'none of its own; the keys of the guilds are used',
      guilds,
      commands: commands ?? 'not published; the error is above',
      invite: application?.invite ?? 'not known; the warning is above',
      ...(application && { public: application.isPublic }),
      store: config.storeUrl,
      encryptionKey: config.encryptionKey ? 'ENCRYPTION_KEY' : 'in a file beside the store',
      off: switchedOff(config),
    };
    if (reached.isReached) logger.info(details, 'ready');
    else logger.warn(details, 'ready, but the listing service is not reached');
  }

  return {
    online: (online) => void report(online),
    stop: () => stopping.abort(),
  };
}

async function readVersion(): Promise<string> {
  const packageJson = await readFile(new URL('../../package.json', import.meta.url), 'utf8').catch(
    () => '{}',
  );
  return String(JSON.parse(packageJson).version);
}

/** What can be switched on, each with its variable. */
function switchedOff(config: Config): readonly string[] {
  return [
    config.httpPort === undefined && 'health and metrics (HTTP_PORT)',
    config.exitWhenSilentSeconds === 0 && 'the end of a silent process (EXIT_WHEN_SILENT_SECONDS)',
    config.backupEveryHours === 0 && 'regular backups (BACKUP_EVERY_HOURS)',
    config.listingUrl === undefined && 'the link to the list (LISTING_URL)',
    config.supportUrl === undefined && 'the link to your support (SUPPORT_URL)',
    config.privacyUrl === undefined && 'the link to your privacy policy (PRIVACY_URL)',
  ].filter((what) => what !== false);
}

/** Whether the service is there, and how long its first answer took, in milliseconds, with the connection. */
type Reach =
  | { readonly isReached: true; readonly ms: number }
  /** `why` is the system's or undici's code of the error, such as `ECONNREFUSED`. */
  | { readonly isReached: false; readonly why: string };

/**
 * Asks whether anything answers where the listing service is to be. Any HTTP status will do: no key goes along, so the
 * question concerns no account, and counts for no limit of one. Never throws.
 * @param timeoutMs how long it may take, in milliseconds
 */
export async function reach(question: {
  readonly baseUrl: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}): Promise<Reach> {
  const { baseUrl, timeoutMs, signal } = question;
  const { origin, pathname } = new URL(`${baseUrl}/api`);
  const agent = createHttpAgent({ connect: { timeout: timeoutMs } });
  const since = performance.now();
  try {
    const end = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const { body } = await agent.request({ origin, path: pathname, method: 'GET', signal: end });
    body.on('error', () => undefined).destroy();
    return { isReached: true, ms: Math.round(performance.now() - since) };
  } catch (error) {
    const { code, name } = Object(error);
    return {
      isReached: false,
      why: name === 'TimeoutError' ? `no answer in ${timeoutMs} ms` : String(code ?? name),
    };
  } finally {
    await agent.destroy();
  }
}
