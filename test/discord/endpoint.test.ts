import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Change } from '../../sandbox/discord/endpoint.ts';
import { startDiscord } from '../../sandbox/discord/stand-in.ts';
import { createLoopbackServer } from '../../sandbox/loopback-server.ts';
import { quietPort } from '../../sandbox/quiet-port.ts';
import { createEndpoint } from '../../src/discord/endpoint.ts';
import { oneBot, ownBotTest, textOf } from '../support/bot.ts';
import { recorder } from '../support/machine.ts';
import { ACCEPTED, addServer } from '../support/people.ts';
import { TOKEN } from '../support/small-bot.ts';

const httpIt = ownBotTest({ http: true });

const TOO_LONG = 262_144 + 1;
const COMMAND = JSON.stringify({ type: 2, id: '1', token: 's3cret-token' });

/** Starts an endpoint that receives requests from a Discord stand-in. */
async function openEndpoint() {
  const discord = await startDiscord({ token: TOKEN });
  onTestFinished(() => discord.close());
  const port = await quietPort();
  const logger = recorder();
  const taken: unknown[] = [];
  const fatal: Error[] = [];
  const open = () =>
    createEndpoint({
      publicKey: discord.endpoint.publicKey,
      host: '127.0.0.1',
      port,
      onInteraction: (payload) => taken.push(payload),
      onFatal: (error) => fatal.push(error),
      logger,
    });
  const endpoint = open();
  await endpoint.connect(new AbortController().signal);
  onTestFinished(() => endpoint.disconnect());
  const url = `http://127.0.0.1:${port}/interactions`;
  const post = (body: string, change: Change = {}) => discord.endpoint.send(body, { url, ...change });
  const logged = () => JSON.stringify(logger.lines);
  return { discord, endpoint, open, port, url, post, taken, fatal, logged };
}

/** Sends this string over a new connection, and returns the whole response. */
async function speak(port: number, text: string) {
  const socket: Socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  socket.setEncoding('utf8');
  let heard = '';
  socket.on('data', (more) => {
    heard += more;
  });
  socket.on('error', () => undefined);
  const closed = once(socket, 'close').then(() => heard);
  socket.write(text);
  return { socket, closed };
}

const UNSIGNED = { 'x-signature-ed25519': 'ab'.repeat(64), 'x-signature-timestamp': '1700000000' };

/** Returns the headers of a request that could have come from Discord. */
const head = (length: number, signature: Readonly<Record<string, string>> = UNSIGNED) =>
  [
    'POST /interactions HTTP/1.1',
    'Host: bot.example.com',
    ...Object.entries(signature).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${length}`,
    '\r\n',
  ].join('\r\n');

describe('the interactions endpoint', () => {
  it('responds to PING and accepts requests signed by Discord', async () => {
    const { endpoint, post, taken } = await openEndpoint();
    expect(endpoint.isConnected()).toBe(true);
    const pong = await post(JSON.stringify({ type: 1 }));
    expect([pong.status, JSON.parse(pong.body)]).toEqual([200, { type: 1 }]);
    expect(taken).toEqual([]);
    expect(await post(COMMAND)).toEqual({ status: 202, body: '' });
    expect(taken).toEqual([JSON.parse(COMMAND)]);
    await endpoint.disconnect();
    expect(endpoint.isConnected()).toBe(false);
    await expect(post(COMMAND)).rejects.toThrow();
  });

  it.each<[status: number, what: string, change: Change]>([
    [401, 'a wrong signature', { headers: { 'x-signature-ed25519': 'ab'.repeat(64) } }],
    [401, 'a missing signature', { headers: { 'x-signature-ed25519': '' } }],
    [401, 'an invalid signature', { headers: { 'x-signature-ed25519': 'zz'.repeat(64) } }],
    [401, 'a modified timestamp', { headers: { 'x-signature-timestamp': now() } }],
    [401, 'a missing timestamp', { headers: { 'x-signature-timestamp': '' } }],
    [401, 'a modified body', { sent: COMMAND.replace('"1"', '"2"') }],
  ])('returns %i for %s', async (status, _, change) => {
    const { post, taken, logged } = await openEndpoint();
    expect((await post(COMMAND, change)).status).toBe(status);
    expect(taken).toEqual([]);
    expect(logged()).not.toContain('s3cret');
    expect((await post(COMMAND)).status).toBe(202);
  });

  it.each([
    -86_400, 86_400,
  ])('accepts requests signed with a clock that is off by %i seconds', async (timeOff) => {
    const { post, taken } = await openEndpoint();
    expect((await post(COMMAND, { timeOff })).status).toBe(202);
    expect(taken).toHaveLength(1);
  });

  it('rejects requests to other paths', async () => {
    const { url, post, taken } = await openEndpoint();
    expect((await post(COMMAND, { url: url.replace(/interactions$/, '') })).status).toBe(404);
    expect(taken).toEqual([]);
  });

  it('closes the connection after an unsigned request', async () => {
    const { url } = await openEndpoint();
    const unsigned: readonly (readonly [method: string, path: string])[] = [
      ['GET', '/livez'],
      ['GET', '/interactions'],
      ['POST', '/'],
      ['POST', '/interactions'],
    ];
    const answers = unsigned.map(([method, path]) => fetch(new URL(path, url), { method }));
    const heard = (await Promise.all(answers)).map(({ status, headers }) => [
      status,
      headers.get('connection'),
    ]);
    expect(heard).toEqual([200, 405, 404, 401].map((status) => [status, 'close']));
  });

  it('rejects signed but invalid JSON without quoting it', async () => {
    const { post, taken, logged } = await openEndpoint();
    const { status, body } = await post(`{"type":2,"token":"s3cret-token"`);
    expect([status, taken]).toEqual([400, []]);
    expect(body + logged()).not.toContain('s3cret');
  });

  it('reads at most 256 KiB of a request', async () => {
    const { post, taken } = await openEndpoint();
    expect((await post(' '.repeat(TOO_LONG))).status).toBe(413);
    expect((await post(COMMAND.padEnd(TOO_LONG - 1))).status).toBe(202);
    expect(taken).toHaveLength(1);
    expect((await post(COMMAND)).status).toBe(202);
  });

  it("doesn't wait for a body that never arrives", async () => {
    const { port, post, taken, logged } = await openEndpoint();
    const cut = await speak(port, `${head(100)}{"type":`);
    cut.socket.destroy();
    const slow = await speak(port, `${head(100)}{"type":`);
    expect(await slow.closed).toContain('408');
    expect(await post(COMMAND)).toMatchObject({ status: 202 });
    expect(taken).toHaveLength(1);
    expect(logged()).not.toContain('error');
  });

  it('cuts off a signed request with a slow body', async () => {
    const { discord, port, taken } = await openEndpoint();
    const { socket, closed } = await speak(port, head(COMMAND.length, discord.endpoint.signatureOf(COMMAND)));
    let sent = 0;
    const sender = setInterval(() => {
      socket.write(COMMAND.slice(sent, sent + 1));
      sent += 1;
    }, 3_000 / COMMAND.length);
    onTestFinished(() => clearInterval(sender));
    expect(await closed).toContain('408');
    expect(taken).toEqual([]);
  });

  it('responds to Discord while another client keeps 500 slow requests open', async () => {
    const { port, post, taken } = await openEndpoint();
    let isOver = false;
    const sockets = new Set<Socket>();
    onTestFinished(() => {
      isOver = true;
      for (const socket of sockets) socket.destroy();
    });
    function openSlowly(): void {
      const socket = connect(port, '127.0.0.1', () => socket.write(`${head(100)}{`));
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        if (!isOver) openSlowly();
      });
    }
    for (let n = 0; n < 500; n++) openSlowly();
    await expect.poll(() => [...sockets].filter(({ bytesWritten }) => bytesWritten > 0)).toHaveLength(500);
    for (let n = 0; n < 20; n++) {
      // Each request has a new connection.
      expect(await post(COMMAND, { headers: { connection: 'close' } })).toMatchObject({ status: 202 });
    }
    expect(taken).toHaveLength(20);
  });

  it('names INTERACTIONS_PORT in the error if the port is already in use', async () => {
    const { open, fatal } = await openEndpoint();
    await open().connect(new AbortController().signal);
    expect(fatal.map(({ message }) => message)).toEqual([expect.stringContaining('INTERACTIONS_PORT')]);
  });
});

/** Returns a time that hasn't been used to sign any other request. */
function now(): string {
  return String(Math.floor(Date.now() / 1000) + 60);
}

describe('a bot', () => {
  it('handles an HTTP interaction only once, even if Discord delivers it twice', async () => {
    const port = await quietPort();
    const env = { HTTP_PORT: String(port) };
    const { discord, listing, log, newGuild } = await oneBot({ http: true, env });
    const { member } = await newGuild({ key: 'sandbox-key' });
    const posted: number[] = [];
    discord.watch((event) => {
      if (event.kind === 'wire' && event.request.path === '/interactions') posted.push(event.request.status);
    });
    discord.gateway.disturbDispatch({ copies: 2 });
    const answer = await addServer(member, 'twice.example.com:1');
    discord.gateway.disturbDispatch({});
    expect(textOf(answer)).toContain(ACCEPTED);
    await expect.poll(() => JSON.stringify(log())).toContain('interaction lost');
    expect(listing.submitted).toHaveLength(1);
    expect(posted).toEqual([202, 202]);
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
    expect(discord.requests.filter(({ path }) => path.includes('/gateway/bot'))).toEqual([]);
    expect(log().filter(({ level }) => level === 'error')).toEqual([]);
  });

  httpIt('finishes HTTP requests while stopping, but rejects new ones', async ({ bot, member, listing }) => {
    const mayAnswer = Promise.withResolvers<void>();
    await listing.behave({ kind: 'held', until: mayAnswer.promise });
    const asked = addServer(member, 'stop.example.com:1');
    await expect.poll(() => listing.requests.at(-1)?.servers.length).toBe(1);
    const stopped = bot.process.stop();
    await expect.poll(() => member.slash('help')).toEqual({ kind: 'lost' });
    mayAnswer.resolve();
    await stopped;
    expect(textOf(await asked)).toContain(ACCEPTED);
  });

  it('starts without an Interactions Endpoint URL, and logs how to set one', async () => {
    const { discord, process, log, person } = await oneBot({ http: true, start: false });
    const url = discord.endpoint.url();
    await discord.endpoint.save(undefined);
    process.start();
    const said = () => JSON.stringify(log());
    await expect
      .poll(said)
      .toMatch(/does not have an Interactions Endpoint URL.*while the bot is running, enter the https/);
    await expect.poll(said).toContain('"ready"');
    await discord.endpoint.save(url);
    expect(textOf(await person({}).slash('help'))).toContain('/addserver');
  });

  it('logs an error if Discord sends interactions to a URL instead of the gateway', async () => {
    const discord = { endpointUrl: 'https://127.0.0.1:9/interactions' };
    const { process, log } = await oneBot({ http: false, start: false, discord });
    process.start();
    await expect.poll(() => JSON.stringify(log())).toMatch(/has an Interactions Endpoint URL.*clear /);
  });

  it("isn't ready while Discord sends interactions to a URL instead of the gateway", async () => {
    const port = await quietPort();
    const env = { HTTP_PORT: String(port) };
    const { discord, log } = await oneBot({ http: false, env, timing: { transportEveryMs: 20 } });
    const readyz = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).text();
    expect(await readyz()).toContain('"ready":true');
    // Discord accepts every server that responds to its PING and rejects unsigned requests.
    let count = 0;
    const elsewhere = createLoopbackServer((_, response) => {
      count += 1;
      const isFirst = count === 1;
      response.writeHead(isFirst ? 200 : 401, { 'content-type': 'application/json' }).end('{"type":1}');
    });
    onTestFinished(() => elsewhere.close());
    await discord.endpoint.save(`http://127.0.0.1:${await elsewhere.listen(0)}/`);
    await expect.poll(() => JSON.stringify(log())).toContain('has an Interactions Endpoint URL');
    expect(await readyz()).toMatch(/"ready":false,"gateway":{"ok":false,.*has an Interactions Endpoint URL/);
    await discord.endpoint.save(undefined);
    await expect.poll(readyz).toContain('"ready":true');
  });

  it('logs an error if DISCORD_PUBLIC_KEY belongs to another application', async () => {
    const env = { DISCORD_PUBLIC_KEY: '0'.repeat(64) };
    const { discord, process, log } = await oneBot({ http: true, start: false, env });
    process.start();
    await expect.poll(() => JSON.stringify(log())).toContain('DISCORD_PUBLIC_KEY does not belong');
    await expect(discord.endpoint.save(discord.endpoint.url())).rejects.toThrow('verified');
  });
});

describe('the simulated Discord', () => {
  it('rejects an interactions endpoint that accepts invalid signatures', async () => {
    const discord = await startDiscord({ token: TOKEN });
    onTestFinished(() => discord.close());
    const server = createServer((_request, response) => response.writeHead(200).end('{"type":1}'));
    const port = await quietPort();
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    await expect(discord.endpoint.save(`http://127.0.0.1:${port}`)).rejects.toThrow('could not be verified');
    expect(discord.endpoint.url()).toBeUndefined();
  });

  it("stops waiting for an interactions endpoint that doesn't respond", async () => {
    const port = await quietPort();
    const server = createServer(() => sleep(1));
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    const endpointUrl = `http://127.0.0.1:${port}`;
    const discord = await startDiscord({ token: TOKEN, endpointUrl, answerWithinMs: 50 });
    onTestFinished(() => discord.close());
    await expect(discord.endpoint.send('{}')).rejects.toThrow('timeout');
  });
});
