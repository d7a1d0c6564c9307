import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect, createServer as createRelay } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Mode } from '../../sandbox/listing/modes.ts';
import { selfSigned } from '../../sandbox/loopback-server.ts';
import { eventually } from '../support/eventually.ts';
import { inAppScene, openAppScene, type Scene, textOf } from '../support/scene.ts';
import { readStored } from '../support/stored.ts';
import { ACCEPTED, submit } from './submission.ts';

const KEY = 'sandbox-key';
const NOT_SENT = /⚠️ Not sent\. .*You can safely try again/;
const UNKNOWN = /❓ Unknown\. .*may have been received: check the list before you submit it again/;

interface Fault {
  readonly what: string;
  readonly mode: Mode;
  /** How many requests it hits; all of them when not said. */
  readonly times?: number;
  /** What the member reads. */
  readonly saw: RegExp;
  /** How many requests reached the service whole; each one must be this submission. */
  readonly received: number;
  /** How often the service holds the server in the end. */
  readonly held: number;
  /** How it ended by the record. */
  readonly ended: 'accepted' | 'rejected' | 'not-sent' | 'unknown';
}

/** Why it is unknown, as the member reads it. */
const because = (why: string) =>
  new RegExp(`❓ Unknown\\. ${why} Your game server was sent and may have been received: check the list`);
const SILENT = because('The listing service did not answer in time\\.');
const BROKEN_OFF = because(
  'The connection to the listing service broke off before its answer was complete\\.',
);
const NOT_UNDERSTOOD = because('The listing service answered, but the answer could not be understood\\.');
const LIMITED = because(
  'The listing service answered that it has had too many requests \\(HTTP 429\\), .*\\.',
);
const FAILED = because('The listing service answered that it had an error of its own \\(HTTP 5xx\\)\\.');

const unknown = { saw: UNKNOWN, received: 1, held: 0, ended: 'unknown' } as const;
const unknownAndHeld = { ...unknown, held: 1 } as const;

const FAULTS: readonly Fault[] = [
  {
    what: 'refuses connections',
    mode: { kind: 'down' },
    saw: NOT_SENT,
    received: 0,
    held: 0,
    ended: 'not-sent',
  },
  {
    what: 'resets the connection in the middle of the request',
    mode: { kind: 'resetDuring' },
    ...unknown,
    saw: BROKEN_OFF,
    received: 0,
  },
  { what: 'resets the connection after the request', mode: { kind: 'reset' }, ...unknown, saw: BROKEN_OFF },
  {
    what: 'resets the connection after it has acted',
    mode: { kind: 'reset', carriedOut: true },
    ...unknownAndHeld,
    saw: BROKEN_OFF,
  },
  {
    what: 'breaks off in the middle of its answer',
    mode: { kind: 'cut' },
    ...unknownAndHeld,
    saw: BROKEN_OFF,
  },
  { what: 'never answers', mode: { kind: 'hang' }, ...unknown, saw: SILENT },
  {
    what: 'acts and never answers',
    mode: { kind: 'hang', carriedOut: true },
    ...unknownAndHeld,
    saw: SILENT,
  },
  {
    what: 'answers when nobody waits any more',
    mode: { kind: 'slow', ms: 3_000 },
    ...unknownAndHeld,
    saw: SILENT,
  },
  {
    what: 'sends headers and then nothing',
    mode: { kind: 'headersThenSilence' },
    ...unknownAndHeld,
    saw: SILENT,
  },
  { what: 'sends a byte a second', mode: { kind: 'trickle' }, ...unknownAndHeld, saw: SILENT },
  { what: 'answers 200 with a web page', mode: { kind: 'html' }, ...unknown, saw: NOT_UNDERSTOOD },
  { what: 'answers 200 with nothing', mode: { kind: 'empty' }, ...unknown, saw: NOT_UNDERSTOOD },
  {
    what: 'answers with half of the JSON',
    mode: { kind: 'truncated' },
    ...unknownAndHeld,
    saw: NOT_UNDERSTOOD,
  },
  { what: 'answers with wrong types', mode: { kind: 'wrongTypes' }, ...unknown, saw: NOT_UNDERSTOOD },
  {
    what: 'answers with 1 GiB',
    mode: { kind: 'huge' },
    ...unknown,
    saw: because('The answer of the listing service was too long to be read\\.'),
  },
  { what: 'answers with a gzip bomb', mode: { kind: 'gzipBomb' }, ...unknown, saw: NOT_UNDERSTOOD },
  {
    what: 'answers 429 without Retry-After',
    mode: { kind: 'status', status: 429 },
    ...unknown,
    saw: LIMITED,
  },
  {
    what: 'answers 429 with Retry-After',
    mode: { kind: 'status', status: 429, retryAfter: 1 },
    ...unknown,
    saw: LIMITED,
  },
  {
    what: 'answers 429 with Retry-After and a verdict',
    mode: { kind: 'json', status: 429, body: { status: 'error', message: 'Too fast.' }, retryAfter: 1 },
    saw: /Too fast\./,
    received: 1,
    held: 0,
    ended: 'rejected',
  },
  ...[500, 502, 503, 504].map((status) => ({
    what: `answers ${status}`,
    mode: { kind: 'status', status } as const,
    ...unknown,
    saw: FAILED,
  })),
  {
    what: 'answers 404',
    mode: { kind: 'status', status: 404 },
    ...unknown,
    saw: because('The listing service answered that nothing is at its address \\(HTTP 404\\)\\. .*\\.'),
  },
  {
    what: 'answers 413',
    mode: { kind: 'status', status: 413 },
    ...unknown,
    saw: because('The listing service turned the request down and did not say why \\(HTTP 4xx\\)\\.'),
  },
  {
    what: 'answers a little late',
    mode: { kind: 'slow', ms: 600 },
    saw: /Servers have been added/,
    received: 1,
    held: 1,
    ended: 'accepted',
  },
  {
    what: 'closes the connection between two requests',
    mode: { kind: 'okThenClose' },
    saw: /Servers have been added/,
    received: 1,
    held: 1,
    ended: 'accepted',
  },
];

const submission = (server: string) => ({
  action: 'add',
  key: KEY,
  servers: [{ server, port: '27015', game: 'cs2' }],
});

/** What arrived at the service since, without what says nothing of it. */
function received({ listing }: Scene, since: number) {
  return listing.requests.slice(since).map(({ action, key, servers }) => ({ action, key, servers }));
}

/** The store once nothing is unfinished: a record ends after its answer was given. */
async function storeAtRest(data: string) {
  await eventually(() => readStored(data).unfinished, []);
  return readStored(data);
}

/** A bot of its own for each case, since most of the time is waiting. */
const within = (run: (scene: Scene) => Promise<unknown>) => () =>
  inAppScene({ key: KEY, env: { LISTING_API_TIMEOUT_MS: '2000' } }, run);

describe.concurrent('a listing service that', () => {
  let elsewhere: Awaited<ReturnType<typeof startElsewhere>>;
  beforeAll(async () => {
    elsewhere = await startElsewhere();
  });
  afterAll(() => elsewhere.close());

  async function survive(scene: Scene, fault: Omit<Fault, 'what'>) {
    const { mode, times, saw, received: arrived, held, ended } = fault;
    const server = 'fault.example.com';
    const since = scene.listing.requests.length;
    await scene.listing.behave(mode, times);
    const said = textOf(await submit(scene, server));
    await scene.listing.behave({ kind: 'ok' });

    expect(said).toMatch(saw);
    expect(said).toContain(`Counter-Strike 2 — ${server}:27015`);
    expect(said).not.toMatch(/<html|undefined|\[object|ECONN|Error:/i);
    expect(received(scene, since)).toEqual(Array(arrived).fill(submission(server)));
    expect(scene.listing.submitted.filter((each) => each.server === server)).toHaveLength(held);
    const stored = await storeAtRest(scene.data);
    expect(stored.ended(scene.member.guildId, server)).toEqual([ended]);

    const next = 'next.example.com';
    expect(textOf(await submit(scene, next))).toContain(ACCEPTED);
    expect(received(scene, since + arrived)).toEqual([submission(next)]);
    return said;
  }

  for (const fault of FAULTS) {
    it(
      fault.what,
      within((scene) => survive(scene, fault)),
    );
  }

  it(
    'resets each connection as soon as it is made',
    within(async (scene) => {
      // Only new connections are concerned, so those that are open must go.
      await scene.listing.behave({ kind: 'down' });
      const since = scene.listing.requests.length;
      await scene.listing.behave({ kind: 'resetBefore' });
      const said = textOf(await submit(scene, 'reset-before.example.com'));
      await scene.listing.behave({ kind: 'ok' });
      // Whether a first byte left the machine is chance; what is said must fit what the record holds.
      const ended = NOT_SENT.test(said) ? 'not-sent' : 'unknown';
      expect(said).toMatch(ended === 'unknown' ? UNKNOWN : NOT_SENT);
      expect(received(scene, since)).toEqual([]);
      const stored = await storeAtRest(scene.data);
      expect(stored.ended(scene.member.guildId, 'reset-before.example.com')).toEqual([ended]);
      expect(textOf(await submit(scene, 'after-reset.example.com'))).toContain(ACCEPTED);
    }),
  );

  it.each([301, 302, 303, 307, 308])('answers %i to another host, which gets nothing', (status) =>
    within(async (scene) => {
      const to = elsewhere.url;
      const said = await survive(scene, {
        mode: { kind: 'redirect', status, to },
        ...unknown,
        saw: /has moved/,
      });
      expect(elsewhere.received()).toBe('');
      // The operator is told where, the member is not.
      expect(said).not.toContain(to);
      expect(scene.output()).toContain(`moved to ${new URL(to).origin}"`);
      expect(scene.output()).not.toContain(to);
    })());
});

describe('a listing service whose address', () => {
  let data: string;
  beforeAll(async () => {
    data = await mkdtemp(join(tmpdir(), 'faults-'));
    const scene = await openAppScene({ data, key: KEY });
    await scene.close();
  });
  afterAll(() => rm(data, { recursive: true }));

  /** A bot on the same data whose listing service is elsewhere. */
  async function at(url: string): Promise<Scene> {
    const scene = await openAppScene({ data, env: { LISTING_API_URL: url, LISTING_API_TIMEOUT_MS: '3000' } });
    onTestFinished(() => scene.close());
    return scene;
  }

  async function isNotSent(scene: Scene, server: string): Promise<void> {
    const said = textOf(await submit(scene, server));
    expect(said).toMatch(NOT_SENT);
    expect(said).toMatch(/could not be reached|No safe connection to the listing service/);
    expect(scene.listing.requests).toEqual([]);
    const stored = await storeAtRest(data);
    expect(stored.ended(scene.member.guildId, server)).toEqual(['not-sent']);
    expect(textOf(await scene.member.slash('games'))).toContain('Counter-Strike 2');
  }

  it('has a certificate that nobody vouches for: nothing is sent', async () => {
    let heard = '';
    const server = createTlsServer(selfSigned(), (socket) => {
      socket.on('data', (bytes) => {
        heard += bytes;
      });
      socket.on('error', () => {});
    });
    const url = await listen(server, '127.0.0.1');
    const scene = await at(url.replace('http:', 'https:'));
    await isNotSent(scene, 'untrusted.example.com');
    expect(scene.output()).toContain('DEPTH_ZERO_SELF_SIGNED_CERT');
    expect(heard).toBe('');
  });

  it('speaks no TLS: nothing is sent', async () => {
    let heard = '';
    const server = createRelay((socket) => {
      socket.on('error', () => {});
      socket.on('data', (bytes) => {
        heard += bytes.toString('latin1');
        socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
      });
    });
    const url = await listen(server, '127.0.0.1');
    await isNotSent(await at(url.replace('http:', 'https:')), 'plain.example.com');
    expect(heard).not.toContain(KEY);
  });

  it('does not resolve: nothing is sent', async () => {
    await isNotSent(await at('https://listing.invalid'), 'no-dns.example.com');
  });

  const hasIPv6 = Object.values(networkInterfaces()).some((all) =>
    all?.some(({ family }) => family === 'IPv6'),
  );
  it.skipIf(!hasIPv6)('is of IPv6 alone: all is well', async () => {
    let scene: Scene | undefined;
    const relay = createRelay((socket) => {
      const onwards = connect(Number(new URL(scene?.listing.url ?? '').port), '127.0.0.1');
      socket.on('error', () => onwards.destroy());
      onwards.on('error', () => socket.destroy());
      socket.pipe(onwards).pipe(socket);
    });
    scene = await at(await listen(relay, '::1'));
    expect(textOf(await submit(scene, 'six.example.com'))).toContain(ACCEPTED);
    expect(received(scene, 0)).toEqual([submission('six.example.com')]);
    const stored = await storeAtRest(data);
    expect(stored.ended(scene.member.guildId, 'six.example.com')).toEqual(['accepted']);
    expect(textOf(await submit(scene, 'six-again.example.com'))).toContain(ACCEPTED);
  });
});

type Listening = Pick<ReturnType<typeof createRelay>, 'listen' | 'close' | 'address' | 'once'>;

async function listen(server: Listening, host: string): Promise<string> {
  server.listen(0, host);
  await once(server as never, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Another host that would take whatever it is sent. */
async function startElsewhere() {
  let heard = '';
  const server = createServer((request, response) => {
    heard += `${request.method} ${request.url}\n`;
    request.on('data', (bytes) => {
      heard += bytes;
    });
    request.on('end', () => response.end(JSON.stringify({ status: 'success', message: 'Thank you.' })));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://localhost:${port}/api`;
  // It does listen: otherwise that it heard nothing would say nothing.
  await fetch(url, { method: 'POST', body: 'control' });
  expect(heard).toBe('POST /api\ncontrol');
  heard = '';
  return {
    url,
    received: () => heard,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
