import { expect, it, onTestFinished } from 'vitest';
import { type StandInOptions, startDiscord } from '../../sandbox/discord/stand-in.ts';
import { createGateway, type FatalDiscordError } from '../../src/discord/gateway.ts';
import { Secret } from '../../src/text/secret.ts';
import { recorder } from '../support/machine.ts';
import { openApi, TOKEN } from '../support/small-bot.ts';

// test/faults/gateway.test.ts covers faults while a bot is connected, and test/faults/bad-days.process.test.ts covers
// shards that start one after another.

async function startStandIn(options: Omit<StandInOptions, 'token'> = {}) {
  const discord = await startDiscord({ token: TOKEN, reactionMs: 0, ...options });
  onTestFinished(() => discord.close());
  return discord;
}

/** Creates a gateway that isn't connected yet. */
function gatewayTo({ apiUrl }: { readonly apiUrl: string }) {
  const logger = recorder();
  const token = new Secret(TOKEN);
  const api = openApi(apiUrl, { token });
  const interactions: unknown[] = [];
  const fatal: FatalDiscordError[] = [];
  const gateway = createGateway({
    api,
    token,
    onInteraction: (interaction) => interactions.push(interaction),
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
  return { ...gateway, connect, stopping, interactions, fatal, logged };
}

async function connectedTo(discord: { readonly apiUrl: string }) {
  const gateway = gatewayTo(discord);
  await gateway.connect();
  await expect.poll(gateway.isConnected).toBe(true);
  return gateway;
}

it('the bot logs that it is connected once all shards are ready', async () => {
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
  expect(gateway.interactions).toEqual([]);
  expect(gateway.silentMs()).toBeGreaterThan(0);
  expect(gateway.identifiesLeft()).toBe(996);
  discord.gateway.close(4000, { shard: 0 });
  await expect.poll(gateway.isConnected).toBe(false);
  await expect.poll(gateway.isConnected).toBe(true);
  await gateway.askIdentifiesLeft();
  expect(gateway.identifiesLeft()).toBe(996);
});

it('two gateway connections in one process keep separate sessions', async () => {
  const discord = await startStandIn({ maxConcurrency: 2 });
  const first = await connectedTo(discord);
  discord.clock.advance(5_000);
  const second = await connectedTo(discord);
  const before = discord.gateway.sessions().map(({ id }) => id);
  expect(new Set(before).size).toBe(2);
  discord.gateway.askToReconnect();
  for (const { logged } of [first, second]) await expect.poll(() => logged('resumed').length).toBe(1);
  const after = discord.gateway.sessions().map(({ id }) => id);
  expect(after.toSorted()).toEqual(before.toSorted());
});

it('the bot reports a fatal error only once if Discord permanently closes several shards', async () => {
  const discord = await startStandIn({ shards: 3, maxConcurrency: 3 });
  const gateway = await connectedTo(discord);
  discord.gateway.close(4014);
  await expect.poll(gateway.shards).toEqual({ ready: 0, connecting: 0, disconnected: 3 });
  expect(gateway.fatal.map(({ message }) => message)).toEqual([expect.stringContaining('4014')]);
});

it.each([
  [1, 999, 0],
  [2, 998, 1],
])('a bot never uses the last IDENTIFY of the day (shards: %i, used: %i of 1,000)', async (shards, identifiesUsed, begun) => {
  const discord = await startStandIn({ shards, identifiesUsed, maxConcurrency: shards });
  const gateway = gatewayTo(discord);
  await gateway.connect();
  await expect.poll(() => gateway.logged('too few IDENTIFYs are left'), { timeout: 60_000 }).toHaveLength(1);
  expect(gateway.logged('too few IDENTIFYs are left')).toMatchObject([{ details: { left: 1 } }]);
  expect(discord.gateway.counts().identifies).toBe(begun);
  expect(gateway.isConnected()).toBe(false);
});

it('the last 200 IDENTIFYs of the day are reserved for startup', async () => {
  const discord = await startStandIn({ identifiesUsed: 800 });
  const gateway = await connectedTo(discord);
  expect(gateway.logged('this start uses IDENTIFYs reserved')).toHaveLength(1);
  discord.gateway.invalidate(false);
  // The library waits five seconds between two IDENTIFYs.
  await expect.poll(() => gateway.logged('too few IDENTIFYs are left'), { timeout: 60_000 }).toHaveLength(1);
  expect(discord.gateway.counts().identifies).toBe(1);
  expect(gateway.silentMs()).toBe(0);
});

it("a shard that is waiting for READY doesn't count as silent", async () => {
  const discord = await startStandIn({ heartbeatIntervalMs: 1_000 });
  const gateway = await connectedTo(discord);
  expect(gateway.silentMs()).toBeGreaterThan(0);
  discord.gateway.answerIdentify('nothing');
  discord.gateway.invalidate(false);
  discord.clock.advance(5_000);
  await expect.poll(() => discord.gateway.counts().identifies, { timeout: 60_000 }).toBe(2);
  expect(gateway.silentMs()).toBe(0);
  discord.gateway.answerIdentify('ready');
  await expect.poll(gateway.silentMs).toBeGreaterThan(0);
});

it('the bot closes a connection after a single unacknowledged heartbeat', async () => {
  const discord = await startStandIn({ heartbeatIntervalMs: 500 });
  const gateway = await connectedTo(discord);
  discord.gateway.killLines();
  // Without the failed heartbeat, the library would wait half a minute for the dead connection to close.
  await expect.poll(() => gateway.logged('resumed'), { timeout: 15_000 }).toHaveLength(1);
});

it("a bot doesn't connect if it is stopped while requesting the gateway's URL", async () => {
  const discord = await startStandIn();
  const gateway = gatewayTo(discord);
  const asked = new Promise<void>((resolve) => {
    discord.watch(({ kind }) => kind === 'wire' && resolve());
  });
  discord.faults.inject({ fault: { kind: 'delay', ms: 100 }, path: /gateway/ });
  const connecting = gateway.connect();
  await asked;
  gateway.stopping.abort();
  await connecting.catch(() => undefined);
  expect(gateway.shards()).toEqual({ ready: 0, connecting: 0, disconnected: 0 });
});

it("a bot that is stopped while connecting doesn't reconnect", async () => {
  const discord = await startStandIn();
  const gateway = gatewayTo(discord);
  const connecting = gateway.connect();
  await discord.connected();
  await gateway.disconnect();
  await connecting;
  await expect.poll(() => discord.gateway.sessions()).toEqual([]);
  expect(gateway.fatal).toEqual([]);
});
