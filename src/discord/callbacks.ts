import { STATUS_CODES } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { DefaultUserAgent, DiscordAPIError, HTTPError, type REST } from 'discord.js';
import type { Agent } from 'undici';
import { exchange, type Received, scopeOf } from './make-request.ts';

type Post = REST['post'];

/** The first response to an interaction (Discord docs: Receiving and Responding, "Create Interaction Response"). */
const CALLBACK = /^\/interactions\/[^/]+\/[^/]+\/callback$/;

/** How long Discord waits for the first response to an interaction is 3 s; past this there is no point. */
const TIMEOUT_MS = 2500;
/** What discord.js waits beyond what Discord asks for, in milliseconds; where it does not say, that is a second. */
const MARGIN_MS = 50;

/**
 * Sends the first responses to interactions past discord.js's queues. Discord limits them neither by a bucket nor by
 * the global limit (Discord docs: Rate Limits, "Global Rate Limit"), and discord.js holds none of them up either, but
 * making the request takes it longer than the answer took. What is thrown is what discord.js throws, and a 429 is
 * obeyed all the same.
 */
export function sendCallbacksOver(agent: Agent, rest: REST, onRateLimited?: (scope: string) => void): void {
  const { api, version, userAgentAppendix } = rest.options;
  const base = new URL(`${api}/v${version}`);
  const headers = {
    'content-type': 'application/json',
    'user-agent': `${DefaultUserAgent} ${userAgentAppendix}`.trim(),
  };

  const send = (path: string, options: Parameters<Post>[1]): Promise<Received> => {
    const body = JSON.stringify(options?.body);
    const request = { origin: base.origin, path, method: 'POST', headers, body } as const;
    return exchange(agent, request, { timeoutMs: TIMEOUT_MS, signal: options?.signal });
  };

  const post = rest.post.bind(rest);
  rest.post = async (route, options) => {
    if (!CALLBACK.test(route) || options?.files?.length) return post(route, options);
    const query = options?.query?.toString();
    const path = base.pathname + route + (query ? `?${query}` : '');
    for (;;) {
      const received = await send(path, options);
      const { status } = received;
      if (status >= 200 && status < 300) return json(received);
      if (status !== 429) throw failure(received, base.origin + path, options);
      onRateLimited?.(scopeOf(received.headers));
      await sleep((Number(received.headers['retry-after']) || 1) * 1000 + MARGIN_MS);
    }
  };
}

/** What discord.js makes of an answer that is no success. */
function failure(received: Received, url: string, options: Parameters<Post>[1]): Error {
  const { status } = received;
  const sent = { files: undefined, body: options?.body };
  if (status >= 500) return new HTTPError(status, STATUS_CODES[status] ?? '', 'POST', url, sent);
  const { code = 0, ...said } = Object(json(received));
  return new DiscordAPIError({ message: '', ...said, code }, code, status, 'POST', url, sent);
}

/** Nothing where the answer is empty, or a page by something between us and Discord. */
function json({ headers, body }: Received): unknown {
  const isJson = body.length > 0 && headers['content-type']?.startsWith('application/json');
  return isJson ? JSON.parse(body.toString()) : undefined;
}
