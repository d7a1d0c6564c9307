import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { MessageFlags, RateLimitError } from 'discord.js';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { DiscordStandIn } from '../../sandbox/discord/contract.ts';
import type { Fault, FaultPlan } from '../../sandbox/discord/rest/faults.ts';
import { startDiscord } from '../../sandbox/discord/stand-in.ts';
import { createLoopbackServer } from '../../sandbox/loopback-server.ts';
import {
  type ApiTiming,
  type DiscordApi,
  isRejectedByDiscord,
  isUncertain,
  LostInteractionError,
  type MessageBody,
  type ReplyTarget,
} from '../../src/discord/api.ts';
import { createChannelPosts } from '../../src/discord/channel-posts.ts';
import { persist } from '../../src/discord/persist.ts';
import { Secret } from '../../src/text/secret.ts';
import { createTestClock, recorder, usedMemory } from '../support/machine.ts';
import { openApi, TOKEN } from '../support/small-bot.ts';

type Kind = Pick<FaultPlan, 'method' | 'path'>;
const TOKEN_LIVES_MS = 15 * 60_000;
const CALLBACK: Kind = { path: /callback$/ };
const EDIT: Kind = { method: 'PATCH', path: /^\/webhooks/ };

const BLOCKED: Fault = { kind: 'block', as: 'text' };
const limited = (seconds: number): Fault => ({
  kind: 'rate limit',
  scope: 'user',
  retryAfterMs: seconds * 1_000,
});
const status = (code: number, body: unknown = '', headers = {}): Fault => ({
  kind: 'status',
  status: code,
  body,
  headers,
});
const ALWAYS = Number.POSITIVE_INFINITY;
const NO_CONTENT = status(204);
const ACKNOWLEDGED = status(400, { code: 40060, message: 'Interaction has already been acknowledged.' });
const UNKNOWN = status(404, { code: 10062, message: 'Unknown interaction' });

async function open(timing: ApiTiming = {}) {
  const discord = await startDiscord({ token: TOKEN });
  const scopes: string[] = [];
  let refused = 0;
  const api = openApi(discord.apiUrl, {
    onRateLimited: (scope) => scopes.push(scope),
    onTokenRejected() {
      refused += 1;
    },
    // Long enough to prevent a second attempt, even on a busy machine.
    firstAttemptMs: 30_000,
    firstResponseMs: 60_000,
    ...timing,
  });
  onTestFinished(() => discord.close());
  /** Returns how many times the client has reported that Discord rejects the token. */
  const refusals = () => refused;
  return { discord, api, scopes, refusals };
}

/** Injects responses to one kind of request, in order, repeating the last response. All other requests get 204. */
function answering({ faults }: DiscordStandIn, kind: Kind, answers: readonly Fault[]): void {
  for (const fault of answers.slice(0, -1)) faults.inject({ ...kind, fault });
  for (const fault of answers.slice(-1)) faults.inject({ ...kind, fault, times: ALWAYS });
  faults.inject({ fault: NO_CONTENT, times: ALWAYS });
}

/** Counts how many requests of this kind were made. */
const made = ({ requests }: DiscordStandIn, { method: wanted, path: pattern = /^/ }: Kind) =>
  requests.filter(
    ({ method, path }) => method === (wanted ?? method) && pattern.test(path.replace('/api/v10', '')),
  ).length;

/** @param leftMs the remaining lifetime of the token */
function interaction({ leftMs = TOKEN_LIVES_MS } = {}): ReplyTarget {
  const id = randomUUID();
  return {
    id,
    applicationId: '1000',
    token: new Secret(`token-${id}`),
    receivedAt: Date.now() - TOKEN_LIVES_MS + leftMs,
  };
}

const text = (content: string, bytes = 0): MessageBody => ({
  body: { content },
  files: bytes === 0 ? [] : [{ name: 'list.csv', data: Buffer.alloc(bytes) }],
});
/** Returns each request's error as a string. */
const failuresOf = async (all: readonly Promise<unknown>[]): Promise<readonly string[]> =>
  (await Promise.allSettled(all)).map((end) => (end.status === 'rejected' ? String(end.reason) : 'none'));

const respond = (api: DiscordApi, to: ReplyTarget) => api.respond(to, { type: 6 });

it.each([1, -1])('a reply is delivered even if the clock jumps by %i hours', async (hours) => {
  const clock = createTestClock();
  const { discord, api } = await open();
  answering(discord, {}, [NO_CONTENT]);
  const waiting = interaction();
  clock.set(hours * 3_600_000);
  await respond(api, waiting);
  await api.edit(waiting, text('a'));
  expect(made(discord, EDIT)).toBe(1);
});

it('a rate limit ends on time even if the clock is set back by an hour', async () => {
  const clock = createTestClock();
  const { discord, api } = await open();
  const headers = { 'x-ratelimit-limit': '1', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset-after': '1' };
  answering(discord, {}, [status(200, {}, headers)]);
  await api.get('/channels/1');
  clock.set(-3_600_000);
  await api.get('/channels/1');
});

it('the global rate limit ends on time even if the clock is set back by an hour', async () => {
  const clock = createTestClock();
  const { discord, api, scopes } = await open();
  const headers = { via: '1.1 google', 'x-ratelimit-global': 'true', 'retry-after': '0.5' };
  answering(discord, {}, [status(429, { message: '', retry_after: 0.5, global: true }, headers), NO_CONTENT]);
  const waiting = api.get('/channels/1');
  await expect.poll(() => scopes.length).toBe(1);
  clock.set(-3_600_000);
  await waiting;
});

describe('an IP block', () => {
  it('pauses all requests except initial responses', async () => {
    const { discord, api } = await open();
    answering(discord, {}, [BLOCKED]);
    await expect(respond(api, interaction())).rejects.toThrow(LostInteractionError);
    const before = discord.requests.length;
    // A request with the bot's token can wait for 60 seconds, which is how long the block lasts.
    await expect.poll(api.block.leftMs).toBeLessThan(59_990);
    const waiting = failuresOf([
      api.get('/gateway/bot'),
      api.put('/applications/1/commands', { body: [] }),
      api.edit(interaction(), text('a')),
    ]);
    const logger = recorder();
    const posts = createChannelPosts({ api, logger });
    const posting = ['1', '2'].map((channelId) => posts.post(channelId, { embed: {} }));
    const failing = failuresOf([
      api.edit(interaction({ leftMs: 30_000 }), text('a')),
      api.followUp(interaction({ leftMs: 30_000 }), text('b')),
      api.read(interaction({ leftMs: 30_000 })),
    ]);
    for (const failure of await failing) expect(failure).toContain('blocks this bot for another');
    expect(discord.requests.length).toBe(before);
    const responses = Array.from({ length: 30 }, () => respond(api, interaction()));
    for (const failure of await failuresOf(responses)) expect(failure).toContain('LostInteractionError');
    expect(made(discord, CALLBACK)).toBeGreaterThan(1);
    // The clock might reach the next second during the requests.
    expect(made(discord, CALLBACK)).toBeLessThanOrEqual(10);
    expect(discord.requests.length).toBe(made(discord, CALLBACK));
    api.stopWaiting();
    for (const failure of await waiting) expect(failure).toContain('The bot is stopping');
    expect(await Promise.all(posting)).toEqual(['failed', 'failed']);
    expect(logger.lines).toMatchObject([
      { level: 'info', message: expect.stringContaining('the bot is stopping') },
    ]);
  });

  it('prevents retries', async () => {
    const { discord, api } = await open();
    answering(discord, {}, [BLOCKED]);
    await expect(api.get('/gateway/bot')).rejects.toThrow('blocks this bot');
    expect(discord.requests).toHaveLength(1);
  });

  it.each([
    ['has a Retry-After and a Via header', { 'retry-after': '0.01', via: '1.1 google' }, 'none'],
    ['has a scope', { 'x-ratelimit-scope': 'shared' }, 'shared'],
  ])("isn't inferred from a 429 that %s", async (_what, headers, scope) => {
    const { discord, api, scopes } = await open();
    answering(discord, EDIT, [status(429, '{}', headers), status(200, {})]);
    await api.edit(interaction(), text('a'));
    expect(api.block.leftMs()).toBe(0);
    expect(scopes).toEqual([scope]);
  });

  it('lasts as long as the Retry-After header specifies', async () => {
    const { discord, api } = await open();
    answering(discord, {}, [
      status(429, 'error code: 1015', { 'content-type': 'text/plain', 'retry-after': '600' }),
    ]);
    await expect(respond(api, interaction())).rejects.toThrow(LostInteractionError);
    expect(api.block.leftMs()).toBeGreaterThan(590_000);
    await expect(api.get('/gateway/bot')).rejects.toThrow('blocks this bot');
    expect(discord.requests).toHaveLength(1);
  });
});

describe('a 401 response', () => {
  it("doesn't prevent later requests", async () => {
    const { discord, api, refusals } = await open();
    answering(discord, { path: /messages$/ }, [
      status(401, { message: '401: Unauthorized', code: 0 }),
      status(200, { id: '1' }),
    ]);
    const post = () => api.post('/channels/123456789012345678/messages', { body: { content: 'x' } });
    await expect(post()).rejects.toThrow('401: Unauthorized');
    await expect(post()).resolves.toEqual({ id: '1' });
    await expect.poll(() => made(discord, { path: /@me$/ })).toBe(1);
    expect(refusals()).toBe(0);
  });

  it('makes the bot report an invalid token only once', async () => {
    const { discord, api, refusals } = await open();
    answering(discord, {}, [status(401, { message: '401: Unauthorized', code: 0 })]);
    // A starting bot makes these two requests at the same time.
    await failuresOf([api.get('/gateway/bot'), api.get('/applications/@me')]);
    await expect.poll(refusals).toBe(1);
    await expect(api.get('/gateway/bot')).rejects.toThrow('401: Unauthorized');
    expect(made(discord, { path: /@me$/ })).toBe(2);
    expect(refusals()).toBe(1);
  });
});

describe('a rate-limited request', () => {
  it("doesn't delay requests to other routes", async () => {
    const { discord, api } = await open();
    answering(discord, EDIT, [limited(50)]);
    const edited = api.edit(interaction(), text('a'));
    await expect.poll(() => made(discord, EDIT)).toBe(1);
    await api.get('/gateway/bot');
    await respond(api, interaction());
    expect(made(discord, EDIT)).toBe(1);
    api.stopWaiting();
    await expect(edited).rejects.toThrow('The bot is stopping');
  });

  it("isn't retried if the reply is no longer needed", async () => {
    const { discord, api } = await open();
    answering(discord, EDIT, [limited(0.05), status(200, {})]);
    await api.edit(interaction(), text('a'), async () => made(discord, EDIT) === 0);
    expect(made(discord, EDIT)).toBe(1);
  });

  it('fails immediately if the wait would be too long', async () => {
    const { discord, api, scopes } = await open();
    discord.faults.inject({ ...CALLBACK, fault: limited(3_600) });
    answering(discord, {}, [limited(61)]);
    const late = () => interaction({ leftMs: 50_000 });
    await expect(api.get('/gateway/bot')).rejects.toThrow(RateLimitError);
    await expect(api.edit(late(), text('a'))).rejects.toThrow(RateLimitError);
    await expect(api.read(late())).rejects.toThrow(RateLimitError);
    await expect(respond(api, interaction())).rejects.toThrow(LostInteractionError);
    expect(discord.requests).toHaveLength(4);
    expect(scopes).toEqual(['user', 'user', 'user', 'user']);
  });
});

describe('the initial response to an interaction', () => {
  it.each<[string, Fault]>([
    ['succeeds', NO_CONTENT],
    ['gets error 40060', ACKNOWLEDGED],
  ])('succeeds if the first attempt hangs and the retry %s', async (_what, second) => {
    const { discord, api } = await open({ firstAttemptMs: 50 });
    answering(discord, CALLBACK, [{ kind: 'hang' }, second]);
    await respond(api, interaction());
    expect(made(discord, CALLBACK)).toBe(2);
  });

  it('succeeds if the first attempt is slow and the retry hangs', async () => {
    const waiting: (() => void)[] = [];
    const server = createLoopbackServer((_, response) => {
      waiting.push(() => response.writeHead(204).end());
    });
    onTestFinished(() => server.close());
    const api = openApi(`http://127.0.0.1:${await server.listen(0)}/api`, {
      firstAttemptMs: 50,
      firstResponseMs: 60_000,
    });
    const responded = respond(api, interaction());
    await expect.poll(() => waiting).toHaveLength(2);
    waiting[0]?.();
    await responded;
  });

  it('succeeds if Discord responds while the bot is stalled', async () => {
    const setRealTimeout = setTimeout;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const server = createLoopbackServer((_, response) => {
      // The event loop runs overdue timers before it reads the response.
      response.once('finish', () => {
        setRealTimeout(() => vi.advanceTimersByTime(60_000), 1);
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
      });
      response.writeHead(204).end();
    });
    onTestFinished(() => server.close());
    const api = openApi(`http://127.0.0.1:${await server.listen(0)}/api`, {
      firstAttemptMs: 60_000,
      firstResponseMs: 0,
    });
    await respond(api, interaction());
  });

  it('has an unknown outcome if the first attempt fails and the retry is rate-limited', async () => {
    const { discord, api } = await open();
    answering(discord, CALLBACK, [status(503), limited(61), status(503), UNKNOWN]);
    await expect(respond(api, interaction())).rejects.toSatisfy(isUncertain);
    await expect(respond(api, interaction())).rejects.toThrow(LostInteractionError);
    expect(made(discord, CALLBACK)).toBe(4);
  });

  it.each([
    ['gets a 503', status(503), true],
    ['is cut off', { kind: 'reset' } as const, true],
    ['is redirected', status(302, '', { location: '/elsewhere' }), false],
  ])('is retried once if it %s', async (_what, answer, isUnknown) => {
    const { discord, api } = await open();
    answering(discord, CALLBACK, [answer]);
    const to = interaction();
    const error = await respond(api, to).catch((thrown: unknown) => thrown);
    expect(isUncertain(error)).toBe(isUnknown);
    expect(inspect(error, { depth: null })).not.toContain(to.token.reveal());
    expect(made(discord, CALLBACK)).toBe(2);
  });

  it.each([
    ['another bot has already responded (40060)', ACKNOWLEDGED, 40060],
    ['it arrives too late (10062)', UNKNOWN, 10062],
  ])('fails with LostInteractionError if %s', async (_what, answer, code) => {
    const { discord, api } = await open();
    answering(discord, CALLBACK, [answer]);
    const to = interaction();
    const lost = await respond(api, to).catch((thrown: unknown) => thrown);
    expect(lost).toBeInstanceOf(LostInteractionError);
    expect(lost).toMatchObject({ cause: { code } });
    expect(inspect(lost, { depth: null })).not.toContain(to.token.reveal());
    expect(made(discord, CALLBACK)).toBe(1);
  });

  it('fails with LostInteractionError if another bot responds while this one is rate-limited', async () => {
    const { discord, api } = await open();
    answering(discord, CALLBACK, [limited(0.05), ACKNOWLEDGED]);
    await expect(respond(api, interaction())).rejects.toThrow(LostInteractionError);
    expect(made(discord, CALLBACK)).toBe(2);
  });

  it('has an unknown outcome if the first attempt hangs and the retry is rate-limited', async () => {
    const { discord, api } = await open({ firstAttemptMs: 50, firstResponseMs: 5_000 });
    answering(discord, CALLBACK, [{ kind: 'hang' }, limited(61)]);
    await expect(respond(api, interaction())).rejects.toSatisfy(isUncertain);
    expect(made(discord, CALLBACK)).toBe(2);
  });

  it("isn't retried if Discord rejects it", async () => {
    const { discord, api } = await open();
    answering(discord, CALLBACK, [status(400, { code: 50035, message: 'Invalid Form Body' })]);
    await expect(respond(api, interaction())).rejects.toSatisfy(isRejectedByDiscord);
    expect(made(discord, CALLBACK)).toBe(1);
  });
});

it('the Discord API client discards dead connections when an initial response hangs', async () => {
  const { discord, api } = await open({ firstAttemptMs: 50 });
  answering(discord, {}, [NO_CONTENT]);
  await Promise.all(['1', '2', '3', '4'].map((id) => api.get(`/channels/${id}`)));
  await Promise.all([1, 2, 3].map(() => respond(api, interaction())));
  discord.faults.silenceConnections();
  await respond(api, interaction());
  await Promise.all([1, 2, 3].map(() => api.edit(interaction(), text('a'))));
  expect(made(discord, EDIT)).toBe(3);
});

it('a burst of responses uses at most two connection pools even if Discord is slow', async () => {
  let open = 0;
  let most = 0;
  const server = createLoopbackServer((_, response) => {
    setTimeout(() => response.writeHead(204).end(), 400);
  });
  server.onConnection((socket) => {
    open += 1;
    most = Math.max(most, open);
    socket.once('close', () => {
      open -= 1;
    });
  });
  onTestFinished(() => server.close());
  const url = `http://127.0.0.1:${await server.listen(0)}/api`;
  const api = openApi(url, { firstAttemptMs: 100, firstResponseMs: 60_000 });
  await Promise.all(
    Array.from({ length: 1_500 }, () => respond(api, interaction({ leftMs: TOKEN_LIVES_MS }))),
  );
  expect(most).toBeGreaterThan(256);
  // Two agents with 256 connections each, plus closed connections that the agents haven't noticed yet.
  expect(most).toBeLessThan(600);
});

it('a request can set a maximum wait for rate limits', async () => {
  const { discord, api } = await open();
  const post = (maxWaitMs: number) => api.post('/users/@me/channels', { body: {}, maxWaitMs });
  answering(discord, {}, [limited(0.3), limited(0.3), status(200, {})]);
  await expect(post(100)).rejects.toHaveProperty('retryAfter');
  await post(60_000);
  expect(discord.requests).toHaveLength(3);
});

it("the Discord API client frees an interaction's data within a minute", async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const server = createLoopbackServer((_, response) => response.writeHead(204).end());
  onTestFinished(() => server.close());
  const api = openApi(`http://127.0.0.1:${await server.listen(0)}/api`);
  const edit = (name: string) =>
    api.edit({ ...interaction(), token: new Secret(name + 'x'.repeat(8_000)) }, text('hello'));
  await edit('warm');
  const before = usedMemory();
  for (let n = 0; n < 1_000; n += 1) await edit(`token-${n}`);
  vi.advanceTimersByTime(60_000);
  // A request and its abort signal refer to each other weakly. It takes several garbage collections to free them, with
  // turns of the event loop in between.
  await expect.poll(() => usedMemory() - before).toBeLessThan(4_000_000);
});

describe('an edit to a reply', () => {
  it("isn't retried after a 200 response with an invalid body", async () => {
    const { discord, api } = await open();
    answering(discord, EDIT, [status(200, '{"id": null', { 'content-type': 'application/json' })]);
    await persist(() => api.edit(interaction(), text('a')));
    expect(made(discord, EDIT)).toBe(1);
  });

  it.each<[string, Fault, number]>([
    ['a 502 from Discord', status(502, {}), 2],
    ['a 503 from a load balancer', status(503, 'upstream connect error'), 2],
    ['a lost connection', { kind: 'reset' }, 2],
    ['a 403 from Discord', status(403, { code: 50001, message: 'Missing Access' }), 1],
    ['a 403 from a proxy', status(403, '<html>'), 1],
  ])('is retried unless it is rejected: %s', async (_what, answer, times) => {
    const { discord, api } = await open();
    answering(discord, EDIT, [answer, status(200, {})]);
    await persist(() => api.edit(interaction(), text('a'))).catch(() => undefined);
    expect(made(discord, EDIT)).toBe(times);
  });

  it.each([
    status(404, { code: 10015 }),
    status(401, { code: 50027 }),
  ])("fails with LostInteractionError if the interaction's token has expired: %j", async (answer) => {
    const { discord, api } = await open();
    answering(discord, EDIT, [answer]);
    await expect(api.edit(interaction(), text('a'))).rejects.toThrow(LostInteractionError);
  });

  it('has a longer timeout for larger files', async () => {
    const { discord, api } = await open();
    const limits = vi.spyOn(AbortSignal, 'timeout');
    onTestFinished(() => limits.mockRestore());
    answering(discord, EDIT, [status(200, {})]);
    const limitOf = async (bytes: number) => {
      limits.mockClear();
      await api.edit(interaction(), text('a', bytes));
      return Math.max(...limits.mock.calls.map(([ms]) => ms));
    };
    expect(await limitOf(0)).toBe(5_000);
    expect(await limitOf(1)).toBeGreaterThan(5_000);
    // It takes 100 seconds to send 5 MB at 50 KB per second.
    expect(await limitOf(5_000_000)).toBeGreaterThanOrEqual(100_000);
  });
});

describe('read()', () => {
  it.each<[string, Fault, string]>([
    [
      'a deferred response',
      status(200, { flags: MessageFlags.Loading | MessageFlags.Ephemeral }),
      'thinking',
    ],
    ['an answer', status(200, { flags: MessageFlags.Ephemeral }), 'answered'],
    ['an answer without flags', status(200, {}), 'answered'],
    ['an unknown webhook', status(404, { code: 10015 }), 'gone'],
    ['an unknown message', status(404, { code: 10008 }), 'gone'],
    ['an expired token', status(401, { code: 50027 }), 'gone'],
  ])("returns the reply's state for %s", async (_what, answer, state) => {
    const { discord, api } = await open();
    answering(discord, {}, [answer]);
    expect(await api.read(interaction())).toBe(state);
  });

  it("fails if the bot isn't allowed to read the reply", async () => {
    const { discord, api } = await open();
    answering(discord, {}, [status(403, { code: 50001 })]);
    await expect(api.read(interaction())).rejects.toSatisfy(isRejectedByDiscord);
  });
});

it('initial responses to interactions use a separate pool of up to 256 connections', async () => {
  let most = 0;
  let edits = 0;
  const server = createLoopbackServer(({ method }, response) => {
    most = Math.max(most, [...server.sockets()].length);
    if (method === 'PATCH') edits += 1;
    else response.writeHead(204).end();
  });
  onTestFinished(() => server.close());
  const apiUrl = `http://127.0.0.1:${await server.listen(0)}/api`;
  const api = openApi(apiUrl, { firstResponseMs: 60_000, firstAttemptMs: 60_000 });
  for (let n = 0; n < 300; n += 1) api.edit(interaction(), text('a')).catch(() => undefined);
  await expect.poll(() => edits).toBe(256);
  await respond(api, interaction());
  expect(most).toBe(257);
  await Promise.all(Array.from({ length: 600 }, () => respond(api, interaction())));
  expect(most).toBeLessThanOrEqual(512);
});
