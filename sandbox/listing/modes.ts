import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';

/** How the service responds to a request. `isCarriedOut` returns whether the service carries out the request. */
export type Mode =
  /** Responds as specified. */
  | { readonly kind: 'ok' }
  /** Responds as specified, then closes the connection without warning, like a server with an idle timeout. */
  | { readonly kind: 'okThenClose' }
  /** Drops all connections and stops listening. In any other mode, the service listens on the same port again. */
  | { readonly kind: 'down' }
  /** Carries out the request, then waits before responding as specified. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** Carries out the request, then responds as specified once the promise resolves. */
  | { readonly kind: 'held'; readonly until: Promise<unknown> }
  /** Sends a web page with status 200, as a proxy might. */
  | { readonly kind: 'html' }
  /**
   * Resets the connection: when it opens (`resetBefore`), after the headers (`resetDuring`) or after the body (`reset`).
   */
  | { readonly kind: 'resetBefore' }
  | { readonly kind: 'resetDuring' }
  | { readonly kind: 'reset'; readonly carriedOut?: boolean }
  /** Reads the request and never responds. */
  | { readonly kind: 'hang'; readonly carriedOut?: boolean }
  /** Sends the correct response at one byte per second. */
  | { readonly kind: 'trickle' }
  /** Sends response headers that announce JSON, but never sends the body. */
  | { readonly kind: 'headersThenSilence' }
  /** Sends the first half of the correct response as if it were complete. */
  | { readonly kind: 'truncated' }
  /** Drops the connection halfway through the correct response. */
  | { readonly kind: 'cut' }
  /** Sends status 200 with an empty body. */
  | { readonly kind: 'empty' }
  /** Sends JSON with the right property names, but values of the wrong types. */
  | { readonly kind: 'wrongTypes' }
  /** Sends a response of 1 GiB. */
  | { readonly kind: 'huge' }
  /** Sends half a megabyte of gzip data, which decompresses to 512 MiB. */
  | { readonly kind: 'gzipBomb' }
  /** Redirects to another URL. */
  | { readonly kind: 'redirect'; readonly status: number; readonly to: string }
  /** Sends this status with plain text that doesn't explain it. `retryAfter` is a number of seconds or a date. */
  | { readonly kind: 'status'; readonly status: number; readonly retryAfter?: number | string }
  /** Sends any text with any status, labelled as JSON. */
  | { readonly kind: 'text'; readonly status: number; readonly body: string }
  /** Sends any JSON with any status. */
  | {
      readonly kind: 'json';
      readonly status: number;
      readonly body: unknown;
      readonly retryAfter?: number | string;
    };

/** Whether the service carries out requests in this mode. */
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
 * Sends the response for a mode.
 * @param json the correct response, if the service carried out the request
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
      // A gzip file can consist of several parts. Here, the same mebibyte of spaces is repeated 512 times.
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

/** Sends a response, compressed if the client accepts gzip and the body isn't compressed yet. */
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
