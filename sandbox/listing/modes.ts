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

const JSON_TYPE = 'application/json; charset=utf-8';
const PAGE =
  '<!DOCTYPE html><html><head><title>Just a moment…</title></head><body><p>Checking your browser.</p></body></html>';
const MIB = 1024 ** 2;

/**
 * Answers in a mode.
 * @param json the answer as specified, where the mode carries the request out
 */
export function respond(mode: Mode, response: ServerResponse, json: string) {
  const answer = (text: string, status = 200) => send(response, status, JSON_TYPE, text);
  if ('retryAfter' in mode && mode.retryAfter !== undefined)
    response.setHeader('retry-after', mode.retryAfter);
  switch (mode.kind) {
    case 'ok':
      return answer(json);
    case 'okThenClose':
      response.once('finish', () => response.socket?.end());
      return answer(json);
    case 'slow': {
      const timer = setTimeout(() => answer(json), mode.ms);
      return whileOpen(response, timer);
    }
    case 'held':
      return void mode.until.then(() => answer(json));
    case 'down':
    case 'reset':
    case 'resetBefore':
    case 'resetDuring':
      return void response.socket?.resetAndDestroy();
    case 'hang':
      return;
    case 'trickle':
      return trickle(response, json);
    case 'headersThenSilence':
      return head(response, json).flushHeaders();
    case 'truncated':
      return answer(json.slice(0, json.length / 2));
    case 'cut':
      return void head(response, json).write(json.slice(0, json.length / 2), () => response.socket?.end());
    case 'html':
      return send(response, 200, 'text/html; charset=utf-8', PAGE);
    case 'empty':
      return answer('');
    case 'wrongTypes':
      return answer(JSON.stringify({ status: 1, message: ['?'], name: null }));
    case 'huge':
      return flood(response);
    case 'gzipBomb':
      response.setHeader('content-encoding', 'gzip');
      // Members of a gzip file may follow one another: 512 times the same mebibyte of spaces.
      return send(response, 200, JSON_TYPE, Buffer.concat(Array(512).fill(gzipSync(Buffer.alloc(MIB, ' ')))));
    case 'redirect':
      response.setHeader('location', mode.to);
      return send(response, mode.status, 'text/plain', '');
    case 'status':
      return send(response, mode.status, 'text/plain', `error ${mode.status}`);
    case 'text':
      return answer(mode.body, mode.status);
    case 'json':
      return answer(JSON.stringify(mode.body), mode.status);
  }
}

const head = (response: ServerResponse, json: string) =>
  response.writeHead(200, { 'content-type': JSON_TYPE, 'content-length': Buffer.byteLength(json) });

/** Sends it packed to a client that takes gzip, unless it is packed already. */
function send(response: ServerResponse, status: number, type: string, body: string | Buffer): void {
  response.setHeader('vary', 'accept-encoding');
  const taken = String(response.req.headers['accept-encoding'] ?? '').split(/[\s,;]+/);
  const isPacked = response.hasHeader('content-encoding');
  const encoded = taken.includes('gzip') && !isPacked ? gzipSync(body) : body;
  if (encoded !== body) response.setHeader('content-encoding', 'gzip');
  response
    .writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(encoded) })
    .end(encoded);
}

function whileOpen(response: ServerResponse, timer: NodeJS.Timeout): void {
  response.once('close', () => clearTimeout(timer));
}

function trickle(response: ServerResponse, json: string): void {
  const bytes = Buffer.from(json);
  let sent = 0;
  head(response, json);
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
