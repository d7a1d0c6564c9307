import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect } from 'vitest';
import { quietPort } from '../../sandbox/quiet-port.ts';
import { botTest, oneBot } from '../support/bot.ts';
import { sampleOf, scrape } from '../support/machine.ts';
import { addServer } from '../support/people.ts';

const port = await quietPort();
const it = botTest({ env: { HTTP_PORT: String(port) } });

const get = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init);

async function ready() {
  const response = await get('/readyz');
  return { status: response.status, ...((await response.json()) as Record<string, unknown>) };
}

/** Waits until the bot has counted every reply, which it does a moment after the member has seen the reply. */
const allCounted = () =>
  expect.poll(async () => sampleOf(await scrape(port), 'listing_bot_unanswered_interactions')).toBe(0);

/** Returns a function that reports a sample's increase since this call. */
async function grownSince(): Promise<(name: string, labels?: string) => Promise<number>> {
  await allCounted();
  const before = await scrape(port);
  return async (name, labels) =>
    (sampleOf(await scrape(port), name, labels) ?? 0) - (sampleOf(before, name, labels) ?? 0);
}

describe('the health check', () => {
  it('returns 200 on /livez while the process is alive', async ({ bot: _bot }) => {
    const response = await get('/livez?from=a-probe');
    expect([response.status, await response.text()]).toEqual([200, 'ok\n']);
    expect((await get('/livez', { method: 'HEAD' })).status).toBe(200);
  });

  it("returns 503 on /readyz while the store isn't writable", async ({ bot, guild: _guild }) => {
    const well = {
      status: 200,
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      ready: true,
      gateway: { ok: true, shards: { ready: 1 } },
      store: { ok: true },
      listing: { ok: true },
    };
    await expect.poll(ready).toMatchObject(well);
    const grown = await grownSince();
    const locked = { ok: false, detail: expect.stringContaining('database is locked') };
    const other = new DatabaseSync(join(bot.data, 'bot.sqlite'));
    other.exec('BEGIN IMMEDIATE');
    await expect.poll(ready).toMatchObject({ ...well, status: 503, ready: false, store: locked });
    other.close();
    await expect.poll(ready).toMatchObject(well);
    expect(await grown('listing_bot_store_errors_total')).toBeGreaterThan(0);
  });

  it("explains on /readyz why the bot can't use the listing service", async ({ member, listing }) => {
    await listing.behave({ kind: 'text', status: 404, body: '<html></html>' }, 1);
    await addServer(member, 'nowhere.example.com:1');
    const detail = expect.stringMatching(/^not-found: HTTP 404: /);
    expect(await ready()).toMatchObject({ status: 200, ready: true, listing: { ok: false, detail } });
    await addServer(member, 'somewhere.example.com:1');
    expect((await ready()) as object).toHaveProperty('listing', { ok: true });
  });

  it("explains on /readyz why the bot isn't receiving commands", async () => {
    const own = await quietPort();
    const other = await oneBot({ env: { HTTP_PORT: String(own) }, http: false });
    const gateway = async () => Object(await (await fetch(`http://127.0.0.1:${own}/readyz`)).json()).gateway;
    expect(await gateway()).not.toHaveProperty('detail');
    other.discord.gateway.silence(true);
    other.discord.gateway.cut();
    const detail = expect.stringContaining('1 of 1 shards do not have a session');
    await expect.poll(gateway).toMatchObject({ ok: false, detail });
    other.discord.gateway.silence(false);
    await expect.poll(gateway).toMatchObject({ ok: true });

    const free = await quietPort();
    const lonely = await oneBot({
      start: false,
      crash: true,
      http: false,
      env: { HTTP_PORT: String(free), DISCORD_API_URL: 'http://127.0.0.1:9/api' },
    });
    lonely.process.start();
    const cut = async () =>
      Object(
        await fetch(`http://127.0.0.1:${free}/readyz`).then(
          (response) => response.json(),
          () => undefined,
        ),
      ).gateway;
    await expect.poll(cut).toMatchObject({ ok: false, detail: 'cannot reach Discord: connection refused' });
  });

  it('lists the available paths in 404 responses', async ({ bot: _bot }) => {
    const missing = await get('/');
    expect([missing.status, await missing.text()]).toEqual([404, expect.stringContaining('/readyz')]);
  });
});

describe('the metrics', () => {
  it("count members' actions, with their outcomes and durations", async ({ bot, member }) => {
    const grown = await grownSince();
    await addServer(member, 'metrics.example.com:1');
    await addServer(member, 'no address');
    await addServer(bot.person({}), 'no-key.example.com:1');
    await member.complete('addserver', 'game', { game: 'c' });
    await member.slash('help');
    await allCounted();
    const interactions = 'listing_bot_interactions_total';
    expect(await grown(interactions, '{command="addserver",outcome="answered"}')).toBe(2);
    expect(await grown(interactions, '{command="addserver",outcome="refused"}')).toBe(2);
    expect(await grown(interactions, '{command="help",outcome="answered"}')).toBe(1);
    for (const [type, count] of [
      ['command', 4],
      ['autocomplete', 1],
    ] as const) {
      expect(await grown('listing_bot_first_response_seconds_count', `{type="${type}"}`)).toBe(count);
      expect(await grown('listing_bot_reply_seconds_count', `{type="${type}"}`)).toBe(count);
    }
    expect(await grown('listing_bot_submitted_servers_total', '{outcome="accepted"}')).toBe(1);
    expect(await grown('listing_bot_submitted_servers_total', '{outcome="refused"}')).toBe(1);
    expect(
      await grown('listing_bot_listing_request_seconds_count', '{action="add",outcome="accepted"}'),
    ).toBe(1);
    expect(await grown('listing_bot_store_seconds_count')).toBeGreaterThan(2);
    expect(await grown('listing_bot_store_errors_total')).toBe(0);
  });

  it("count how often Discord's rate limits were hit", async ({ member, discord }) => {
    const grown = await grownSince();
    const fault = { kind: 'rate limit', scope: 'shared', retryAfterMs: 10 } as const;
    discord.faults.inject({ fault, path: /\/callback$/ });
    await member.slash('help');
    await expect.poll(() => grown('listing_bot_discord_rate_limited_total', '{scope="shared"}')).toBe(1);
  });

  it('show the state of the gateway, the service, the games and the bot', async ({ guild: _guild }) => {
    await allCounted();
    const now = await scrape(port);
    const value = (name: string, labels?: string) => sampleOf(now, name, labels);
    expect(value('listing_bot_ready')).toBe(1);
    expect(value('listing_bot_shards', '{state="ready"}')).toBe(1);
    expect(value('listing_bot_gateway_identifies_left')).toBe(999);
    expect(value('listing_bot_gateway_silent_seconds')).toBeGreaterThanOrEqual(0);
    expect(value('listing_bot_listing_breaker', '{extent="none"}')).toBe(1);
    expect(value('listing_bot_games')).toBeGreaterThan(3);
    expect(value('listing_bot_games_fetched_timestamp_seconds')).toBeGreaterThan(Date.now() / 1000 - 3600);
    expect(value('listing_bot_oldest_unanswered_timestamp_seconds')).toBeUndefined();
    expect(value('listing_bot_last_backup_timestamp_seconds')).toBe(0);
    expect(now.find(({ name }) => name === 'listing_bot_info')).toMatchObject({
      labels: expect.stringMatching(/^\{version="\d+\.\d+\.\d+"\}$/),
      value: 1,
    });
    expect(value('listing_bot_disk_free_bytes')).toBeGreaterThan(0);
    expect(value('process_resident_memory_bytes')).toBeGreaterThan(1e6);
  });

  it("don't contain guild ids, user ids or user input", async ({ bot, guild, member }) => {
    await addServer(member, 'typed.example.com:1');
    const text = await (await get('/metrics')).text();
    for (const secret of [guild.id, member.userId, 'typed.example', bot.token]) {
      expect(text).not.toContain(secret);
    }
  });
});

describe('the log', () => {
  it("has a line for each interaction, without the user's input", async ({ bot, guild, member }) => {
    const lines = () =>
      bot.log().filter(({ msg, command }) => msg === 'interaction' && command === 'addserver');
    const count = lines().length;
    await addServer(member, 'logged.example.com:1');
    await expect.poll(() => lines().length).toBe(count + 1);
    expect(lines().at(-1)).toEqual({
      level: 'info',
      time: expect.any(String),
      msg: 'interaction',
      interactionId: expect.stringMatching(/^\d+$/),
      guildId: guild.id,
      command: 'addserver',
      type: 'command',
      outcome: 'answered',
      respondedMs: expect.any(Number),
      repliedMs: expect.any(Number),
      servers: { accepted: 1 },
    });
  });
});

it("the bot doesn't start if the HTTP port is already in use", async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const address = taken.address();
  const env = { HTTP_PORT: String(typeof address === 'object' ? address?.port : 0) };
  const other = await oneBot({ start: false, crash: true, env });
  await expect(other.start()).rejects.toThrow(/another program has this port: .* another HTTP_PORT/);
  taken.close();
});

describe('the HTTP server', () => {
  it("isn't loaded unless HTTP_PORT is set", async () => {
    const preload = join(import.meta.dirname, '../support/preloads/loaded-modules.ts');
    const env = { NODE_OPTIONS: `--import=${preload}`, LOADED: 'prom-client,pino-pretty,discord.js' };
    const quiet = await oneBot({ asProcess: true, env });
    await quiet.process.stop();
    expect(quiet.output()).toMatch(/prom-client: false\npino-pretty: false\ndiscord.js: true/);
    expect(quiet.output()).not.toContain('serving /livez');
  });
});
