import { type IncomingHttpHeaders, STATUS_CODES } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type APIInteractionResponse,
  type Client,
  type ClientOptions,
  DefaultUserAgent,
  DiscordAPIError,
  HTTPError,
  type REST,
  RESTJSONErrorCodes,
  Routes,
} from 'discord.js';
import { type Agent, type Dispatcher, Headers } from 'undici';

/** An answer without files: it is repeated when Discord does not take it, and the member is waiting. */
const ANSWER_TIMEOUT_MS = 5_000;

type MakeRequest = NonNullable<NonNullable<ClientOptions['rest']>['makeRequest']>;

export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/**
 * discord.js's requests over our own connections, which stay open between interactions. Most interactions take one of
 * them besides the first response ({@link sendCallbacksOver}), so they are made without undici's streams and signals,
 * which cost more than all else here: an answer of Discord is short and read as a whole.
 * @param onRateLimited called with each 429: `user`, `global`, `shared`, or `none` where Discord's edge did not say
 */
export function makeRequestOver(agent: Agent, onRateLimited?: (scope: string) => void): MakeRequest {
  return async (url, init) => {
    const { body: sent, headers } = await encoded(init);
    const pathAt = url.indexOf('/', 'https://'.length);
    const options: Dispatcher.DispatchOptions = {
      origin: url.slice(0, pathAt),
      path: url.slice(pathAt),
      method: init.method ?? 'GET',
      headers,
      body: sent,
    };
    const limits = { timeoutMs: timeoutFor(url, init.body), signal: init.signal };
    const { status, headers: received, body } = await exchange(agent, options, limits);
    if (status === 429) onRateLimited?.(scopeOf(received));
    return {
      body: null,
      bodyUsed: false,
      arrayBuffer: async () => new Uint8Array(body).buffer,
      json: async () => JSON.parse(body.toString()),
      text: async () => body.toString(),
      headers: headersOf(received),
      ok: status >= 200 && status < 300,
      status,
      statusText: STATUS_CODES[status] ?? '',
    };
  };
}

/**
 * One request and the whole of its answer.
 * @param timeoutMs after so long it is given up, wherever it is; undici's own time limits begin anew with each piece
 * @param signal gives it up as well
 */
function exchange(
  agent: Agent,
  options: Dispatcher.DispatchOptions,
  {
    timeoutMs,
    signal,
  }: { readonly timeoutMs: number | undefined; readonly signal: AbortSignal | null | undefined },
): Promise<Received> {
  const { promise, resolve, reject } = Promise.withResolvers<Received>();
  let controller: Dispatcher.DispatchController | undefined;
  let reason: Error | undefined;
  let timer: NodeJS.Timeout | undefined;
  let status = 0;
  let headers: IncomingHttpHeaders = {};
  const chunks: Buffer[] = [];

  function giveUp(why: Error): void {
    clearTimeout(timer);
    reason = why;
    controller?.abort(why);
    reject(why);
  }

  signal?.throwIfAborted();
  agent.dispatch(options, {
    onRequestStart(started) {
      controller = started;
      // It had to wait for a connection, for too long.
      if (reason) started.abort(reason);
    },
    onResponseStart(_, code, fields) {
      status = code;
      headers = fields;
    },
    onResponseData: (_, chunk) => void chunks.push(chunk),
    onResponseEnd() {
      clearTimeout(timer);
      resolve({ status, headers, body: Buffer.concat(chunks) });
    },
    onResponseError(_, error) {
      clearTimeout(timer);
      reject(error);
    },
  });
  signal?.addEventListener('abort', () => giveUp(signal.reason));
  if (timeoutMs !== undefined) {
    timer = setTimeout(
      () => giveUp(new DOMException(`No answer in ${timeoutMs} ms`, 'TimeoutError')),
      timeoutMs,
    );
  }
  return promise;
}

/** When a request is given up, in milliseconds, if that is before discord.js does so. */
function timeoutFor(url: string, body: unknown): number | undefined {
  const isAnswer = url.includes('/webhooks/') && typeof body === 'string';
  return isAnswer ? ANSWER_TIMEOUT_MS : undefined;
}

/** Whose limit a 429 is about. */
const scopeOf = (headers: IncomingHttpHeaders): string => String(headers['x-ratelimit-scope'] ?? 'none');

/** All that discord.js reads of an answer's headers, of which Discord sends some twenty. */
const READ = /^(?:content-type|retry-after|x-ratelimit-[a-z-]+)$/;

function headersOf(received: IncomingHttpHeaders): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(received)) {
    if (READ.test(name)) headers.append(name, String(value));
  }
  return headers;
}

/** What is sent: JSON as it is; files as bytes, since undici takes only its own FormData and discord.js has Node's. */
async function encoded({ body, headers }: Parameters<MakeRequest>[1]) {
  const given = headers as Record<string, string>;
  if (!(body instanceof FormData)) return { body: body as string, headers: given };
  const form = new Response(body);
  const type = form.headers.get('content-type') ?? '';
  return { body: Buffer.from(await form.arrayBuffer()), headers: { ...given, 'content-type': type } };
}

type Post = REST['post'];

/** The first response to an interaction (Discord docs: Receiving and Responding, "Create Interaction Response"). */
const CALLBACK = /^\/interactions\/[^/]+\/[^/]+\/callback$/;

/** How long Discord waits for the first response to an interaction is 3 s; past this there is no point. */
const TIMEOUT_MS = 2500;
/** What discord.js waits beyond what Discord asks for, in milliseconds; where it does not say, that is a second. */
const MARGIN_MS = 50;

/**
 * Sends the first responses to interactions past discord.js's queues. Discord limits them neither by a bucket nor by
 * the global limit (Discord docs: Rate Limits, "Global Rate Limit"), and discord.js holds none of them up either, but
 * making the request takes it longer than the answer took. What is thrown is what discord.js throws, and a 429 is
 * obeyed all the same.
 */
export function sendCallbacksOver(agent: Agent, rest: REST, onRateLimited?: (scope: string) => void): void {
  const { api, version, userAgentAppendix } = rest.options;
  const base = new URL(`${api}/v${version}`);
  const headers = {
    'content-type': 'application/json',
    'user-agent': `${DefaultUserAgent} ${userAgentAppendix}`.trim(),
  };

  const send = (path: string, options: Parameters<Post>[1]): Promise<Received> => {
    const body = JSON.stringify(options?.body);
    const request = { origin: base.origin, path, method: 'POST', headers, body } as const;
    return exchange(agent, request, { timeoutMs: TIMEOUT_MS, signal: options?.signal });
  };

  const post = rest.post.bind(rest);
  rest.post = async (route, options) => {
    if (!CALLBACK.test(route) || options?.files?.length) return post(route, options);
    const query = options?.query?.toString();
    const path = base.pathname + route + (query ? `?${query}` : '');
    for (;;) {
      const received = await send(path, options);
      const { status } = received;
      if (status >= 200 && status < 300) return json(received);
      if (status !== 429) throw errorOf(received, base.origin + path, options);
      onRateLimited?.(scopeOf(received.headers));
      await sleep((Number(received.headers['retry-after']) || 1) * 1000 + MARGIN_MS);
    }
  };
}

/** What discord.js makes of an answer that is no success. */
function errorOf(received: Received, url: string, options: Parameters<Post>[1]): Error {
  const { status } = received;
  const sent = { files: undefined, body: options?.body };
  if (status >= 500) return new HTTPError(status, STATUS_CODES[status] ?? '', 'POST', url, sent);
  const { code = 0, ...said } = Object(json(received));
  return new DiscordAPIError({ message: '', ...said, code }, code, status, 'POST', url, sent);
}

/** Nothing where the answer is empty, or a page by something between us and Discord. */
function json({ headers, body }: Received): unknown {
  const isJson = body.length > 0 && headers['content-type']?.startsWith('application/json');
  return isJson ? JSON.parse(body.toString()) : undefined;
}

/**
 * The interaction is no longer ours: too late (10062), or acknowledged by another process on the same token or
 * a second delivery (40060). Nothing more may be done with it.
 */
export class LostInteraction extends Error {
  override readonly name = 'LostInteraction';
}

/**
 * Pauses before the first response is sent again, in milliseconds. Discord waits 3 seconds for it; what is sent later
 * still brings its word on whether an earlier one had been taken, and so whether the member sees "thinking…".
 */
const ACKNOWLEDGE_PAUSES = [0, 250, 1000, 2500, 10_000];

/**
 * Sends the first response. Sent again when Discord itself failed (5xx) or no answer came, since that may leave the
 * interaction unacknowledged; should it have been taken after all, the 40060 of a later attempt says so.
 * @throws LostInteraction
 */
export async function acknowledge(send: () => Promise<unknown>): Promise<void> {
  const first = await failure(send);
  if (first === undefined) return;
  if (!isUncertain(first)) throw lostOr(first);
  let last: unknown = first;
  for (const pause of ACKNOWLEDGE_PAUSES) {
    await sleep(pause);
    last = await failure(send);
    if (last === undefined || hasCode(last, RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged)) return;
    if (!isUncertain(last)) break;
  }
  throw lostOr(last);
}

async function failure(send: () => Promise<unknown>): Promise<unknown> {
  try {
    await send();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** What the first response to an interaction needs of it. */
export interface Unanswered {
  readonly id: string;
  readonly token: string;
  readonly client: Pick<Client, 'rest'>;
}

/**
 * Sends a first response as Discord takes it. discord.js reads and renames every field of what it is given, which
 * takes longer than all else that an autocomplete or a reply takes.
 */
export function respondFirst({ id, token, client }: Unanswered, body: APIInteractionResponse): Promise<void> {
  return acknowledge(() => client.rest.post(Routes.interactionCallback(id, token), { auth: false, body }));
}

/** Discord understood and said no: the same request would be refused again. */
export function isRefused(error: unknown): boolean {
  return error instanceof DiscordAPIError && !isServerFault(error);
}

/** Nobody knows whether Discord did it: it failed, or its answer did not come. */
function isUncertain(error: unknown): boolean {
  const { name, code } = Object(error);
  return isServerFault(error) || /^(Abort|Timeout)Error$/.test(name) || /^(E[A-Z_]+|UND_ERR_\w+)$/.test(code);
}

function isServerFault(error: unknown): boolean {
  return (
    (error instanceof HTTPError || error instanceof DiscordAPIError) &&
    error.status >= 500 &&
    error.status < 600
  );
}

function lostOr(error: unknown): unknown {
  const lost =
    hasCode(error, RESTJSONErrorCodes.UnknownInteraction) ||
    hasCode(error, RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged);
  return lost ? new LostInteraction('The interaction can no longer be answered', { cause: error }) : error;
}

function hasCode(error: unknown, code: number): boolean {
  return error instanceof DiscordAPIError && error.code === code;
}
