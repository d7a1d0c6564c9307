import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, describe, expect, it } from 'vitest';
import { SANDBOX_GAMES } from '../../sandbox/listing/games.ts';
import type { Mode } from '../../sandbox/listing/modes.ts';
import { type ListingOptions, startListing } from '../../sandbox/listing/stand-in.ts';
import { createListingApi, type ListingApiDeps } from '../../src/listing/client.ts';
import type { ServerSubmission } from '../../src/listing/contract.ts';
import { ADDED } from '../../src/listing/contract.ts';
import { Secret } from '../../src/text/secret.ts';
import { selfSigned } from '../support/bot.ts';
import { recorder } from '../support/machine.ts';

/** This key looks different when it is percent-encoded. */
const CANARY = 'canary key/4711';
const key = new Secret(CANARY);
const one: ServerSubmission = { server: 'play.example.com', port: 27015, game: 'cs2' };

const open: { close(): Promise<unknown> }[] = [];
afterAll(async () => {
  for (const thing of open.splice(0)) await thing.close();
});

function client(baseUrl: string, deps: Partial<ListingApiDeps> = {}) {
  const logger = recorder();
  const timeoutMs = 10_000;
  const api = createListingApi({
    baseUrl,
    timeoutMs,
    arrayFormat: 'brackets',
    logger,
    ...deps,
  });
  open.push(api);
  return { ...api, lines: logger.lines, log: () => JSON.stringify(logger.lines) };
}

interface Options extends ListingOptions {
  readonly mode?: Mode;
  readonly deps?: Partial<ListingApiDeps>;
}

/** Starts a service that behaves as specified, and creates a client for it. */
async function setUp({ mode = { kind: 'ok' }, deps, ...options }: Options = {}) {
  const service = await startListing({ keys: [CANARY], ...options });
  open.push(service);
  await service.behave(mode);
  return { service, api: client(service.url, deps) };
}

/** Starts a server that handles each connection with this function. */
async function rawServer(onConnection: (socket: Socket) => void, host = '127.0.0.1'): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
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

/** Starts a server that responds with this string as soon as a connection sends anything. */
const answering = (text: string) => rawServer((socket) => socket.once('data', () => socket.end(text)));

describe('api.games', () => {
  it("returns the service's games list unchanged", async () => {
    const { service, api } = await setUp();
    expect(await api.games(key)).toMatchObject({ kind: 'games', games: SANDBOX_GAMES });
    expect(service.requests).toMatchObject([{ action: 'games', key: CANARY, servers: [] }]);
  });

  it("fails with the service's message if the key is wrong", async () => {
    const { api } = await setUp();
    const rejected = { kind: 'rejected', message: 'Invalid API key.', known: 'invalidKey' };
    expect(await api.games(new Secret('another-key'))).toEqual(rejected);
  });
});

describe('api.add', () => {
  it("returns the service's message and ignores unknown fields", async () => {
    const { service, api } = await setUp();
    const servers = [{ ...one, queryPort: 27016 }, one];
    expect(await api.add(servers, key)).toEqual({ kind: 'accepted', message: ADDED });
    expect(service.submitted).toEqual([
      { server: 'play.example.com', port: 27015, query_port: 27016, game: 'cs2' },
      { server: 'play.example.com', port: 27015, game: 'cs2' },
    ]);
    for (const more of [nested(99), '"text"', '[{}]']) {
      await service.behave({ kind: 'text', status: 200, body: verdictWith(more) });
      expect((await api.add([one], key)).kind).toBe('accepted');
    }
  });

  it.each([{}, { message: null }])('succeeds even without a message in the response (%j)', async (rest) => {
    const { api } = await setUp({ mode: withBody({ status: 'success', ...rest }) });
    expect(await api.add([one], key)).toEqual({ kind: 'accepted', message: '' });
  });

  it('numbers the form fields if arrayFormat is "indices"', async () => {
    const { service, api } = await setUp({ deps: { arrayFormat: 'indices' } });
    await api.add([one, { ...one, port: 2 }], key);
    expect(service.submitted.map(({ port }) => port)).toEqual([27015, 2]);
  });

  it.each([200, 429, 503])('parses the error message in a %i response', async (status) => {
    const message = 'The server list for addition is empty.';
    const body = { status: 'error', message, more: 1 };
    const { service, api } = await setUp({ mode: { kind: 'json', status, body, retryAfter: 7 } });
    const rejected = { kind: 'rejected', message, known: 'emptyList' };
    const rest = status === 429 ? { retryAfterMs: 7_000 } : {};
    expect(await api.add([one], key)).toEqual({ ...rejected, ...rest });
    expect(service.requests).toHaveLength(1);
  });

  it('defaults to a retry delay of one second after a 429 response', async () => {
    const body = { status: 'error', message: 'Slow down.' };
    const { api } = await setUp({ mode: { kind: 'json', status: 429, body } });
    const rejected = { kind: 'rejected', message: 'Slow down.', retryAfterMs: 1_000 };
    expect(await api.add([one], key)).toEqual(rejected);
  });

  it.each([
    { retryAfter: '30.5', retryAfterMs: 31_000 },
    { retryAfter: '0.2', retryAfterMs: 1_000 },
    { retryAfter: '7', retryAfterMs: 7_000 },
    { retryAfter: 'Thu, 01 Jan 1970 00:00:00 GMT', retryAfterMs: 0 },
    { retryAfter: 'soon', retryAfterMs: undefined },
  ])('parses "Retry-After: $retryAfter" as $retryAfterMs ms', async ({ retryAfter, retryAfterMs }) => {
    const { api } = await setUp({ mode: { kind: 'status', status: 429, retryAfter } });
    const { retryAfterMs: read } = Object(await api.add([one], key));
    expect(read).toBe(retryAfterMs);
  });

  it.each([
    { said: 'x'.repeat(2_000), read: 'x'.repeat(2_000) },
    { said: 'x'.repeat(60_000), read: `${'x'.repeat(1_999)}…` },
    { said: '😀'.repeat(2_000), read: `${'😀'.repeat(999)}…` },
  ])("truncates the service's message to 2,000 UTF-16 code units", async ({ said, read }) => {
    const body = { status: 'success', message: said };
    const { api } = await setUp({ mode: { kind: 'json', status: 200, body } });
    expect(await api.add([one], key)).toEqual({ kind: 'accepted', message: read });
  });
});

/** Returns lists that are nested to this depth. */
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
const verdictWith = (json: string): string => `{"status":"success","message":"Added.","more":${json}}`;
const withBody = (body: unknown): Mode => ({ kind: 'json', status: 200, body });

interface Failure {
  readonly mode: Mode;
  readonly kind?: 'not-sent';
  readonly reason: string;
  /** How many complete requests the service has received. */
  readonly requests?: 0;
  /** How many servers the service has stored after the bot adds one. */
  readonly holds?: 1;
}

/** What both API calls return for each kind of service failure. The default `kind` is `unknown`. */
const FAILURES: readonly Failure[] = [
  { mode: { kind: 'down' }, kind: 'not-sent', reason: 'unreachable', requests: 0 },
  { mode: { kind: 'resetDuring' }, reason: 'reset', requests: 0 },
  { mode: { kind: 'reset' }, reason: 'reset' },
  { mode: { kind: 'reset', carriedOut: true }, reason: 'reset', holds: 1 },
  { mode: { kind: 'cut' }, reason: 'reset', holds: 1 },
  { mode: { kind: 'hang' }, reason: 'timeout' },
  { mode: { kind: 'slow', ms: 30_000 }, reason: 'timeout', holds: 1 },
  { mode: { kind: 'trickle' }, reason: 'timeout', holds: 1 },
  { mode: { kind: 'headersThenSilence' }, reason: 'timeout', holds: 1 },
  { mode: { kind: 'empty' }, reason: 'unreadable' },
  { mode: { kind: 'gzipBomb' }, reason: 'unreadable' },
  { mode: { kind: 'huge' }, reason: 'too-large' },
  { mode: { kind: 'wrongTypes' }, reason: 'unreadable' },
  { mode: { kind: 'text', status: 200, body: nested(500_000) }, reason: 'unreadable' },
  { mode: withBody([{ name: 'x' }]), reason: 'unreadable' },
  { mode: withBody({ status: 'maybe', message: 'x' }), reason: 'unreadable' },
  { mode: { kind: 'status', status: 404 }, reason: 'not-found' },
  { mode: { kind: 'status', status: 410 }, reason: 'not-found' },
  { mode: { kind: 'status', status: 403 }, reason: 'client-error' },
  { mode: { kind: 'status', status: 429 }, reason: 'rate-limited' },
  { mode: { kind: 'status', status: 500 }, reason: 'server-error' },
];

describe.concurrent('a request to a failing service', () => {
  it.for(FAILURES)('fails with the reason "$reason" ($mode)', async ({
    mode,
    kind = 'unknown',
    reason,
    requests = 1,
    holds = 0,
  }, { expect: expectHere }) => {
    async function check(ask: 'add' | 'games'): Promise<void> {
      const { service, api } = await setUp({
        mode,
        deps: { timeoutMs: reason === 'timeout' ? 1_000 : 10_000 },
      });
      const outcome = ask === 'add' ? await api.add([one], key) : await api.games(key);
      expect(outcome).toMatchObject({ kind, reason });
      expect(service.requests).toHaveLength(requests);
      if (ask === 'add') expect(service.submitted).toHaveLength(holds);
      expect(JSON.stringify(outcome) + api.log()).not.toContain(CANARY);
      await service.behave({ kind: 'ok' });
      await expectHere.poll(async () => (await api.games(key)).kind, { timeout: 20_000 }).toBe('games');
    }

    await Promise.all([check('add'), check('games')]);
  });
});

it.each([
  { body: { status: 'error' }, detail: 'HTTP 200: message: invalid_type' },
  { body: 'x', detail: 'HTTP 200: response: invalid_type' },
])('the client explains why a response is invalid: $body', async ({ body, detail }) => {
  const { api } = await setUp({ mode: withBody(body) });
  expect(await api.add([one], key)).toMatchObject({ reason: 'unreadable', detail });
});

it.each([301, 302, 303, 307, 308])("the client doesn't follow a %i redirect", async (status) => {
  const elsewhere = await setUp();
  const to = elsewhere.service.url;
  const { api } = await setUp({ mode: { kind: 'redirect', status, to: `${to}/api?api_key=${CANARY}` } });
  // The log shows the address, but the bot doesn't send anything to the other host.
  const moved = { kind: 'unknown', reason: 'redirect', detail: `HTTP ${status}: moved to ${to}` };
  expect(await api.add([one], key)).toEqual(moved);
  expect(api.log()).toContain('LISTING_API_URL');
  expect(elsewhere.service.requests).toHaveLength(0);
});

describe("an API key in the service's response", () => {
  const SPECIAL = `c@nary "key"!~*(+x)'/<é>\\&%2B=`;
  const toForm = (text: string) => new URLSearchParams({ api_key: text }).toString();
  const lowerHex = (text: string) => text.replace(/%../g, (each) => each.toLowerCase());
  const toEntities = (each: (character: string) => string) => (text: string) =>
    [...text].map((one) => (/\w/.test(one) ? one : each(one))).join('');
  const toNames = (text: string) =>
    text
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      .replaceAll("'", '&#39;');
  const inJson = (text: string) => JSON.stringify({ api_key: text });

  const encodings: readonly (readonly [name: string, encode: (key: string) => string])[] = [
    ['plain text', (text) => text],
    ['in a form', toForm],
    ['in a form with lower-case digits', (text) => lowerHex(toForm(text))],
    ['in a form next to a malformed encoding', (text) => `100% %ff ${toForm(text)}`],
    ['in a URL', encodeURIComponent],
    ['in a URL with lower-case digits', (text) => lowerHex(encodeURIComponent(text))],
    ['in HTML', toNames],
    ['in HTML with decimal numbers', toEntities((each) => `&#${each.codePointAt(0)};`)],
    ['in HTML with padded numbers', toEntities((each) => `&#0${each.codePointAt(0)};`)],
    ['in HTML with hexadecimal numbers', toEntities((each) => `&#x${each.codePointAt(0)?.toString(16)};`)],
    ['in a form in HTML', (text) => toNames(toForm(text))],
    ['in JSON', inJson],
    ["in PHP's JSON", (text) => inJson(text).replaceAll('/', '\\/')],
    ['in JSON with codes', (text) => inJson(text).replaceAll("'", '\\u0027').replaceAll('<', '\\u003C')],
    ['in JSON in HTML', (text) => toNames(inJson(text))],
  ];
  const keys = [CANARY, SPECIAL, 'c4nary/Base64+Key+c4nary0123456789==', 'canary-key-00'];

  it.each(encodings)('is redacted whatever its encoding (%s)', async (_, encode) => {
    for (const text of keys) {
      const message = `bad request: ${encode(text)} or ${encode(text)}, try again`;
      const { api } = await setUp({ mode: withBody({ status: 'error', message }) });
      const outcome = await api.add([one], new Secret(text));
      const said = outcome.kind === 'rejected' ? outcome.message : '';
      expect(said).toMatch(/^bad request: .*\[API key\].* or .*\[API key\].*, try again$/);
      expect(said + api.log()).not.toMatch(/c[@4a]nary|Base64/i);
    }
  });

  it('is redacted in a success message', async () => {
    const { api } = await setUp({ mode: withBody({ status: 'success', message: `Added by ${CANARY}` }) });
    expect(await api.add([one], key)).toEqual({ kind: 'accepted', message: 'Added by [API key]' });
  });

  it('is redacted even if its characters are escaped', async () => {
    const escaped = [...CANARY].map((each) => `\\u00${each.charCodeAt(0).toString(16)}`).join('');
    const body = `{"status":"error","message":"${escaped}"}`;
    const { api } = await setUp({ mode: { kind: 'text', status: 200, body } });
    expect(await api.add([one], key)).toMatchObject({ message: '[API key]' });
  });

  it('is redacted in the games list', async () => {
    const said = `${CANARY} or ${encodeURIComponent(CANARY)} or ${CANARY}`;
    const masked = '[API key] or [API key] or [API key]';
    const { api } = await setUp({ games: [{ name: said, alias: said }] });
    expect(await api.games(key)).toMatchObject({ kind: 'games', games: [{ name: masked, alias: masked }] });
  });
});

it("the client doesn't redact unrelated encoded text", async () => {
  const message = 'Use &amp; or a+b, %41 or \\u0041: 100%';
  const { api } = await setUp({ mode: withBody({ status: 'error', message }) });
  expect(await api.add([one], key)).toMatchObject({ message });
});

it('the client logs how many games it skipped if the list is too long', async () => {
  const games = Array.from({ length: 10_003 }, (_, n) => ({ name: `Game ${n}`, alias: `g${n}` }));
  const { api } = await setUp({ games });
  expect(await api.games(key)).toMatchObject({ games: games.slice(0, 10_000), leftOut: 3 });
  expect(api.log()).toMatch(
    /"leftOut":3.*using only its first 10000 games|only the first 10000 games.*"leftOut":3/,
  );
});

it('the client logs each response with the interaction and guild ids', async () => {
  const { api } = await setUp();
  await api.add([one], key, { interactionId: '1', guildId: '2' });
  expect(api.lines).toMatchObject([
    { level: 'debug', details: { interactionId: '1', guildId: '2', action: 'add', kind: 'accepted' } },
  ]);
});

it('the client logs each unusable game once, with the reason', async () => {
  const long = 'a'.repeat(101);
  const games = [
    one,
    { name: 'Rust', alias: 'rust' },
    { name: 'Rust again', alias: 'rust' },
    { name: 'ARK', alias: long },
  ];
  const { api } = await setUp({ mode: withBody([...games, { name: 'X', alias: null, [CANARY]: 1 }]) });
  await api.games(key);
  await api.games(key);
  const logged = api.lines.filter(({ message }) => message.includes('could not use a game'));
  expect(logged.map(({ details }) => details)).toMatchObject([
    { game: '', reason: 'name: invalid_type', all: 4 },
    { game: 'Rust again, rust', reason: expect.stringContaining('an earlier game') },
    { game: expect.stringMatching(/^ARK, aaa.*…$/), reason: 'alias: too_big' },
    { game: 'X', reason: 'alias: invalid_type' },
  ]);
  expect(api.log()).not.toContain(CANARY);
});

it('the client stops reading a list after 1,000 unusable games', async () => {
  const list = [{ name: 'Rust', alias: 'rust' }, ...Array(1_000).fill({}), { name: 'ARK', alias: 'ark' }];
  const { api } = await setUp({ mode: withBody(list) });
  expect(await api.games(key)).toMatchObject({ games: [{ alias: 'rust' }], leftOut: 1 });
  expect(api.log()).toContain('using only its first 1001 games');
});

it("the client logs a response encoding that it didn't request", async () => {
  const { api } = await setUp({ mode: { kind: 'gzipBomb' } });
  expect(await api.add([one], key)).toMatchObject({ kind: 'unknown', reason: 'unreadable' });
  expect(api.log()).toContain('encoded as gzip, which the bot did not request');
});

describe('connections to the service', () => {
  it('can be closed by the service between requests', async () => {
    const { service, api } = await setUp({ mode: { kind: 'okThenClose' } });
    for (let n = 0; n < 10; n += 1) {
      expect((await api.add([one], key)).kind).toBe('accepted');
      await sleep(n);
    }
    expect(service.submitted).toHaveLength(10);
  });

  it('never exceed the maximum number of concurrent requests', async () => {
    const { service, api } = await setUp({ mode: { kind: 'slow', ms: 50 }, deps: { concurrentRequests: 3 } });
    await Promise.all(Array.from({ length: 9 }, () => api.add([one], key)));
    expect(new Set(service.requests.map(({ connection }) => connection)).size).toBe(3);
  });

  it("aren't used for a request that has already timed out", async () => {
    const { service, api } = await setUp({
      mode: { kind: 'hang' },
      deps: { timeoutMs: 1_000, concurrentRequests: 1 },
    });
    const [sent, waiting] = await Promise.all([api.add([one], key), api.games(key)]);
    expect(sent).toMatchObject({ kind: 'unknown', reason: 'timeout' });
    // If the machine is busy, the waiting request might be sent between the two timeouts.
    const mayBeCarried = waiting.kind !== 'not-sent';
    await service.behave({ kind: 'ok' });
    // Uses the free connection. If the abandoned request were still sent, the service would receive it first.
    await api.add([one], key);
    expect(service.requests.some(({ action }) => action === 'games')).toBe(mayBeCarried);
  });

  it('work with or without a trailing slash in the base URL', async () => {
    const paths: (string | undefined)[] = [];
    const url = await rawServer((socket) => {
      socket.once('data', (data) => {
        paths.push(data.toString().split(' ')[1]);
        socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[]');
      });
    });
    for (const base of [`${url}/list/v1/`, `${url}/list/v1`, url]) await client(base).games(key);
    expect(paths).toEqual(['/list/v1/api', '/list/v1/api', '/api']);
  });

  const interfaces = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  it.skipIf(!interfaces.some(({ family }) => family === 'IPv6'))('can use IPv6', async () => {
    const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[]';
    const url = await rawServer((socket) => socket.once('data', () => socket.end(answer)), '::1');
    expect(await client(url).games(key)).toMatchObject({ kind: 'games', games: [] });
  });

  it.each([
    { text: 'HTTP/1.1 429 Slow\r\nRetry-After: 7\r\n\r\n', reason: 'rate-limited' },
    { text: 'HTTP/1.1 20', reason: 'reset' },
    { text: 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n[{', reason: 'reset' },
    { text: 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nno number\r\n[{', reason: 'unreadable' },
    { text: 'SSH-2.0-x\r\n', reason: 'unreadable' },
  ])('fail with the reason "$reason" if the service sends only $text', async ({ text, reason }) => {
    const api = client(await answering(text));
    const outcome = await api.add([one], key);
    expect(outcome).toMatchObject({ kind: 'unknown', reason });
    if (reason === 'rate-limited') expect(outcome).toMatchObject({ retryAfterMs: 7_000 });
  });
});

describe('a submission', () => {
  it("isn't sent to a service with an untrusted certificate", async () => {
    const service = await startListing({ keys: [CANARY], certificate: selfSigned() });
    open.push(service);
    const api = client(service.url);
    expect(await api.add([one], key)).toMatchObject({ kind: 'not-sent', reason: 'tls' });
    expect(api.log()).toContain('DEPTH_ZERO_SELF_SIGNED_CERT');
    expect(service.requests).toEqual([]);
  });

  const overTls = async (url: Promise<string>) => (await url).replace('http:', 'https:');

  it("counts as unsent if the service can't be reached", async () => {
    const noName = await client('http://no-such-host.invalid').add([one], key);
    expect(noName).toMatchObject({ kind: 'not-sent', reason: 'unreachable' });
    const noTls = await overTls(answering('HTTP/1.1 400 Bad Request\r\n\r\n'));
    expect(await client(noTls).add([one], key)).toMatchObject({ kind: 'not-sent', reason: 'tls' });
    const silent = client(await overTls(rawServer(() => undefined)), { timeoutMs: 300 });
    expect(await silent.add([one], key)).toMatchObject({ kind: 'not-sent', reason: 'timeout' });
  });
});

it("the client frees a response's memory after reading it", async () => {
  const body = ' '.repeat(1_000_000);
  const api = client(await answering(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`), {
    timeoutMs: 600_000,
  });
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const held = () => {
    collect();
    return process.memoryUsage().arrayBuffers;
  };
  const before = held();
  for (let n = 0; n < 30; n += 1) await api.games(key);
  await expect.poll(held).toBeLessThan(before + 10_000_000);
});

describe('stopping the client', () => {
  it('aborts a running request for the games list', async () => {
    const { service, api } = await setUp({ mode: { kind: 'hang' } });
    const outcome = api.games(key);
    await expect.poll(() => service.requests.length).toBe(1);
    await api.close();
    // The test has already closed this client.
    open.pop();
    expect(await outcome).toMatchObject({ kind: 'unknown', reason: 'stopping' });
    expect(await api.games(key)).toMatchObject({ kind: 'not-sent', reason: 'stopping' });
    expect(service.requests).toHaveLength(1);
  });

  it('lets a running submission finish, but rejects new ones', async () => {
    const { service, api } = await setUp({ mode: { kind: 'slow', ms: 100 } });
    const outcome = api.add([one], key);
    await expect.poll(() => service.requests.length).toBe(1);
    await api.close();
    // The test has already closed this client.
    open.pop();
    expect((await outcome).kind).toBe('accepted');
    expect(await api.add([one], key)).toMatchObject({ kind: 'not-sent', reason: 'stopping' });
    expect(service.requests).toHaveLength(1);
  });
});
