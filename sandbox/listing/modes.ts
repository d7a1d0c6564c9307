import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';

/** How the service behaves. `carriedOut` in brackets: whether a request is acted on before things go wrong. */
export type Mode =
  /** As specified. */
  | { readonly kind: 'ok' }
  /** Answers as specified, then closes the connection without a word, as at an idle timeout. [yes] */
  | { readonly kind: 'okThenClose' }
  /** Listens no more: connections are refused, and those there are get cut. Comes back on the same port. [no] */
  | { readonly kind: 'down' }
  /** As specified, after a while. [yes, before waiting] */
  | { readonly kind: 'slow'; readonly ms: number }
  /** As specified, once it may. [yes, before waiting] */
  | { readonly kind: 'held'; readonly until: Promise<unknown> }
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
  'slow',
  'held',
  'trickle',
  'headersThenSilence',
  'truncated',
  'cut',
]);

type Kind = Mode['kind'];
type ModeOf<K extends Kind> = Extract<Mode, { readonly kind: K }>;
type Responders = { readonly [K in Kind]: (response: ServerResponse, json: string, mode: ModeOf<K>) => void };

/**
 * Answers in a mode.
 * @param json the answer as specified, where the mode carries the request out
 */
export function respond<K extends Kind>(mode: ModeOf<K>, response: ServerResponse, json: string): void {
  const responder: Responders[K] = RESPONDERS[mode.kind as K];
  responder(response, json, mode);
}

const JSON_TYPE = 'application/json; charset=utf-8';
const PAGE =
  '<!DOCTYPE html><html><head><title>Just a moment…</title></head><body><p>Checking your browser.</p></body></html>';
const MIB = 1024 ** 2;

const answer = (response: ServerResponse, json: string) => send(response, 200, JSON_TYPE, json);
const reset = (response: ServerResponse) => response.socket?.resetAndDestroy();
const head = (response: ServerResponse, length: number) =>
  response.writeHead(200, { 'content-type': JSON_TYPE, 'content-length': length });

const RESPONDERS: Responders = {
  ok: answer,
  okThenClose: (response, json) => {
    response.once('finish', () => response.socket?.end());
    answer(response, json);
  },
  slow: (response, json, { ms }) =>
    whileOpen(
      response,
      setTimeout(() => answer(response, json), ms),
    ),
  held: (response, json, { until }) => void until.then(() => answer(response, json)),
  down: reset,
  reset,
  resetBefore: reset,
  resetDuring: reset,
  hang: () => undefined,
  trickle,
  headersThenSilence: (response, json) => head(response, Buffer.byteLength(json)).flushHeaders(),
  truncated: (response, json) => answer(response, json.slice(0, json.length / 2)),
  cut: (response, json) =>
    head(response, Buffer.byteLength(json)).write(json.slice(0, json.length / 2), () =>
      response.socket?.end(),
    ),
  html: (response) => send(response, 200, 'text/html; charset=utf-8', PAGE),
  empty: (response) => answer(response, ''),
  wrongTypes: (response) => answer(response, JSON.stringify({ status: 1, message: ['?'], name: null })),
  huge: flood,
  gzipBomb: (response) => {
    response.setHeader('content-encoding', 'gzip');
    // Members of a gzip file may follow one another: 512 times the same mebibyte of spaces.
    send(response, 200, JSON_TYPE, Buffer.concat(Array(512).fill(gzipSync(Buffer.alloc(MIB, ' ')))));
  },
  redirect: (response, _json, { status, to }) => {
    response.setHeader('location', to);
    send(response, status, 'text/plain', '');
  },
  status: (response, _json, { status, retryAfter }) => {
    if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter);
    send(response, status, 'text/plain', `error ${status}`);
  },
  text: (response, _json, { status, body }) => send(response, status, JSON_TYPE, body),
  json: (response, _json, { status, body, retryAfter }) => {
    if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter);
    send(response, status, JSON_TYPE, JSON.stringify(body));
  },
};

function send(response: ServerResponse, status: number, type: string, body: string | Buffer): void {
  response.setHeader('vary', 'accept-encoding');
  const encoded = isWanted(response, 'gzip') ? gzipSync(body) : body;
  if (encoded !== body) response.setHeader('content-encoding', 'gzip');
  response
    .writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(encoded) })
    .end(encoded);
}

/** Whether the client takes the encoding, and the answer has none yet. */
function isWanted(response: ServerResponse, encoding: string): boolean {
  const taken = response.req.headers['accept-encoding']?.toString().split(/[\s,;]+/) ?? [];
  return taken.includes(encoding) && !response.hasHeader('content-encoding');
}

function whileOpen(response: ServerResponse, timer: NodeJS.Timeout): void {
  response.once('close', () => clearTimeout(timer));
}

function trickle(response: ServerResponse, json: string): void {
  const bytes = Buffer.from(json);
  let sent = 0;
  head(response, bytes.length);
  const timer = setInterval(() => {
    response.write(bytes.subarray(sent, ++sent));
    if (sent === bytes.length) response.end();
  }, 1000);
  whileOpen(response, timer);
}

function flood(response: ServerResponse): void {
  const block = Buffer.alloc(MIB, '[');
  let left = 1024;
  response.writeHead(200, { 'content-type': JSON_TYPE });
  const pour = () => {
    while (left > 0 && !response.destroyed) {
      left -= 1;
      if (!response.write(block)) {
        response.once('drain', pour);
        return;
      }
    }
    response.end();
  };
  pour();
}
