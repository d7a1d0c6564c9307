import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { servePage } from '../../../sandbox/page/server.ts';
import { openSandbox } from '../../../sandbox/sandbox.ts';

const sandbox = await openSandbox({ surroundings: process.env });
const page = await servePage({ sandbox });
const { port, searchParams } = new URL(page.address);
const token = searchParams.get('token') ?? '';

describe('the sandbox page server', () => {
  afterAll(async () => {
    await page.close();
    await sandbox.close();
  });

  async function ask(
    path: string,
    { method = 'GET', body = '', ...headers }: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly status: number; readonly body: string; readonly policy: string }> {
    const asked = request({ host: '127.0.0.1', port, path, method, headers });
    asked.end(body);
    const [response] = await once(asked, 'response');
    return {
      status: response.statusCode,
      body: await text(response),
      policy: String(response.headers['content-security-policy'] ?? ''),
    };
  }
  const seat = { role: 'admin', guild: '', locale: 'en-US' };
  const say = JSON.stringify({ do: 'say', text: 'hello', seat });
  const written = () =>
    sandbox.discord.guilds.flatMap(({ channelId }) => sandbox.discord.messages({ channelId })).length;

  it('serves the page with the token and a strict content security policy', async () => {
    const { status, body, policy } = await ask(`/?token=${token}`);
    expect(status).toBe(200);
    expect(body).toContain('<script type="importmap">{"imports":');
    expect(policy).toMatch(/^default-src 'none'; script-src 'self' 'sha256-[\w+/=]+'; style-src 'self'; /);
    expect(policy).not.toContain('unsafe');
  });

  it('renders the page in the requested language', async () => {
    const { body } = await ask(`/?token=${token}&locale=de`);
    expect(body).toContain('<html lang="de">');
    expect(body).toContain('<h2>Spielserver, eingereicht aus Discord</h2>');
  });

  it.for([
    '/',
    '/?token=wrong',
    '/events',
    '/events?token=',
  ])('rejects %s without a valid token', async (path) => {
    expect((await ask(path)).status).toBe(403);
  });

  it('requires the correct token to run an action', async () => {
    expect((await ask('/act', { method: 'POST', body: say })).status).toBe(403);
    expect((await ask('/act', { method: 'POST', body: say, 'x-token': 'wrong' })).status).toBe(403);
    expect((await ask('/act', { 'x-token': token })).status).toBe(405);
    expect(written()).toBe(0);
    const { body } = await ask('/act', { method: 'POST', body: say, 'x-token': token });
    expect(JSON.parse(body)).toEqual({ kind: 'done' });
    expect(written()).toBe(1);
  });

  it.for([
    { host: 'sandbox.example.com' },
    { host: '127.0.0.1:1' },
    { origin: 'https://example.com' },
    { origin: 'null' },
    { origin: 'http://127.0.0.1:1' },
  ])('rejects requests with a foreign host or origin: %o', async (headers: Readonly<
    Record<string, string>
  >) => {
    for (const path of [`/?token=${token}`, '/client/main.ts', `/events?token=${token}`])
      expect((await ask(path, headers)).status).toBe(403);
    const before = written();
    const acted = await ask('/act', { method: 'POST', body: say, 'x-token': token, ...headers });
    expect(acted.status).toBe(403);
    expect(written()).toBe(before);
  });

  it.for([
    '/client/../server.ts',
    '/client/%2e%2e/server.ts',
    '/modules/../package.json',
    '/modules/discord.js/src/index.js',
    '/modules/lit/../discord.js/src/index.js',
    '/client/tsconfig.json',
    '/client/none.ts',
    '/nowhere',
  ])("doesn't serve %s", async (path) => {
    const { status, body } = await ask(path);
    expect([403, 404]).toContain(status);
    expect(body).not.toContain('import');
  });

  it('serves modules that browsers can load', async () => {
    const { status, body } = await ask('/client/main.ts');
    expect(status).toBe(200);
    expect(body).not.toContain('import type {');
    expect((await ask('/modules/lit/index.js')).status).toBe(200);
  });

  it('can simulate a Discord failure and recovery', async () => {
    const act = async (name: string) => {
      const body = JSON.stringify({ do: 'trouble', whom: 'discord', name, seat });
      return JSON.parse((await ask('/act', { method: 'POST', body, 'x-token': token })).body);
    };
    expect(await act('blocked-html')).toEqual({ kind: 'done' });
    const blocked = await fetch(`${sandbox.discord.apiUrl}/v10/gateway/bot`);
    expect(blocked.status).toBe(429);
    expect(blocked.headers.has('retry-after')).toBe(false);
    expect(await blocked.text()).toContain('<!doctype html>');
    expect(await act('happy')).toMatchObject({ kind: 'rejected' });
    expect(await act('ok')).toEqual({ kind: 'done' });
    expect((await fetch(`${sandbox.discord.apiUrl}/v10/gateway/bot`)).status).not.toBe(429);
  });

  it('returns an error for an unknown action', async () => {
    const unknown = { method: 'POST', body: JSON.stringify({ do: 'fly', seat }), 'x-token': token };
    expect(JSON.parse((await ask('/act', unknown)).body)).toEqual({
      kind: 'rejected',
      why: 'there is no action fly',
    });
    const play = { ...unknown, body: JSON.stringify({ do: 'play', scenario: 'none', seat }) };
    expect(JSON.parse((await ask('/act', play)).body)).toEqual({
      kind: 'rejected',
      why: 'there is no scenario none',
    });
  });
});
