import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { recordBackup } from '../../src/operations/backup.ts';
import { createDatabase } from '../../src/storage/database.ts';
import { recorder } from '../storage/temporary.ts';
import { freePort } from '../support/free-port.ts';
import { inAppScene, type Scene, textOf } from '../support/scene.ts';
import { sampleOf } from '../support/scrape.ts';
import { expectFiring, hasPromtool, promtool, RULES, type Scrape, take } from './firing.ts';

if (!hasPromtool) {
  process.stdout.write(
    'promtool is missing (Debian: apt-get install prometheus): the tests of the alerts are skipped\n',
  );
}

const tested: string[] = [];

/** A bot that is scraped while it is well and again when its fault shows; exactly these alerts must fire for that. */
async function firesFor(
  alert: string,
  options: Parameters<typeof inAppScene>[0] & { readonly minutes: number },
  fault: (scene: Scene, port: number) => Promise<() => Promise<unknown> | unknown>,
): Promise<void> {
  const { minutes, ...rest } = options;
  const port = await freePort();
  const env = { ...rest.env, HTTP_PORT: String(port) };
  await inAppScene({ key: 'sandbox-key', ...rest, env }, async (scene) => {
    await expect.poll(async () => read(await take(port), 'ready')).toBe(1);
    const before = await take(port);
    const mend = await fault(scene, port);
    const after = await take(port);
    await mend();
    expectFiring([alert], { before, after, minutes });
    expect(() => expectFiring([], { before, after, minutes })).toThrow(alert);
  });
  tested.push(alert);
}

const read = ({ samples }: Scrape, name: string, labels?: string) =>
  sampleOf(samples, `listing_bot_${name}`, labels);
const until = (port: number, name: string, labels?: string) =>
  expect.poll(async () => read(await take(port), name, labels));
const add = ({ member }: Scene, port: number) =>
  member.slash('addserver', { game: 'cs2', server: 'a.example.com', port });

describe.skipIf(!hasPromtool)('an alert fires for', () => {
  it('a bot that has not been ready for 2 minutes', async () => {
    await firesFor(
      'ListingBotNotReady',
      { minutes: 3, discord: { heartbeatIntervalMs: 200 }, breaches: [47] },
      async ({ discord }, port) => {
        discord.gateway.silence(true);
        await until(port, 'ready').toBe(0);
        return () => discord.gateway.silence(false);
      },
    );
  });

  it('acknowledgements of which the slowest take more than 2 seconds', async () => {
    await firesFor('ListingBotSlowAcknowledgements', { minutes: 2 }, async ({ discord, member }) => {
      discord.faults.inject({ fault: { kind: 'delay', ms: 2_200 }, path: /\/callback$/, times: 2 });
      await Promise.all([member.slash('help'), member.slash('games')]);
      return () => discord.faults.clear();
    });
  });

  it('a member who has waited for more than a minute', async () => {
    await firesFor('ListingBotUnanswered', { minutes: 2 }, async (scene, port) => {
      scene.discord.faults.inject({
        fault: { kind: 'status', status: 503 },
        path: /\/webhooks\//,
        times: 1_000,
      });
      const answer = add(scene, 1);
      await until(port, 'unanswered_interactions').toBe(1);
      return async () => {
        scene.discord.faults.clear();
        expect(textOf(await answer)).toContain('added for review');
      };
    });
  });

  it('a store that failed', async () => {
    await firesFor('ListingBotStoreErrors', { minutes: 2 }, async (scene, port) => {
      const other = new DatabaseSync(join(scene.data, 'bot.sqlite'));
      other.exec('BEGIN IMMEDIATE');
      // No member asks meanwhile: SQLite would hold up their acknowledgement as well.
      await until(port, 'ready').toBe(0);
      other.exec('ROLLBACK');
      other.close();
      await until(port, 'ready').toBe(1);
      return () => undefined;
    });
  });

  it('servers of which nobody knows whether they were received', async () => {
    await firesFor('ListingBotUnknownOutcomes', { minutes: 2 }, async (scene, port) => {
      await scene.listing.behave({ kind: 'reset' });
      await add(scene, 1);
      await until(port, 'submitted_servers_total', '{outcome="unknown"}').toBe(1);
      return () => undefined;
    });
  });

  it('a listing service that has been down for 5 minutes', async () => {
    await firesFor('ListingBotBreakerOpen', { minutes: 6 }, async (scene, port) => {
      await scene.listing.behave({ kind: 'down' });
      await Promise.all([1, 2, 3, 4, 5, 6].map((each) => add(scene, each)));
      await expect
        .poll(async () => {
          const now = await take(port);
          return ['some', 'all'].some((extent) => read(now, 'listing_breaker', `{extent="${extent}"}`) === 1);
        })
        .toBe(true);
      return () => undefined;
    });
  });

  it('a day of which fewer than 100 IDENTIFYs are left', async () => {
    const port = await freePort();
    const [healthy, worn] = await Promise.all(
      [0, 901].map(async (identifiesUsed) => {
        let scraped: Scrape | undefined;
        const own = identifiesUsed === 0 ? port : await freePort();
        await inAppScene({ env: { HTTP_PORT: String(own) }, discord: { identifiesUsed } }, async () => {
          await until(own, 'gateway_identifies_left').toBe(999 - identifiesUsed);
          scraped = await take(own);
        });
        return scraped;
      }),
    );
    if (healthy === undefined || worn === undefined) throw new Error('nothing was scraped');
    expectFiring(['ListingBotFewIdentifies'], { before: healthy, after: worn, minutes: 2 });
    tested.push('ListingBotFewIdentifies');
  });

  it('a backup that is older than a day', async () => {
    const data = await mkdtemp(join(tmpdir(), 'backup-alert-'));
    const backedUp = async (hoursAgo: number): Promise<Scrape> => {
      const database = createDatabase({
        url: `sqlite://${data}/bot.sqlite`,
        logger: recorder(),
        rewrites: false,
      });
      await database.start();
      await recordBackup(database, Date.now() - hoursAgo * 3_600_000);
      await database.stop();
      const port = await freePort();
      let scraped: Scrape | undefined;
      await inAppScene({ data, env: { HTTP_PORT: String(port) } }, async () => {
        scraped = await take(port);
      });
      if (scraped === undefined) throw new Error('nothing was scraped');
      return scraped;
    };
    const [before, after] = [await backedUp(1), await backedUp(25)];
    expectFiring(['ListingBotBackupOld'], { before, after, minutes: 11 });
    tested.push('ListingBotBackupOld');
    await rm(data, { recursive: true });
  });

  it('each of them, and the rules are such as Prometheus takes', async () => {
    const rules = await readFile(RULES, 'utf8');
    expect(tested.toSorted()).toEqual(
      [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name).toSorted(),
    );
    const { status, stdout } = promtool('check', 'rules', RULES);
    expect([status, stdout]).toEqual([0, expect.stringContaining('8 rules found')]);
  });

  it('no metric that Prometheus would complain of', async () => {
    const port = await freePort();
    await inAppScene({ key: 'sandbox-key', env: { HTTP_PORT: String(port) } }, async (scene) => {
      await add(scene, 1);
      const input = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      const ours = input
        .split('\n')
        .filter((line) => line.includes('listing_bot_'))
        .join('\n');
      const { status, stderr, stdout } = spawnSync('promtool', ['check', 'metrics'], {
        input: `${ours}\n`,
        encoding: 'utf8',
      });
      expect([status, stdout, stderr]).toEqual([0, '', '']);
    });
  });
});
