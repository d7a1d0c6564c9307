import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';

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
