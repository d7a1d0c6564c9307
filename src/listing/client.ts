import { Agent } from 'undici';
import { createBoundedMap } from '../bounded-map.ts';
import type { Logger } from '../logger.ts';
import type { Secret } from '../secret.ts';
import {
  type GamesOutcome,
  gamesSchema,
  knownError,
  MAX_GAMES,
  type Outcome,
  type Rejected,
  type ServerSubmission,
  statusSchema,
  type UnusableGame,
  whatIsWrong,
} from './contract.ts';
import { type HttpResponse, post, readJson, retryAfterMs, unusable } from './request.ts';

export interface ListingApiDeps {
  /** Requests go to `{baseUrl}/api`; a path and a slash at the end are fine. */
  readonly baseUrl: string;
  /** Milliseconds for a request, from the call to the last byte. */
  readonly timeoutMs: number;
  readonly arrayFormat: ArrayFormat;
  /** How many requests run at once. A further one would use up its time waiting for a connection. */
  readonly requestsAtOnce?: number;
  readonly logger?: ReportLogger;
  readonly onRequest?: ((request: ListingRequest) => void) | undefined;
}

/** A request to the service that has ended. */
export interface ListingRequest {
  readonly action: 'add' | 'games';
  readonly outcome: (Outcome | GamesOutcome)['kind'];
  readonly ms: number;
}

/** The longest response that is read, in bytes: thousands of games fit ten times over. */
const MAX_RESPONSE_BYTES = 1024 * 1024;

/** How many of the games of one list that can't be used are logged. */
const MOST_UNUSABLE_LOGGED = 20;

export type ListingApi = ReturnType<typeof createListingApi>;

/**
 * The listing service over HTTP (specification §4), on connections of its own. Each call is one request; getting no
 * response is an outcome, not an exception.
 *
 * A connection is kept for 4 seconds after its last use, or for what the service's `Keep-Alive` header grants less
 * 2 seconds, a minute at most. That is shorter than the idle timeout of the usual servers (5 seconds with Node and
 * Apache, longer elsewhere), so that `add` is not written to a connection that the service is closing: nobody could
 * say then whether it was carried out.
 */
export function createListingApi(deps: ListingApiDeps) {
  const { baseUrl, timeoutMs, arrayFormat, requestsAtOnce = 8, logger, onRequest } = deps;
  const url = new URL(`${baseUrl.replace(/\/$/, '')}/api`);
  const agent = new Agent({
    connections: requestsAtOnce,
    connect: { timeout: Math.min(timeoutMs, 5_000) },
    // Each request has a deadline for all of it.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 4_000,
    keepAliveTimeoutThreshold: 2_000,
    keepAliveMaxTimeout: 60_000,
    maxResponseSize: MAX_RESPONSE_BYTES,
    // One request at a time on a connection, so that a lost connection leaves one request in doubt.
    pipelining: 1,
  });
  const closing = new AbortController();
  /** The games that the log has named, since they can't be used. */
  const logged = createBoundedMap<true>(1_000);

  /** Logs and counts a request when it has ended. */
  async function told<Heard extends Outcome | GamesOutcome>(
    action: ListingRequest['action'],
    request: Promise<Heard>,
  ): Promise<Heard> {
    const sentAt = performance.now();
    const outcome = await request;
    const ms = performance.now() - sentAt;
    onRequest?.({ action, outcome: outcome.kind, ms });
    if (logger) report(logger, { action, address: url.href, ms: Math.round(ms) }, outcome);
    if (logger && outcome.kind === 'games') reportUnusable(logger, outcome.unusable ?? []);
    return outcome;
  }

  /** Logs each game that can't be used once, however often the list is read. */
  function reportUnusable(logger: ReportLogger, unusable: readonly UnusableGame[]): void {
    const first = unusable.slice(0, MOST_UNUSABLE_LOGGED);
    for (const { game, reason } of first.filter((each) => !logged.get(each.game))) {
      logged.set(game, true);
      logger.warn({ game, reason, all: unusable.length }, 'a game of the list cannot be used');
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
    games: (key: Secret): Promise<GamesOutcome> => told('games', games(key)),
    /** Submits 1 to {@link MAX_SERVERS_PER_REQUEST} servers. */
    add: (servers: readonly ServerSubmission[], key: Secret): Promise<Outcome> =>
      told('add', add(servers, key)),
    /** Gives up readings that are under way, and closes the connections when submissions have ended. */
    async close(): Promise<void> {
      closing.abort();
      await agent.close();
    },
  };
}

/**
 * What `action=add` led to. The status in its body is believed at any HTTP status: the specification names none for
 * errors.
 */
function readAdd(response: HttpResponse, url: URL, key: Secret): Outcome {
  const json = readJson(response, url, key);
  if (json.kind === 'unknown') return json;
  const body = statusSchema.safeParse(json.value);
  if (!body.success) return unusable(response, 'unreadable', whatIsWrong(body.error));
  const { status, message } = body.data;
  return status === 'success' ? { kind: 'accepted', message } : rejected(message, response);
}

/** What `action=games` led to. */
function readGames(response: HttpResponse, url: URL, key: Secret): GamesOutcome {
  const json = readJson(response, url, key);
  if (json.kind === 'unknown') return json;
  const body = statusSchema.safeParse(json.value);
  if (body.success && body.data.status === 'error') return rejected(body.data.message, response);
  const list = gamesSchema.safeParse(json.value);
  if (!list.success) return unusable(response, 'unreadable', whatIsWrong(list.error));
  const { games, unusable: others, leftOut } = list.data;
  return {
    kind: 'games',
    games,
    ...(others.length > 0 && { unusable: others }),
    ...(leftOut > 0 && { leftOut }),
  };
}

function rejected(message: string, { status, headers }: HttpResponse): Rejected {
  const wait = status === 429 ? retryAfterMs(headers) : undefined;
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
  if (!('reason' in outcome)) {
    if ('leftOut' in outcome) {
      const { leftOut } = outcome;
      logger.warn({ ...request, leftOut }, `only the first ${MAX_GAMES} games of the list are used`);
    }
    logger.debug({ ...request, kind }, 'the listing service answered');
    return;
  }
  const { reason, detail } = outcome;
  const message =
    reason === 'redirect'
      ? 'the listing service has moved: check LISTING_API_URL'
      : 'no response to use from the listing service';
  logger.warn({ ...request, kind, reason, detail }, message);
}

/**
 * How an element of `servers` is told from the next.
 * - `brackets`: `servers[][server]`, the form of the specification (§4). Rack begins a new element when a field
 *   repeats in the current one; PHP and Node's `qs` do not, and read something else from several servers.
 * - `indices`: `servers[0][server]`, for a service that needs it.
 */
type ArrayFormat = 'brackets' | 'indices';

/** The form of `action=add`. The result holds the key in clear: it is for the wire only. */
export function addForm(
  servers: readonly ServerSubmission[],
  key: Secret,
  format: ArrayFormat,
): URLSearchParams {
  const form = new URLSearchParams({ api_key: key.reveal(), action: 'add' });
  for (const [index, { server, port, queryPort, game }] of servers.entries()) {
    const field = (name: string) => `servers[${format === 'indices' ? index : ''}][${name}]`;
    // `server` is in every element and comes first, so that a reader of `[]` sees where an element begins.
    form.append(field('server'), server);
    form.append(field('port'), String(port));
    if (queryPort !== undefined) form.append(field('query_port'), String(queryPort));
    form.append(field('game'), game);
  }
  return form;
}
