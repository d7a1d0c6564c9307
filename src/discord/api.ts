import { setTimeout as sleep } from 'node:timers/promises';
import {
  type APIInteractionResponse,
  DefaultRestOptions,
  DefaultUserAgent,
  DiscordAPIError,
  HTTPError,
  MessageFlags,
  RateLimitError,
  type RawFile,
  REST,
  RESTJSONErrorCodes,
  RequestMethod,
  Routes,
} from 'discord.js';
import { request } from 'undici';
import { codeOf } from '../error-code.ts';
import type { Logger } from '../logger.ts';
import { TOKEN_LIVES_MS } from '../numbers.ts';
import type { Secret } from '../secret.ts';
import { createBlock } from './block.ts';
import { createConnections } from './rest-connections.ts';
import { createFailureLog } from './unreachable.ts';

/** How long Discord waits for the first response to an interaction, in milliseconds (docs: Receiving and Responding). */
const FIRST_RESPONSE_MS = 3_000;
/**
 * How long the first attempt can take before a second one starts in parallel, in milliseconds. The first connection may be
 * dead.
 */
const FIRST_ATTEMPT_MS = 1_000;
/** The time limits for a reply without files and for any other request, in milliseconds. */
const ANSWER_MS = 5_000;
const REQUEST_MS = 15_000;
/** The upload speed that the time limits assume, in bytes per second. */
const UPLOAD_BYTES_PER_SECOND = 50_000;
/** A time limit for the library, longer than that of any request, in milliseconds. */
const LONGEST_REQUEST_MS = 10 * 60_000;
/** How long a request with the bot's token waits for a rate limit by default, in milliseconds. */
const LONGEST_WAIT_MS = 60_000;
/** How often the library deletes the data that it stores for each interaction's token, in milliseconds. */
const TOKENS_SWEPT_EVERY_MS = 60_000;
/** The shortest pause after a 429, in milliseconds. Some 429s specify zero. */
const LEAST_PAUSE_MS = 250;

/** The bot can no longer respond: the interaction is too old (10062), its token expired, or it has a response (40060). */
export class LostInteractionError extends Error {
  override readonly name = 'LostInteractionError';
}

/** The request wasn't sent, because the bot is stopping or the caller no longer wants it. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError';
}

export interface ReplyTarget {
  readonly id: string;
  readonly applicationId: string;
  readonly token: Secret;
  /** The time of arrival, in milliseconds since 1970. */
  readonly receivedAt: number;
}

/** A message in Discord's own format, and its files. */
export interface MessageBody {
  readonly body: Readonly<Record<string, unknown>>;
  readonly files: readonly { readonly name: string; readonly data: Buffer }[];
}

interface BotRequest {
  /** How long the request can wait for a rate limit, in milliseconds. */
  readonly longestWaitMs?: number;
  readonly query?: URLSearchParams;
  readonly signal?: AbortSignal | undefined;
  readonly body?: unknown;
}

type Route = `/${string}`;

export type DiscordApi = ReturnType<typeof createDiscordApi>;

/** Time limits that replace the defaults, in milliseconds. */
export interface ApiTiming {
  readonly firstResponseMs?: number | undefined;
  readonly firstAttemptMs?: number | undefined;
}

export interface DiscordApiDeps extends ApiTiming {
  /** The URL of Discord's REST API without the version, such as `https://discord.com/api`. */
  readonly apiUrl: string;
  readonly token: Secret;
  /** Called for each 429 with its scope: `user`, `global`, `shared`, or `none` if Discord's edge didn't give a scope. */
  readonly onRateLimited?: ((scope: string) => void) | undefined;
  /** Called when Discord rejects the token in a request for the application itself. */
  readonly onTokenRejected?: (() => void) | undefined;
  readonly logger: Pick<Logger, 'error' | 'warn'>;
}

/** Creates the client for all requests to Discord. A request gives up once its response would come too late. */
export function createDiscordApi(deps: DiscordApiDeps) {
  const { apiUrl, token, onRateLimited, onTokenRejected, logger } = deps;
  const { firstResponseMs = FIRST_RESPONSE_MS, firstAttemptMs = FIRST_ATTEMPT_MS } = deps;
  const block = createBlock(logger);
  const stopping = new AbortController();
  /**
   * Connections that stay open. undici 6, used by discord.js, only supports HTTP/1.1 (see
   * docs/decisions/discord-parts.md).
   */
  const connections = createConnections();
  /** Separate connections for first responses, so that no other request delays them. */
  const responseConnections = createConnections();
  let lastRequestAt = 0;
  const rest = new REST({
    api: apiUrl,
    version: '10',
    agent: connections.agent(),
    // `request` below decides which requests are sent again, and when.
    retries: 0,
    rejectOnRateLimit: () => true,
    // Disabled. The library measures this limit with the wall clock, so setting the clock back by an hour would stretch the
    // limit to an hour. The bot obeys 429 responses anyway.
    globalRequestsPerSecond: Number.POSITIVE_INFINITY,
    async makeRequest(url, init) {
      const response = await DefaultRestOptions.makeRequest(url, init);
      if (response.status === 429) noteRateLimit(Object.fromEntries(response.headers));
      return response;
    },
    handlerSweepInterval: TOKENS_SWEPT_EVERY_MS,
    timeout: LONGEST_REQUEST_MS,
  }).setToken(token.reveal());
  // After a 401, discord.js calls `setToken(null)` and sends nothing more.
  rest.setToken = () => rest;

  /**
   * Counts a 429, and starts a block if Discord's edge sent it. Such a 429 has no scope. It also lacks `via`
   * (discord-api-docs#1463), which an operator's proxy may add, or `Retry-After` (#5810).
   */
  function noteRateLimit(headers: Readonly<Record<string, unknown>>): void {
    const { via, 'retry-after': seconds, 'x-ratelimit-scope': scope } = headers;
    onRateLimited?.(String(scope ?? 'none'));
    const isDiscords = via !== undefined && seconds !== undefined;
    if (scope === undefined && !isDiscords) block.begin(Number(seconds) * 1000);
  }

  /**
   * Returns how much longer Discord accepts replies, in milliseconds. This only limits how long a reply waits for a rate
   * limit. Discord decides whether the token has expired, because this machine's clock may be wrong.
   */
  const tokenLivesMs = ({ receivedAt }: Pick<ReplyTarget, 'receivedAt'>): number =>
    TOKEN_LIVES_MS - Math.max(0, Date.now() - receivedAt);

  /** @throws StoppedError if the bot stops or `signal` is aborted */
  async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
    const ends = signal ? AbortSignal.any([stopping.signal, signal]) : stopping.signal;
    await sleep(ms, undefined, { signal: ends }).catch(() => {
      throw new StoppedError('The bot is stopping, so the request was not sent');
    });
  }

  /**
   * Makes a request. Waits for rate limits and for the end of a block while the response is still useful.
   * @param ms how long to keep trying, in milliseconds
   * @param signal ends the wait
   */
  async function within<Result>(
    ms: number,
    attempt: () => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    const until = performance.now() + ms;
    for (let pauseMs = LEAST_PAUSE_MS; ; pauseMs *= 2) {
      const blockedMs = block.leftMs();
      if (blockedMs > 0) {
        if (performance.now() + blockedMs > until) throw new Error(block.trouble());
        await pause(blockedMs, signal);
      }
      try {
        // The library uses the clock to end a rate limit, so setting the clock back by an hour would extend the limit by an
        // hour.
        if (Date.now() < lastRequestAt) rest.handlers.clear();
        lastRequestAt = Date.now();
        return await attempt();
      } catch (error) {
        if (!(error instanceof RateLimitError)) throw error;
        const waitMs = Math.max(error.retryAfter, pauseMs);
        if (performance.now() + waitMs > until) throw error;
        await pause(waitMs, signal);
      }
    }
  }

  async function byBot(
    method: RequestMethod,
    route: Route,
    { signal, longestWaitMs = LONGEST_WAIT_MS, ...others }: BotRequest = {},
  ): Promise<unknown> {
    const attempt = () => {
      const limit = AbortSignal.timeout(REQUEST_MS);
      const ends = signal ? AbortSignal.any([signal, limit]) : limit;
      return rest.request({ fullRoute: route, method, ...others, signal: ends });
    };
    try {
      return await within(longestWaitMs, attempt, signal);
    } catch (error) {
      if (hasStatus(error, 401) && !isTokenRejected) {
        tokenCheck ??= checkToken().finally(() => {
          tokenCheck = undefined;
        });
        await tokenCheck;
      }
      throw error;
    }
  }

  let isTokenRejected = false;
  let tokenCheck: Promise<void> | undefined;
  /**
   * Checks the token by requesting the bot's own application. A 401 from any other route can have other causes
   * (discord.js#7492).
   */
  async function checkToken(): Promise<void> {
    try {
      await rest.get(Routes.currentApplication(), { signal: AbortSignal.timeout(REQUEST_MS) });
    } catch (error) {
      isTokenRejected = hasStatus(error, 401);
      if (isTokenRejected) onTokenRejected?.();
    }
  }

  const logFailure = createFailureLog(apiUrl, logger);

  /** Makes a request with the interaction's token. Ignores the message that Discord returns. */
  async function byInteraction(
    interaction: ReplyTarget,
    method: RequestMethod,
    route: Route,
    { body, files }: MessageBody,
    isWanted = async () => true,
  ): Promise<void> {
    const bytes = files.reduce((sum, { data }) => sum + data.length, 0);
    const limitMs =
      bytes === 0 ? ANSWER_MS : REQUEST_MS + Math.ceil((bytes / UPLOAD_BYTES_PER_SECOND) * 1000);
    const attempt = async () => {
      if (!(await isWanted())) return;
      const response = await rest.queueRequest({
        fullRoute: route,
        method,
        auth: false,
        body,
        files: files.map(({ name, data }): RawFile => ({ name, data })),
        signal: AbortSignal.timeout(limitMs),
      });
      await response.arrayBuffer();
    };
    await within(tokenLivesMs(interaction), attempt).catch((cause: unknown) => {
      throw isTokenOver(cause)
        ? new LostInteractionError('The interaction token has expired', { cause })
        : cause;
    });
  }

  /**
   * Makes one attempt without discord.js's REST client, which took two fifths of the time (measured). Callbacks don't
   * have a rate limit bucket.
   */
  async function respondOnce(to: ReplyTarget, said: APIInteractionResponse, signal: AbortSignal) {
    if (!block.mayRespond())
      throw new LostInteractionError('Discord blocks this bot, including first responses');
    const { version, userAgentAppendix } = rest.options;
    const path = Routes.interactionCallback(to.id, to.token.reveal());
    const { statusCode, headers, body } = await request(`${apiUrl}/v${version}${path}`, {
      method: RequestMethod.Post,
      headers: {
        'content-type': 'application/json',
        'user-agent': `${DefaultUserAgent} ${userAgentAppendix}`,
      },
      body: JSON.stringify(said),
      dispatcher: responseConnections.agent(),
      signal,
    });
    if (statusCode >= 200 && statusCode < 300) return body.dump();
    if (statusCode === 429) noteRateLimit(headers);
    const why = Object(await body.json().catch(() => undefined));
    // The error doesn't have a URL, because the URL contains the token.
    throw new DiscordAPIError(why, why.code, statusCode, RequestMethod.Post, '', {});
  }

  /**
   * Sends the first response.
   * @throws LostInteractionError
   */
  async function respond(interaction: ReplyTarget, body: APIInteractionResponse): Promise<void> {
    const until = performance.now() + firstResponseMs - Math.max(0, Date.now() - interaction.receivedAt);
    const leftMs = () => until - performance.now();
    const used = responseConnections.agent();
    const end = new AbortController();
    const first = respondOnce(interaction, body, end.signal);
    // Not limited by `leftMs`, which is wrong if this machine's clock was set after the interaction arrived.
    const failure = await failureOf(first, firstAttemptMs);
    // Returns without aborting the other attempt. Aborting after every response took a tenth of the processor time
    // (measured).
    if (failure === undefined) return;
    try {
      if (isRejectedByDiscord(failure) || failure instanceof LostInteractionError) throw lostOr(failure);
      if (hasStatus(failure, 429)) {
        const waitMs = Number(Object(failure.rawError).retry_after ?? 0) * 1000;
        if (block.leftMs() > 0 || waitMs > leftMs()) throw lostOr(failure);
        await sleep(waitMs);
      } else if (responseConnections.agent() === used) {
        // The connections may be dead. If the pool has changed, another interaction has already replaced them.
        connections.replace();
        responseConnections.replace();
        rest.setAgent(connections.agent());
      }
      if (leftMs() <= 0) throw lostOr(failure);
      const second = respondOnce(interaction, body, end.signal).catch((error: unknown) => {
        // Discord accepted the first attempt, but its response was lost. An attempt that hit a rate limit wasn't
        // accepted.
        const wasTaken = hasCode(error, RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged);
        if (!wasTaken || !isUncertain(failure)) throw error;
      });
      // A slow first attempt continues in parallel with the second.
      const last = await failureOf(Promise.any([first, second]), leftMs());
      if (last === undefined) return;
      const failures = last instanceof AggregateError ? last.errors : [failure, last];
      throw lostOr(failures.find(isRejectedByDiscord) ?? failures.find(isUncertain) ?? failures.at(-1));
    } finally {
      end.abort();
    }
  }

  return {
    block,
    /**
     * Logs a failed request that will be retried. Logs nothing after Discord rejected the token, because the bot then
     * stops.
     */
    logFailure(...failure: Parameters<typeof logFailure>): void {
      if (!isTokenRejected) logFailure(...failure);
    },
    /**
     * Returns how far this machine's clock is ahead of Discord's, in milliseconds, accurate to a second or two;
     * `undefined` if Discord doesn't respond. Never throws.
     */
    async clockAheadMs(): Promise<number | undefined> {
      const ask = () =>
        rest.queueRequest({
          fullRoute: Routes.gateway(),
          method: RequestMethod.Get,
          auth: false,
          signal: AbortSignal.timeout(ANSWER_MS),
        });
      try {
        const response = await within(ANSWER_MS, ask);
        const ahead = Date.now() - Date.parse(response.headers.get('date') ?? '');
        await response.arrayBuffer();
        return Number.isNaN(ahead) ? undefined : ahead;
      } catch {
        return undefined;
      }
    },
    respond,
    /**
     * Edits the reply with a single request.
     * @param isWanted called right before the edit is sent, which may be after a rate limit; `false` cancels the edit
     * @throws DiscordAPIError if Discord rejects the edit; see {@link isRejectedByDiscord}
     * @throws LostInteractionError if its token has expired
     */
    edit: (to: ReplyTarget, message: MessageBody, isWanted?: () => Promise<boolean>): Promise<void> =>
      byInteraction(to, RequestMethod.Patch, replyRoute(to), message, isWanted),
    followUp: (to: ReplyTarget, message: MessageBody): Promise<void> =>
      byInteraction(to, RequestMethod.Post, Routes.webhook(to.applicationId, to.token.reveal()), message),
    /** Returns the state of the reply: `gone` if there is no first response, `thinking` after a deferred one. */
    async read(interaction: ReplyTarget): Promise<'gone' | 'thinking' | 'answered'> {
      try {
        const message = await within(tokenLivesMs(interaction), () =>
          rest.get(replyRoute(interaction), { auth: false, signal: AbortSignal.timeout(REQUEST_MS) }),
        );
        return (Number(Object(message).flags) & MessageFlags.Loading) === 0 ? 'answered' : 'thinking';
      } catch (error) {
        if (isTokenOver(error) || hasCode(error, RESTJSONErrorCodes.UnknownMessage)) return 'gone';
        throw error;
      }
    },
    /** Requests with the bot's token. */
    get: (route: Route, request?: BotRequest) => byBot(RequestMethod.Get, route, request),
    post: (route: Route, request: BotRequest) => byBot(RequestMethod.Post, route, request),
    put: (route: Route, request: BotRequest) => byBot(RequestMethod.Put, route, request),
    patch: (route: Route, request: BotRequest) => byBot(RequestMethod.Patch, route, request),
    /** Stops all waits for a rate limit or for the end of a block. From now on, a request fails instead of waiting. */
    stopWaiting: (): void => stopping.abort(),
    async close(): Promise<void> {
      await Promise.all([connections.agent().close(), responseConnections.agent().close()]);
    },
  };
}

const replyRoute = ({ applicationId, token }: ReplyTarget) =>
  Routes.webhookMessage(applicationId, token.reveal());

/**
 * Waits up to `ms` milliseconds for `task`. The timer ends with the task. Timers of AbortSignal.timeout keep running, and
 * took a twentieth of the processor time (measured).
 * @returns the error if the task failed or was too slow; `undefined` if it succeeded
 */
async function failureOf(task: Promise<void>, ms: number): Promise<unknown> {
  const late = Promise.withResolvers<unknown>();
  const giveUp = () => late.resolve(new DOMException('no response arrived in time', 'TimeoutError'));
  // After a stall, timers run before the sockets are read, so a response may already have arrived.
  const timer = setTimeout(() => setImmediate(giveUp), ms);
  const failure = task.then(
    () => undefined,
    (error: unknown) => error,
  );
  return Promise.race([failure, late.promise]).finally(() => clearTimeout(timer));
}

/** Whether Discord understood the request and rejected it. It would reject the same request again. */
export const isRejectedByDiscord = (error: unknown): boolean =>
  error instanceof DiscordAPIError && error.status >= 400 && error.status < 500 && !hasStatus(error, 429);

/** Only a first response has status 429. For other requests, discord.js throws a RateLimitError. */
const hasStatus = (error: unknown, status: number): error is DiscordAPIError =>
  error instanceof DiscordAPIError && error.status === status;

/** Whether the outcome is unknown, because Discord failed or its response didn't arrive. */
export const isUncertain = (error: unknown): boolean =>
  error instanceof HTTPError ||
  (error instanceof DiscordAPIError && error.status >= 500) ||
  /^(?:Abort|Timeout)Error$/.test(Object(error).name) ||
  /^(?:E(?!RR_)[A-Z_]+|UND_ERR_\w+)$/.test(codeOf(error));

const isTokenOver = (error: unknown): boolean =>
  hasCode(error, RESTJSONErrorCodes.UnknownWebhook) || hasCode(error, RESTJSONErrorCodes.InvalidWebhookToken);

export const hasCode = (error: unknown, code: number): boolean =>
  error instanceof DiscordAPIError && error.code === code;

function lostOr(error: unknown): unknown {
  const isLost =
    hasStatus(error, 429) ||
    hasCode(error, RESTJSONErrorCodes.UnknownInteraction) ||
    hasCode(error, RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged);
  return isLost
    ? new LostInteractionError('The interaction can no longer be answered', { cause: error })
    : error;
}
