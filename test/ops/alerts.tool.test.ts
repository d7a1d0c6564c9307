import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { quietPort } from '../../sandbox/quiet-port.ts';
import { type AppSceneOptions, type Expected, inAppScene, type Scene, textOf } from '../support/bot.ts';
import { openStore } from '../support/database.ts';
import { sampleOf } from '../support/machine.ts';
import { expectFiring, hasPromtool, promtool, RULES, type Scrape, take } from './firing.ts';

if (!hasPromtool) {
  process.stdout.write(
    'promtool is missing (Debian: apt-get install prometheus): the tests of the alerts are skipped\n',
  );
}

const tested: string[] = [];

const read = ({ samples }: Scrape, name: string, labels?: string) =>
  sampleOf(samples, `listing_bot_${name}`, labels);
const until = (port: number, name: string, labels?: string) =>
  expect.poll(async () => read(await take(port), name, labels));
const add = ({ member }: Scene, port: number) =>
  member.slash('addserver', { game: 'cs2', server: 'a.example.com', port });

/** After these two scrapes exactly this alert fires, and these that go with it. */
function fires(alert: string, scrapes: Parameters<typeof expectFiring>[1], others: readonly string[]): void {
  expectFiring([...others, alert].toSorted(), scrapes);
  expect(() => expectFiring(others, scrapes)).toThrow(alert);
  tested.push(alert);
}

/** A bot that is scraped while it is well, and again when its fault shows. */
async function firesFor(
  alert: string,
  options: AppSceneOptions & Expected & { readonly minutes: number; readonly others?: readonly string[] },
  fault: (scene: Scene, port: number) => Promise<void>,
): Promise<void> {
  const { minutes, others = [], ...rest } = options;
  const port = await quietPort();
  await inAppScene({ key: 'sandbox-key', ...rest, env: { HTTP_PORT: String(port) } }, async (scene) => {
    await until(port, 'ready').toBe(1);
    const before = await take(port);
    await fault(scene, port);
    fires(alert, { before, after: await take(port), minutes }, others);
    scene.discord.gateway.silence(false);
    scene.discord.faults.clear();
  });
}

/** What a bot says that starts like this, once it is ready. */
async function scraped(options: AppSceneOptions): Promise<Scrape> {
  const port = await quietPort();
  const scrape = Promise.withResolvers<Scrape>();
  await inAppScene({ ...options, env: { HTTP_PORT: String(port) } }, async () => {
    await until(port, 'gateway_identifies_left').toBeDefined();
    scrape.resolve(await take(port));
  });
  return scrape.promise;
}

describe.skipIf(!hasPromtool)('an alert fires for', () => {
  it('a bot that has not been ready for 2 minutes', async () => {
    const options = { minutes: 3, discord: { heartbeatIntervalMs: 200 } };
    await firesFor('ListingBotNotReady', options, async ({ discord, mayBreak }, port) => {
      // A busy machine may miss some.
      mayBreak('SessionTimedOut', 5);
      discord.gateway.silence(true);
      await until(port, 'ready').toBe(0);
    });
  });

  it('acknowledgements of which the slowest take more than 2 seconds', async () => {
    await firesFor('ListingBotSlowAcknowledgements', { minutes: 2 }, async ({ discord, member }, port) => {
      // Of each of two, the second attempt as well.
      discord.faults.inject({ fault: { kind: 'delay', ms: 2_200 }, path: /\/callback$/, times: 4 });
      await Promise.all([member.slash('help'), member.slash('games')]);
      await until(port, 'acknowledgement_seconds_count', '{type="command"}').toBeGreaterThanOrEqual(2);
    });
  });

  it('a member who has waited for more than a minute', async () => {
    let answer: ReturnType<typeof add> | undefined;
    await firesFor('ListingBotUnanswered', { minutes: 2 }, async (scene, port) => {
      const fault = { kind: 'status', status: 503 } as const;
      scene.discord.faults.inject({ fault, path: /\/webhooks\//, times: 1_000 });
      answer = add(scene, 1);
      await until(port, 'unanswered_interactions').toBe(1);
    });
    expect(answer && textOf(await answer)).toContain('added for review');
  });

  it('a store that failed', async () => {
    await firesFor('ListingBotStoreErrors', { minutes: 2 }, async ({ data }, port) => {
      const other = new DatabaseSync(join(data, 'bot.sqlite'));
      other.exec('BEGIN IMMEDIATE');
      // No member asks meanwhile: SQLite would hold up their acknowledgement as well.
      await until(port, 'ready').toBe(0);
      other.close();
      await until(port, 'ready').toBe(1);
    });
  });

  it('a shard that has had no session for five minutes', async () => {
    const discord = { heartbeatIntervalMs: 200 };
    const options = { minutes: 6, others: ['ListingBotNotReady'], discord, breaches: ['SessionTimedOut'] };
    await firesFor('ListingBotShardDeaf', options, async ({ discord }, port) => {
      discord.gateway.silence(true);
      await until(port, 'shards', '{state="connecting"}').toBe(1);
    });
  });

  it('a store that takes nothing', async () => {
    const options = { minutes: 2, others: ['ListingBotNotReady', 'ListingBotStoreErrors'] };
    await firesFor('ListingBotStoreNotWritable', options, async ({ data }, port) => {
      const other = new DatabaseSync(join(data, 'bot.sqlite'));
      onTestFinished(() => other.close());
      other.exec('BEGIN IMMEDIATE');
      await until(port, 'store_writable').toBe(0);
    });
  });

  it('members who cannot be told what a crash cut off', async () => {
    await firesFor('ListingBotNotTold', { minutes: 2 }, async (scene, port) => {
      const failWith = (status: number) =>
        scene.discord.faults.inject({
          fault: { kind: 'status', status },
          path: /\/webhooks\//,
          times: 1_000,
        });
      failWith(503);
      void add(scene, 1).catch(() => undefined);
      await until(port, 'submitted_servers_total', '{outcome="accepted"}').toBe(1);
      await scene.bot.stop('SIGKILL');
      scene.discord.faults.clear();
      // What is refused is not tried again at once.
      failWith(404);
      await scene.startBot();
      await until(port, 'told_later_total', '{outcome="failed"}').toBeGreaterThan(0);
    });
  });

  it('servers of which nobody knows whether they were received', async () => {
    await firesFor('ListingBotUnknownOutcomes', { minutes: 2 }, async (scene, port) => {
      await scene.listing.behave({ kind: 'reset' });
      await add(scene, 1);
      await until(port, 'submitted_servers_total', '{outcome="unknown"}').toBe(1);
    });
  });

  it('a listing service that has been down for 5 minutes', async () => {
    await firesFor('ListingBotBreakerOpen', { minutes: 6 }, async (scene, port) => {
      await scene.listing.behave({ kind: 'down' });
      await Promise.all([1, 2, 3, 4, 5, 6].map((each) => add(scene, each)));
      await until(port, 'listing_breaker', '{extent="none"}').toBe(0);
    });
  });

  it('a day of which few IDENTIFYs are left', async () => {
    const before = await scraped({});
    const after = await scraped({ discord: { identifiesUsed: 751 } });
    fires('ListingBotFewIdentifies', { before, after, minutes: 2 }, []);
  });

  it('a backup that is older than a day', async () => {
    const data = await mkdtemp(join(tmpdir(), 'backup-alert-'));
    onTestFinished(() => rm(data, { recursive: true }));
    async function backedUp(hoursAgo: number): Promise<Scrape> {
      const store = await openStore(join(data, 'bot.sqlite'));
      await store.values.set('backup:last', Date.now() - hoursAgo * 3_600_000);
      await store.stop();
      return scraped({ data });
    }
    fires('ListingBotBackupOld', { before: await backedUp(1), after: await backedUp(25), minutes: 11 }, []);
  });

  it('each of the rules, which are such as Prometheus takes', async () => {
    const rules = await readFile(RULES, 'utf8');
    const all = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
    expect(tested.toSorted()).toEqual(all.toSorted());
    expect(promtool('check', 'rules', RULES).status).toBe(0);
  });

  it('no metric that Prometheus would complain of', async () => {
    const port = await quietPort();
    await inAppScene({ env: { HTTP_PORT: String(port) } }, async () => {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      const ours = text.split('\n').filter((line) => line.includes('listing_bot_'));
      const input = `${ours.join('\n')}\n`;
      const { status, stderr } = spawnSync('promtool', ['check', 'metrics'], { input, encoding: 'utf8' });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    });
  });
});
