import { expect, it, onTestFinished } from 'vitest';
import { type StandInOptions, startDiscord } from '../../sandbox/discord/stand-in.ts';
import { createGateway, type FatalDiscordError } from '../../src/discord/gateway.ts';
import { Secret } from '../../src/secret.ts';
import { recorder } from '../storage/temporary.ts';
import { openApi, TOKEN } from '../support/discord-api.ts';

// What a gateway does to a bot that is connected is in test/faults/gateway.test.ts; shards that begin one after the
// other are in test/faults/bad-days.test.ts.

async function startStandIn(options: Omit<StandInOptions, 'token'> = {}) {
  const discord = await startDiscord({ token: TOKEN, reactionMs: 0, ...options });
  onTestFinished(() => discord.close());
  return discord;
}

/** A gateway that is not connected yet. */
function gatewayTo({ apiUrl }: { readonly apiUrl: string }, botToken = TOKEN) {
  const logger = recorder();
  const token = new Secret(botToken);
  const api = openApi(apiUrl, { token });
  const fatal: FatalDiscordError[] = [];
  const gateway = createGateway({
    api,
    token,
    onInteraction: () => undefined,
    onFatal: (error) => fatal.push(error),
    logger,
  });
  const stopping = new AbortController();
  onTestFinished(async () => {
    stopping.abort();
    await gateway.disconnect();
  });
  const connect = () => gateway.connect(stopping.signal);
  const logged = (message: string) => logger.lines.filter((line) => line.message.includes(message));
  return { ...gateway, connect, stopping, fatal, logged };
}

it('every shard is counted, and the connection is said once all are ready', async () => {
  const discord = await startStandIn({ shards: 4, maxConcurrency: 4 });
  for (let n = 0; n < 8; n += 1) discord.guildEvents.add({ name: `Guild ${n}` });
  const gateway = gatewayTo(discord);
  expect([gateway.isConnected(), gateway.silentMs(), gateway.identifiesLeft()]).toEqual([
    false,
    0,
    undefined,
  ]);
  await gateway.connect();
  await expect.poll(gateway.isConnected).toBe(true);
  expect(gateway.shards()).toEqual({ ready: 4, connecting: 0, disconnected: 0 });
  expect(gateway.logged('connected to Discord').map(({ details }) => details)).toMatchObject([
    { guilds: 10 },
  ]);
  expect(gateway.silentMs()).toBeGreaterThan(0);
  expect(gateway.identifiesLeft()).toBe(996);
  discord.gateway.close(4000, { shard: 0 });
  await expect.poll(gateway.isConnected).toBe(false);
  await expect.poll(gateway.isConnected).toBe(true);
  await gateway.askIdentifiesLeft();
  expect(gateway.identifiesLeft()).toBe(996);
});

it('two gateways of one process keep their sessions apart', async () => {
  const discord = await startStandIn({ maxConcurrency: 2 });
  const gateways = [gatewayTo(discord), gatewayTo(discord)];
  for (const gateway of gateways) {
    await gateway.connect();
    await expect.poll(gateway.isConnected).toBe(true);
    discord.clock.advance(5_000);
  }
  const before = discord.gateway.sessions().map(({ id }) => id);
  expect(new Set(before).size).toBe(2);
  discord.gateway.askToReconnect();
  for (const { logged } of gateways) await expect.poll(() => logged('resumed').length).toBe(1);
  expect(
    discord.gateway
      .sessions()
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual(before.toSorted());
});

it('a token that Discord does not accept ends the bot, and is not tried again', async () => {
  const discord = await startStandIn();
  const gateway = gatewayTo(discord, `${TOKEN}x`);
  await gateway.connect();
  expect(gateway.fatal.map(({ message }) => message)).toEqual([expect.stringContaining('DISCORD_TOKEN')]);
  expect(discord.requests.filter(({ path }) => path.includes('/gateway/bot'))).toHaveLength(1);
});

it('several shards that Discord ends for good end the bot once', async () => {
  const discord = await startStandIn({ shards: 3, maxConcurrency: 3 });
  const gateway = gatewayTo(discord);
  await gateway.connect();
  await expect.poll(gateway.isConnected).toBe(true);
  discord.gateway.close(4014);
  await expect.poll(gateway.shards).toEqual({ ready: 0, connecting: 0, disconnected: 3 });
  expect(gateway.fatal.map(({ message }) => message)).toEqual([expect.stringContaining('4014')]);
});

it.each([
  [1, 1_000],
  [2, 999],
])('%i shards wait for new sessions when %i of the day’s 1,000 are used', async (shards, identifiesUsed) => {
  const discord = await startStandIn({ shards, identifiesUsed });
  const gateway = gatewayTo(discord);
  const connecting = gateway.connect();
  await expect.poll(() => gateway.logged('does not let the bot connect')).toHaveLength(1);
  const [{ details } = {}] = gateway.logged('does not let the bot connect');
  expect(Object(details).againInSeconds).toBeGreaterThan(23 * 3_600);
  expect(discord.gateway.sessions()).toEqual([]);
  gateway.stopping.abort();
  await connecting;
});

it('a bot that is stopped while it connects ends, and does not connect again', async () => {
  const discord = await startStandIn();
  const gateway = gatewayTo(discord);
  const connecting = gateway.connect();
  await discord.connected();
  await gateway.disconnect();
  await connecting;
  await expect.poll(() => discord.gateway.sessions()).toEqual([]);
  expect(gateway.fatal).toEqual([]);
});
