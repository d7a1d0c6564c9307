import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { InteractionResponseType, InteractionType } from 'discord.js';
import { waitAtMost } from '../lifecycle.ts';
import { listen } from '../listen.ts';
import type { Logger } from '../logger.ts';
import { createSparingLog } from '../pacing/sparing-log.ts';
import { parsedJson } from '../text/json.ts';
import { limitConnections } from './connection-limit.ts';
import type { Gateway } from './gateway.ts';

const ENDPOINT_PATH = '/interactions';
/**
 * Enough for a form with five fields of 4,000 characters and an equally long message, even if every character is escaped as
 * 6 bytes. Limits the memory for unsigned requests to 125 MiB.
 */
const MAX_BODY_BYTES = 256 * 1_024;
const MAX_CONNECTIONS = 500;
/** Discord waits 3 seconds for the response. */
const REQUEST_TIMEOUT_MS = 2_000;
/** Discord sends the body together with the headers. */
const BODY_TIMEOUT_MS = 1_000;
const CHECK_CONNECTIONS_EVERY_MS = 500;
/**
 * How long idle connections stay open, in milliseconds. A typical proxy closes connections earlier (after 60 seconds), so
 * it never sends a request over a closing connection.
 */
const KEEP_ALIVE_MS = 75_000;
const CLOSE_TIMEOUT_MS = 1_000;

export interface EndpointDeps {
  /** The application's public key, as 64 hexadecimal digits. */
  readonly publicKey: string;
  readonly host: string;
  readonly port: number;
  /** Called for each interaction that Discord signed. Must not throw. */
  readonly onInteraction: (payload: unknown) => void;
  /** Called if the bot can't listen on the port. */
  readonly onFatal: (error: Error) => void;
  readonly logger: Logger;
}

class HttpStatusError extends Error {
  override readonly name = 'HttpStatusError';
  readonly status: number;
  constructor(status: number, why: string) {
    super(why);
    this.status = status;
  }
}

/**
 * Creates an endpoint that receives interactions from Discord over HTTP, instead of through the gateway. It answers each
 * request with 202, and the bot then responds to the interaction as usual. It counts as connected while it listens.
 */
export function createEndpoint(deps: EndpointDeps): Gateway {
  const { host, port, onInteraction, onFatal, logger } = deps;
  const key = keyOf(deps.publicKey);
  const log = createSparingLog(logger);
  let isLeaving = false;
  const server = createServer(
    {
      headersTimeout: REQUEST_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: CHECK_CONNECTIONS_EVERY_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
    (request, response) => void answer(request, response),
  );
  limitConnections(server, MAX_CONNECTIONS, () =>
    log.warn(
      {},
      'closed the oldest incomplete request to the interactions endpoint, to make room for a new one',
    ),
  );

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A health check for load balancers. They can't use HTTP_PORT, which also serves /metrics. The connection is closed,
    // because only Discord's connections stay open.
    if (request.url === '/livez') {
      response.writeHead(isLeaving ? 503 : 200, { Connection: 'close' }).end();
      return;
    }
    try {
      const payload = await readInteraction(request);
      if (Object(payload).type === InteractionType.Ping) {
        response.writeHead(200, { 'Content-Type': 'application/json' });
        response.end(JSON.stringify({ type: InteractionResponseType.Pong }));
        return;
      }
      response.writeHead(202).end();
      onInteraction(payload);
    } catch (error) {
      // The sender disconnected before the request was complete.
      if (request.destroyed && !request.complete) return;
      respondWithError(response, error);
    }
  }

  /** @throws HttpStatusError if the request isn't an interaction that Discord signed */
  async function readInteraction(request: IncomingMessage): Promise<unknown> {
    const [path] = (request.url ?? '').split('?');
    if (path !== ENDPOINT_PATH) throw new HttpStatusError(404, `only ${ENDPOINT_PATH} accepts interactions`);
    if (request.method !== 'POST') throw new HttpStatusError(405, 'only POST is allowed');
    if (isLeaving) throw new HttpStatusError(503, 'the bot is stopping');
    const signed = signatureOf(request);
    const body = await bodyInTime(request);
    const message = Buffer.concat([Buffer.from(signed.timestamp), body]);
    if (!verify(null, message, key, signed.signature))
      throw new HttpStatusError(401, 'the signature is wrong');
    const payload = parsedJson(body.toString());
    if (payload === undefined) throw new HttpStatusError(400, "Discord signed a body that isn't JSON");
    return payload;
  }

  /** @throws HttpStatusError if the body is too large or takes too long */
  async function bodyInTime(request: IncomingMessage): Promise<Buffer> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const error = new HttpStatusError(408, 'the body took too long');
    const timer = setTimeout(() => reject(error), BODY_TIMEOUT_MS);
    try {
      return await Promise.race([bodyOf(request), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** @throws HttpStatusError as soon as the body exceeds the maximum size */
  async function bodyOf(request: IncomingMessage): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let bytes = 0;
    // Keeps the connection open if the body is too large, so the sender can still read the error.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      bytes += chunk.length;
      if (bytes > MAX_BODY_BYTES) throw new HttpStatusError(413, 'the body is too long');
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }

  function respondWithError(response: ServerResponse, error: unknown): void {
    const { status, message } =
      error instanceof HttpStatusError ? error : new HttpStatusError(500, 'internal error');
    if (status === 500)
      logger.error(
        { err: error },
        'could not process an interaction that Discord posted; the member has to try again',
      );
    else log.info({ status }, `rejected a request to the interactions endpoint: ${message}`);
    // Closes the connection instead of waiting for the rest of an incomplete request.
    response.writeHead(status, { 'Content-Type': 'text/plain', Connection: 'close' });
    response.end(`${message}\n`);
  }

  return {
    async connect() {
      const where = { what: 'interactions', host, port, variable: 'INTERACTIONS_PORT' };
      const failure = await listen(server, where).catch((error: Error) => error);
      if (failure) return onFatal(failure);
      server.on('error', (error) => logger.error({ err: error }, 'the interactions endpoint failed'));
      logger.info({ host, port, path: ENDPOINT_PATH }, 'waiting for interactions from Discord');
    },
    async disconnect() {
      isLeaving = true;
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      await waitAtMost(CLOSE_TIMEOUT_MS, closed);
      server.closeAllConnections();
    },
    isConnected: () => server.listening,
    trouble: () => (server.listening ? undefined : 'the interactions port is not open'),
    shards: () => ({ ready: 0, connecting: 0, disconnected: 0 }),
    silentMs: () => 0,
    identifiesLeft: () => undefined,
    askIdentifiesLeft: () => Promise.resolve(),
  };
}

/** @param publicKey a 32-byte Ed25519 key in hexadecimal */
function keyOf(publicKey: string): KeyObject {
  const x = Buffer.from(publicKey, 'hex').toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}

/**
 * Reads the signature of a request. A replayed request also has a valid signature, but doesn't change anything: the bot has
 * already recorded the interaction, and Discord rejects a second acknowledgement. The time isn't compared with this
 * machine's clock, which may be wrong.
 * @throws HttpStatusError if the request can't be from Discord
 */
function signatureOf({ headers }: IncomingMessage) {
  const signature = String(headers['x-signature-ed25519']);
  const timestamp = String(headers['x-signature-timestamp']);
  if (!/^[0-9a-f]{128}$/i.test(signature)) throw new HttpStatusError(401, 'the signature is missing');
  if (!/^\d{1,12}$/.test(timestamp)) throw new HttpStatusError(401, 'the time is missing');
  return { timestamp, signature: Buffer.from(signature, 'hex') };
}
