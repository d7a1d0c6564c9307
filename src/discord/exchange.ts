import type { IncomingHttpHeaders } from 'node:http';
import { type Dispatcher, util } from 'undici';

interface FailedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/**
 * Makes a request and reads the whole response. Calls undici's `dispatch`, because `request` creates a stream for each
 * response, which took a tenth of the processor time of an autocomplete (measured).
 * @returns `undefined` for a 2xx status
 * @throws undici's own error, or the abort reason
 */
export function exchange(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  signal: AbortSignal,
): Promise<FailedResponse | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<FailedResponse | undefined>();
  let status = 0;
  let rawHeaders: Buffer[] = [];
  const chunks: Buffer[] = [];
  dispatcher.dispatch(options, {
    onConnect(abort) {
      const stop = () => abort(signal.reason);
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
    },
    // The last call is for the final response, after any 1xx responses.
    onHeaders(statusCode, headers) {
      status = statusCode;
      rawHeaders = headers;
      return true;
    },
    onData: (chunk) => chunks.push(chunk) > 0,
    onComplete() {
      if (status >= 200 && status < 300) return resolve(undefined);
      const headers = util.parseHeaders(rawHeaders) as IncomingHttpHeaders;
      resolve({ status, headers, body: Buffer.concat(chunks).toString() });
    },
    onError: reject,
  });
  return promise;
}
