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
import type { Logger } from '../logger.ts';
import { TOKEN_LIVES_MS } from '../pacing/durations.ts';
import { codeOf } from '../text/error-code.ts';
import type { Secret } from '../text/secret.ts';
import { createBlock } from './block.ts';
import { createConnections } from './rest-connections.ts';
import { createFailureLog } from './unreachable.ts';

/** How long Discord waits for the first response to an interaction, in milliseconds (docs: Receiving and Responding). */
const FIRST_RESPONSE_MS = 3_000;
/** How long the first attempt can take before a second one starts in parallel (ms). The first connection may be dead. */
const FIRST_ATTEMPT_MS = 1_000;
/** Time limits for a reply without files or a request for the time, and for any other request. */
const REPLY_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 15_000;
const ASSUMED_UPLOAD_BYTES_PER_SECOND = 50_000;
/** So long that the bot's own limits always apply first. */
const DISCORD_JS_TIMEOUT_MS = 10 * 60_000;
const DEFAULT_MAX_WAIT_MS = 60_000;
/** How often discord.js deletes the data that it stores for each interaction token, in milliseconds. */
const TOKENS_SWEPT_EVERY_MS = 60_000;
/** Some 429 responses specify a delay of zero. */
const MIN_PAUSE_AFTER_429_MS = 250;

/**
 * Thrown if the interaction is too old (10062), already has a response (40060), or its token has expired. Also thrown if a
 * rate limit or a block leaves no time for the first response.
 */
export class LostInteractionError extends Error {
  override readonly name = 'LostInteractionError';
}

/** Thrown if a request wasn't sent, because the bot is stopping or the caller aborted it. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError';
}

export interface ReplyTarget {
  readonly id: string;
  readonly applicationId: string;
  readonly token: Secret;
  /** When the interaction arrived, in milliseconds since 1970. */
  readonly receivedAt: number;
}

export interface MessageBody {
  readonly body: Readonly<Record<string, unknown>>;
  readonly files: readonly { readonly name: string; readonly data: Buffer }[];
}

interface BotRequest {
  /** Maximum time to wait for rate limits. Defaults to a minute. */
  readonly maxWaitMs?: number;
  readonly query?: URLSearchParams;
  readonly signal?: AbortSignal | undefined;
  readonly body?: unknown;
}

type Route = `/${string}`;

export type DiscordApi = ReturnType<typeof createDiscordApi>;

export interface ApiTiming {
  readonly firstResponseMs?: number | undefined;
  readonly firstAttemptMs?: number | undefined;
}

export interface DiscordApiDeps extends ApiTiming {
  /** Discord's REST API URL without a version, such as `https://discord.com/api`. */
  readonly apiUrl: string;
  readonly token: Secret;
  /** Called for each 429 response with its scope: `user`, `global`, `shared`, or `none` if it's missing. */
  readonly onRateLimited?: ((scope: string) => void) | undefined;
  /** Called if Discord rejects the token when the bot requests its own application. */
  readonly onTokenRejected?: (() => void) | undefined;
  readonly logger: Pick<Logger, 'error' | 'warn'>;
}

/** Creates the client for all requests to Discord. A request fails early if its response can't arrive in time. */
export function createDiscordApi(deps: DiscordApiDeps) {
  const { apiUrl, token, onRateLimited, onTokenRejected, logger } = deps;
  const { firstResponseMs = FIRST_RESPONSE_MS, firstAttemptMs = FIRST_ATTEMPT_MS } = deps;
  const block = createBlock(logger);
  const stopping = new AbortController();
  /** Pool of persistent connections. discord.js's undici 6 only supports HTTP/1.1 (see docs/decisions/discord-parts.md). */
  const connections = createConnections();
  /** A separate pool for first responses, so that other requests don't delay them. */
  const responseConnections = createConnections();
  let lastRequestAt = 0;
  const rest = new REST({
    api: apiUrl,
    version: '10',
    agent: connections.agent(),
    // Disabled, because this client retries requests itself.
    retries: 0,
    rejectOnRateLimit: () => true,
    // Disabled, because discord.js measures the global limit by the system clock. Setting the clock back by an hour would
    // extend the limit by an hour. The bot waits after 429 responses anyway.
    globalRequestsPerSecond: Number.POSITIVE_INFINITY,
    async makeRequest(url, init) {
      const response = await DefaultRestOptions.makeRequest(url, init);
      if (response.status === 429) noteRateLimit(Object.fromEntries(response.headers));
      return response;
    },
    handlerSweepInterval: TOKENS_SWEPT_EVERY_MS,
    timeout: DISCORD_JS_TIMEOUT_MS,
  }).setToken(token.reveal());
  // After a 401, discord.js would call `setToken(null)` and stop sending requests.
  rest.setToken = () => rest;

  /**
   * Counts a 429 response. Starts a block if the response came from Discord's edge. Such a response lacks the scope, and
   * either `via` (discord-api-docs#1463) or `Retry-After` (#5810). The operator's proxy may add `via`.
   */
  function noteRateLimit(headers: Readonly<Record<string, unknown>>): void {
    const { via, 'retry-after': seconds, 'x-ratelimit-scope': scope } = headers;
    onRateLimited?.(String(scope ?? 'none'));
    const isDiscords = via !== undefined && seconds !== undefined;
    if (scope === undefined && !isDiscords) block.begin(Number(seconds) * 1000);
  }

  /**
   * Returns how much longer the token is valid by this machine's clock, in milliseconds. Because the clock may be wrong,
   * this only limits how long a reply waits for rate limits. Discord decides whether the token has expired.
   */
  const tokenLeftMs = ({ receivedAt }: Pick<ReplyTarget, 'receivedAt'>): number =>
    TOKEN_LIVES_MS - Math.max(0, Date.now() - receivedAt);

  /** @throws StoppedError if the bot stops or `signal` is aborted */
  async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
    const ends = signal ? AbortSignal.any([stopping.signal, signal]) : stopping.signal;
    await sleep(ms, undefined, { signal: ends }).catch(() => {
      throw new StoppedError('The bot is stopping, so the request was not sent');
    });
  }

  /**
   * Makes a request. If a rate limit or block will end in time, waits for its end first.
   * @param signal aborts the wait
   */
  async function within<Result>(
    maxWaitMs: number,
    attempt: () => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    const until = performance.now() + maxWaitMs;
    for (let pauseMs = MIN_PAUSE_AFTER_429_MS; ; pauseMs *= 2) {
      const blockedMs = block.leftMs();
      if (blockedMs > 0) {
        if (performance.now() + blockedMs > until) throw new Error(block.trouble());
        await pause(blockedMs, signal);
      }
      try {
        // Discards discord.js's rate limits if the system clock has been set back, because they'd last too long.
        if (Date.now() < lastRequestAt) {
          rest.handlers.clear();
          rest.globalReset = -1;
        }
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
    { signal, maxWaitMs = DEFAULT_MAX_WAIT_MS, ...others }: BotRequest = {},
  ): Promise<unknown> {
    const attempt = () => {
      const limit = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
      const ends = signal ? AbortSignal.any([signal, limit]) : limit;
      return rest.request({ fullRoute: route, method, ...others, signal: ends });
    };
    try {
      return await within(maxWaitMs, attempt, signal);
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
  /** Checks the token by requesting the bot's application, because a 401 can have other causes (discord.js#7492). */
  async function checkToken(): Promise<void> {
    try {
      await rest.get(Routes.currentApplication(), { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
    } catch (error) {
      isTokenRejected = hasStatus(error, 401);
      if (isTokenRejected) onTokenRejected?.();
    }
  }

  const logFailure = createFailureLog(apiUrl, logger);

  /** Makes a request with the interaction's token. Ignores the message in the response. */
  async function byInteraction(
    interaction: ReplyTarget,
    method: RequestMethod,
    route: Route,
    { body, files }: MessageBody,
    isWanted = async () => true,
  ): Promise<void> {
    const bytes = files.reduce((sum, { data }) => sum + data.length, 0);
    const limitMs =
      bytes === 0
        ? REPLY_TIMEOUT_MS
        : REQUEST_TIMEOUT_MS + Math.ceil((bytes / ASSUMED_UPLOAD_BYTES_PER_SECOND) * 1000);
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
    await within(tokenLeftMs(interaction), attempt).catch((cause: unknown) => {
      throw isTokenOver(cause)
        ? new LostInteractionError('The interaction token has expired', { cause })
        : cause;
    });
  }

  /**
   * Makes one attempt to send the first response. Bypasses discord.js's REST client, which took 40% of the processing time
   * (measured). Rate limit queues aren't needed, because interaction callbacks don't have a rate limit bucket.
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
    // Leaves the URL out of the error, because the URL contains the token.
    throw new DiscordAPIError(why, why.code, statusCode, RequestMethod.Post, '', {});
  }

  /**
   * Makes up to two attempts to send the first response.
   * @throws LostInteractionError
   */
  async function respond(interaction: ReplyTarget, body: APIInteractionResponse): Promise<void> {
    const until = performance.now() + firstResponseMs - Math.max(0, Date.now() - interaction.receivedAt);
    const leftMs = () => until - performance.now();
    const used = responseConnections.agent();
    const end = new AbortController();
    const first = respondOnce(interaction, body, end.signal);
    // Isn't limited by `leftMs`, which is wrong if this machine's clock has been set since the interaction arrived.
    const failure = await failureOf(first, firstAttemptMs);
    // Returns without aborting the request, because aborting after every response took 10% of the CPU time (measured).
    if (failure === undefined) return;
    try {
      if (isRejectedByDiscord(failure) || failure instanceof LostInteractionError) throw lostOr(failure);
      if (hasStatus(failure, 429)) {
        const waitMs = Number(Object(failure.rawError).retry_after ?? 0) * 1000;
        if (block.leftMs() > 0 || waitMs > leftMs()) throw lostOr(failure);
        await sleep(waitMs);
      } else if (responseConnections.agent() === used) {
        // The connections may be dead, and no other interaction has replaced them yet.
        connections.replace();
        responseConnections.replace();
        rest.setAgent(connections.agent());
      }
      if (leftMs() <= 0) throw lostOr(failure);
      const second = respondOnce(interaction, body, end.signal).catch((error: unknown) => {
        // If there is already a response, the first attempt succeeded after all. A rate-limited attempt can't have
        // succeeded.
        const wasTaken = hasCode(error, RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged);
        if (!wasTaken || !isUncertain(failure)) throw error;
      });
      // If the first attempt is just slow, it continues in parallel with the second attempt.
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
    /** Does nothing once Discord has rejected the token, because the bot then stops. */
    logFailure(...failure: Parameters<typeof logFailure>): void {
      if (!isTokenRejected) logFailure(...failure);
    },
    /**
     * Returns how far this machine's clock is ahead of Discord's, in milliseconds (accurate to a second or two), or
     * `undefined` if Discord doesn't respond. Never throws.
     */
    async clockAheadMs(): Promise<number | undefined> {
      const ask = () =>
        rest.queueRequest({
          fullRoute: Routes.gateway(),
          method: RequestMethod.Get,
          auth: false,
          signal: AbortSignal.timeout(REPLY_TIMEOUT_MS),
        });
      try {
        const response = await within(REPLY_TIMEOUT_MS, ask);
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
     * @param isWanted called right before the edit is sent, possibly after waiting for a rate limit; returns `false` to
     * cancel the edit
     * @throws DiscordAPIError if Discord rejects the edit; see {@link isRejectedByDiscord}
     * @throws LostInteractionError if the interaction's token has expired
     */
    edit: (to: ReplyTarget, message: MessageBody, isWanted?: () => Promise<boolean>): Promise<void> =>
      byInteraction(to, RequestMethod.Patch, replyRoute(to), message, isWanted),
    followUp: (to: ReplyTarget, message: MessageBody): Promise<void> =>
      byInteraction(to, RequestMethod.Post, Routes.webhook(to.applicationId, to.token.reveal()), message),
    /**
     * Returns the reply's state. `gone`: no reply exists, or its token has expired. `thinking`: the response was deferred.
     */
    async read(interaction: ReplyTarget): Promise<'gone' | 'thinking' | 'answered'> {
      try {
        const message = await within(tokenLeftMs(interaction), () =>
          rest.get(replyRoute(interaction), { auth: false, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) }),
        );
        return (Number(Object(message).flags) & MessageFlags.Loading) === 0 ? 'answered' : 'thinking';
      } catch (error) {
        if (isTokenOver(error) || hasCode(error, RESTJSONErrorCodes.UnknownMessage)) return 'gone';
        throw error;
      }
    },
    get: (route: Route, request?: BotRequest) => byBot(RequestMethod.Get, route, request),
    post: (route: Route, request: BotRequest) => byBot(RequestMethod.Post, route, request),
    put: (route: Route, request: BotRequest) => byBot(RequestMethod.Put, route, request),
    patch: (route: Route, request: BotRequest) => byBot(RequestMethod.Patch, route, request),
    /** From now on, requests fail instead of waiting for rate limits and blocks. */
    stopWaiting: (): void => stopping.abort(),
    async close(): Promise<void> {
      await Promise.all([connections.agent().close(), responseConnections.agent().close()]);
    },
  };
}

const replyRoute = ({ applicationId, token }: ReplyTarget) =>
  Routes.webhookMessage(applicationId, token.reveal());

/**
 * Waits up to `ms` milliseconds for `task`. Clears its timer when the task ends. With AbortSignal.timeout, timers would
 * keep running, which took 5% of the CPU time (measured).
 * @returns the error if the task failed or took too long; `undefined` if it succeeded
 */
async function failureOf(task: Promise<void>, ms: number): Promise<unknown> {
  const late = Promise.withResolvers<unknown>();
  const giveUp = () => late.resolve(new DOMException('no response arrived in time', 'TimeoutError'));
  // After the event loop was blocked, timers fire before sockets are read. `setImmediate` first lets Node read responses
  // that have already arrived.
  const timer = setTimeout(() => setImmediate(giveUp), ms);
  const failure = task.then(
    () => undefined,
    (error: unknown) => error,
  );
  return Promise.race([failure, late.promise]).finally(() => clearTimeout(timer));
}

/** Whether Discord would reject the same request again. */
export const isRejectedByDiscord = (error: unknown): boolean =>
  error instanceof DiscordAPIError && error.status >= 400 && error.status < 500 && !hasStatus(error, 429);

/** Only first responses throw a DiscordAPIError with status 429. discord.js throws a RateLimitError for other requests. */
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

/** Discord docs: JSON Error Codes. */
export const discordCodeOf = (error: unknown): number =>
  error instanceof DiscordAPIError ? Number(error.code) : 0;

export const hasCode = (error: unknown, code: number): boolean => discordCodeOf(error) === code;

function lostOr(error: unknown): unknown {
  const isLost =
    hasStatus(error, 429) ||
    hasCode(error, RESTJSONErrorCodes.UnknownInteraction) ||
    hasCode(error, RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged);
  return isLost
    ? new LostInteractionError('The interaction can no longer be answered', { cause: error })
    : error;
}
