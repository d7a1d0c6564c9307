import type { IncomingHttpHeaders } from 'node:http';
import { type Dispatcher, util } from 'undici';
import { codeOf } from '../text/error-code.ts';
import type { Secret } from '../text/secret.ts';
import type { Failure, NotSentOutcome, UnknownOutcome } from './contract.ts';
import { maskKey } from './mask-key.ts';

export interface HttpResponse {
  readonly kind: 'response';
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface PostOptions {
  readonly url: URL;
  readonly form: URLSearchParams;
  /** Covers the whole request, from the call to the last byte of the response. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Posts a form once. Never follows redirects, decompresses the response or throws.
 *
 * This function calls `dispatch` instead of `request`, because only `dispatch` is notified when undici is about to write
 * (`onConnect`). A request that fails earlier certainly wasn't sent. A request that is aborted while it waits for a
 * connection is never sent.
 */
export function post(dispatcher: Dispatcher, options: PostOptions): Promise<HttpResponse | Failure> {
  const { url, form, timeoutMs, signal } = options;
  const { promise, resolve } = Promise.withResolvers<HttpResponse | Failure>();
  let isGivenUp = false;
  /** Aborts the request; set as soon as undici starts to write it. */
  let abort: ((reason: Error) => void) | undefined;
  let head: Pick<HttpResponse, 'status' | 'headers'> | undefined;
  const chunks: Buffer[] = [];

  function end(result: HttpResponse | Failure): void {
    // Otherwise, the timer and the listener would keep the response in memory until the deadline.
    clearTimeout(deadline);
    signal?.removeEventListener('abort', stop);
    resolve(result);
  }

  function giveUp(reason: 'stopping' | 'timeout', detail: string): void {
    isGivenUp = true;
    end({ kind: abort === undefined ? 'not-sent' : 'unknown', reason, detail });
    abort?.(new Error('no longer wanted'));
  }

  const stop = () => giveUp('stopping', 'the bot is stopping');
  const deadline = setTimeout(() => giveUp('timeout', `no response within ${timeoutMs} ms`), timeoutMs);
  signal?.addEventListener('abort', stop);
  if (signal?.aborted) stop();

  dispatcher.dispatch(requestOf(url, form), {
    onConnect(abortRequest) {
      // The request was cancelled while it was waiting for a connection. Aborting it here prevents undici from writing it.
      if (isGivenUp) abortRequest(new Error('no longer wanted'));
      else abort = abortRequest;
    },
    onHeaders(status, rawHeaders) {
      // A 1xx response isn't the final response.
      if (status >= 200) head = { status, headers: util.parseHeaders(rawHeaders) as IncomingHttpHeaders };
      return true;
    },
    onData(chunk) {
      chunks.push(chunk);
      return true;
    },
    onComplete() {
      if (head) end({ kind: 'response', ...head, body: new TextDecoder().decode(Buffer.concat(chunks)) });
    },
    onError: (error) => end(abort === undefined ? unreachedOutcome(error) : interruptedOutcome(error)),
  });
  return promise;
}

function requestOf(url: URL, form: URLSearchParams): Dispatcher.DispatchOptions {
  return {
    origin: url.origin,
    path: url.pathname,
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
      // Requests an uncompressed response. Without this header, the service could use any encoding (RFC 9110 §12.5.3).
      'accept-encoding': 'identity',
      'user-agent': 'server-listing-bot',
    },
    body: form.toString(),
  };
}

function unreachedOutcome(error: Error): NotSentOutcome {
  const detail = describeError(error);
  // This process or machine has too many open files, which doesn't count as a failure of the service.
  if (/^(?:EMFILE|ENFILE)$/.test(codeOf(error))) {
    return { kind: 'not-sent', reason: 'bot', detail: `${detail}: raise the limit on open files` };
  }
  return { kind: 'not-sent', reason: reasonOfCode(codeOf(error)), detail };
}

function reasonOfCode(code: string): NotSentOutcome['reason'] {
  // Matches the TLS errors of Node and OpenSSL, and OpenSSL's names for certificate problems.
  if (/^(ERR_TLS|ERR_SSL|EPROTO$|UNABLE_TO_|HOSTNAME_MISMATCH)|CERT|CRL/.test(code)) return 'tls';
  if (/TIMEOUT|^ETIMEDOUT$/.test(code)) return 'timeout';
  // undici rejects new requests after close().
  if (/^UND_ERR_(CLOSED|DESTROYED)$/.test(code)) return 'stopping';
  return 'unreachable';
}

function interruptedOutcome(error: Error): UnknownOutcome {
  return { kind: 'unknown', reason: reasonOfBreak(error), detail: describeError(error) };
}

function reasonOfBreak(error: Error): UnknownOutcome['reason'] {
  if (/^UND_ERR_(RES_EXCEEDED_MAX_SIZE|HEADERS_OVERFLOW)$/.test(codeOf(error))) return 'too-large';
  // The server responded, but not in HTTP.
  if (error.name === 'HTTPParserError') return 'unreadable';
  return 'reset';
}

function describeError(error: Error): string {
  // An AggregateError doesn't have its own message. It means that connecting failed for every address of the host.
  const message = error instanceof AggregateError ? error.errors.map(String).join('; ') : error.message;
  return [codeOf(error), message].filter((part) => part !== '').join(': ');
}

/**
 * Returns how long to wait according to `Retry-After`, in milliseconds. The header contains a number of seconds or a date
 * (RFC 9110 §10.2.3). Some services send fractions of a second, which are rounded up to whole seconds.
 */
export function retryAfterMs({ 'retry-after': header = '' }: IncomingHttpHeaders): number | undefined {
  const isSeconds = /^\d+(?:\.\d*)?$/.test(header);
  const ms = isSeconds ? Math.ceil(Number(header)) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** The specification's responses have two levels (§4). Parsing 500,000 levels would block the bot for 0.1 to 0.4 seconds. */
const MAX_JSON_DEPTH = 1_000;

/** Also counts brackets inside strings. */
function isTooDeep(json: string): boolean {
  let depth = 0;
  for (let index = 0; index < json.length && depth <= MAX_JSON_DEPTH; index++) {
    const character = json[index];
    if (character === '[' || character === '{') depth += 1;
    if (character === ']' || character === '}') depth -= 1;
  }
  return depth > MAX_JSON_DEPTH;
}

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

/** @param key is masked in all string values of the JSON, plain or encoded */
export function readJson(
  response: HttpResponse,
  url: URL,
  key: Secret,
): { readonly kind: 'json'; readonly value: unknown } | UnknownOutcome {
  const { status, headers, body } = response;
  // Redirects aren't followed, because a 307 or 308 would send the key to the new URL.
  if (REDIRECTS.includes(status)) return unusable(response, 'redirect', newAddress(headers, url));
  try {
    if (!isTooDeep(body)) return { kind: 'json', value: maskKey(JSON.parse(body), key) };
    return unusable(response, 'unreadable', `JSON with more than ${MAX_JSON_DEPTH} levels`);
  } catch {
    const type = /^[\w.+-]+\/[\w.+-]+/.exec(headers['content-type'] ?? '')?.[0] ?? 'no content type';
    const encoding = /^[\w-]+/.exec(headers['content-encoding'] ?? '')?.[0] ?? 'identity';
    const unasked = encoding === 'identity' ? '' : `, encoded as ${encoding}, which the bot did not request`;
    return unusable(response, 'unreadable', `not JSON, but ${type}, ${body.length} characters${unasked}`);
  }
}

/** @param reason only applies without an HTTP error; otherwise, the status determines the reason */
export function unusable(
  { status, headers }: HttpResponse,
  reason: 'redirect' | 'unreadable',
  what: string,
): UnknownOutcome {
  const wait = retryAfterMs(headers);
  return {
    kind: 'unknown',
    reason: reasonOfStatus(status) ?? reason,
    // Never includes the body, because a proxy's error page might quote the request with the key.
    detail: `HTTP ${status}: ${what}`,
    ...(wait !== undefined && { retryAfterMs: wait }),
  };
}

function reasonOfStatus(status: number): UnknownOutcome['reason'] | undefined {
  if (status === 429) return 'rate-limited';
  if (status >= 500) return 'server-error';
  if (status === 404 || status === 410) return 'not-found';
  return status >= 400 ? 'client-error' : undefined;
}

/** Only returns the origin, because the rest of the URL might repeat the request. */
function newAddress({ location }: IncomingHttpHeaders, url: URL): string {
  if (location === undefined || !URL.canParse(location, url)) return 'moved to an unknown address';
  return `moved to ${new URL(location, url).origin}`;
}
