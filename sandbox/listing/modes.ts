/** How the service behaves. `carriedOut` in brackets: whether a request is acted on before things go wrong. */
export type Mode =
  /** As specified. */
  | { readonly kind: 'ok' }
  /** Answers as specified, then closes the connection without a word, as at an idle timeout. [yes] */
  | { readonly kind: 'okThenClose' }
  /** Answers as specified, then stops listening. [yes] */
  | { readonly kind: 'okThenDown' }
  /** Listens no more: connections are refused, and those there are get cut. Comes back on the same port. [no] */
  | { readonly kind: 'down' }
  /** As specified, after a while. [yes, before waiting] */
  | { readonly kind: 'slow'; readonly ms: number }
  /** A web page with status 200, as from a proxy. [no] */
  | { readonly kind: 'html' }
  /** The connection is reset: as soon as it is made; when the head of a request is there; after the body. [no] */
  | { readonly kind: 'resetBefore' }
  | { readonly kind: 'resetDuring' }
  | { readonly kind: 'reset'; readonly carriedOut?: boolean }
  /** Reads the request and never answers. [no, unless told] */
  | { readonly kind: 'hang'; readonly carriedOut?: boolean }
  /** The right answer, a byte a second. [yes] */
  | { readonly kind: 'trickle' }
  /** A head that promises JSON, and nothing after it. [yes] */
  | { readonly kind: 'headersThenSilence' }
  /** The right answer, cut in the middle, as if it was whole. [yes] */
  | { readonly kind: 'truncated' }
  /** The right answer, but the connection is cut in the middle of it. [yes] */
  | { readonly kind: 'cut' }
  /** Status 200 and no body. [no] */
  | { readonly kind: 'empty' }
  /** JSON with the right names and wrong types. [no] */
  | { readonly kind: 'wrongTypes' }
  /** 1 GiB. [no] */
  | { readonly kind: 'huge' }
  /** Half a megabyte that unpacks to 512 MiB. [no] */
  | { readonly kind: 'gzipBomb' }
  /** To another address. [no] */
  | { readonly kind: 'redirect'; readonly status: number; readonly to: string }
  /** A status with a plain text that is no verdict. `retryAfter` in seconds, or a date. [no] */
  | { readonly kind: 'status'; readonly status: number; readonly retryAfter?: number | string }
  /** Any text at any status, said to be JSON. [no] */
  | { readonly kind: 'text'; readonly status: number; readonly body: string }
  /** Any JSON at any status. [no] */
  | {
      readonly kind: 'json';
      readonly status: number;
      readonly body: unknown;
      readonly retryAfter?: number | string;
    };

/** Whether a request in this mode is acted on. */
export function isCarriedOut(mode: Mode): boolean {
  if ('carriedOut' in mode) return mode.carriedOut === true;
  return CARRIED_OUT.has(mode.kind);
}

const CARRIED_OUT = new Set<Mode['kind']>([
  'ok',
  'okThenClose',
  'okThenDown',
  'slow',
  'trickle',
  'headersThenSilence',
  'truncated',
  'cut',
]);
