import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Game } from '../../src/listing/contract.ts';
import { type Certificate, createLoopbackServer } from '../loopback-server.ts';
import { createWatchers } from '../watchers.ts';
import { SANDBOX_GAMES } from './games.ts';
import { isCarriedOut, type Mode, respond } from './modes.ts';
import { createService, readForm } from './service.ts';

/** A request as received, whatever its result. It contains the key, so it is for tests only and must never be printed. */
export interface ListingRequest {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The number of the request's connection. */
  readonly connection: number;
  /** `1.1`, or `2.0` if the client chose it over TLS. */
  readonly httpVersion: string;
  readonly action: string;
  readonly key: string;
  readonly servers: readonly Readonly<Record<string, string>>[];
}

export interface ListingOptions {
  /** Listens on TLS with this certificate, and offers HTTP/2. */
  readonly certificate?: Certificate;
  readonly keys?: readonly string[];
  readonly games?: readonly Game[];
  /**
   * Called for each request that was read, counted from 1. May return the mode for this request. With `down`, the request is
   * cut and the service stays down.
   */
  readonly onRequest?: (count: number, request: ListingRequest) => Mode | undefined;
}

/** The keys that are valid by default. */
const SANDBOX_KEYS = ['sandbox-key', 'sandbox-key-1234'] as const;

/** A local listing service on loopback, with faults on demand. */
export type ListingStandIn = Awaited<ReturnType<typeof startListing>>;

/**
 * Starts a complete listing service on 127.0.0.1, as specified. Errors have status 200, because the specification doesn't
 * name a status.
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

  /** Returns the mode of a request. A mode for a number of requests ends with the last of them. */
  function useUp(): Mode {
    const now = mode;
    timesLeft -= 1;
    if (timesLeft <= 0) mode = { kind: 'ok' };
    return now;
  }

  const loopback = createLoopbackServer((request, response) => {
    // A connection that ends during a request isn't an error, because half of the modes end it.
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
    /** The mode of the next request. */
    get mode() {
      return mode;
    },
    /** The valid keys. */
    get keys() {
      return service.keys();
    },
    /** Every accepted server, in order. */
    submitted: service.submitted,
    requests: requests as readonly ListingRequest[],
    /** Requests other than `POST /api`, the only one in the specification; for example `GET /`. */
    strays: strays as readonly string[],
    /** Changes the mode of later requests; after `times` requests the service responds as specified again. */
    async behave(next: Mode, times = Number.POSITIVE_INFINITY): Promise<void> {
      mode = next;
      timesLeft = times;
      tell();
      if (next.kind === 'down') return loopback.close();
      if (!loopback.listening) await loopback.listen(port);
    },
    allow: changing(service.allow),
    revoke: changing(service.revoke),
    /** Calls a function on each response and each change of state. @returns a function that stops the calls */
    watch,
    close: loopback.close,
  };
}
