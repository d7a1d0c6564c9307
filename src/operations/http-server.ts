import { createServer, type ServerResponse } from 'node:http';
import type { Logger } from '../logger.ts';
import type { HealthCheck } from './health.ts';
import type { Metrics } from './metrics.ts';

/** Health and metrics cannot be served where they were asked for. Its message is for the operator. */
export class HttpServerError extends Error {
  override readonly name = 'HttpServerError';
}

export interface HttpServerDeps {
  readonly port: number;
  readonly host: string;
  readonly health: HealthCheck;
  readonly metrics: Pick<Metrics, 'text' | 'contentType'>;
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
