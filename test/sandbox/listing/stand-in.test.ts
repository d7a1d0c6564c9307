import { afterEach, describe, expect, it } from 'vitest';
import { SANDBOX_GAMES } from '../../../sandbox/listing/games.ts';
import { readForm } from '../../../sandbox/listing/service.ts';
import { type ListingOptions, type ListingStandIn, startListing } from '../../../sandbox/listing/stand-in.ts';

const open: ListingStandIn[] = [];
afterEach(async () => {
  for (const service of open.splice(0)) await service.close();
});

async function serve(options?: ListingOptions): Promise<ListingStandIn> {
  const service = await startListing(options);
  open.push(service);
  return service;
}

/** A connection of its own for each, as a caller without any knowledge of the bot's client would have it. */
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

describe('the listing stand-in, by the specification', () => {
  it('lists games, among them the twelve known aliases, each alias once', async () => {
    const service = await serve();
    expect(await ask(service, 'api_key=sandbox-key&action=games')).toEqual(SANDBOX_GAMES);
    const aliases = SANDBOX_GAMES.map(({ alias }) => alias);
    expect(new Set(aliases).size).toBe(aliases.length);
    expect(aliases.length).toBeGreaterThan(25);
    const known = 'cs2 css cs16 csgo minecraft ark samp rust gm l4d2 tf2 dayz'.split(' ');
    for (const alias of known) expect(aliases).toContain(alias);
  });

  it.each([
    ['rule 1: an invalid key, before all else', 'api_key=x&action=add', 'Invalid API key.'],
    ['rule 1: no key', 'action=games', 'Invalid API key.'],
    ['rule 2: no servers', servers(), 'The server list for addition is empty.'],
    ['rule 3: no server, before rule 4', servers(server({ port: '1' })), 'Server parameter is missing.'],
    [
      'rule 3 of the last server before rule 5 of the first',
      servers(server({ ...good, game: 'x' }), server({ ...good, server: '' })),
      'Server parameter is missing.',
    ],
    ['rule 4: no game', servers(server({ server: 'a', port: '1' })), 'Game alias parameter is missing.'],
    ['rule 5: an unknown game', servers(server({ ...good, game: 'CS2' })), 'Invalid game alias provided.'],
    [
      'more than 100',
      servers(...Array(101).fill(server(good))),
      'No more than 100 servers can be added at once.',
    ],
    ['no port', servers(server({ server: 'a', game: 'cs2' })), 'Port parameter is missing.'],
    ['port 0', servers(server({ ...good, port: '0' })), 'Invalid port provided.'],
    ['port 65536', servers(server({ ...good, port: '65536' })), 'Invalid port provided.'],
    ['port 1.5', servers(server({ ...good, port: '1.5' })), 'Invalid port provided.'],
    ['query port x', servers(server({ ...good, query_port: 'x' })), 'Invalid query port provided.'],
    ['no action', 'api_key=sandbox-key', 'Action parameter is missing.'],
    ['another action', 'api_key=sandbox-key&action=list', 'Unknown action.'],
  ])('refuses %s', async (_case, form, message) => {
    const service = await serve();
    expect(await ask(service, form)).toEqual(error(message));
    expect(service.submitted).toEqual([]);
  });

  it('adds none when one is wrong, and a hundred at once', async () => {
    const service = await serve();
    const wrong = server({ ...good, game: 'x' });
    expect(await ask(service, servers(server(good), wrong))).toMatchObject({ status: 'error' });
    expect(service.submitted).toHaveLength(0);
    expect(await ask(service, servers(...Array(100).fill(server(good))))).toEqual(ok);
    expect(service.submitted).toHaveLength(100);
  });

  it('answers nothing but POST to /api', async () => {
    const service = await serve();
    expect((await fetch(`${service.url}/api`)).status).toBe(405);
    expect((await fetch(`${service.url}/`, { method: 'POST' })).status).toBe(404);
    expect(service.requests).toHaveLength(0);
  });
});

describe('the listing stand-in, told to fail', () => {
  const add = servers(server(good));

  it('goes down, refuses connections, and comes back at the same address with what it held', async () => {
    const service = await serve();
    await ask(service, add);
    await service.behave({ kind: 'down' });
    await expect(send(service, add)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
    await service.behave({ kind: 'ok' });
    expect(await ask(service, add)).toEqual(ok);
    expect(service.submitted).toHaveLength(2);
  });
});

const elements = (body: string) => readForm(body).servers.map((server) => Object.fromEntries(server));

describe('reading a form as Rack does', () => {
  it('begins a new element when a field repeats in the current one', () => {
    expect(elements('servers[][server]=a&servers[][port]=1&servers[][server]=b&servers[][port]=2')).toEqual([
      { server: 'a', port: '1' },
      { server: 'b', port: '2' },
    ]);
  });

  it('takes a field that is missing in one element from the next, when that does not begin with `server`', () => {
    expect(elements('servers[][server]=a&servers[][server]=b&servers[][port]=1&servers[][game]=x')).toEqual([
      { server: 'a' },
      { server: 'b', port: '1', game: 'x' },
    ]);
  });

  it('reads numbered elements in the order of their numbers', () => {
    expect(elements('servers[10][server]=c&servers[2][server]=b&servers[0][server]=a')).toEqual([
      { server: 'a' },
      { server: 'b' },
      { server: 'c' },
    ]);
  });

  it('decodes names and values', () => {
    expect(elements('servers%5B%5D%5Bserver%5D=%C3%A4+%26%3D')).toEqual([{ server: 'ä &=' }]);
  });

  it('keeps the other fields apart, and no field can reach into the objects around it', () => {
    const { fields, servers: read } = readForm('api_key=k&action=add&servers[][__proto__]=x&__proto__=y');
    expect([...fields.keys()]).toEqual(['api_key', 'action', '__proto__']);
    expect(read[0]?.get('__proto__')).toBe('x');
  });

  it('reads plain texts as elements without fields', () => {
    expect(elements('servers[]=a&servers[]=b')).toEqual([{}, {}]);
  });
});
