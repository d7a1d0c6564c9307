import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { quietPort } from '../../sandbox/quiet-port.ts';
import { timeInName } from '../../src/storage/database-file.ts';
import { approve, turnApprovalOn } from '../support/approval.ts';
import { type Bot, type BotOptions, oneBot, openBot, type TestGuild, textOf } from '../support/bot.ts';
import { sampleOf } from '../support/machine.ts';
import { addServer } from '../support/people.ts';
import { expectFiring, hasPromtool, promtool, RULES, type Scrape, take } from './firing.ts';

if (!hasPromtool) {
  process.stdout.write(
    'promtool is missing (Debian: apt-get install prometheus): the tests of the alerts are skipped\n',
  );
}

/** The alerts that have a test. */
const tested: string[] = [];

function alertIt(alert: string, of: string, test: (alert: string) => Promise<void>): void {
  tested.push(alert);
  it(`fire for ${of}`, () => test(alert));
}

const read = ({ samples }: Scrape, name: string, labels?: string) =>
  sampleOf(samples, `listing_bot_${name}`, labels);
const until = (port: number, name: string, labels?: string) =>
  expect.poll(async () => read(await take(port), name, labels));
const add = ({ member }: TestGuild, port: number) => addServer(member, 'a.example.com', { port });

/** Checks that these two scrapes trigger only this alert and the alerts that it implies. */
function fires(alert: string, scrapes: Parameters<typeof expectFiring>[1], others: readonly string[]): void {
  expectFiring([...others, alert].toSorted(), scrapes);
  expect(() => expectFiring(others, scrapes)).toThrow(alert);
}

interface Scraped {
  readonly bot: Bot;
  readonly guild: TestGuild;
  readonly discord: Bot['discord'];
  /** The port to scrape. */
  readonly port: number;
}

/** Scrapes a healthy bot, causes a fault, scrapes the bot again, and checks the alert. */
async function firesFor(
  alert: string,
  options: BotOptions & { readonly minutes: number; readonly others?: readonly string[] },
  fault: (scraped: Scraped) => Promise<void>,
): Promise<void> {
  const { minutes, others = [], ...rest } = options;
  const port = await quietPort();
  const bot = await oneBot({ ...rest, env: { HTTP_PORT: String(port) } });
  const { discord } = bot;
  const guild = await bot.newGuild({ key: 'sandbox-key' });
  await until(port, 'ready').toBe(1);
  // The bot counts a reply a moment after the member has seen it.
  await until(port, 'unanswered_interactions').toBe(0);
  const before = await take(port);
  await fault({ bot, guild, discord, port });
  await until(port, 'unanswered_interactions').toBe(alert === 'ListingBotUnanswered' ? 1 : 0);
  fires(alert, { before, after: await take(port), minutes }, others);
  discord.gateway.silence(false);
  discord.faults.clear();
}

/** Makes the bot reconnect without receiving HELLO. */
function loseSession({ gateway }: Scraped['discord']): void {
  gateway.silence(true);
  gateway.cut();
}

/** Starts a bot with these options and returns its metrics when it is ready. */
async function scraped(options: BotOptions): Promise<Scrape> {
  const port = await quietPort();
  const bot = await openBot({ ...options, env: { ...options.env, HTTP_PORT: String(port) } });
  try {
    await until(port, 'gateway_identifies_left').toBeDefined();
    return await take(port);
  } finally {
    await bot.close();
  }
}

describe.skipIf(!hasPromtool)('the Prometheus alerts', () => {
  alertIt('ListingBotNotReady', 'a bot that has not been ready for 2 minutes', async (alert) => {
    await firesFor(alert, { minutes: 3 }, async ({ discord, port }) => {
      loseSession(discord);
      await until(port, 'ready').toBe(0);
    });
  });

  alertIt('ListingBotSlowFirstResponses', 'acknowledgements that take more than 2 seconds', async (alert) => {
    await firesFor(alert, { minutes: 2 }, async ({ guild, discord, port }) => {
      // Delays both attempts of each of the two commands.
      discord.faults.inject({ fault: { kind: 'delay', ms: 2_200 }, path: /\/callback$/, times: 4 });
      await Promise.all([guild.member.slash('help'), guild.member.slash('games')]);
      await until(port, 'first_response_seconds_count', '{type="command"}').toBeGreaterThanOrEqual(2);
    });
  });

  alertIt('ListingBotUnanswered', 'a member who has waited for more than a minute', async (alert) => {
    let answer: ReturnType<typeof add> | undefined;
    await firesFor(alert, { minutes: 2 }, async ({ guild, discord }) => {
      const fault = { kind: 'status', status: 503 } as const;
      discord.faults.inject({ fault, path: /\/webhooks\//, times: 1_000 });
      answer = add(guild, 1);
    });
    expect(answer && textOf(await answer)).toContain('Servers have been added for review.');
  });

  alertIt('ListingBotStoreErrors', 'a store failure', async (alert) => {
    await firesFor(alert, { minutes: 2 }, async ({ bot, port }) => {
      const other = new DatabaseSync(join(bot.data, 'bot.sqlite'));
      other.exec('BEGIN IMMEDIATE');
      // This test runs no command, because the locked database would delay its acknowledgement, too.
      await until(port, 'ready').toBe(0);
      other.close();
      await until(port, 'ready').toBe(1);
    });
  });

  alertIt('ListingBotShardDeaf', 'a shard without a session for five minutes', async (alert) => {
    const options = { minutes: 6, others: ['ListingBotNotReady'] };
    await firesFor(alert, options, async ({ discord, port }) => {
      loseSession(discord);
      await until(port, 'shards', '{state="connecting"}').toBe(1);
    });
  });

  alertIt('ListingBotStoreNotWritable', 'a store that is not writable', async (alert) => {
    const options = { minutes: 2, others: ['ListingBotNotReady', 'ListingBotStoreErrors'] };
    await firesFor(alert, options, async ({ bot, port }) => {
      const other = new DatabaseSync(join(bot.data, 'bot.sqlite'));
      onTestFinished(() => other.close());
      other.exec('BEGIN IMMEDIATE');
      await until(port, 'store_writable').toBe(0);
    });
  });

  alertIt('ListingBotNotTold', 'members who cannot be notified after a crash', async (alert) => {
    await firesFor(alert, { minutes: 2 }, async ({ bot, guild, discord, port }) => {
      const failWith = (status: number) =>
        discord.faults.inject({
          fault: { kind: 'status', status },
          path: /\/webhooks\//,
          times: 1_000,
        });
      failWith(503);
      void add(guild, 1).catch(() => undefined);
      await until(port, 'submitted_servers_total', '{outcome="accepted"}').toBe(1);
      await bot.process.stop();
      discord.faults.clear();
      // If a message is rejected, the bot doesn't try again immediately.
      failWith(404);
      await bot.start();
      await until(port, 'told_later_total', '{outcome="failed"}').toBeGreaterThan(0);
    });
  });

  alertIt('ListingBotDirectMessagesStopped', 'direct messages stopped by Discord', async (alert) => {
    await firesFor(alert, { minutes: 2 }, async ({ guild, discord, port }) => {
      await turnApprovalOn(guild);
      discord.stopDirectMessages('flagged as spam');
      await add(guild, 1);
      await approve(guild);
      await until(port, 'direct_messages_total', '{outcome="stopped"}').toBe(1);
    });
  });

  alertIt(
    'ListingBotUnknownOutcomes',
    'submitted servers that the service may or may not have received',
    async (alert) => {
      await firesFor(alert, { minutes: 2 }, async ({ guild, port }) => {
        await guild.listing.behave({ kind: 'reset' });
        await add(guild, 1);
        await until(port, 'submitted_servers_total', '{outcome="unknown"}').toBe(1);
      });
    },
  );

  alertIt('ListingBotBreakerOpen', 'a listing service that has been down for 5 minutes', async (alert) => {
    await firesFor(alert, { minutes: 6 }, async ({ guild, port }) => {
      await guild.listing.behave({ kind: 'down' });
      await Promise.all([1, 2, 3, 4, 5, 6].map((each) => add(guild, each)));
      await until(port, 'listing_breaker', '{extent="none"}').toBe(0);
    });
  });

  alertIt('ListingBotFewIdentifies', 'a day with few IDENTIFYs left', async (alert) => {
    const before = await scraped({});
    const after = await scraped({ discord: { identifiesUsed: 751 } });
    fires(alert, { before, after, minutes: 2 }, []);
  });

  alertIt('ListingBotBackupOld', 'a backup that is older than a day', async (alert) => {
    const data = await mkdtemp(join(tmpdir(), 'backup-alert-'));
    onTestFinished(() => rm(data, { recursive: true }));
    async function backedUp(hoursAgo: number): Promise<Scrape> {
      await rm(join(data, 'backups'), { recursive: true, force: true });
      await mkdir(join(data, 'backups'));
      const name = `bot-${timeInName(Date.now() - hoursAgo * 3_600_000)}.sqlite`;
      await writeFile(join(data, 'backups', name), '');
      return scraped({ data });
    }
    fires(alert, { before: await backedUp(1), after: await backedUp(26), minutes: 11 }, []);
  });

  alertIt('ListingBotBackupFailed', 'a failed backup', async (alert) => {
    const data = await mkdtemp(join(tmpdir(), 'backup-alert-'));
    onTestFinished(() => rm(data, { recursive: true }));
    // A file blocks the folder's path.
    await writeFile(join(data, 'backups'), '');
    const port = await quietPort();
    await oneBot({ data, env: { HTTP_PORT: String(port), BACKUP_EVERY_HOURS: '24' } });
    await until(port, 'backups_total', '{outcome="failed"}').toBe(1);
    fires(alert, { before: await scraped({}), after: await take(port), minutes: 1 }, []);
  });

  alertIt('ListingBotDiskNearlyFull', 'a nearly full disk', async (alert) => {
    const preload = new URL('../support/preloads/full-disk.ts', import.meta.url);
    const NODE_OPTIONS = `--import=${preload}`;
    const after = await scraped({ asProcess: true, env: { NODE_OPTIONS } });
    fires(alert, { before: await scraped({}), after, minutes: 6 }, []);
  });

  it('are all valid and tested', async () => {
    const rules = await readFile(RULES, 'utf8');
    const all = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
    expect(tested.toSorted()).toEqual(all.toSorted());
    expect(promtool('check', 'rules', RULES).status).toBe(0);
  });

  it('use metrics that promtool accepts', async () => {
    const port = await quietPort();
    await oneBot({ env: { HTTP_PORT: String(port) } });
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const ours = text.split('\n').filter((line) => line.includes('listing_bot_'));
    const input = `${ours.join('\n')}\n`;
    const { status, stderr } = spawnSync('promtool', ['check', 'metrics'], { input, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});
