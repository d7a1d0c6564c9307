import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Game } from '../../src/listing/contract.ts';
import { type Certificate, createLoopbackServer } from '../loopback-server.ts';
import { createWatchers } from '../watchers.ts';
import { SANDBOX_GAMES } from './games.ts';
import { isCarriedOut, type Mode, respond } from './modes.ts';
import { createService, readForm } from './service.ts';

/** A request that the service received, successful or not. It contains the API key, so never print it. */
export interface ListingRequest {
  /** In milliseconds since 1970. */
  readonly at: number;
  /** The number of the connection that the request arrived on. */
  readonly connection: number;
  /** `1.1`, or `2.0` if the client negotiated it over TLS. */
  readonly httpVersion: string;
  readonly action: string;
  readonly key: string;
  readonly servers: readonly Readonly<Record<string, string>>[];
}

export interface ListingOptions {
  /** If set, the server uses TLS with this certificate and supports HTTP/2. */
  readonly certificate?: Certificate;
  readonly keys?: readonly string[];
  readonly games?: readonly Game[];
  /**
   * Called with each request and the number of requests so far. A returned mode applies to this request only, except
   * `down`, which lasts until the mode changes.
   */
  readonly onRequest?: (count: number, request: ListingRequest) => Mode | undefined;
}

/** The API keys that are valid by default. */
const SANDBOX_KEYS = ['sandbox-key', 'sandbox-key-1234'] as const;

/** A simulated listing service on a loopback address. Tests can make it fail. */
export type ListingStandIn = Awaited<ReturnType<typeof startListing>>;

/**
 * Starts a complete listing service on 127.0.0.1 that follows the specification. Errors have status 200, because the
 * specification doesn't name a status for them.
 */
export async function startListing(options: ListingOptions = {}) {
  const service = createService(options.keys ?? SANDBOX_KEYS, options.games ?? SANDBOX_GAMES);
  const requests: ListingRequest[] = [];
  const strays: string[] = [];
  const connections = new WeakMap<object, number>();
  let connectionCount = 0;

  const { tell, watch } = createWatchers<void>();
  let mode: Mode = { kind: 'ok' };
  let timesLeft = Number.POSITIVE_INFINITY;

  /** Returns the mode for the next request, and resets the mode after its last use. */
  function useUp(): Mode {
    const now = mode;
    timesLeft -= 1;
    if (timesLeft <= 0) mode = { kind: 'ok' };
    return now;
  }

  const loopback = createLoopbackServer((request, response) => {
    // Not an error: several modes end the connection during a request on purpose.
    handle(request, response).catch(() => request.destroy());
  }, options.certificate);
  function reset(socket: Socket): void {
    useUp();
    tell();
    socket.resetAndDestroy();
  }
  loopback.server.on('connection', (socket) => {
    if (mode.kind === 'resetBefore') reset(socket);
  });
  loopback.onConnection((socket) => connections.set(socket, ++connectionCount));
  const port = await loopback.listen(0);

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (mode.kind === 'resetDuring') return reset(request.socket);
    if (request.url !== '/api' || request.method !== 'POST') strays.push(`${request.method} ${request.url}`);
    const form = readForm(await text(request));
    if (request.url !== '/api') return void response.writeHead(404).end('not found');
    if (request.method !== 'POST') return void response.writeHead(405, { allow: 'POST' }).end('POST only');
    const record: ListingRequest = {
      at: Date.now(),
      connection: connections.get(request.socket) ?? 0,
      httpVersion: request.httpVersion,
      action: form.fields.get('action') ?? '',
      key: form.fields.get('api_key') ?? '',
      servers: form.servers.map((server) => Object.fromEntries(server)),
    };
    requests.push(record);
    const standing = useUp();
    const current = options.onRequest?.(requests.length, record) ?? standing;
    if (current.kind === 'down') await loopback.close();
    const json = isCarriedOut(current) ? JSON.stringify(service.answer(form)) : '';
    tell();
    respond(current, response, json);
  }

  const changing = (change: (key: string) => void) => (key: string) => {
    change(key);
    tell();
  };

  return {
    /** The value for `LISTING_API_URL`. */
    url: `${loopback.scheme}://127.0.0.1:${port}`,
    /** The mode for the next request. */
    get mode() {
      return mode;
    },
    /** The valid API keys. */
    get keys() {
      return service.keys();
    },
    /** All servers that were accepted, in order. */
    submitted: service.submitted,
    requests: requests as readonly ListingRequest[],
    /** Requests other than `POST /api`, the only request in the specification. */
    strays: strays as readonly string[],
    /** Sets the mode for the next requests. After `times` requests, the service responds as specified again. */
    async behave(next: Mode, times = Number.POSITIVE_INFINITY): Promise<void> {
      mode = next;
      timesLeft = times;
      tell();
      if (next.kind === 'down') return loopback.close();
      if (!loopback.listening) await loopback.listen(port);
    },
    allow: changing(service.allow),
    revoke: changing(service.revoke),
    /** Calls a function whenever the service responds or its state changes. @returns a function that stops the calls */
    watch,
    close: loopback.close,
  };
}
