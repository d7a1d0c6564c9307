import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { openAppScene, openScene, type Scene, textOf } from '../support/scene.ts';
import { sampleOf, scrape } from '../support/scrape.ts';

let scene: Scene;
let port: number;
const get = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init);
const ready = async () => {
  const response = await get('/readyz');
  return { status: response.status, ...((await response.json()) as Record<string, unknown>) };
};

beforeAll(async () => {
  port = await freePort();
  scene = await openAppScene({ key: 'sandbox-key', env: { HTTP_PORT: String(port) } });
});
afterAll(() => scene.close());

describe('health', () => {
  it('says that the process lives, on /livez', async () => {
    const response = await get('/livez');
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('ok\n');
    expect((await get('/livez', { method: 'HEAD' })).status).toBe(200);
  });

  it('says that it is ready, and why, on /readyz', async () => {
    await expect.poll(ready).toMatchObject({
      status: 200,
      ready: true,
      gateway: { ok: true, shards: { ready: 1 } },
      store: { ok: true },
      listing: { ok: true },
    });
  });

  it('is not ready while the store cannot be written, and is again after that', async () => {
    const other = new DatabaseSync(join(scene.data, 'bot.sqlite'));
    other.exec('BEGIN IMMEDIATE');
    await expect
      .poll(ready)
      .toMatchObject({ status: 503, ready: false, gateway: { ok: true }, store: { ok: false } });
    other.exec('ROLLBACK');
    other.close();
    await expect.poll(ready).toMatchObject({ status: 200, store: { ok: true } });
  });

  it('refuses other methods and names the paths that there are', async () => {
    const posted = await get('/metrics', { method: 'POST' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    const missing = await get('/');
    expect([missing.status, await missing.text()]).toEqual([
      404,
      'There are /livez, /readyz and /metrics.\n',
    ]);
  });
});

describe('metrics', () => {
  it('count what members do, how it ended and how long it took', async () => {
    const before = await scrape(port);
    await scene.member.slash('addserver', { game: 'cs2', server: 'metrics.example.com:1' });
    await scene.member.slash('addserver', { game: 'cs2', server: 'no address' });
    await scene.member.complete('addserver', 'game', { game: 'c' });
    await scene.member.slash('help');
    const after = await scrape(port);
    const grew = (name: string, labels = '') =>
      (sampleOf(after, name, labels) ?? 0) - (sampleOf(before, name, labels) ?? 0);
    const interactions = 'listing_bot_interactions_total';
    expect(grew(interactions, '{command="addserver",outcome="answered"}')).toBe(2);
    expect(grew(interactions, '{command="addserver",outcome="refused"}')).toBe(1);
    expect(grew(interactions, '{command="help",outcome="answered"}')).toBe(1);
    expect(grew('listing_bot_acknowledgement_seconds_count', '{type="command"}')).toBe(3);
    expect(grew('listing_bot_acknowledgement_seconds_count', '{type="autocomplete"}')).toBe(1);
    expect(grew('listing_bot_answer_seconds_count', '{type="command"}')).toBe(3);
    expect(grew('listing_bot_submitted_servers_total', '{outcome="accepted"}')).toBe(1);
    expect(grew('listing_bot_listing_request_seconds_count', '{action="add",outcome="accepted"}')).toBe(1);
    expect(grew('listing_bot_store_seconds_count', '{kind="change"}')).toBeGreaterThan(2);
    expect(grew('listing_bot_store_commits_total', '{synced="true"}')).toBeGreaterThan(1);
    expect(grew('listing_bot_store_commits_total', '{synced="false"}')).toBeGreaterThan(0);
    expect(grew('listing_bot_store_errors_total')).toBe(0);
  });

  it('count what Discord limits and what it no longer lets the bot answer', async () => {
    const before = await scrape(port);
    const path = /\/callback$/;
    scene.discord.faults.inject({ fault: { kind: 'rate limit', scope: 'shared', retryAfterMs: 10 }, path });
    await scene.member.slash('help');
    scene.discord.gateway.disturbDispatch({ copies: 2 });
    await scene.member.slash('addserver', { game: 'cs2', server: 'twice.example.com:1' });
    scene.discord.gateway.disturbDispatch({});
    const grew = async (name: string, labels: string) =>
      (sampleOf(await scrape(port), name, labels) ?? 0) - (sampleOf(before, name, labels) ?? 0);
    await expect.poll(() => grew('listing_bot_discord_rate_limited_total', '{scope="shared"}')).toBe(1);
    await expect
      .poll(() => grew('listing_bot_interactions_total', '{command="addserver",outcome="lost"}'))
      .toBe(1);
  });

  it('tell the state of the gateway, the service, the games list and the process', async () => {
    const now = await scrape(port);
    expect(sampleOf(now, 'listing_bot_ready')).toBe(1);
    expect(sampleOf(now, 'listing_bot_shards', '{state="ready"}')).toBe(1);
    expect(sampleOf(now, 'listing_bot_gateway_identifies_left')).toBe(999);
    expect(sampleOf(now, 'listing_bot_listing_breaker', '{extent="none"}')).toBe(1);
    expect(sampleOf(now, 'listing_bot_games')).toBeGreaterThan(3);
    expect(sampleOf(now, 'listing_bot_games_fetched_timestamp_seconds')).toBeGreaterThan(
      Date.now() / 1000 - 3600,
    );
    expect(sampleOf(now, 'listing_bot_unanswered_interactions')).toBe(0);
    expect(sampleOf(now, 'listing_bot_oldest_unanswered_timestamp_seconds')).toBeUndefined();
    expect(sampleOf(now, 'listing_bot_last_backup_timestamp_seconds')).toBe(0);
    expect(sampleOf(now, 'nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
    expect(sampleOf(now, 'process_resident_memory_bytes')).toBeGreaterThan(1e6);
  });

  it('name no guild, no member and nothing that was typed', async () => {
    await scene.member.slash('addserver', { game: 'cs2', server: 'typed.example.com:1' });
    const text = await (await get('/metrics')).text();
    for (const secret of [scene.member.guildId, scene.member.userId, 'typed.example', scene.token]) {
      expect(text).not.toContain(secret);
    }
    expect(new Set(text.match(/[a-z_]+(?==")/g))).toEqual(
      new Set(
        [
          'type',
          'le',
          'command',
          'outcome',
          'action',
          'kind',
          'synced',
          'scope',
          'state',
          'extent',
          'version',
          'major',
          'minor',
          'patch',
          'space',
          'quantile',
        ].filter((label) => text.includes(`${label}="`)),
      ),
    );
  });
});

describe('one line in the log for each interaction', () => {
  it('says command, outcome and times, with the reference of a failure, and no value', async () => {
    // The line comes when the answer was seen.
    const lines = () => scene.log().filter(({ msg }) => msg === 'interaction');
    const count = lines().length;
    await scene.member.slash('addserver', { game: 'cs2', server: 'logged.example.com:1' });
    await expect.poll(() => lines().length).toBe(count + 1);
    expect(lines().at(-1)).toEqual({
      level: 'info',
      time: expect.any(String),
      msg: 'interaction',
      interactionId: expect.stringMatching(/^\d+$/),
      command: 'addserver',
      type: 'command',
      outcome: 'answered',
      acknowledgedMs: expect.any(Number),
      answeredMs: expect.any(Number),
    });

    const other = new DatabaseSync(join(scene.data, 'bot.sqlite'));
    other.exec('BEGIN IMMEDIATE');
    const answer = textOf(
      await scene.member.slash('addserver', { game: 'cs2', server: 'failed.example.com:1' }),
    );
    other.exec('ROLLBACK');
    other.close();
    await expect.poll(() => lines().at(-1)).toMatchObject({ outcome: 'failed' });
    expect(answer).toContain(String(lines().at(-1)?.reference));
    expect(JSON.stringify(lines())).not.toContain('example.com');
  });
});

describe('HTTP_PORT', () => {
  it('that another program has ends the start in one line that says what to do', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const address = taken.address();
    const other = await openAppScene({
      startBot: false,
      env: { HTTP_PORT: String(typeof address === 'object' ? address?.port : 0) },
    });
    await expect(other.startBot()).rejects.toThrow(
      /another program has this port: end it or set another HTTP_PORT/,
    );
    taken.close();
    await other.close({ crash: true });
  });

  it('decides whether what measures is loaded at all', async () => {
    const preload = join(import.meta.dirname, '../support/preloads/loaded-modules.ts');
    const env = { NODE_OPTIONS: `--import=${preload}`, LOADED: 'prom-client,pino-pretty,discord.js' };
    const [quiet, measured] = await Promise.all([
      openScene({ env }),
      openScene({ env: { ...env, HTTP_PORT: String(await freePort()) } }),
    ]);
    await Promise.all([quiet.bot.stop(), measured.bot.stop()]);
    expect(quiet.output()).toMatch(/prom-client: false\npino-pretty: false\ndiscord.js: true/);
    expect(quiet.output()).not.toContain('serving /livez');
    expect(measured.output()).toMatch(/prom-client: true\npino-pretty: false/);
    await Promise.all([quiet.close(), measured.close()]);
  });
});
