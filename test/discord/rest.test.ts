import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { REST, Routes } from 'discord.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '../../src/discord/client.ts';

/** What the server does with each request in turn; the last one again and again. */
type Answer = (response: ServerResponse) => void;
interface Arrived {
  readonly request: IncomingMessage;
  readonly body: string;
}

let server: Server;
let apiUrl: string;
let answers: Answer[] = [];
let arrived: Arrived[] = [];
let ours: ReturnType<typeof createClient>;
/** discord.js as it comes. */
let plain: REST;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const answer = (answers.length > 1 ? answers.shift() : answers[0]) ?? accept;
    arrived.push({ request, body: await text(request) });
    answer(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
});
afterAll(() => server.close());
beforeEach(() => {
  [answers, arrived] = [[], []];
  ours = createClient({ apiUrl });
  plain = new REST({
    api: apiUrl,
    retries: 0,
    userAgentAppendix: ours.client.rest.options.userAgentAppendix,
  });
});
afterEach(async () => {
  server.closeAllConnections();
  await ours.client.destroy();
  await ours.close();
});

const TYPE = 'content-type';
const JSON_TYPE = { [TYPE]: 'application/json' };
const answerWith =
  (status: number, body = '', headers: Readonly<Record<string, string>> = JSON_TYPE): Answer =>
  (response) =>
    response.writeHead(status, headers).end(body);
const error = (code: number, message: string) => JSON.stringify({ code, message });
const accept = answerWith(204, '', {});
const page = { [TYPE]: 'text/html' };

const route = Routes.interactionCallback('1000000000000000001', 'the-token');
const body = { type: 4, data: { content: 'Ä “word”', allowed_mentions: { parse: [] } } };
const send = (rest: REST) =>
  rest.post(route, { auth: false, body, query: new URLSearchParams({ with_response: 'false' }) });
const failureOf = (rest: REST) =>
  send(rest).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );

describe('the first response to an interaction', () => {
  it('is sent as discord.js sends it', async () => {
    await send(plain);
    await send(ours.client.rest);
    const [theirs, own] = arrived.map(({ request, body: sent }) => ({
      method: request.method,
      url: request.url,
      agent: request.headers['user-agent'],
      type: request.headers[TYPE],
      authorization: request.headers.authorization,
      sent,
    }));
    expect(own).toEqual(theirs);
    expect(own?.agent).toMatch(/^DiscordBot \(/);
  });

  it.each<[string, Answer]>([
    ['too late (10062)', answerWith(404, error(10062, 'Unknown interaction'))],
    ['given before (40060)', answerWith(400, error(40060, 'Interaction has already been acknowledged.'))],
    [
      'malformed (50035)',
      answerWith(
        400,
        JSON.stringify({
          code: 50035,
          message: 'Invalid Form Body',
          errors: { data: { content: { _errors: [{ code: 'BASE_TYPE_MAX_LENGTH', message: 'Too long' }] } } },
        }),
      ),
    ],
    ['answered with 500', answerWith(500, error(0, 'Internal Server Error'))],
    ['answered with a page and 503', answerWith(503, '<h1>Service Unavailable</h1>', page)],
  ])('fails as in discord.js when it is %s', async (_, answer) => {
    answers = [answer];
    const [theirs, own] = [await failureOf(plain), await failureOf(ours.client.rest)];
    expect(own).toBeInstanceOf(Error);
    expect(own).toEqual(theirs);
    expect(arrived).toHaveLength(2);
  });

  it('is refused for good when a page of something in between says 403', async () => {
    answers = [answerWith(403, '<h1>Forbidden</h1>', page)];
    expect(await failureOf(ours.client.rest)).toMatchObject({ name: 'DiscordAPIError[0]', status: 403 });
  });

  it('is sent again when it was limited (429)', async () => {
    const limited = JSON.stringify({ message: 'limited', retry_after: 0.2, global: false });
    answers = [answerWith(429, limited, { ...JSON_TYPE, 'retry-after': '0.2' }), accept];
    await send(ours.client.rest);
    expect(arrived).toHaveLength(2);
  });

  it('fails with the code of the connection when that is closed before the answer', async () => {
    answers = [(response) => response.socket?.destroy()];
    expect(await failureOf(ours.client.rest)).toMatchObject({ code: expect.stringMatching(/^(E|UND_ERR_)/) });
    expect(arrived).toHaveLength(1);
  });

  it('goes out on a new connection when Discord has closed the one that was kept', async () => {
    await send(ours.client.rest);
    server.closeAllConnections();
    await once(server, 'connection', { signal: AbortSignal.timeout(1) }).catch(() => undefined);
    await send(ours.client.rest);
    expect(arrived).toHaveLength(2);
  });

  it.each<[string, Answer]>([
    ['nothing', accept],
    ['a page', answerWith(200, '<h1>OK</h1>', page)],
  ])('is taken when the answer to it is %s', async (_, answer) => {
    answers = [answer];
    expect(await send(ours.client.rest)).toBeUndefined();
  });
});
