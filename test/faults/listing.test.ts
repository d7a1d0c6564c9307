import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Mode } from '../../sandbox/listing/modes.ts';
import { ACCEPTED, addServer } from '../support/actions.ts';
import { selfSigned } from '../support/certificate.ts';
import { eventually } from '../support/eventually.ts';
import { inNewGuild, openAppScene, type Scene, textOf } from '../support/scene.ts';
import { readStored } from '../support/stored.ts';

/* Every way of the service to fail is in test/listing/client.test.ts; here is what the whole bot makes of six of them. */

interface Fault {
  readonly what: string;
  readonly mode: Mode;
  /** What the member reads. */
  readonly saw: RegExp;
  /** How many requests reached the service whole, and how often it holds the server in the end. */
  readonly received: number;
  readonly holds: number;
  /** How it ended by the record. */
  readonly ended: 'rejected' | 'not-sent' | 'unknown';
}

const unknown = { received: 1, ended: 'unknown' } as const;
/** Why it is unknown, as the member reads it. */
const because = (why: string) => new RegExp(`❓ Unknown\\. ${why} It may have arrived: check the list`);

const FAULTS: readonly Fault[] = [
  {
    what: 'refuses connections',
    mode: { kind: 'down' },
    saw: /⚠️ Not sent\. The listing service could not be reached\. You can safely try again/,
    received: 0,
    holds: 0,
    ended: 'not-sent',
  },
  {
    what: 'answers when nobody waits any more',
    mode: { kind: 'slow', ms: 3_000 },
    ...unknown,
    saw: because('The listing service did not answer in time\\.'),
    holds: 1,
  },
  {
    what: 'answers with a web page',
    mode: { kind: 'html' },
    ...unknown,
    saw: because('The listing service gave an answer that the bot could not read\\.'),
    holds: 0,
  },
  {
    what: 'answers 401 with its verdict',
    mode: { kind: 'json', status: 401, body: { status: 'error', message: 'Invalid API key.' } },
    saw: /❌ Refused\. .*Invalid API key\..*Ask someone with Manage Server to enter an API key/s,
    received: 1,
    holds: 0,
    ended: 'rejected',
  },
  {
    what: 'answers 429',
    mode: { kind: 'status', status: 429, retryAfter: 1 },
    ...unknown,
    saw: because('The listing service reports too many requests; .* \\(HTTP 429\\)\\.'),
    holds: 0,
  },
  {
    what: 'acts, and its answer is lost',
    mode: { kind: 'reset', carriedOut: true },
    ...unknown,
    saw: because('The connection to the listing service broke off\\.'),
    holds: 1,
  },
];

describe('a listing service that', () => {
  /** One bot for all of them, and a guild of its own for each. */
  let bot: Scene;
  let scene: Scene;
  beforeAll(async () => {
    bot = await openAppScene({ env: { LISTING_API_TIMEOUT_MS: '1500' } });
  });
  beforeEach(async () => {
    scene = await inNewGuild(bot, { key: 'sandbox-key' });
  });
  afterAll(() => bot.close());

  it.each(FAULTS)('$what', async ({ mode, saw, received, holds, ended }) => {
    const { member } = scene;
    const server = `${ended}-${mode.kind}.example.com`.toLowerCase();
    const since = bot.listing.requests.length;
    await bot.listing.behave(mode);
    const said = textOf(await addServer(member, `${server}:27015`));
    await bot.listing.behave({ kind: 'ok' });

    expect(said).toMatch(saw);
    expect(said).toContain(`Counter-Strike 2 — ${server}:27015`);
    const sent = bot.listing.requests.slice(since).map(({ action, servers }) => ({ action, servers }));
    const request = { action: 'add', servers: [{ server, port: '27015', game: 'cs2' }] };
    expect(sent).toEqual(Array(received).fill(request));
    await eventually(() => bot.listing.submitted.filter((each) => each.server === server).length, holds);
    await eventually(() => readStored(bot.data).unfinished, []);
    expect(readStored(bot.data).ended(member.guildId, server)).toEqual([ended]);

    const other = await inNewGuild(bot, { key: 'sandbox-key' });
    expect(textOf(await addServer(other.member, 'next.example.com:1'))).toContain(ACCEPTED);
  });
});

describe('a listing service whose address', () => {
  let data: string;
  beforeAll(async () => {
    data = await mkdtemp(join(tmpdir(), 'faults-'));
    const scene = await openAppScene({ data, key: 'sandbox-key' });
    await scene.close();
  });
  afterAll(() => rm(data, { recursive: true }));

  /** A bot on the same data whose listing service is elsewhere. */
  async function at(url: string): Promise<Scene> {
    const scene = await openAppScene({ data, env: { LISTING_API_URL: url, LISTING_API_TIMEOUT_MS: '3000' } });
    onTestFinished(() => scene.close());
    return scene;
  }

  type Listening = Pick<ReturnType<typeof createServer>, 'listen' | 'close' | 'address'>;
  async function listen(server: Listening, host: string): Promise<number> {
    server.listen(0, host);
    await once(server as never, 'listening');
    onTestFinished(() => void server.close());
    return (server.address() as AddressInfo).port;
  }

  it('has a certificate that nobody vouches for: nothing is sent', async () => {
    let heard = '';
    const server = createTlsServer(selfSigned(), (socket) => {
      socket.on('data', (bytes) => {
        heard += bytes;
      });
      socket.on('error', () => {});
    });
    const scene = await at(`https://127.0.0.1:${await listen(server, '127.0.0.1')}`);
    const said = textOf(await addServer(scene.member, 'untrusted.example.com:1'));
    expect(said).toMatch(/⚠️ Not sent\. No safe connection to the listing service.*safely try again/);
    expect(scene.output()).toContain('DEPTH_ZERO_SELF_SIGNED_CERT');
    expect(heard).toBe('');
    expect(readStored(data).ended(scene.member.guildId, 'untrusted.example.com')).toEqual(['not-sent']);
    expect(textOf(await scene.member.slash('games'))).toContain('Counter-Strike 2');
  });

  const interfaces = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  it.skipIf(!interfaces.some(({ family }) => family === 'IPv6'))(
    'is of IPv6 alone: all is well',
    async () => {
      let port = 0;
      const relay = createServer((socket) => {
        const onwards = connect(port, '127.0.0.1');
        socket.on('error', () => onwards.destroy());
        onwards.on('error', () => socket.destroy());
        socket.pipe(onwards).pipe(socket);
      });
      const scene = await at(`http://[::1]:${await listen(relay, '::1')}`);
      port = Number(new URL(scene.listing.url).port);
      expect(textOf(await addServer(scene.member, 'six.example.com:1'))).toContain(ACCEPTED);
      expect(scene.listing.submitted).toHaveLength(1);
    },
  );
});
