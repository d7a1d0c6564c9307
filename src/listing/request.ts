import type { IncomingHttpHeaders } from 'node:http';
import { type Dispatcher, util } from 'undici';
import { codeOf, isOutOfHandles } from '../error-code.ts';
import type { Secret } from '../secret.ts';
import { type Failure, MASKED_KEY, type NotSent, type Unknown } from './contract.ts';

/** An HTTP response with any body. */
export interface HttpResponse {
  readonly kind: 'response';
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface PostOptions {
  readonly url: URL;
  readonly form: URLSearchParams;
  /** Milliseconds for everything from now to the last byte of the response. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Posts a form once; follows nothing, decompresses nothing, never throws.
 *
 * It is written against `dispatch`, not `request`, since only there undici tells when it begins to write
 * (`onConnect`): what fails before that was certainly not sent. An abort also ends a request that is still
 * waiting for a connection, and that one then never goes out.
 */
export function post(dispatcher: Dispatcher, options: PostOptions): Promise<HttpResponse | Failure> {
  const { url, form, timeoutMs, signal } = options;
  const { promise, resolve } = Promise.withResolvers<HttpResponse | Failure>();
  let isGivenUp = false;
  /** Known as soon as the request is being written. */
  let abort: ((reason: Error) => void) | undefined;
  let head: Pick<HttpResponse, 'status' | 'headers'> | undefined;
  const chunks: Buffer[] = [];

  function end(result: HttpResponse | Failure): void {
    // Otherwise the response would stay in memory until the deadline, since these refer to it.
    clearTimeout(deadline);
    signal?.removeEventListener('abort', stop);
    resolve(result);
  }

  function giveUp(reason: 'stopping' | 'timeout', detail: string): void {
    isGivenUp = true;
    end(ended(abort !== undefined, reason, detail));
    abort?.(new Error('no longer wanted'));
  }

  const stop = () => giveUp('stopping', 'the bot is stopping');
  const deadline = setTimeout(() => giveUp('timeout', `no response within ${timeoutMs} ms`), timeoutMs);
  signal?.addEventListener('abort', stop);
  if (signal?.aborted) stop();

  dispatcher.dispatch(requestOf(url, form), {
    onConnect(abortRequest) {
      // It ended while it waited for a connection. Aborted here, undici writes nothing.
      if (isGivenUp) abortRequest(new Error('no longer wanted'));
      else abort = abortRequest;
    },
    onHeaders(status, rawHeaders) {
      // After a 1xx the response is still to come.
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
    onError: (error) => end(abort === undefined ? unreached(error) : brokenOff(error)),
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
      // Nothing is decompressed here. A request that does not say so accepts every encoding (RFC 9110 §12.5.3).
      'accept-encoding': 'identity',
      'user-agent': 'server-listing-bot',
    },
    body: form.toString(),
  };
}

function ended(isSent: boolean, reason: 'stopping' | 'timeout', detail: string): Failure {
  return isSent ? { kind: 'unknown', reason, detail } : { kind: 'not-sent', reason, detail };
}

/** The outcome of a request of which nothing was written. */
function unreached(error: Error): NotSent {
  const detail = describeError(error);
  // This machine's own trouble says nothing of the service.
  if (isOutOfHandles(error)) {
    return { kind: 'not-sent', reason: 'bot', detail: `${detail}: raise the limit of open files` };
  }
  return { kind: 'not-sent', reason: reasonOfCode(codeOf(error)), detail };
}

function reasonOfCode(code: string): NotSent['reason'] {
  // Node's own errors, OpenSSL's, and OpenSSL's names for what is wrong with a certificate.
  if (/^(ERR_TLS|ERR_SSL|EPROTO$|UNABLE_TO_|HOSTNAME_MISMATCH)|CERT|CRL/.test(code)) return 'tls';
  if (/TIMEOUT|^ETIMEDOUT$/.test(code)) return 'timeout';
  // close() was called: undici refuses new requests.
  if (/^UND_ERR_(CLOSED|DESTROYED)$/.test(code)) return 'stopping';
  return 'unreachable';
}

/** The outcome of a request of which at least a part was written. */
function brokenOff(error: Error): Unknown {
  return { kind: 'unknown', reason: reasonOfBreak(error), detail: describeError(error) };
}

function reasonOfBreak(error: Error): Unknown['reason'] {
  if (/^UND_ERR_(RES_EXCEEDED_MAX_SIZE|HEADERS_OVERFLOW)$/.test(codeOf(error))) return 'too-large';
  // Something answered, but not in HTTP.
  if (error.name === 'HTTPParserError') return 'unreadable';
  return 'reset';
}

function describeError(error: Error): string {
  // An AggregateError (every address of a name failed) has no message of its own.
  const message = error instanceof AggregateError ? error.errors.map(String).join('; ') : error.message;
  return [codeOf(error), message].filter((part) => part !== '').join(': ');
}

/**
 * Milliseconds to wait by `Retry-After`, which is a number of seconds or a date (RFC 9110 §10.2.3). Some services send seconds with
 * a fraction, which are rounded up.
 */
export function retryAfterMs({ 'retry-after': header = '' }: IncomingHttpHeaders): number | undefined {
  const isSeconds = /^\d+(?:\.\d*)?$/.test(header);
  const ms = isSeconds ? Math.ceil(Number(header)) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

/**
 * What is in a response, or why it cannot be used.
 * @param key is masked in every text of the response, as it is and percent-encoded
 */
export function readJson(
  response: HttpResponse,
  url: URL,
  key: Secret,
): { readonly kind: 'json'; readonly value: unknown } | Unknown {
  const { status, headers, body } = response;
  // Not followed: a 307 or 308 would send the key to whoever the new address belongs to.
  if (REDIRECTS.includes(status)) return unusable(response, 'redirect', newAddress(headers, url));
  try {
    return { kind: 'json', value: withMaskedKey(body, key) };
  } catch {
    const type = /^[\w.+-]+\/[\w.+-]+/.exec(headers['content-type'] ?? '')?.[0] ?? 'no content type';
    const encoding = /^[\w-]+/.exec(headers['content-encoding'] ?? '')?.[0] ?? 'identity';
    const unasked = encoding === 'identity' ? '' : `, encoded as ${encoding}, which the bot did not ask for`;
    return unusable(response, 'unreadable', `no JSON, but ${type}, ${body.length} characters${unasked}`);
  }
}

/**
 * A JSON text as its value, with the key masked in every string. Masking takes ten times as long as parsing (130 ms of the
 * processor for 200,000 objects in 600 kB, measured), so it is left out where no string can hold the key.
 */
function withMaskedKey(body: string, key: Secret): unknown {
  const plain = key.reveal();
  const encoded = encodeURIComponent(plain);
  const value: unknown = JSON.parse(body);
  // The response may spell any character as an escape; JSON.stringify spells each in one way.
  const text = body.includes('\\') ? JSON.stringify(value) : body;
  const spelled = JSON.stringify(plain).slice(1, -1);
  if (![plain, spelled, encoded].some((each) => text.includes(each))) return value;
  return JSON.parse(body, (_, each) =>
    typeof each === 'string' ? each.replaceAll(plain, MASKED_KEY).replaceAll(encoded, MASKED_KEY) : each,
  );
}

/**
 * The outcome of a response whose body says neither success nor error. An HTTP status that is an error tells the reason.
 */
export function unusable(
  { status, headers }: HttpResponse,
  reason: 'redirect' | 'unreadable',
  what: string,
): Unknown {
  const wait = retryAfterMs(headers);
  return {
    kind: 'unknown',
    reason: reasonOfStatus(status) ?? reason,
    // Never the body: a proxy's page may show the request.
    detail: `HTTP ${status}: ${what}`,
    ...(wait !== undefined && { retryAfterMs: wait }),
  };
}

function reasonOfStatus(status: number): Unknown['reason'] | undefined {
  if (status === 429) return 'rate-limited';
  if (status >= 500) return 'server-error';
  if (status === 404 || status === 410) return 'not-found';
  return status >= 400 ? 'client-error' : undefined;
}

/** Only the origin: the rest of the address might repeat what was sent. */
function newAddress({ location }: IncomingHttpHeaders, url: URL): string {
  if (location === undefined || !URL.canParse(location, url)) return 'moved, but does not say where to';
  return `moved to ${new URL(location, url).origin}`;
}
