import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startDiscord } from '../../sandbox/discord/stand-in.ts';
import { quietPort } from '../../sandbox/quiet-port.ts';
import { createAlarms } from '../../src/operations/alarms.ts';
import { type Condition, createConditions } from '../../src/operations/conditions.ts';
import type { Health } from '../../src/operations/health.ts';
import { createHeartbeat } from '../../src/operations/heartbeat.ts';
import { postToWebhook } from '../../src/operations/operator-urls.ts';
import { timeInName } from '../../src/storage/database-file.ts';
import { Secret } from '../../src/text/secret.ts';
import { oneBot } from '../support/bot.ts';
import { createTestClock, folder, recorder } from '../support/machine.ts';
import { addServer } from '../support/people.ts';

const MINUTE_MS = 60_000;
/**
 * Rules in ops/alerts.yml that the webhook doesn't cover. Either a person has to look at the numbers, or the bot has
 * already notified the members.
 */
const FOR_PROMETHEUS_ALONE: readonly string[] = [
  'ListingBotSlowFirstResponses',
  'ListingBotStoreErrors',
  'ListingBotUnanswered',
  'ListingBotUnknownOutcomes',
];
const WELL: Health = {
  version: '1.2.3',
  ready: true,
  gateway: { ok: true, shards: { ready: 1, connecting: 0, disconnected: 0 } },
  store: { ok: true },
  listing: { ok: null },
};

/** Starts a webhook server that returns these statuses in turn, and then keeps returning the last one. */
async function startServer(...statuses: readonly number[]) {
  const requests: { request: IncomingMessage; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const status = statuses[Math.min(requests.length, statuses.length - 1)] ?? 200;
    requests.push({ request, body: await text(request) });
    // Discord returns the message that it saved (Discord docs: Execute Webhook, `wait`).
    response.writeHead(status, { location: '/elsewhere' }).end(status === 200 ? '{"id":"1"}' : '');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const url = new Secret(`http://127.0.0.1:${port}/api/webhooks/1/s3cret`);
  const posts = () => requests.map(({ body }) => JSON.parse(body).content as string);
  return { url, requests, posts };
}

async function open(...statuses: readonly number[]) {
  const clock = createTestClock();
  const server = await startServer(...statuses);
  const stored = new Map<string, unknown>();
  const logger = recorder();
  /** The state of each condition, by the name of its alert. `looks` counts the checks. */
  const holds: Record<string, boolean | string> = {};
  let looks = 0;
  let leader = '';
  let isBlocked = false;
  const conditions = (['own', 'shared'] as const).map(
    (alert): Condition => ({
      alert,
      minutes: 2,
      isShared: alert === 'shared',
      text: `It is ${alert}`,
      textAfter: `It was ${alert}`,
      check() {
        looks += 1;
        return holds[alert] ?? false;
      },
    }),
  );

  async function start(place = '') {
    const alarms = createAlarms({
      webhook: server.url,
      conditions,
      health: async () => WELL,
      values: {
        get: async (key) => stored.get(key),
        set: async (key, value) => void stored.set(key, value),
        delete: async (key) => stored.delete(key),
      },
      async claimJob() {
        leader ||= place;
        return leader === place;
      },
      place,
      mayPost: () => !isBlocked,
      watchEveryMs: 1,
      logger,
    });
    await alarms.start?.();
    onTestFinished(() => alarms.stop?.());
    return alarms;
  }

  return {
    ...server,
    clock,
    logger,
    holds,
    stored,
    start,
    block(isNow: boolean): void {
      isBlocked = isNow;
    },
    lead(place: string): void {
      leader = place;
    },
    /** Waits until every condition has been rechecked and all alarms have been handled. */
    async look() {
      const until = looks + 8;
      await expect.poll(() => looks).toBeGreaterThan(until);
    },
  };
}

describe('an alarm', () => {
  it('is posted if the condition persists, and again when it ends', async () => {
    const { holds, clock, look, posts, requests, start } = await open(200);
    await start();
    holds.own = 'no @everyone';
    await look();
    clock.advance(2 * MINUTE_MS - 1_000);
    await look();
    expect(posts()).toEqual([]);
    clock.advance(1_000);
    await expect
      .poll(posts)
      .toEqual([
        expect.stringMatching(
          /^🔴 It is own: no @everyone \(since <t:\d+:f>\)\. See docs\/troubleshooting\.md#alerts$/,
        ),
      ]);
    expect(JSON.parse(requests[0]?.body ?? '')).toMatchObject({ allowed_mentions: { parse: [] } });
    clock.advance(10 * MINUTE_MS);
    await look();
    holds.own = false;
    await expect.poll(posts).toHaveLength(2);
    expect(posts()[1]).toMatch(/^🟢 Resolved: It was own \(<t:\d+:f>\)$/);
    clock.advance(10 * MINUTE_MS);
    await look();
    expect(posts()).toHaveLength(2);
  });

  it("isn't posted if the condition ends within two minutes", async () => {
    const { holds, clock, look, posts, start } = await open(200);
    await start();
    for (const isHolding of [true, false, true]) {
      holds.own = isHolding;
      await look();
      clock.advance(MINUTE_MS + 30_000);
    }
    await look();
    expect(posts()).toEqual([]);
  });

  it('is posted at least a minute after the previous one', async () => {
    const { holds, clock, look, posts, start } = await open(200);
    await start();
    holds.own = true;
    await look();
    clock.advance(2 * MINUTE_MS);
    await expect.poll(posts).toHaveLength(1);
    holds.own = false;
    holds.shared = true;
    await look();
    clock.advance(59_000);
    await look();
    expect(posts()).toHaveLength(1);
    clock.advance(MINUTE_MS + 1_000);
    await expect.poll(() => posts().join('\n')).toMatch(/Resolved: It was own[\s\S]*It is shared/);
  });

  it('is retried until Discord accepts it', async () => {
    const { holds, clock, look, posts, logger, start } = await open(302, 503, 200);
    await start();
    holds.own = true;
    await look();
    clock.advance(2 * MINUTE_MS);
    for (const tried of [1, 2, 3]) {
      await expect.poll(posts).toHaveLength(tried);
      await look();
      clock.advance(MINUTE_MS);
    }
    await look();
    expect(new Set(posts()).size).toBe(1);
    expect(posts()).toHaveLength(3);
    expect(logger.lines[0]).toMatchObject({ level: 'error', details: { reason: 'HTTP 302' } });
    expect(JSON.stringify(logger.lines)).not.toContain('s3cret');
  });

  it.each([401, 403, 404])("isn't retried after a %s response until the bot restarts", async (status) => {
    const { holds, clock, look, posts, logger, start } = await open(status, 200);
    const alarms = await start();
    holds.own = true;
    await look();
    clock.advance(2 * MINUTE_MS);
    await expect.poll(posts).toHaveLength(1);
    await expect.poll(alarms.trouble).toBe(`Discord rejects OPERATOR_WEBHOOK_URL: HTTP ${status}`);
    clock.advance(10 * MINUTE_MS);
    await look();
    expect(posts()).toHaveLength(1);
    expect(logger.lines).toMatchObject([{ level: 'error', details: { reason: `HTTP ${status}` } }]);
    await alarms.stop?.();
    await start();
    await look();
    clock.advance(2 * MINUTE_MS);
    await expect.poll(posts).toHaveLength(2);
  });

  it("is retried if Discord's response is empty", async () => {
    const { holds, clock, look, posts, start } = await open(204, 200);
    await start();
    holds.own = true;
    await look();
    clock.advance(2 * MINUTE_MS);
    await expect.poll(posts).toHaveLength(1);
    await look();
    clock.advance(MINUTE_MS);
    await expect.poll(posts).toHaveLength(2);
  });

  it("isn't posted while Discord is blocking the bot", async () => {
    const { holds, clock, look, posts, start, block } = await open(200);
    await start();
    block(true);
    holds.own = true;
    await look();
    clock.advance(5 * MINUTE_MS);
    await look();
    expect(posts()).toEqual([]);
    block(false);
    await expect.poll(posts).toHaveLength(1);
  });

  it('is posted only once, even if another process takes over', async () => {
    const { holds, clock, look, posts, start, lead, stored } = await open(200);
    for (const place of ['a', 'b']) await start(place);
    lead('a');
    holds.shared = true;
    await look();
    clock.advance(2 * MINUTE_MS);
    await expect.poll(() => [...stored.keys()]).toEqual(['alarm:shared']);
    expect(posts()).toHaveLength(1);
    lead('b');
    for (const isHolding of [true, false, false]) {
      holds.shared = isHolding;
      await look();
      await look();
      clock.advance(5 * MINUTE_MS);
    }
    await expect.poll(() => [...stored.keys()]).toEqual([]);
    expect(posts()).toHaveLength(2);
    lead('a');
    await look();
    await look();
    clock.advance(5 * MINUTE_MS);
    await look();
    expect(posts()).toEqual([
      expect.stringContaining('It is shared'),
      expect.stringContaining('It was shared'),
    ]);
  });

  it('is posted only once, even if the bot restarts', async () => {
    const { holds, clock, look, posts, start } = await open(200);
    const first = await start();
    holds.own = true;
    await look();
    clock.advance(2 * MINUTE_MS);
    await expect.poll(posts).toHaveLength(1);
    await look();
    await first.stop?.();
    await start();
    await look();
    clock.advance(10 * MINUTE_MS);
    await look();
    expect(posts()).toHaveLength(1);
    holds.own = false;
    await expect.poll(posts).toHaveLength(2);
  });

  it('is posted once per process, or once in total if the condition is shared', async () => {
    const { holds, clock, look, posts, start } = await open(200);
    for (const place of ['a', 'b']) await start(place);
    holds.own = true;
    holds.shared = true;
    await look();
    await look();
    clock.advance(2 * MINUTE_MS);
    const lines = () =>
      posts()
        .join('\n')
        .split('\n')
        .filter((line) => line !== '');
    await expect.poll(lines).toHaveLength(3);
    clock.advance(MINUTE_MS);
    await look();
    const shown = lines().map((line) => line.replace(/ \(since [^)]*\)\. See [^ ]+/, ''));
    expect(shown.toSorted()).toEqual(['🔴 It is own [a]', '🔴 It is own [b]', '🔴 It is shared']);
  });
});

describe('alarm conditions', () => {
  const DAY_MS = 86_400_000;

  /** Returns the conditions that are true for an otherwise healthy bot with these faults. */
  async function holding(wrong: {
    readonly health?: object;
    readonly identifiesLeft?: number;
    readonly isPaused?: boolean;
    readonly pausedGuilds?: string;
    /** How old the newest backup is; `undefined` if the folder doesn't exist. */
    readonly backedUpMsAgo?: number | undefined;
    readonly backupEveryHours?: number;
    readonly path?: string | undefined;
    readonly happens?: (conditions: ReturnType<typeof createConditions>) => void;
  }) {
    const { identifiesLeft = 250 } = wrong;
    const backedUpMsAgo = 'backedUpMsAgo' in wrong ? wrong.backedUpMsAgo : 0;
    const path = join(folder(), 'bot.sqlite');
    const backups = join(path, '../backups');
    if (backedUpMsAgo !== undefined) {
      mkdirSync(backups);
      writeFileSync(join(backups, `bot-${timeInName(Date.now() - backedUpMsAgo)}.sqlite`), '');
    }
    const conditions = createConditions({
      config: { backupEveryHours: wrong.backupEveryHours ?? 24 },
      gateway: { identifiesLeft: () => identifiesLeft, askIdentifiesLeft: async () => undefined },
      breaker: { pausedGuilds: () => wrong.pausedGuilds ?? 'none' },
      store: {
        path: 'path' in wrong ? wrong.path : path,
      },
      directMessages: { isPaused: async () => wrong.isPaused ?? false },
    } as never);
    wrong.happens?.(conditions);
    const found: Record<string, boolean | string> = {};
    for (const { alert, check } of conditions.list) {
      const held = await check({ ...WELL, ...wrong.health });
      if (held !== false) found[alert.replace('ListingBot', '')] = held;
    }
    return found;
  }

  it.each<[what: string, wrong: Parameters<typeof holding>[0], found: object]>([
    ['a healthy bot', {}, {}],
    [
      'a disconnected gateway',
      {
        health: {
          ready: false,
          gateway: { ok: false, shards: { ready: 0, connecting: 1 }, detail: 'no DNS' },
        },
      },
      { NotReady: 'no DNS' },
    ],
    [
      'a store that is not writable',
      { health: { ready: false, store: { ok: false, detail: 'disk I/O error' } } },
      { NotReady: 'disk I/O error', StoreNotWritable: true },
    ],
    [
      'one of two shards without a session',
      { health: { ready: false, gateway: { ok: false, shards: { ready: 1, connecting: 1 }, detail: 'x' } } },
      { NotReady: 'x', ShardDeaf: '1 of 2 shards do not have a session' },
    ],
    [
      'a service that is down for some guilds',
      { pausedGuilds: 'some', health: { listing: { ok: false, detail: 'timeout: no response' } } },
      { BreakerOpen: 'timeout: no response' },
    ],
    ['249 IDENTIFYs', { identifiesLeft: 249 }, { FewIdentifies: '249 are left' }],
    ['paused direct messages', { isPaused: true }, { DirectMessagesStopped: true }],
    ['a member who was notified late', { happens: ({ onLaterReply }) => onLaterReply('told') }, {}],
    [
      'a member who could not be notified',
      { happens: ({ onLaterReply }) => onLaterReply('too-late') },
      { NotTold: true },
    ],
    ['a backup from 25 hours ago', { backedUpMsAgo: DAY_MS + 3_590_000 }, {}],
    [
      'an overdue backup',
      { backedUpMsAgo: DAY_MS + 3_610_000 },
      { BackupOld: expect.stringMatching(/^the newest one is from 20/) },
    ],
    [
      'a deleted backup folder',
      { backedUpMsAgo: undefined },
      { BackupOld: expect.stringMatching(/\/backups has no backup$/) },
    ],
    ['disabled backups', { backedUpMsAgo: 99 * DAY_MS, backupEveryHours: 0 }, {}],
    ['PostgreSQL', { backedUpMsAgo: 99 * DAY_MS, path: undefined }, {}],
    [
      'a failed backup',
      { happens: ({ onBackup }) => onBackup({ kind: 'failed', why: 'EACCES' }) },
      { BackupFailed: 'EACCES' },
    ],
    [
      'a failed backup followed by a successful one',
      {
        happens({ onBackup }) {
          onBackup({ kind: 'failed', why: 'EACCES' });
          onBackup({ kind: 'made' });
        },
      },
      {},
    ],
  ])("reflect the bot's state: %s", async (_, wrong, found) => {
    expect(await holding(wrong)).toEqual(found);
  });

  it('remain active for 15 minutes after the triggering event', async () => {
    const clock = createTestClock();
    const heldAfter = (minutes: number) =>
      holding({
        happens({ onLaterReply }) {
          onLaterReply('failed');
          clock.advance(minutes * MINUTE_MS);
        },
      });
    expect(await heldAfter(14)).toEqual({ NotTold: true });
    expect(await heldAfter(15)).toEqual({});
  });
});

it('alarms match the alerts in ops/alerts.yml', () => {
  const rules = readFileSync(new URL('../../ops/alerts.yml', import.meta.url), 'utf8')
    .split('- alert: ')
    .slice(1);
  const inPrometheus = rules.map((rule) => [
    /^\w+/.exec(rule)?.[0] ?? '',
    Number(/^ +for: (\d+)m$/m.exec(rule)?.[1] ?? 0),
  ]);
  const nothing = { config: { backupEveryHours: 24 }, store: {}, directMessages: {} };
  const { list } = createConditions(nothing as never);
  const here = list.map(({ alert, minutes }) => [alert, minutes]);
  const compared = inPrometheus.filter(([alert]) => !FOR_PROMETHEUS_ALONE.includes(String(alert)));
  expect(here.toSorted()).toEqual(compared.toSorted());
  expect(inPrometheus.length).toBe(here.length + FOR_PROMETHEUS_ALONE.length);
});

it('the operator is notified when the service has been down for five minutes', async () => {
  const clock = createTestClock();
  const { operatorWebhook, close } = await startDiscord({ token: 'the.operators.own' });
  onTestFinished(() => close());
  const port = await quietPort();
  const env = { OPERATOR_WEBHOOK_URL: operatorWebhook.url, HTTP_PORT: String(port) };
  const alarms = async () => Object(await (await fetch(`http://127.0.0.1:${port}/readyz`)).json()).alarms;
  const bot = await oneBot({ env, timing: { watchEveryMs: 5 } });
  const { member, listing } = await bot.newGuild({ key: 'sandbox-key' });
  await listing.behave({ kind: 'down' });
  for (const host of ['a', 'b', 'c']) await addServer(member, `${host}.example.com:1`);
  const { posts } = operatorWebhook;
  await expect
    .poll(() => {
      clock.advance(10_000);
      return posts;
    })
    .toEqual([expect.stringMatching(/^🔴 The listing service is down: unreachable: .*ECONNREFUSED/)]);
  await listing.behave({ kind: 'ok' });
  await addServer(member, 'd.example.com:1');
  await expect
    .poll(() => {
      clock.advance(10_000);
      return posts.slice(1);
    })
    .toEqual([expect.stringMatching(/^🟢 Resolved: The listing service responds/)]);
  expect(await alarms()).toEqual({ ok: true });
  operatorWebhook.moveTo('deleted');
  await listing.behave({ kind: 'down' });
  for (const host of ['e', 'f', 'g']) await addServer(member, `${host}.example.com:1`);
  await expect
    .poll(() => {
      clock.advance(10_000);
      return alarms();
    })
    .toEqual({ ok: false, detail: 'Discord rejects OPERATOR_WEBHOOK_URL: HTTP 404' });
  expect(bot.output()).not.toContain(new URL(operatorWebhook.url).pathname.split('/').at(-1));
});

describe('a post to a Discord webhook', () => {
  async function openWebhook() {
    const { operatorWebhook, close } = await startDiscord({ token: 'the.operators.own' });
    onTestFinished(() => close());
    return {
      ...operatorWebhook,
      post: () => postToWebhook(new Secret(operatorWebhook.url), 'It is down\nNow'),
    };
  }

  it("fails if Discord doesn't save the message", async () => {
    const { post, posts, moveTo } = await openWebhook();
    moveTo('full');
    await expect(post()).rejects.toThrow('HTTP 400');
    expect(posts).toEqual([]);
  });

  it('creates a thread in a forum channel', async () => {
    const { post, posts, threads, moveTo } = await openWebhook();
    moveTo('forum');
    await post();
    expect(posts).toEqual(['It is down\nNow']);
    expect(threads).toEqual(['It is down']);
  });
});

describe('a heartbeat', () => {
  it('is sent only while the bot is ready', async () => {
    const { url, requests } = await startServer(200);
    let ready = false;
    let asked = 0;
    const logger = recorder();
    const heartbeat = createHeartbeat({
      url,
      async health() {
        asked += 1;
        return { ...WELL, ready };
      },
      everyMs: 1,
      logger,
    });
    await heartbeat.start?.();
    onTestFinished(() => heartbeat.stop?.());
    await expect.poll(() => asked).toBeGreaterThan(3);
    expect(requests).toEqual([]);
    ready = true;
    await expect.poll(() => requests.length).toBeGreaterThan(2);
    expect(requests[0]?.request.method).toBe('GET');
    expect(logger.lines).toEqual([]);
  });

  it('is logged without its URL if the server rejects it', async () => {
    const { url } = await startServer(404);
    const logger = recorder();
    const heartbeat = createHeartbeat({ url, health: async () => WELL, everyMs: 1, logger });
    await heartbeat.start?.();
    onTestFinished(() => heartbeat.stop?.());
    await expect.poll(() => logger.lines).toMatchObject([{ level: 'warn', details: { reason: 'HTTP 404' } }]);
    expect(JSON.stringify(logger.lines)).not.toContain('s3cret');
  });
});
