import { once } from 'node:events';
import { createSecureServer, type Http2ServerRequest } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { selfSigned } from '../sandbox/loopback-server.ts';
import { createAttachments } from '../src/discord/attachments.ts';
import { createClient } from '../src/discord/client.ts';
import { createListingApi } from '../src/listing/client.ts';
import { Secret } from '../src/secret.ts';

const certificate = selfSigned();
const asked: Pick<Http2ServerRequest, 'httpVersion' | 'headers'>[] = [];
/** A server that offers HTTP/2 before HTTP/1.1, with the headers of a large CDN. */
const server = createSecureServer({ ...certificate, allowHTTP1: true }, (request, response) => {
  asked.push({ httpVersion: request.httpVersion, headers: request.headers });
  response.setHeader('content-type', 'application/json');
  response.setHeader('set-cookie', ['__dcfduid=one; Path=/; Secure', '_cfuvid=two; Path=/; HttpOnly']);
  response.setHeader('x-ratelimit-remaining', '4');
  response.setHeader('alt-svc', 'h3=":443"; ma=86400');
  request.resume();
  response.end('[]');
});

let url: string;
beforeAll(async () => {
  setDefaultCACertificates([...getCACertificates(), certificate.cert]);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

const log = () => undefined;
const logger = { debug: log, info: log, warn: log, error: log };

it("Discord's REST API is asked over HTTP/1.1 where HTTP/2 is on offer, and keeps no cookie", async () => {
  const { client, close } = createClient({ apiUrl: `${url}/api` });
  const response = await client.rest.queueRequest({
    method: 'GET' as never,
    fullRoute: '/gateway',
    auth: false,
  });
  expect(response.status).toBe(200);
  // Of some twenty headers, two of them with one name, those that discord.js reads; and never a symbol.
  expect([...response.headers]).toEqual([
    ['content-type', 'application/json'],
    ['x-ratelimit-remaining', '4'],
  ]);
  expect(asked.splice(0)).toMatchObject([{ httpVersion: '1.1' }]);
  await client.destroy();
  await close();
});

it('an attachment is read over HTTP/1.1 where HTTP/2 is on offer, and the bot says who it is', async () => {
  const attachments = createAttachments({ hosts: [new URL(url).host], maxBytes: 1000, logger });
  expect(await attachments.read(`${url}/file.txt`)).toEqual({ ok: true, bytes: Buffer.from('[]') });
  expect(asked.splice(0)).toMatchObject([
    { httpVersion: '1.1', headers: { 'user-agent': expect.stringMatching(/^DiscordBot \(/) } },
  ]);
  await attachments.close();
});

it('the listing service is asked over HTTP/1.1 where HTTP/2 is on offer', async () => {
  const api = createListingApi({ baseUrl: url, timeoutMs: 2_000, arrayFormat: 'brackets' });
  expect(await api.games(new Secret('key'))).toEqual({ kind: 'games', games: [] });
  expect(asked.splice(0)).toMatchObject([
    { httpVersion: '1.1', headers: { 'user-agent': 'server-listing-bot' } },
  ]);
  await api.close();
});
