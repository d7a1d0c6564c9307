import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Failure, FailureReason } from './contract.ts';

/** What came of one POST, before anybody looks into the answer. */
export type Exchange =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      /** Empty when {@link PostOptions.readsBody} did not want it. */
      readonly body: string;
    }
  | {
      readonly kind: 'no-answer';
      /** Whether a first byte may have left the machine. */
      readonly sent: boolean;
      /** Whether the head of an HTTP answer had come. */
      readonly begun: boolean;
      readonly cause: 'timeout' | 'aborted' | 'key-dropped' | 'error';
      readonly error: Error;
    };

interface PostOptions {
  readonly url: URL;
  readonly form: string;
  /** Milliseconds for everything from now to the last byte of the answer. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Ends the request as long as nothing of it has left; afterwards it goes on. */
  readonly dropped?: AbortSignal | undefined;
  readonly readsBody: (status: number, headers: IncomingHttpHeaders) => boolean;
}

/**
 * Posts a form once; follows nothing, decompresses nothing, never throws.
 * It is written against `dispatch`, not `request`, since only there undici tells when it begins to write
 * (`onRequestStart`): what fails before that was certainly not sent. An abort also ends a request that is still
 * waiting for a connection, and that one then never goes out.
 */
export function post(
  dispatcher: Dispatcher,
  { url, form, timeoutMs, signal, dropped, readsBody }: PostOptions,
): Promise<Exchange> {
  const { promise, resolve } = Promise.withResolvers<Exchange>();
  const deadline = AbortSignal.timeout(timeoutMs);
  const end = signal === undefined ? deadline : AbortSignal.any([deadline, signal]);
  let controller: Dispatcher.DispatchController | undefined;
  let answer: { status: number; headers: IncomingHttpHeaders } | undefined;
  let isOver = false;
  const chunks: Buffer[] = [];

  function finish(exchange: Exchange): void {
    if (isOver) return;
    isOver = true;
    end.removeEventListener('abort', onEnd);
    dropped?.removeEventListener('abort', onDrop);
    resolve(exchange);
  }

  function fail(error: Error): void {
    const cause = signal?.aborted ? 'aborted' : deadline.aborted ? 'timeout' : 'error';
    const begun = answer !== undefined;
    finish({ kind: 'no-answer', sent: controller !== undefined, begun, cause, error });
  }

  function onEnd(): void {
    const error = signal?.aborted ? new Error('stopped') : new Error(`no answer within ${timeoutMs} ms`);
    fail(error);
    controller?.abort(error);
  }

  function onDrop(): void {
    if (controller !== undefined) return;
    finish({
      kind: 'no-answer',
      sent: false,
      begun: false,
      cause: 'key-dropped',
      error: new Error('its key is no longer used'),
    });
  }

  if (dropped?.aborted) onDrop();
  else if (end.aborted) onEnd();
  if (isOver) return promise;
  end.addEventListener('abort', onEnd, { once: true });
  dropped?.addEventListener('abort', onDrop, { once: true });

  dispatcher.dispatch(requestOf(url, form), {
    onRequestStart(started) {
      // Ended while it waited for a connection: aborted here, undici writes nothing.
      if (isOver) started.abort(new Error('no longer wanted'));
      else controller = started;
    },
    onResponseStart(started, status, headers) {
      if (status < 200) return; // 1xx: the answer is still to come.
      answer = { status, headers };
      if (readsBody(status, headers)) return;
      finish({ kind: 'answer', status, headers, body: '' });
      started.abort(new Error('body not wanted'));
    },
    onResponseData(_controller, chunk) {
      chunks.push(chunk);
    },
    onResponseEnd() {
      if (answer === undefined) return;
      finish({ kind: 'answer', ...answer, body: new TextDecoder().decode(Buffer.concat(chunks)) });
    },
    onResponseError(_controller, error) {
      fail(error);
    },
  });
  return promise;
}

function requestOf(url: URL, form: string): Dispatcher.DispatchOptions {
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
    body: form,
  };
}

export type ListingAnswer = Extract<Exchange, { kind: 'answer' }>;
type NoAnswer = Extract<Exchange, { kind: 'no-answer' }>;

/** False for answers that say nothing, whatever is in them: reading on would only cost time. */
export function readsBody(status: number, headers: IncomingHttpHeaders): boolean {
  return !isRedirect(status) && !isEncoded(headers);
}

/** What undici makes a list of where a proxy has named a header again, whatever the types say. */
const valuesOf = (header: string | undefined): readonly string[] => [header ?? []].flat();

/** Milliseconds to wait by `Retry-After`, which is a number of seconds or a date (RFC 9110 §10.2.3); the longest of several. */
export function retryAfterMs({ 'retry-after': header }: IncomingHttpHeaders): number | undefined {
  const waits = valuesOf(header)
    .map((value) => (/^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()))
    .filter(Number.isFinite);
  return waits.length === 0 ? undefined : Math.max(0, ...waits);
}

/** What is in an answer, or why nothing in it can be used. */
export function readJson(
  exchange: Exchange,
  url: URL,
): { readonly answer: ListingAnswer; readonly json: unknown } | { readonly failure: Failure } {
  if (exchange.kind === 'no-answer') return { failure: noAnswer(exchange) };
  const { status, headers, body } = exchange;
  // Not followed: a 307 or 308 would send the key to whoever the new address belongs to.
  if (isRedirect(status)) return { failure: unreadable(exchange, 'redirect', newAddress(headers, url)) };
  if (isEncoded(headers)) {
    return { failure: unreadable(exchange, 'not-json', 'compressed, although nobody asked for that') };
  }
  if (isNestedTooDeep(body))
    return { failure: unreadable(exchange, 'wrong-shape', 'lists in lists without end') };
  try {
    return { answer: exchange, json: JSON.parse(body) };
  } catch {
    const type = /^[\w.+-]+\/[\w.+-]+/.exec(headers['content-type'] ?? '')?.[0] ?? 'no content type';
    return { failure: unreadable(exchange, 'not-json', `${type}, ${body.length} characters`) };
  }
}

/** The specification's answers have two levels; what else a service adds may have many more. */
const DEEPEST = 100;

/** JSON.parse takes 100 ms and more for a mebibyte of opening brackets (measured); this reads it up to the first few. */
function isNestedTooDeep(body: string): boolean {
  let depth = 0;
  let isText = false;
  for (let index = 0; index < body.length; index += 1) {
    const sign = body[index];
    if (isText) {
      if (sign === '\\') index += 1;
      else if (sign === '"') isText = false;
    } else if (sign === '"') isText = true;
    else if (sign === '[' || sign === '{') depth += 1;
    else if (sign === ']' || sign === '}') depth -= 1;
    if (depth > DEEPEST) return true;
  }
  return false;
}

/** Of an answer that does not fit: the HTTP status tells more than the body does, when it is an error. */
export function unreadable({ status, headers }: ListingAnswer, reason: FailureReason, what: string): Failure {
  const wait = retryAfterMs(headers);
  return {
    kind: 'unknown',
    reason: reasonOfStatus(status) ?? reason,
    // Never the body: a page of a proxy may well show the request it was asked.
    detail: `HTTP ${status}: ${what}`,
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
  };
}

function noAnswer({ sent, begun, cause, error }: NoAnswer): Failure {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  // An AggregateError (every address of a name failed) has no message of its own.
  const message = error instanceof AggregateError ? error.errors.map(String).join('; ') : error.message;
  const detail = [code, message].filter((part) => part !== '').join(': ');
  if (cause === 'error' && OVERSIZE.has(code)) return { kind: 'unknown', reason: 'too-large', detail };
  // Something answered, but not in HTTP. After a head it is an answer that broke off.
  if (cause === 'error' && error.name === 'HTTPParserError' && !begun) {
    return { kind: 'unknown', reason: 'not-json', detail };
  }
  const reason = cause === 'error' ? reasonOf(code) : cause;
  return sent ? { kind: 'unknown', reason, detail } : { kind: 'not-sent', reason, detail };
}

function reasonOfStatus(status: number): FailureReason | undefined {
  if (status === 429) return 'rate-limited';
  if (status >= 500) return 'server-error';
  if (status === 404 || status === 410) return 'not-found';
  return status >= 400 ? 'client-error' : undefined;
}

const OVERSIZE = new Set(['UND_ERR_RES_EXCEEDED_MAX_SIZE', 'UND_ERR_HEADERS_OVERFLOW']);

const REASONS: readonly (readonly [RegExp, FailureReason])[] = [
  [/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, 'refused'],
  [/^(ENOTFOUND|EAI_\w+)$/, 'dns'],
  [/TIMEOUT|^ETIMEDOUT$/, 'timeout'],
  // Node's own errors, OpenSSL's, and OpenSSL's names for what is wrong with a certificate.
  [/^(ERR_TLS|ERR_SSL|EPROTO$|UNABLE_TO_|HOSTNAME_MISMATCH)|CERT|CRL/, 'tls'],
  // close() was called: undici refuses new requests.
  [/^UND_ERR_(CLOSED|DESTROYED)$/, 'aborted'],
];

function reasonOf(code: string): FailureReason {
  return REASONS.find(([pattern]) => pattern.test(code))?.[1] ?? 'reset';
}

function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

function isEncoded({ 'content-encoding': header }: IncomingHttpHeaders): boolean {
  const names = valuesOf(header).flatMap((value) => value.split(','));
  return names.some((name) => !['', 'identity'].includes(name.trim().toLowerCase()));
}

/** The origin alone: a redirect might repeat what it was sent anywhere behind it. */
function newAddress({ location }: IncomingHttpHeaders, url: URL): string {
  if (location === undefined || !URL.canParse(location, url)) return 'moved, but does not say where to';
  return `moved to ${new URL(location, url).origin}`;
}
