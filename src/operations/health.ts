import { createServer, type ServerResponse } from 'node:http';
import type { GatewayState } from '../discord/client.ts';
import type { Traces } from '../discord/traces.ts';
import type { GuardedListing } from '../listing/breaker.ts';
import type { GameCatalog } from '../listing/game-catalog.ts';
import type { Logger } from '../logger.ts';
import type { Database } from '../storage/database.ts';
import type { Store } from '../storage/store.ts';

/** How the bot is. It is ready when commands come in and can be recorded. */
export interface Health {
  readonly ready: boolean;
  readonly gateway: { readonly ok: boolean; readonly shards: Readonly<Record<string, number>> };
  /** `detail` names files, never values. */
  readonly store: { readonly ok: boolean; readonly detail?: string };
  /** For information: without the service members are told so, and the bot goes on. */
  readonly listing: { readonly ok: boolean };
}

/** For so long an answer is given again, in milliseconds: whoever asks often does not write as often. */
const KEPT_MS = 1_000;
/** What is written to see whether the store can be written. */
const KEY = 'health:write-test';

export interface HealthCheck {
  check(): Promise<Health>;
}

/** Looks at the gateway's state, and writes a value to the store: a commit of its own, not synced (0.025 ms, measured). */
export function createHealth({ gateway, database, listing }: WatchedParts): HealthCheck {
  let latest: { readonly at: number; readonly store: Promise<Health['store']> } | undefined;

  async function writes(): Promise<Health['store']> {
    try {
      await database.inGuild('none', () => database.set(KEY, Date.now()), { synced: false });
      return { ok: true };
    } catch (error) {
      return { ok: false, detail: error instanceof Error ? error.message : String(error) };
    }
  }

  return {
    async check() {
      if (latest === undefined || performance.now() - latest.at >= KEPT_MS) {
        latest = { at: performance.now(), store: writes() };
      }
      const store = await latest.store;
      const connected = { ok: gateway.isConnected(), shards: gateway.shards() };
      const extent = listing.extent();
      return {
        ready: connected.ok && store.ok,
        gateway: connected,
        store,
        listing: { ok: extent !== 'all' && extent !== 'some' },
      };
    },
  };
}

/** What is looked at when somebody asks how the bot is. */
export interface WatchedParts {
  readonly gateway: GatewayState;
  readonly database: Store & Pick<Database, 'inGuild'>;
  readonly games: Pick<GameCatalog, 'list'>;
  readonly listing: Pick<GuardedListing, 'extent'>;
  readonly traces: Pick<Traces, 'unanswered'>;
}

/** Health and metrics cannot be served where they were asked for. Its message is for the operator. */
export class HttpServerError extends Error {
  override readonly name = 'HttpServerError';
}

export interface HttpServerDeps {
  readonly port: number;
  readonly host: string;
  readonly health: HealthCheck;
  readonly metrics: { readonly contentType: string; text(): Promise<string> };
  readonly logger: Logger;
}

/** A request has no body and few headers; nobody needs longer to send it. In milliseconds. */
const REQUEST_TIMEOUT_MS = 5_000;

/**
 * Serves `/livez` (200 as long as the process runs its event loop), `/readyz` (200 or 503, with the reasons as JSON)
 * and `/metrics`. There is no secret in them, and no password before them.
 * @returns what ends it
 * @throws HttpServerError when the address cannot be listened on
 */
export async function serve({
  port,
  host,
  health,
  metrics,
  logger,
}: HttpServerDeps): Promise<() => Promise<void>> {
  async function answer(path: string, response: ServerResponse): Promise<void> {
    if (path === '/livez') return send(response, 200, 'text/plain', 'ok\n');
    if (path === '/readyz') {
      const state = await health.check();
      return send(response, state.ready ? 200 : 503, 'application/json', `${JSON.stringify(state)}\n`);
    }
    if (path === '/metrics') return send(response, 200, metrics.contentType, await metrics.text());
    return send(response, 404, 'text/plain', 'There are /livez, /readyz and /metrics.\n');
  }

  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD');
      send(response, 405, 'text/plain', 'Only GET and HEAD.\n');
      return;
    }
    const [path = ''] = (request.url ?? '').split('?');
    answer(path, response).catch((error: unknown) => {
      logger.error({ err: error, path }, 'a question for health or metrics could not be answered');
      if (!response.headersSent) send(response, 500, 'text/plain', 'This failed; the log says why.\n');
    });
  });

  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', (cause: NodeJS.ErrnoException) =>
    reject(new HttpServerError(cannotListen(host, port, cause.code ?? cause.message), { cause })),
  );
  server.listen(port, host, resolve);
  await promise;
  server.on('error', (error) => logger.error({ err: error }, 'the server of health and metrics failed'));
  logger.info({ host, port }, 'serving /livez, /readyz and /metrics');

  return async () => {
    const closed = Promise.withResolvers<void>();
    server.close(() => closed.resolve());
    server.closeAllConnections();
    await closed.promise;
  };
}

function cannotListen(host: string, port: number, code: string): string {
  const advice =
    code === 'EADDRINUSE'
      ? 'another program has this port: end it or set another HTTP_PORT'
      : code === 'EACCES'
        ? 'this user may not take this port: set an HTTP_PORT of 1024 or more'
        : 'set HTTP_HOST to an address of this machine';
  return `cannot serve health and metrics on ${host} port ${port} (${code}): ${advice}`;
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
  });
  response.end(body);
}
