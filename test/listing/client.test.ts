import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { SANDBOX_GAMES } from '../../sandbox/listing/games.ts';
import type { Mode } from '../../sandbox/listing/modes.ts';
import { type ListingOptions, type ListingStandIn, startListing } from '../../sandbox/listing/stand-in.ts';
import { createBreaker } from '../../src/listing/breaker.ts';
import { createListingApi, type ListingApiDeps } from '../../src/listing/client.ts';
import { type ListingApi, type ServerSubmission, WITHHELD_WORDS } from '../../src/listing/contract.ts';
import { createScheduler } from '../../src/listing/scheduler.ts';
import { Secret } from '../../src/secret.ts';
import { recorder } from '../storage/temporary.ts';

const CANARY = 'canary-key-4711';
const key = new Secret(CANARY);
const one: ServerSubmission = { server: 'play.example.com', port: 27015, game: 'cs2' };

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close();
});

/** Lists in lists, so many of them. */
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
const verdictWith = (json: string): string => `{"status":"success","message":"Added.","more":${json}}`;

async function serve(options: ListingOptions = {}): Promise<ListingStandIn> {
  const service = await startListing({ keys: [CANARY], ...options });
  open.push(service);
  return service;
}

/** Everything that the client logs, as JSON lines. */
function client(
  baseUrl: string,
  deps: Partial<ListingApiDeps> = {},
): ListingApi & { readonly log: string[] } {
  const log: string[] = [];
  const write = (fields: object, message: string) => void log.push(JSON.stringify({ ...fields, message }));
  const logger = { debug: write, info: write, warn: write };
  const api = createListingApi({
    baseUrl,
    timeoutMs: 10_000,
    firstWaitMs: 10,
    arrayFormat: 'brackets',
    logger,
    ...deps,
  });
  open.push(api);
  return { ...api, log };
}

/** A server that does as it is told with each connection. */
async function rawServer(onConnection: (socket: Socket) => void, host = '127.0.0.1'): Promise<string> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    onConnection(socket);
  });
  server.listen(0, host);
  await once(server, 'listening');
  open.push({
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  });
  const { port } = server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

describe('a key that is dropped', () => {
  it('leaves in no request and no further try, and what has left goes on', async () => {
    const drop = new AbortController();
    const dropped = new Secret(CANARY, drop.signal);
    const service = await serve({
      onRequest: (count) => {
        drop.abort();
        return count === 1 ? { kind: 'status', status: 503 } : undefined;
      },
    });
    const api = client(service.url);
    expect(await api.games(dropped)).toMatchObject({ kind: 'unknown', reason: 'server-error' });
    expect(await api.games(dropped)).toMatchObject({ kind: 'not-sent', reason: 'key-dropped' });
    expect(await api.add([one], dropped)).toMatchObject({ kind: 'not-sent', reason: 'key-dropped' });
    expect(service.requests).toHaveLength(1);
    expect(await api.games(key)).toMatchObject({ kind: 'games' });
  });
});

describe('the games list', () => {
  it('comes back as the service sent it', async () => {
    const service = await serve();
    await expect(client(service.url).games(key)).resolves.toEqual({ kind: 'games', games: SANDBOX_GAMES });
    expect(service.requests).toMatchObject([{ action: 'games', key: CANARY, servers: [] }]);
  });

  it('is refused with the words of the service when the key is wrong, and not asked for again', async () => {
    const service = await serve();
    await expect(client(service.url).games(new Secret('another-key'))).resolves.toEqual({
      kind: 'rejected',
      message: 'Invalid API key.',
      known: 'invalidKey',
    });
    expect(service.requests).toHaveLength(1);
  });

  it.each<Mode>([
    { kind: 'reset' },
    { kind: 'status', status: 429 },
    { kind: 'status', status: 503 },
  ])('is asked for again after $kind $status', async (mode) => {
    const service = await serve();
    await service.behave(mode, 2);
    await expect(client(service.url).games(key)).resolves.toMatchObject({ kind: 'games' });
    expect(service.requests).toHaveLength(3);
  });

  it('waits as long as Retry-After says', async () => {
    const service = await serve();
    await service.behave({ kind: 'status', status: 429, retryAfter: 1 }, 1);
    await expect(client(service.url).games(key)).resolves.toMatchObject({ kind: 'games' });
    const [first, second] = service.requests.map(({ at }) => at);
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(990);
  });

  it('gives up at once when Retry-After is longer than anybody waits, and says how long it is', async () => {
    const service = await serve();
    await service.behave({ kind: 'status', status: 429, retryAfter: 120 });
    await expect(client(service.url).games(key)).resolves.toMatchObject({
      kind: 'unknown',
      reason: 'rate-limited',
      retryAfterMs: 120_000,
    });
    expect(service.requests).toHaveLength(1);
  });

  it('is asked for again when a 429 comes with a message of its own, which is told in the end', async () => {
    const service = await serve();
    await service.behave({ kind: 'json', status: 429, body: { status: 'error', message: 'Slow down.' } });
    await expect(client(service.url).games(key)).resolves.toEqual({
      kind: 'rejected',
      message: 'Slow down.',
    });
    expect(service.requests).toHaveLength(3);
  });
});

describe('adding servers', () => {
  it('is accepted with the words of the service', async () => {
    const service = await serve();
    await expect(client(service.url).add([{ ...one, queryPort: 27016 }, one], key)).resolves.toEqual({
      kind: 'accepted',
      message: 'Servers have been added for review.',
    });
    expect(service.submitted).toEqual([
      { server: 'play.example.com', port: 27015, query_port: 27016, game: 'cs2' },
      { server: 'play.example.com', port: 27015, game: 'cs2' },
    ]);
  });

  it('can number the servers', async () => {
    const service = await serve();
    await client(service.url, { arrayFormat: 'indices' }).add([one, { ...one, port: 2 }], key);
    expect(service.submitted.map(({ port }) => port)).toEqual([27015, 2]);
  });

  it.each([
    ['a wrong key', [one], 'wrong-key', 'invalidKey', 'Invalid API key.'],
    ['no server', [{ ...one, server: '' }], CANARY, 'serverMissing', 'Server parameter is missing.'],
    ['no game', [{ ...one, game: '' }], CANARY, 'gameMissing', 'Game alias parameter is missing.'],
    ['an unknown game', [{ ...one, game: 'x' }], CANARY, 'gameInvalid', 'Invalid game alias provided.'],
  ])('is rejected with %s', async (_case, servers, sentKey, known, message) => {
    const service = await serve();
    const outcome = await client(service.url).add(servers, new Secret(sentKey));
    expect(outcome).toEqual({ kind: 'rejected', message, known });
  });

  it.each([
    200, 400, 401, 422, 429, 500, 503,
  ])('believes a verdict that comes with status %i', async (status) => {
    const service = await serve();
    const body = { status: 'error', message: 'The server list for addition is empty.', more: 1 };
    await service.behave({ kind: 'json', status, body });
    const outcome = await client(service.url).add([one], key);
    expect(outcome).toEqual({ kind: 'rejected', message: body.message, known: 'emptyList' });
    expect(service.requests).toHaveLength(1);
  });

  it('takes 1 to 100 servers and sends nothing otherwise', async () => {
    const service = await serve();
    const api = client(service.url);
    await expect(api.add([], key)).rejects.toThrow(RangeError);
    await expect(api.add(Array(101).fill(one), key)).rejects.toThrow(RangeError);
    expect(service.requests).toHaveLength(0);
    await expect(api.add(Array(100).fill(one), key)).resolves.toMatchObject({ kind: 'accepted' });
    expect(service.submitted).toHaveLength(100);
  });

  it('is tried again when nobody listened, and then sent once', async () => {
    const service = await serve();
    await service.behave({ kind: 'down' });
    const api = client(service.url, { firstWaitMs: 300 });
    const outcome = api.add([one], key);
    await expect.poll(() => api.log, { interval: 5 }).toHaveLength(1);
    await service.behave({ kind: 'ok' });
    await expect(outcome).resolves.toMatchObject({ kind: 'accepted' });
    expect(service.submitted).toHaveLength(1);
    expect(service.requests).toHaveLength(1);
  });
});

it('takes what a service adds to its answer, brackets in texts too', async () => {
  const service = await serve();
  const api = client(service.url);
  for (const more of [nested(99), JSON.stringify('["\\"{'.repeat(500)), '[{}]']) {
    await service.behave({ kind: 'text', status: 200, body: verdictWith(more) });
    await expect(api.add([one], key)).resolves.toMatchObject({ kind: 'accepted', message: 'Added.' });
  }
});

/** Mode → what both calls make of it, how often `games` is asked, and how many servers the service then holds. */
type Failure = readonly [Mode, kind: string, reason: string, gamesTries: number, held: number];
const FAILURES: readonly Failure[] = [
  [{ kind: 'down' }, 'not-sent', 'refused', 0, 0],
  [{ kind: 'resetDuring' }, 'unknown', 'reset', 0, 0],
  [{ kind: 'reset' }, 'unknown', 'reset', 3, 0],
  [{ kind: 'reset', carriedOut: true }, 'unknown', 'reset', 3, 1],
  [{ kind: 'cut' }, 'unknown', 'reset', 3, 1],
  [{ kind: 'hang' }, 'unknown', 'timeout', 2, 0],
  [{ kind: 'slow', ms: 3_000 }, 'unknown', 'timeout', 2, 1],
  [{ kind: 'trickle' }, 'unknown', 'timeout', 2, 1],
  [{ kind: 'headersThenSilence' }, 'unknown', 'timeout', 2, 1],
  [{ kind: 'html' }, 'unknown', 'not-json', 1, 0],
  [{ kind: 'empty' }, 'unknown', 'not-json', 1, 0],
  [{ kind: 'text', status: 200, body: verdictWith(nested(101)) }, 'unknown', 'wrong-shape', 1, 0],
  [{ kind: 'text', status: 200, body: '['.repeat(101) }, 'unknown', 'wrong-shape', 1, 0],
  [{ kind: 'truncated' }, 'unknown', 'not-json', 1, 1],
  [{ kind: 'wrongTypes' }, 'unknown', 'wrong-shape', 1, 0],
  [{ kind: 'gzipBomb' }, 'unknown', 'not-json', 1, 0],
  [{ kind: 'status', status: 404 }, 'unknown', 'not-found', 1, 0],
  [{ kind: 'status', status: 403 }, 'unknown', 'client-error', 1, 0],
  [{ kind: 'status', status: 429 }, 'unknown', 'rate-limited', 3, 0],
  [{ kind: 'status', status: 500 }, 'unknown', 'server-error', 3, 0],
  [{ kind: 'json', status: 200, body: null }, 'unknown', 'wrong-shape', 1, 0],
  [{ kind: 'json', status: 200, body: [{ name: 'x' }] }, 'unknown', 'wrong-shape', 1, 0],
  [{ kind: 'json', status: 200, body: { status: 'maybe', message: '' } }, 'unknown', 'wrong-shape', 1, 0],
];

/** The outcome for add, which goes out at most once. */
async function addFails([mode, kind, reason, gamesTries, held]: Failure, timeoutMs: number): Promise<void> {
  const service = await serve();
  const api = client(service.url, { timeoutMs });
  await service.behave(mode);
  const outcome = await api.add([one], key);
  expect(outcome, mode.kind).toMatchObject({ kind, reason });
  expect(service.requests.length, mode.kind).toBe(gamesTries === 0 ? 0 : 1);
  expect(service.submitted, mode.kind).toHaveLength(held);
  expect(JSON.stringify([outcome, api.log])).not.toContain(CANARY);
  await service.behave({ kind: 'ok' });
  await expect.poll(async () => (await api.add([one], key)).kind).toBe('accepted');
}

/** The outcome for games, however little comes. */
async function gamesFail([mode, kind, reason, gamesTries]: Failure, timeoutMs: number): Promise<void> {
  const service = await serve();
  const api = client(service.url, { timeoutMs });
  await service.behave(mode);
  const outcome = await api.games(key);
  expect(outcome, mode.kind).toMatchObject({ kind, reason });
  expect(service.requests, mode.kind).toHaveLength(gamesTries);
  expect(JSON.stringify([outcome, api.log])).not.toContain(CANARY);
  await service.behave({ kind: 'ok' });
  await expect.poll(async () => (await api.games(key)).kind).toBe('games');
}

const isTimeout = ([, , reason]: Failure) => reason === 'timeout';

describe.each(FAILURES.filter((row) => !isTimeout(row)))('a service in mode %j', (...row) => {
  it(`is ${row[1]} (${row[2]}) for add, which goes out at most once`, () => addFails(row, 10_000));
  it(`is ${row[1]} (${row[2]}) for games, and says so however little comes`, () => gamesFail(row, 10_000));
});

describe('a service that lets requests wait', () => {
  // All of them wait at the same time.
  const silent = FAILURES.filter(isTimeout);
  it(`is unknown (timeout) for add, which goes out at most once, in its modes ${silent.map(([{ kind }]) => kind)}`, () =>
    Promise.all(silent.map((row) => addFails(row, 1_000))));
  it(`is unknown (timeout) for games, in its modes ${silent.map(([{ kind }]) => kind)}`, () =>
    Promise.all(silent.map((row) => gamesFail(row, 1_000))));
});

describe('an answer that is too long', () => {
  it('is cut off at a mebibyte, and asked for once', async () => {
    const service = await serve();
    await service.behave({ kind: 'huge' }, 2);
    const before = process.memoryUsage().rss;
    const api = client(service.url);
    await expect(api.games(key)).resolves.toMatchObject({ kind: 'unknown', reason: 'too-large' });
    await expect(api.add([one], key)).resolves.toMatchObject({ kind: 'unknown', reason: 'too-large' });
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 ** 2);
    await expect(api.games(key)).resolves.toMatchObject({ kind: 'games' });
  });

  it('is read when it is just below', async () => {
    const games = Array.from({ length: 10_000 }, (_, n) => ({ name: 'x'.repeat(60), alias: `alias-${n}` }));
    const service = await serve({ games });
    expect(JSON.stringify(games).length).toBeGreaterThan(900_000);
    await expect(client(service.url).games(key)).resolves.toEqual({ kind: 'games', games });
  });
});

describe.each([301, 302, 303, 307, 308])('a redirect with status %i', (status) => {
  it('is not followed; the operator learns the address, the other host nothing', async () => {
    const elsewhere = await serve();
    const service = await serve();
    const api = client(service.url);
    await service.behave({ kind: 'redirect', status, to: `${elsewhere.url}/api?api_key=${CANARY}` });
    for (const outcome of [await api.add([one], key), await api.games(key)]) {
      expect(outcome).toMatchObject({ kind: 'unknown', reason: 'redirect' });
      expect(JSON.stringify(outcome)).toContain(`moved to ${elsewhere.url}"`);
    }
    expect(api.log.join()).toContain('LISTING_API_URL');
    expect(api.log.join()).not.toContain(CANARY);
    expect(elsewhere.requests).toHaveLength(0);
    expect(service.requests).toHaveLength(2);
  });
});

describe('a key that the service repeats', () => {
  it('is not in its message, which is left out', async () => {
    const service = await serve();
    const message = `No account for ${CANARY}.`;
    await service.behave({ kind: 'json', status: 403, body: { status: 'error', message } });
    const outcome = await client(service.url).add([one], key);
    expect(outcome).toEqual({ kind: 'rejected', message: WITHHELD_WORDS });
  });

  it('is not in the address it moved to, of which the origin is logged only', async () => {
    const service = await serve();
    await service.behave({ kind: 'redirect', status: 307, to: `/${CANARY}/api` });
    const outcome = await client(service.url).games(key);
    expect(outcome).toMatchObject({ detail: `HTTP 307: moved to ${new URL(service.url).origin}` });
  });
});

describe('connections', () => {
  it('are used again', async () => {
    const service = await serve();
    const api = client(service.url);
    for (let n = 0; n < 10; n++) await api.add([one], key);
    // Two, since the next request may begin before the connection of the last one is put back.
    expect(new Set(service.requests.map(({ connection }) => connection)).size).toBeLessThanOrEqual(2);
  });

  it('may be closed by the service between two requests', async () => {
    const service = await serve();
    const api = client(service.url);
    await service.behave({ kind: 'okThenClose' });
    for (let n = 0; n < 20; n++) {
      await expect(api.add([{ ...one, port: n + 1 }], key)).resolves.toMatchObject({ kind: 'accepted' });
      await new Promise((resolve) => setTimeout(resolve, n));
    }
    expect(service.submitted.map(({ port }) => port)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
  });

  it.each([
    { most: 8, options: {} },
    { most: 3, options: { requestsAtOnce: 3 } },
  ])('are $most at most with $options: one a request', async ({ most, options }) => {
    const service = await serve();
    const api = client(service.url, options);
    await service.behave({ kind: 'slow', ms: 50 });
    await Promise.all(Array.from({ length: 24 }, () => api.add([one], key)));
    expect(new Set(service.requests.map(({ connection }) => connection)).size).toBe(most);
    expect(service.submitted).toHaveLength(24);
  });

  it('say not sent about a request that never got its turn, and never send it later', async () => {
    const service = await serve();
    const api = client(service.url, { timeoutMs: 1_000, requestsAtOnce: 2 });
    await service.behave({ kind: 'hang' });
    const stop = new AbortController();
    const parked = Array.from({ length: 2 }, () => api.add([one], key));
    await expect.poll(() => service.requests.length).toBe(2);
    const waiting = api.add([{ ...one, game: 'rust' }], key, { signal: stop.signal });
    stop.abort();
    expect(await waiting).toMatchObject({ kind: 'not-sent', reason: 'aborted' });
    expect((await Promise.all(parked)).map(({ kind }) => kind)).toEqual(Array(2).fill('unknown'));
    await service.behave({ kind: 'ok' });
    // On the connections that are free again: what had waited would go out first.
    await Promise.all(Array.from({ length: 4 }, () => api.add([one], key)));
    expect(service.requests.flatMap(({ servers }) => servers.map(({ game }) => game))).not.toContain('rust');
    expect(service.requests).toHaveLength(6);
  });

  it('are left to submissions by half, however many keys are tried', async () => {
    const service = await serve();
    const api = client(service.url, { timeoutMs: 10_000 });
    const scheduler = createScheduler({ atOnce: 8 });
    const stop = new AbortController();
    const { tryKey } = createBreaker({
      listing: { ...api, games: (tried) => api.games(tried, { signal: stop.signal }) },
      scheduler,
      guildOf: () => undefined,
      logger: recorder(),
    });
    await service.behave({ kind: 'hang' });
    const trials = Array.from({ length: 20 }, (_, guild) => tryKey(key, { guildId: `${guild}` }));
    await expect.poll(() => service.requests.length).toBe(4);
    await service.behave({ kind: 'ok' });
    const submissions = Array.from({ length: 8 }, (_, guild) =>
      scheduler.run({ guildId: `other ${guild}`, kind: 'submission', key }, () => api.add([one], key)),
    );
    expect((await Promise.all(submissions)).map(({ kind }) => kind)).toEqual(Array(8).fill('accepted'));
    expect(service.requests.filter(({ action }) => action === 'games')).toHaveLength(4);
    stop.abort();
    await Promise.all(trials);
  });

  it('go to the path of the base address, with or without a slash at its end', async () => {
    const lines: string[] = [];
    const url = await rawServer((socket) => {
      socket.once('data', (data) => {
        lines.push(data.toString().split('\r\n')[0] ?? '');
        socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[]');
      });
    });
    await client(`${url}/list/v1/`).games(key);
    await client(`${url}/list/v1`).games(key);
    await client(url).games(key);
    expect(lines).toEqual(['POST /list/v1/api HTTP/1.1', 'POST /list/v1/api HTTP/1.1', 'POST /api HTTP/1.1']);
  });

  it('work with IPv6 alone', async () => {
    const url = await rawServer((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[]'));
    }, '::1');
    await expect(client(url).games(key)).resolves.toEqual({ kind: 'games', games: [] });
  });

  it.each([
    ['identity', { kind: 'accepted' }],
    ['gzip', { kind: 'unknown', reason: 'not-json' }],
  ])('that a second proxy has named an encoding in again are read all the same: %s', async (name, outcome) => {
    const body = JSON.stringify({ status: 'success', message: 'Added.' });
    const encoding = `Content-Encoding: ${name}\r\n`;
    const answer = `HTTP/1.1 200 OK\r\n${encoding}${encoding}Content-Length: ${body.length}\r\n\r\n${body}`;
    const url = await rawServer((socket) => socket.once('data', () => socket.write(answer)));
    expect(await client(url).add([one], key)).toMatchObject(outcome);
  });

  it('that name several times to wait are waited for as long as the longest says', async () => {
    const head = 'HTTP/1.1 429 Slow down\r\nRetry-After: 5\r\nRetry-After: 7\r\nContent-Length: 2\r\n\r\n{}';
    const url = await rawServer((socket) => socket.once('data', () => socket.write(head)));
    expect(await client(url).add([one], key)).toMatchObject({ reason: 'rate-limited', retryAfterMs: 7_000 });
  });

  it('that end in the middle of an answer are unknown, and so is what is no HTTP, as a faulty answer', async () => {
    const cut = await rawServer((socket) => socket.once('data', () => socket.end('HTTP/1.1 20')));
    const outcome = client(cut, { timeoutMs: 1_000 }).add([one], key);
    await expect(outcome).resolves.toMatchObject({ kind: 'unknown', reason: 'reset' });
    const chunk = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n5\r\n[{';
    const half = await rawServer((socket) => socket.once('data', () => socket.end(chunk)));
    const cutBody = client(half, { timeoutMs: 1_000 }).add([one], key);
    await expect(cutBody).resolves.toMatchObject({ kind: 'unknown', reason: 'reset' });
    const ssh = await rawServer((socket) => socket.once('data', () => socket.end('SSH-2.0-x\r\n')));
    await expect(client(ssh, { timeoutMs: 1_000 }).add([one], key)).resolves.toMatchObject({
      kind: 'unknown',
    });
  });
});

describe('a service that cannot be reached', () => {
  it('does not resolve: nothing is sent', async () => {
    const outcome = await client('http://no-such-host.invalid').add([one], key);
    expect(outcome).toMatchObject({ kind: 'not-sent', reason: 'dns' });
  });

  it('speaks no TLS: nothing is sent', async () => {
    const url = await rawServer((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
    );
    const outcome = await client(url.replace('http:', 'https:')).add([one], key);
    expect(outcome).toMatchObject({ kind: 'not-sent', reason: 'tls' });
  });

  it('breaks the handshake off: nothing is sent', async () => {
    const url = await rawServer((socket) => socket.once('data', () => socket.destroy()));
    const outcome = await client(url.replace('http:', 'https:')).add([one], key);
    expect(outcome).toMatchObject({ kind: 'not-sent' });
  });

  it('never finishes the handshake: nothing is sent', async () => {
    const url = await rawServer(() => undefined);
    const api = client(url.replace('http:', 'https:'), { timeoutMs: 300 });
    await expect(api.add([one], key)).resolves.toMatchObject({ kind: 'not-sent', reason: 'timeout' });
    await expect(api.games(key)).resolves.toMatchObject({ kind: 'not-sent', reason: 'timeout' });
  });

  it('resets every connection as soon as it is there: no server is added, and the call ends', async () => {
    const service = await serve();
    await service.behave({ kind: 'resetBefore' });
    const api = client(service.url, { timeoutMs: 500 });
    expect(['unknown', 'not-sent']).toContain((await api.add([one], key)).kind);
    expect(['unknown', 'not-sent']).toContain((await api.games(key)).kind);
    expect(service.requests).toHaveLength(0);
  });

  it('is no failure of the bot when it stands still until all tries are over', async () => {
    const { port } = new URL(await rawServer((socket) => socket.destroy()));
    for (const thing of open.splice(0)) await thing.close();
    const timeoutMs = 100;
    // As a machine or a container does that is paused between two tries.
    const standStill = () => {
      const until = performance.now() + 3 * timeoutMs;
      while (performance.now() < until);
    };
    const api = client(`http://127.0.0.1:${port}`, {
      ...{ timeoutMs, firstWaitMs: timeoutMs },
      onRequest: () => setImmediate(standStill),
    });
    expect(await api.add([one], key)).toMatchObject({ kind: 'not-sent', reason: 'refused' });
    expect(await api.games(key)).toMatchObject({ kind: 'not-sent', reason: 'refused' });
  });
});

describe('stopping', () => {
  it('ends a call that is under way, and says that it may have arrived', async () => {
    const service = await serve();
    await service.behave({ kind: 'hang' });
    const stop = new AbortController();
    const outcome = client(service.url).add([one], key, { signal: stop.signal });
    while (service.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    stop.abort();
    await expect(outcome).resolves.toMatchObject({ kind: 'unknown', reason: 'aborted' });
  });

  it('ends the wait between two tries', async () => {
    const service = await serve();
    await service.behave({ kind: 'status', status: 503, retryAfter: 3 });
    const stop = new AbortController();
    const api = client(service.url, { onRequest: () => setImmediate(() => stop.abort()) });
    const outcome = api.games(key, { signal: stop.signal });
    // Timers run in the order in which they are due, however late: the wait would end after this one.
    let isOver = false;
    const over = setTimeout(() => {
      isOver = true;
    }, 2_500);
    await expect(outcome).resolves.toMatchObject({ reason: 'server-error' });
    expect(isOver).toBe(false);
    clearTimeout(over);
    expect(service.requests).toHaveLength(1);
  });

  it('sends nothing with a signal that is aborted already, or after closing', async () => {
    const service = await serve();
    const api = client(service.url);
    const stopped = await api.add([one], key, { signal: AbortSignal.abort() });
    expect(stopped).toMatchObject({ kind: 'not-sent', reason: 'aborted' });
    await api.close();
    await expect(api.add([one], key)).resolves.toMatchObject({ kind: 'not-sent', reason: 'aborted' });
    expect(service.requests).toHaveLength(0);
    open.splice(open.indexOf(api), 1);
  });

  it('lets a call that is under way end before it closes', async () => {
    const service = await serve();
    await service.behave({ kind: 'slow', ms: 200 });
    const api = createListingApi({ baseUrl: service.url, timeoutMs: 2_000, arrayFormat: 'brackets' });
    const outcome = api.add([one], key);
    while (service.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await api.close();
    await expect(outcome).resolves.toMatchObject({ kind: 'accepted' });
  });
});
