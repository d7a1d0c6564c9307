import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { ErrorResponseSchema, RatelimitedResponseSchema } from 'discord-api-spec/zod';
import { type $ZodType, safeParse } from 'zod/v4/core';
import type { World } from '../world/world.ts';
import { parseBody } from './body.ts';
import {
  type Denial,
  isDenial,
  notFound,
  unauthorized,
  unknownAgent,
  wrongMethod,
  wrongVersion,
} from './denial.ts';
import { edgeHeaders, fileAnswer } from './edge.ts';
import type { Fault } from './faults.ts';
import { createRateLimits, limitHeaders, tooMany } from './rate-limits.ts';
import { createRouter, type Reply, type Route } from './route.ts';
import { locate, valueAt } from './rules/shape.ts';

export interface RestDeps {
  readonly world: World;
  readonly token: () => string;
  readonly routes: readonly Route[];
  readonly faults: { take(method: string, path: string): Fault | undefined };
  /** Every request, once it was answered; `status` 0 when it never was. */
  readonly onRequest: (request: HandledRequest) => void;
  /** Called with what is wrong with an answer by Discord's own schema, which is a fault of the stand-in. */
  readonly onFlaw: (flaw: string) => void;
}

export interface HandledRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly body: string;
  readonly status: number;
  readonly httpVersion: string;
  readonly denial: Denial | undefined;
  /** Whether the answer was made up by an injected fault, so that nobody is to blame. */
  readonly injected: boolean;
}

interface Answer {
  readonly reply: Reply | Denial;
  readonly headers: Readonly<Record<string, string>>;
  readonly route?: Route;
  readonly injected?: boolean;
}

/** Answers as the REST API at `/api/v10` and as the CDN beside it. */
export function createRestApi({
  world,
  token,
  routes,
  faults,
  onRequest,
  onFlaw,
}: RestDeps): RequestListener {
  const findRoute = createRouter(routes);
  const limits = createRateLimits(world);

  /** Rules 1 to 4, before a route has its say. */
  async function answerTo(request: IncomingMessage, url: URL, body: Buffer): Promise<Answer> {
    const header = (name: string) => request.headers[name]?.toString();
    const refuse = (reply: Denial): Answer => ({ reply, headers: {} });
    if (!(header('user-agent') ?? '').startsWith('DiscordBot (')) return refuse(unknownAgent);
    const [, version, path = ''] = /^\/api(?:\/v(\d+))?(\/.*)$/.exec(url.pathname) ?? [];
    if (path === '') return refuse(notFound);
    if (version !== '10') return refuse(wrongVersion);

    const found = findRoute(request.method ?? 'GET', path);
    if (found === 'unknown path') return refuse(notFound);
    if (found === 'unknown method') return refuse(wrongMethod);
    const { headers, denial } = limits.take(found);
    if (denial !== undefined) return { reply: denial, headers };
    if (found.route.auth === 'bot' && header('authorization') !== `Bot ${token()}`)
      return { reply: unauthorized, headers };

    const parsed = await parseBody(body, header('content-type'));
    if (isDenial(parsed)) return { reply: parsed, headers };
    const call = { params: found.params, query: url.searchParams, header, ...parsed };
    return { reply: found.route.handle(call), headers, route: found.route };
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://stand-in');
    const body = await buffer(request);
    const method = request.method ?? 'GET';
    const path = `${url.pathname}${url.search}`;
    const { httpVersion } = request;
    if (!url.pathname.startsWith('/api/')) {
      const { status, headers, body: file, denial } = fileAnswer(world, url, request.headers['user-agent']);
      onRequest({ method, path, body: '', status, httpVersion, denial, injected: false });
      response.writeHead(status, { ...edgeHeaders(), ...headers }).end(file);
      return;
    }
    const fault = faults.take(method, url.pathname.replace(/^\/api\/v\d+/, ''));
    if (fault?.kind === 'delay') await sleep(fault.ms);
    const cut = fault?.kind === 'hang' || fault?.kind === 'reset';
    const answer = cut ? undefined : (madeUp(fault) ?? (await answerTo(request, url, body)));
    onRequest({
      method,
      path,
      body: body.toString('utf8'),
      status: answer?.reply.status ?? 0,
      httpVersion,
      denial: answer !== undefined && isDenial(answer.reply) ? answer.reply : undefined,
      injected: cut || answer?.injected === true,
    });
    if (fault?.kind === 'hang') return;
    if (answer === undefined || fault?.kind === 'answer lost') request.socket.destroy();
    else {
      const { status, headers, json } = form(answer);
      if (!answer.injected)
        for (const flaw of answerFlaws(answer.route?.answers ?? 'nothing', status, json))
          onFlaw(`${method} ${answer.route?.path ?? path} → ${status}: ${flaw}`);
      response.writeHead(status, headers).end(json);
    }
  }

  return (request, response) => {
    handle(request, response).catch((error: Error) => {
      // A request that broke off while it was read has nobody left to answer. Anything else is a fault of ours.
      if (request.complete) process.emitWarning(error);
      response.destroy();
    });
  };
}

/** The answers that are made up when a fault was injected. */
function madeUp(fault: Fault | undefined): Answer | undefined {
  if (fault?.kind === 'rate limit')
    return { reply: tooMany(fault.scope, fault.retryAfterMs), headers: {}, injected: true };
  if (fault?.kind === 'status') {
    const message = `${fault.status}: injected`;
    return { reply: { status: fault.status, body: { message, code: 0 } }, headers: {}, injected: true };
  }
  return undefined;
}

interface FormedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly json: string | undefined;
}

function form({ reply, headers }: Answer): FormedAnswer {
  if (!isDenial(reply)) {
    const json = reply.body === undefined ? undefined : JSON.stringify(reply.body);
    // Rule 6: an answer without a body says nothing about its type.
    const type = json === undefined ? {} : { 'content-type': 'application/json' };
    return { status: reply.status, headers: { ...usualHeaders(), ...headers, ...type }, json };
  }
  const { status, code, message, errors, limited } = reply;
  const body = limited
    ? { message, retry_after: limited.retryAfterMs / 1_000, global: limited.scope === 'global', code }
    : { message, code, ...(errors !== undefined && { errors }) };
  const limit = limited === undefined ? {} : limitHeaders(limited);
  return {
    status,
    headers: { ...usualHeaders(), ...headers, ...limit, 'content-type': 'application/json' },
    json: JSON.stringify(body),
  };
}

/** Rule 9: the five limit headers are there even where no route was found and so no bucket counts. */
const usualHeaders = (): Record<string, string | string[]> => ({
  ...edgeHeaders(),
  'x-ratelimit-limit': '1',
  'x-ratelimit-remaining': '1',
  'x-ratelimit-reset': (Date.now() / 1_000 + 1).toFixed(3),
  'x-ratelimit-reset-after': '1.000',
  'x-ratelimit-bucket': 'none',
});

/**
 * What Discord's published schema finds wrong with an answer of the stand-in, a line each. Such a flaw is the
 * stand-in's own: a bot that passes here might fail on Discord.
 */
export function answerFlaws(
  schema: $ZodType | 'nothing',
  status: number,
  json: string | undefined,
): string[] {
  if (json === undefined) return [];
  const expected = status === 429 ? RatelimitedResponseSchema : status >= 400 ? ErrorResponseSchema : schema;
  if (expected === 'nothing') return ['an answer was not expected to have a body'];
  const body: unknown = JSON.parse(json);
  const result = safeParse(expected, body);
  if (result.success) return [];
  return result.error.issues
    .flatMap((issue) => locate(issue, [], body))
    .filter(({ issue, path }) => !isForgiven(issue, path, valueAt(body, path)))
    .map(({ issue, path }) => `${path.join('.') || 'the whole'}: ${issue.message}`);
}

/** Where the published schema differs from Discord's documentation. */
function isForgiven(
  issue: ReturnType<typeof locate>[number]['issue'],
  path: readonly (string | number)[],
  value: unknown,
): boolean {
  // zod's ISO 8601 knows no offset, and Discord always writes one.
  if (issue.code === 'invalid_format' && issue.format === 'datetime')
    return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\+00:00$/.test(String(value));
  // The codes in `errors` are words, and numbers in the schema (Discord docs: Reference, Error Messages).
  return path[0] === 'errors';
}
