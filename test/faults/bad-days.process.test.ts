import { expect } from 'vitest';
import type { Fault } from '../../sandbox/discord/rest/faults.ts';
import { type Bot, ownBotTest, textOf } from '../support/bot.ts';

const BLOCK = "Discord's edge blocks this bot";

const BLOCKED: Fault = { kind: 'block', as: 'text' };
const limited = (seconds: number): Fault => ({
  kind: 'rate limit',
  scope: 'user',
  retryAfterMs: seconds * 1000,
});
const ALWAYS = Number.POSITIVE_INFINITY;

/** A bot that hasn't been started yet. */
const it = ownBotTest({ start: false });

const made = ({ discord }: Bot, method: string, path: RegExp) =>
  discord.requests.filter((request) => request.method === method && path.test(request.path)).length;

/*
 * test/discord/api.test.ts covers which requests a block stops. These tests cover what the operator sees in the log.
 */
it('the bot logs the likely cause at startup if Discord is blocking its IP address', async ({
  bot,
  discord,
}) => {
  discord.faults.inject({ fault: BLOCKED, times: ALWAYS });
  bot.process.start();
  await expect.poll(() => bot.output().includes(BLOCK)).toBe(true);
  expect(bot.output()).toContain('look for another program on the same address');
  expect(bot.process.running).toBe(true);
});

it('the bot logs a single line at startup if Discord is unreachable', async ({ bot, discord }) => {
  discord.faults.inject({ fault: { kind: 'reset' }, times: ALWAYS });
  bot.process.start();
  await expect.poll(() => discord.requests.length >= 6).toBe(true);
  const said = bot.log().filter(({ level }) => level !== 'info');
  expect(said).toEqual([
    expect.objectContaining({
      msg: `${new URL(discord.apiUrl).host} is unreachable (connection cut); will retry in 1 s`,
    }),
  ]);
});

it('the bot waits out a long rate limit on the gateway URL', async ({ bot, discord }) => {
  discord.faults.inject({ fault: limited(82_721), path: /^\/gateway\/bot$/, times: ALWAYS });
  bot.process.start();
  await expect
    .poll(() => bot.log().some(({ againInSeconds }) => Number(againInSeconds) >= 82_721))
    .toBe(true);
  expect(made(bot, 'GET', /gateway\/bot/)).toBe(1);
  expect(bot.process.running).toBe(true);
});

it('the bot retries requests that fail at startup', async ({ bot, discord, member }) => {
  discord.faults.inject({ fault: { kind: 'status', status: 503 }, ofEachRoute: true });
  await bot.start();
  await expect.poll(() => discord.commands().length > 0).toBe(true);
  expect(textOf(await member.slash('help'))).toContain('/addserver');
  const failed = discord.requests.filter(({ status }) => status === 503).map(({ path }) => path);
  expect(failed).toEqual(expect.arrayContaining(['/api/v10/gateway/bot', '/api/v10/applications/@me']));
});

ownBotTest({ start: false, discord: { shards: 3 } })(
  'the bot replies to interactions before all shards have connected',
  async ({ bot, discord }) => {
    bot.process.start();
    await expect.poll(() => discord.commands().length > 0).toBe(true);
    await expect.poll(() => discord.gateway.sessions().length > 0).toBe(true);
    // A member of the first guild, which belongs to the first shard.
    const person = bot.person({ role: 'member' });
    expect(textOf(await person.slash('help'))).toContain('/addserver');
    expect(discord.gateway.sessions().length).toBeLessThan(3);
  },
);

// Bots in the test's own process have more than three seconds to respond.
ownBotTest({ asProcess: true, start: false, discord: { answerWithinMs: 3_000 } })(
  'initial responses arrive in time even if all idle connections have silently died',
  async ({ bot, discord, member }) => {
    await bot.start();
    // The request that publishes the commands leaves a connection idle.
    await expect.poll(() => made(bot, 'PUT', /commands/)).toBe(1);
    await member.slash('help');
    // Once the bot has received the response, the connection is idle again.
    await expect.poll(() => bot.log().some(({ msg }) => msg === 'interaction')).toBe(true);
    discord.faults.silenceConnections();
    expect(textOf(await member.slash('help'))).toContain('/addserver');
  },
);
