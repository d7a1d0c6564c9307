import { setImmediate } from 'node:timers/promises';
import { Agent } from 'undici';
import type { Logger } from '../logger.ts';
import { createBoundedMap } from '../pacing/bounded-map.ts';
import type { Secret } from '../text/secret.ts';
import { DEFAULT_PAUSE_MS } from './breaker.ts';
import {
  type GamesOutcome,
  gamesSchema,
  isFailure,
  knownError,
  type Outcome,
  type RejectedOutcome,
  type ServerSubmission,
  statusSchema,
  type UnusableGame,
  whatIsWrong,
} from './contract.ts';
import { type HttpResponse, post, readJson, retryAfterMs, unusable } from './request.ts';

export interface ListingApiDeps {
  /** The service's URL without `/api`. It can have a path and a trailing slash. */
  readonly baseUrl: string;
  /** Covers a request from the call to the last byte of the response. */
  readonly timeoutMs: number;
  readonly arrayFormat: ArrayFormat;
  /** Any additional request would use up its time limit waiting for a connection. */
  readonly concurrentRequests?: number;
  readonly logger?: ReportLogger;
  readonly onRequest?: ((request: ListingRequest) => void) | undefined;
}

export interface RequestOrigin {
  readonly interactionId?: string | undefined;
  readonly guildId?: string | undefined;
}

export interface ListingRequest {
  readonly action: 'add' | 'games';
  readonly outcome: (Outcome | GamesOutcome)['kind'];
  readonly ms: number;
}

/** Ten times the size of a list of thousands of games. */
const MAX_RESPONSE_BYTES = 1024 * 1024;

const MAX_UNUSABLE_LOGGED = 20;

export type ListingApi = ReturnType<typeof createListingApi>;

/**
 * Creates the HTTP client for the listing service (specification §4), with its own connections. Each call makes one
 * request. If there's no response, the call returns an outcome instead of throwing.
 *
 * An idle connection is kept open for 4 seconds. If the service sends a `Keep-Alive` header, the connection stays open for
 * 2 seconds less than the header says, up to one minute. These times are shorter than the idle timeouts of common servers
 * (5 seconds for Node and Apache, longer for others). Otherwise, `add` might use a connection that the service is closing,
 * which would make the outcome unknown.
 */
export function createListingApi(deps: ListingApiDeps) {
  const { baseUrl, timeoutMs, arrayFormat, concurrentRequests = 8, logger, onRequest } = deps;
  const url = new URL(`${baseUrl.replace(/\/$/, '')}/api`);
  const agent = new Agent({
    connections: concurrentRequests,
    connect: { timeout: Math.min(timeoutMs, 5_000) },
    // Disabled, because each request has its own deadline.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 4_000,
    keepAliveTimeoutThreshold: 2_000,
    keepAliveMaxTimeout: 60_000,
    maxResponseSize: MAX_RESPONSE_BYTES,
    // Sends one request at a time over each connection. If the connection is lost, only one outcome is lost with it.
    pipelining: 1,
  });
  const closing = new AbortController();
  const loggedGames = createBoundedMap<true>(1_000);

  async function reported<Heard extends Outcome | GamesOutcome>(
    action: ListingRequest['action'],
    { interactionId, guildId }: RequestOrigin,
    request: Promise<Heard>,
  ): Promise<Heard> {
    const sentAt = performance.now();
    const outcome = await request;
    const ms = performance.now() - sentAt;
    onRequest?.({ action, outcome: outcome.kind, ms });
    const about = { interactionId, guildId, action, address: url.href, ms: Math.round(ms) };
    if (logger) report(logger, about, outcome);
    if (logger && outcome.kind === 'games') reportUnusable(logger, outcome.unusable);
    return outcome;
  }

  /** Logs a list's first unusable games, each only once, however often the list is read. */
  function reportUnusable(logger: ReportLogger, unusable: readonly UnusableGame[]): void {
    const first = unusable.slice(0, MAX_UNUSABLE_LOGGED);
    for (const { game, reason } of first.filter((each) => !loggedGames.get(each.game))) {
      loggedGames.set(game, true);
      logger.warn(
        { game, reason, all: unusable.length },
        'could not use a game from the games list; skipping it',
      );
    }
  }

  async function add(servers: readonly ServerSubmission[], key: Secret): Promise<Outcome> {
    const response = await post(agent, { url, form: addForm(servers, key, arrayFormat), timeoutMs });
    return response.kind === 'response' ? readAdd(response, url, key) : response;
  }

  async function games(key: Secret): Promise<GamesOutcome> {
    const form = new URLSearchParams({ api_key: key.reveal(), action: 'games' });
    const response = await post(agent, { url, form, timeoutMs, signal: closing.signal });
    return response.kind === 'response' ? readGames(response, url, key) : response;
  }

  return {
    games: (key: Secret, origin: RequestOrigin = {}): Promise<GamesOutcome> =>
      reported('games', origin, games(key)),
    /** @param servers 1 to `MAX_SERVERS_PER_REQUEST` servers */
    add: (servers: readonly ServerSubmission[], key: Secret, origin: RequestOrigin = {}): Promise<Outcome> =>
      reported('add', origin, add(servers, key)),
    /** Aborts requests for the games list, waits for submissions to finish and closes the connections. */
    async close(): Promise<void> {
      closing.abort();
      await agent.close();
    },
  };
}

/**
 * Reads the response to `action=add`. Only the body's status counts, because the specification doesn't define HTTP statuses
 * for errors.
 */
function readAdd(response: HttpResponse, url: URL, key: Secret): Outcome {
  const json = readJson(response, url, key);
  if (json.kind === 'unknown') return json;
  const body = statusSchema.safeParse(json.value);
  if (!body.success) return unusable(response, 'unreadable', whatIsWrong(body.error));
  const { status, message } = body.data;
  return status === 'success' ? { kind: 'accepted', message } : rejected(message, response);
}

async function readGames(response: HttpResponse, url: URL, key: Secret): Promise<GamesOutcome> {
  const json = readJson(response, url, key);
  if (json.kind === 'unknown') return json;
  // A list of 1 MiB takes a long time to parse, so other work gets a turn before the list is checked.
  await setImmediate();
  const body = statusSchema.safeParse(json.value);
  if (body.success && body.data.status === 'error') return rejected(body.data.message, response);
  const list = gamesSchema.safeParse(json.value);
  if (!list.success) return unusable(response, 'unreadable', whatIsWrong(list.error));
  return { kind: 'games', ...list.data };
}

function rejected(message: string, { status, headers }: HttpResponse): RejectedOutcome {
  const wait = status === 429 ? (retryAfterMs(headers) ?? DEFAULT_PAUSE_MS) : undefined;
  const known = knownError(message);
  return {
    kind: 'rejected',
    message,
    ...(known !== undefined && { known }),
    ...(wait !== undefined && { retryAfterMs: wait }),
  };
}

type ReportLogger = Pick<Logger, 'debug' | 'warn'>;

function report(logger: ReportLogger, request: object, outcome: Outcome | GamesOutcome): void {
  const { kind } = outcome;
  if (!isFailure(outcome)) {
    if (outcome.kind === 'games' && outcome.leftOut > 0) {
      const read = outcome.games.length + outcome.unusable.length;
      logger.warn(
        { ...request, leftOut: outcome.leftOut },
        `the games list is too long or has too many unusable games; using only its first ${read} games`,
      );
    }
    logger.debug({ ...request, kind }, 'the listing service responded');
    return;
  }
  const { reason, detail } = outcome;
  const message =
    reason === 'redirect'
      ? 'the listing service has moved: check LISTING_API_URL'
      : 'the listing service sent no usable response';
  logger.warn({ ...request, kind, reason, detail }, message);
}

/**
 * How the form separates the elements of `servers`.
 * - `brackets`: `servers[][server]`, as in the specification (§4). Rack starts a new element when a field is repeated. PHP
 *   and Node's `qs` don't, so they misread lists of several servers.
 * - `indices`: `servers[0][server]`, for services that need it.
 */
type ArrayFormat = 'brackets' | 'indices';

/** Never log the form, because it contains the key in plain text. */
export function addForm(
  servers: readonly ServerSubmission[],
  key: Secret,
  format: ArrayFormat,
): URLSearchParams {
  const form = new URLSearchParams({ api_key: key.reveal(), action: 'add' });
  for (const [index, { server, port, queryPort, game }] of servers.entries()) {
    const field = (name: string) => `servers[${format === 'indices' ? index : ''}][${name}]`;
    // Puts `server` first in every element, so that parsers of `[]` recognise where the element begins.
    form.append(field('server'), server);
    form.append(field('port'), String(port));
    if (queryPort !== undefined) form.append(field('query_port'), String(queryPort));
    form.append(field('game'), game);
  }
  return form;
}
