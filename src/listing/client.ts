import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { createHttpAgent } from '../http-agent.ts';
import type { Secret } from '../secret.ts';
import { clipped } from '../visible-line.ts';
import {
  ADDED,
  type GamesOutcome,
  gamesSchema,
  isFaultyAnswer,
  KNOWN_ERRORS,
  type KnownError,
  type ListingApi,
  type ListingLogger,
  LONGEST_MESSAGE,
  MAX_SERVERS_PER_REQUEST,
  type Outcome,
  type Rejected,
  type ServerSubmission,
  WITHHELD_WORDS,
} from './contract.ts';
import {
  type Exchange,
  type ListingAnswer,
  post,
  readJson,
  readsBody,
  retryAfterMs,
  unreadable,
} from './exchange.ts';
import { createKeySearch, isKeyInGames } from './key-in-text.ts';

export interface ListingApiDeps {
  /** Requests go to `{baseUrl}/api`; a path and a slash at the end are fine. */
  readonly baseUrl: string;
  /** Milliseconds for one try, from the call to the last byte. All tries of a call together take at most twice that. */
  readonly timeoutMs: number;
  readonly arrayFormat: ArrayFormat;
  /** Requests that run at once. More would wait for a connection, and their time would run meanwhile. */
  readonly requestsAtOnce?: number;
  /** Milliseconds before the second try; twice that before the third. Half of it is chance. Without it 300. */
  readonly firstWaitMs?: number | undefined;
  readonly logger?: ListingLogger;
  /** Called after each try of a request. */
  readonly onRequest?: ((request: ListingRequest) => void) | undefined;
}

/** One try of a request to the service. */
export interface ListingRequest {
  readonly action: 'add' | 'games';
  readonly outcome: (Outcome | GamesOutcome)['kind'];
  /** Milliseconds. */
  readonly ms: number;
}

/** The longest answer that is read, in bytes: thousands of games fit ten times over. */
const MAX_ANSWER_BYTES = 1024 * 1024;
const TRIES = 3;
const FIRST_WAIT_MS = 300;
/** Milliseconds. Who asks for a longer rest gets it: there is no further try. */
const LONGEST_WAIT_MS = 5_000;

/**
 * The listing service over HTTP (specification §4), on connections of its own.
 *
 * A connection is kept for 4 seconds after its last use, or for what the service's `Keep-Alive` header grants less
 * 2 seconds, a minute at most. That is shorter than the idle timeout of the usual servers (5 seconds with Node and
 * Apache, longer elsewhere), so that `add` is not written to a connection that the service is closing: nobody could
 * say then whether it was carried out. The requests of a bulk submission still find one open; a single one later pays
 * for a handshake, which nobody notices in an answer that is deferred anyway.
 */
export function createListingApi(deps: ListingApiDeps): ListingApi {
  const { baseUrl, timeoutMs, arrayFormat, requestsAtOnce = 8, logger, onRequest } = deps;
  const { firstWaitMs = FIRST_WAIT_MS } = deps;
  const url = new URL(`${baseUrl.replace(/\/$/, '')}/api`);
  const agent = createHttpAgent({
    connections: requestsAtOnce,
    connectTimeout: Math.min(timeoutMs, 5_000),
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    keepAliveTimeout: 4_000,
    keepAliveTimeoutThreshold: 2_000,
    keepAliveMaxTimeout: 60_000,
    maxResponseSize: MAX_ANSWER_BYTES,
    // One request a connection: what became of it is then clear from what became of the connection.
    pipelining: 1,
  });
  const closing = new AbortController();

  async function call<Heard extends Outcome | GamesOutcome>(
    { action, form, key, signal }: Asked,
    read: (exchange: Exchange, key: Secret) => Heard | Promise<Heard>,
    isWorthRepeating: (outcome: Heard, exchange: Exchange) => boolean,
  ): Promise<Heard> {
    const startedAt = performance.now();
    const left = () => 2 * timeoutMs - (performance.now() - startedAt);
    for (let attempt = 1; ; attempt++) {
      const sentAt = performance.now();
      const exchange = await post(agent, {
        url,
        form,
        timeoutMs: Math.ceil(Math.min(timeoutMs, left())),
        signal,
        dropped: key.dropped,
        readsBody,
      });
      const outcome = await read(exchange, key);
      const ms = Math.round(performance.now() - startedAt);
      onRequest?.({ action, outcome: outcome.kind, ms: performance.now() - sentAt });
      report(logger, { action, attempt, ms, outcome });
      if (attempt === TRIES || !isWorthRepeating(outcome, exchange)) return outcome;
      const wait = waitAfter(attempt, exchange, firstWaitMs);
      if (wait > LONGEST_WAIT_MS || wait >= left()) return outcome;
      const stop = AbortSignal.any(
        [closing.signal, signal, key.dropped].filter((each) => each !== undefined),
      );
      const rested = await sleep(wait, true, { signal: stop }).catch(() => false);
      // A machine that was paused meanwhile has no time left.
      if (!rested || left() <= 0) return outcome;
    }
  }

  /** A list that holds the key is refused as a whole: it would be stored, and shown to other guilds. */
  async function gamesWithoutKey(exchange: Exchange, key: Secret): Promise<GamesOutcome> {
    const outcome = withoutKey(readGames(exchange, url), key);
    if (outcome.kind !== 'games' || !(await isKeyInGames(outcome.games, [key]))) return outcome;
    return { kind: 'unknown', reason: 'key-repeated', detail: 'the games list holds the key' };
  }

  return {
    games: (key, { signal } = {}) =>
      call({ action: 'games', form: encodeGames(key), key, signal }, gamesWithoutKey, gamesMayBeRepeated),
    async add(servers, key, { signal } = {}) {
      if (servers.length === 0 || servers.length > MAX_SERVERS_PER_REQUEST) {
        throw new RangeError(`1 to ${MAX_SERVERS_PER_REQUEST} servers a request, not ${servers.length}`);
      }
      const form = encodeAdd(servers, key, arrayFormat);
      return call(
        { action: 'add', form, key, signal },
        (exchange) => withoutKey(readAdd(exchange, url), key),
        addMayBeRepeated,
      );
    },
    async close() {
      closing.abort();
      await agent.close();
    },
  };
}

interface Asked {
  readonly action: 'add' | 'games';
  readonly form: string;
  readonly key: Secret;
  readonly signal: AbortSignal | undefined;
}

/** The answer to `action=add`, and every error (specification §4.1, §7), at any HTTP status. */
const verdictSchema = z.object({ status: z.enum(['success', 'error']), message: z.string() });

/** What `action=add` led to. A verdict is believed at any HTTP status: the specification names none for errors. */
function readAdd(exchange: Exchange, url: URL): Outcome {
  const read = readJson(exchange, url);
  if ('failure' in read) return read.failure;
  const verdict = verdictSchema.safeParse(read.json);
  if (!verdict.success) return unreadable(read.answer, 'wrong-shape', whatIsWrong(verdict.error));
  const { status, message } = verdict.data;
  return status === 'success' ? { kind: 'accepted', message } : rejected(message, read.answer);
}

/** What `action=games` led to. */
function readGames(exchange: Exchange, url: URL): GamesOutcome {
  const read = readJson(exchange, url);
  if ('failure' in read) return read.failure;
  const verdict = verdictSchema.safeParse(read.json);
  if (verdict.success && verdict.data.status === 'error') return rejected(verdict.data.message, read.answer);
  const games = gamesSchema.safeParse(read.json);
  if (!games.success) return unreadable(read.answer, 'wrong-shape', whatIsWrong(games.error));
  const leftOut = Array.isArray(read.json) ? read.json.length - games.data.length : 0;
  return { kind: 'games', games: games.data, ...(leftOut > 0 && { leftOut }) };
}

function rejected(message: string, { status, headers }: ListingAnswer): Rejected {
  const wait = status === 429 ? retryAfterMs(headers) : undefined;
  const names = Object.keys(KNOWN_ERRORS) as KnownError[];
  const known = names.find((name) => KNOWN_ERRORS[name] === message.trim());
  return {
    kind: 'rejected',
    message,
    ...(known !== undefined && { known }),
    ...(wait !== undefined && { retryAfterMs: wait }),
  };
}

function whatIsWrong(error: z.ZodError): string {
  const [issue] = error.issues;
  return issue === undefined ? 'wrong shape' : `${issue.path.join('.') || 'answer'}: ${issue.code}`;
}

/** Words of the specification: whatever the key is, they say nothing of it. */
const KNOWN_WORDS: ReadonlySet<string> = new Set([ADDED, ...Object.values(KNOWN_ERRORS)]);

/**
 * The outcome with the service's words cut where they come in, and without them when they hold the key, in whatever
 * spelling. What is known of an error was read before, from the words as they came.
 */
export function withoutKey<Heard extends Outcome | GamesOutcome>(outcome: Heard, key: Secret): Heard {
  if ('detail' in outcome && outcome.detail !== undefined) {
    const detail = outcome.detail.slice(0, LONGEST_MESSAGE);
    return { ...outcome, detail: createKeySearch(detail)(key) ? 'left out: the key is in it' : detail };
  }
  if (!('message' in outcome) || KNOWN_WORDS.has(outcome.message.trim())) return outcome;
  const message = clipped(outcome.message, LONGEST_MESSAGE);
  return { ...outcome, message: createKeySearch(message)(key) ? WITHHELD_WORDS : message };
}

/** `add` cannot be undone and not be looked up: it goes out a second time only when the first never left. */
function addMayBeRepeated(outcome: Outcome): boolean {
  return outcome.kind === 'not-sent' && ['refused', 'dns', 'reset'].includes(outcome.reason);
}

/** Reading may be repeated, but a wrong key, a bad certificate or a web page does not get better within seconds. */
function gamesMayBeRepeated(outcome: GamesOutcome, exchange: Exchange): boolean {
  if (outcome.kind === 'games' || 'known' in outcome) return false;
  if (exchange.kind === 'answer') return exchange.status === 429 || exchange.status >= 500;
  return (
    'reason' in outcome &&
    !isFaultyAnswer(outcome) &&
    !['tls', 'aborted', 'key-dropped'].includes(outcome.reason)
  );
}

function waitAfter(attempt: number, exchange: Exchange, firstWaitMs: number): number {
  const asked = exchange.kind === 'answer' ? retryAfterMs(exchange.headers) : undefined;
  return Math.max(asked ?? 0, firstWaitMs * 2 ** (attempt - 1) * (0.5 + Math.random() / 2));
}

interface Reported {
  readonly action: string;
  readonly attempt: number;
  readonly ms: number;
  readonly outcome: Outcome | GamesOutcome;
}

function report(logger: ListingLogger | undefined, { outcome, ...call }: Reported): void {
  const { kind } = outcome;
  if ('leftOut' in outcome) {
    const { leftOut } = outcome;
    logger?.warn({ ...call, leftOut }, 'games were left out: too many of them, or an alias that is too long');
  }
  if (!('reason' in outcome)) {
    logger?.debug({ ...call, kind }, 'the listing service answered');
    return;
  }
  const { reason, detail } = outcome;
  const message =
    reason === 'redirect'
      ? 'the listing service has moved: check LISTING_API_URL'
      : 'no answer to use from the listing service';
  logger?.warn({ ...call, kind, reason, detail }, message);
}

/**
 * How an element of `servers` is told from the next.
 * - `brackets`: `servers[][server]`, the form of the specification (§4). Rack begins a new element when a field
 *   repeats in the current one; PHP and Node's `qs` do not, and read something else from several servers.
 * - `indices`: `servers[0][server]`, for a service that needs it.
 */
type ArrayFormat = 'brackets' | 'indices';

/** The form of `action=add`. The result holds the key in clear: it is for the wire only. */
export function encodeAdd(servers: readonly ServerSubmission[], key: Secret, format: ArrayFormat): string {
  const form = new URLSearchParams({ api_key: key.reveal(), action: 'add' });
  for (const [index, { server, port, queryPort, game }] of servers.entries()) {
    const field = (name: string) => `servers[${format === 'indices' ? index : ''}][${name}]`;
    // `server` is in every element and comes first, so that a reader of `[]` sees where an element begins.
    form.append(field('server'), server);
    form.append(field('port'), String(port));
    if (queryPort !== undefined && queryPort !== port) form.append(field('query_port'), String(queryPort));
    form.append(field('game'), game);
  }
  return form.toString();
}

/** The form of `action=games`. The result holds the key in clear: it is for the wire only. */
export function encodeGames(key: Secret): string {
  return new URLSearchParams({ api_key: key.reveal(), action: 'games' }).toString();
}
