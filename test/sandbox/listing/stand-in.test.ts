import { describe, expect, it, onTestFinished } from 'vitest';
import { readForm } from '../../../sandbox/listing/service.ts';
import { type ListingStandIn, startListing } from '../../../sandbox/listing/stand-in.ts';

async function serve(): Promise<ListingStandIn> {
  const service = await startListing();
  onTestFinished(() => service.close());
  return service;
}

/** Sends a form over its own connection, like a caller that doesn't use the bot's client. */
function send(service: ListingStandIn, form: string): Promise<Response> {
  return fetch(`${service.url}/api`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', connection: 'close' },
    body: form,
  });
}

const ask = async (service: ListingStandIn, form: string) => (await send(service, form)).json();
const error = (message: string) => ({ status: 'error', message });
const servers = (...each: string[]) => `api_key=sandbox-key&action=add&${each.join('&')}`;
const server = (fields: Record<string, string>) =>
  new URLSearchParams(
    Object.entries(fields).map(([name, value]) => [`servers[][${name}]`, value]),
  ).toString();
const good = { server: 'play.example.com', port: '27015', game: 'cs2' };
const ok = { status: 'success', message: 'Servers have been added for review.' };

describe('the simulated listing service', () => {
  it.each([
    ['rule 1: an invalid key, before any other check', 'api_key=x&action=add', 'Invalid API key.'],
    ['rule 1: no key', 'action=games', 'Invalid API key.'],
    ['rule 2: no servers', servers(), 'The server list for addition is empty.'],
    ['rule 3: no server, before rule 4', servers(server({ port: '1' })), 'Server parameter is missing.'],
    [
      'rule 3: a missing address, before rule 5 for an earlier server',
      servers(server({ ...good, game: 'x' }), server({ ...good, server: '' })),
      'Server parameter is missing.',
    ],
    ['rule 4: no game', servers(server({ server: 'a', port: '1' })), 'Game alias parameter is missing.'],
    ['rule 5: an unknown game', servers(server({ ...good, game: 'CS2' })), 'Invalid game alias provided.'],
    [
      'more than 100 servers',
      servers(...Array(101).fill(server(good))),
      'No more than 100 servers can be added at once.',
    ],
    ['no port', servers(server({ server: 'a', game: 'cs2' })), 'Port parameter is missing.'],
    ['port 0', servers(server({ ...good, port: '0' })), 'Invalid port provided.'],
    ['port 65536', servers(server({ ...good, port: '65536' })), 'Invalid port provided.'],
    ['port 1.5', servers(server({ ...good, port: '1.5' })), 'Invalid port provided.'],
    ['query port x', servers(server({ ...good, query_port: 'x' })), 'Invalid query port provided.'],
    ['no action', 'api_key=sandbox-key', 'Action parameter is missing.'],
    ['an unknown action', 'api_key=sandbox-key&action=list', 'Unknown action.'],
  ])('rejects %s', async (_case, form, message) => {
    const service = await serve();
    expect(await ask(service, form)).toEqual(error(message));
    expect(service.submitted).toEqual([]);
  });

  it("doesn't add any servers if one is invalid", async () => {
    const service = await serve();
    const wrong = server({ ...good, game: 'x' });
    expect(await ask(service, servers(server(good), wrong))).toMatchObject({ status: 'error' });
    expect(service.submitted).toHaveLength(0);
    expect(await ask(service, servers(...Array(100).fill(server(good))))).toEqual(ok);
    expect(service.submitted).toHaveLength(100);
  });

  it('accepts only POST requests to /api', async () => {
    const service = await serve();
    expect((await fetch(`${service.url}/api`)).status).toBe(405);
    expect((await fetch(`${service.url}/`, { method: 'POST' })).status).toBe(404);
    expect(service.requests).toHaveLength(0);
  });
});

const elements = (body: string) => readForm(body).servers.map((server) => Object.fromEntries(server));

describe('readForm', () => {
  it.each([
    // A repeated field starts a new element, and later fields belong to the new element.
    [
      'servers[][server]=a&servers[][server]=b&servers[][port]=1',
      [{ server: 'a' }, { server: 'b', port: '1' }],
    ],
    ['servers[][port]=1&servers[][game]=x&servers[][port]=2', [{ port: '1', game: 'x' }, { port: '2' }]],
    ['servers[10][server]=b&servers[2][server]=a', [{ server: 'a' }, { server: 'b' }]],
    ['servers%5B%5D%5Bserver%5D=%C3%A4+%26%3D', [{ server: 'ä &=' }]],
    ['servers[]=a&servers[]=b', [{}, {}]],
  ])('parses forms the way Rack does: %s', (body, expected) => expect(elements(body)).toEqual(expected));

  it('prevents prototype pollution', () => {
    const { fields, servers: read } = readForm('api_key=k&action=add&servers[][__proto__]=x&__proto__=y');
    expect([...fields.keys()]).toEqual(['api_key', 'action', '__proto__']);
    expect(read[0]?.get('__proto__')).toBe('x');
  });
});
