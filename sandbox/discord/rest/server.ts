import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { ErrorResponseSchema, RatelimitedResponseSchema } from 'discord-api-spec/zod';
import type { $ZodType } from 'zod/v4/core';
import type { RecordedRequest } from '../contract.ts';
import type { World } from '../world/world.ts';
import { parseBody } from './body.ts';
import { type Denial, isDenial, notFound, tooMany, unauthorized, unknownAgent } from './denial.ts';
import type { Fault, Faults } from './faults.ts';
import { createRateLimits, limitHeaders } from './rate-limits.ts';
import { createRouter, type Reply, type Route } from './route.ts';
import { inWords, schemaFlaws } from './schema.ts';

interface RestDeps {
  readonly world: World;
  readonly token: string;
  readonly routes: readonly Route[];
  readonly faults: Faults;
  /** Called after the response to a request has been sent. */
  readonly onRequest: (request: HandledRequest) => void;
  /** Called if a bug in the stand-in causes a response that doesn't match Discord's published schema. */
  readonly onFlaw: (flaw: string) => void;
}

export interface HandledRequest extends Omit<RecordedRequest, 'at'> {
  /** The denial, if the stand-in rejected the request. */
  readonly denial: Denial | undefined;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | undefined;
  readonly denial?: Denial;
}

/** Creates the REST API at `/api/v10`, and the CDN for all other paths. */
export function createRestApi(deps: RestDeps): RequestListener {
  const { world, token, routes, faults, onRequest, onFlaw } = deps;
  const findRoute = createRouter(routes);
  const limits = createRateLimits(world.clock);

  async function answerTo(request: IncomingMessage, url: URL, body: Buffer): Promise<Answer> {
    const { headers, method = 'GET' } = request;
    if (!url.pathname.startsWith('/api/')) return fileAnswer(world, url, headers['user-agent']);
    if (!headers['user-agent']?.startsWith('DiscordBot (')) return formed(unknownAgent);
    const found = findRoute(method, url.pathname.replace(API, ''));
    if (!API.test(url.pathname) || found === undefined) return formed(notFound);
    const { headers: limit, denial } = limits.take(found);
    if (denial !== undefined) return formed(denial, limit);
    const { route, params } = found;
    if (route.auth === 'bot' && headers.authorization !== `Bot ${token}`) return formed(unauthorized, limit);
    const parsed = await parseBody(body, headers['content-type']);
    if (isDenial(parsed)) return formed(parsed, limit);
    const reply = route.handle({ params, query: url.searchParams, ...parsed });
    const answer = formed(reply, limit);
    for (const flaw of answerFlaws(route.answers, answer)) {
      onFlaw(`${method} ${route.path} → ${answer.status}: ${flaw}`);
    }
    return answer;
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (faults.isDead(request.socket)) return;
    const url = new URL(request.url ?? '/', 'http://stand-in');
    const { method = 'GET', httpVersion } = request;
    const body = await buffer(request);
    const fault = faults.take(method, url.pathname.replace(API, ''));
    const answer = isCut(fault) ? undefined : (madeUp(fault) ?? (await answerTo(request, url, body)));
    onRequest({
      method,
      path: `${url.pathname}${url.search}`,
      body: body.toString('utf8'),
      status: answer?.status ?? 0,
      httpVersion,
      denial: answer?.denial,
    });
    if (fault?.kind === 'hang') return;
    if (fault?.kind === 'delay') await sleep(fault.ms);
    if (answer === undefined || fault?.kind === 'answer lost') request.socket.destroy();
    else {
      const date = new Date(world.clock.now()).toUTCString();
      response.writeHead(answer.status, { date, ...answer.headers }).end(answer.body);
    }
  }

  return (request, response) => {
    handle(request, response).catch((error: Error) => {
      // A client that dropped the connection doesn't need a response. Any other error is a bug in the stand-in.
      if (request.complete) process.emitWarning(error);
      response.destroy();
    });
  };
}

const API = /^\/api\/v10(?=\/)/;

const isCut = (fault: Fault | undefined): boolean => fault?.kind === 'hang' || fault?.kind === 'reset';

/** Returns the response for an injected fault. Injected faults are never breaches. */
function madeUp(fault: Fault | undefined): Answer | undefined {
  switch (fault?.kind) {
    case 'rate limit': {
      const { denial: _, ...answer } = formed(tooMany(fault));
      return answer;
    }
    case 'status': {
      const { status, headers, body = { message: `${status}: injected`, code: 0 } } = fault;
      if (typeof body === 'string') return { status, headers: { ...headers }, body };
      return { status, headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(body) };
    }
    case 'block':
      return BLOCKS[fault.as];
    default:
      return undefined;
  }
}

/** Cloudflare's responses to a blocked IP address. */
const BLOCKS: Readonly<Record<'text' | 'html', Answer>> = {
  text: {
    status: 429,
    headers: { 'content-type': 'text/plain; charset=UTF-8' },
    body: 'error code: 1015',
  },
  html: {
    status: 429,
    headers: { 'content-type': 'text/html; charset=UTF-8' },
    body: '<!doctype html><title>Access denied | discord.com</title><h1>Error 1015: You are being rate limited</h1>',
  },
};

/** @param limit the route's rate limit headers, if any */
function formed(reply: Reply | Denial, limit: Readonly<Record<string, string>> = {}): Answer {
  if (!isDenial(reply)) {
    const { status, body } = reply;
    if (body === undefined) return { status, headers: limit };
    return { status, headers: { ...limit, ...JSON_TYPE }, body: JSON.stringify(body) };
  }
  const { status, code, message, rateLimit } = reply;
  const said = rateLimit && {
    retry_after: rateLimit.retryAfterMs / 1_000,
    global: rateLimit.scope === 'global',
  };
  return {
    status,
    headers: { ...limit, ...(rateLimit && limitHeaders(rateLimit)), ...JSON_TYPE },
    body: JSON.stringify({ message, code, ...said }),
    denial: reply,
  };
}

const JSON_TYPE = { 'content-type': 'application/json' };

/** Returns the CDN's response. Like Cloudflare, the CDN rejects clients without a user agent. */
function fileAnswer(world: World, url: URL, userAgent: string | undefined): Answer {
  const file = world.files.at(url);
  if (!userAgent || file === undefined)
    return { status: userAgent ? 404 : 403, headers: { 'content-type': 'text/plain' }, body: 'nothing' };
  return { status: 200, headers: { 'content-type': file.contentType }, body: file.bytes };
}

/** Checks a response of the stand-in against Discord's published schema and returns the errors. */
function answerFlaws(success: $ZodType, { status, body }: Answer): string[] {
  if (body === undefined) return [];
  const schema = status >= 400 ? ErrorResponseSchema : success;
  const flaws = schemaFlaws(status === 429 ? RatelimitedResponseSchema : schema, JSON.parse(String(body)));
  return flaws.length === 0 ? [] : [inWords(flaws)];
}
