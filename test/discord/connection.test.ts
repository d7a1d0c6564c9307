import { once } from 'node:events';
import { calculateShardId, Events } from 'discord.js';
import { expect, it, onTestFinished } from 'vitest';
import type { DiscordStandIn } from '../../sandbox/discord/contract.ts';
import { startDiscord } from '../../sandbox/discord/stand-in.ts';
import { createClient } from '../../src/discord/client.ts';
import { createConnection } from '../../src/discord/connection.ts';
import { receiveInteractions } from '../../src/discord/incoming.ts';
import { Secret } from '../../src/secret.ts';
import { createWords } from '../../src/words/words.ts';
import { recorder } from '../storage/temporary.ts';

const TOKEN = 'MTExMTExMTExMTExMTExMTEx.shards.a-token-of-the-connection-tests-123456';

function connectionTo(discord: DiscordStandIn, logger = recorder()) {
  const connection = createConnection({
    apiUrl: discord.apiUrl,
    token: new Secret(TOKEN),
    ...createWords(),
    logger,
    onFatal: () => undefined,
  });
  const service = connection.serve({
    commands: [],
    onReady: async () => undefined,
    onInteraction: async () => undefined,
    onUse: [],
    drain: async () => undefined,
  });
  return { ...connection, ...service };
}

it('a process with all shards looks after every guild, and knows them all once it has started', async () => {
  const discord = await startDiscord({ token: TOKEN, shards: 4, maxConcurrency: 4 });
  onTestFinished(() => discord.close());
  for (let i = 0; i < 8; i++) discord.guildEvents.add({ name: `Guild ${i}` });
  const logger = recorder();
  const connection = connectionTo(discord, logger);
  await connection.start?.();
  try {
    const ids = discord.guilds.map(({ id }) => id);
    expect(new Set(ids.map((id) => calculateShardId(id, 4))).size).toBe(4);
    expect(ids.map(connection.isOurs)).toEqual(ids.map(() => true));
    expect(await connection.listGuilds()).toEqual(ids);
    const connected = logger.lines.find(({ message }) => message === 'connected to Discord');
    expect(connected?.details).toMatchObject({ guilds: ids.length });
  } finally {
    await connection.stop?.();
  }
});

it('the client keeps nothing of the guilds it is told of', async () => {
  const discord = await startDiscord({ token: TOKEN });
  onTestFinished(() => discord.close());
  discord.guildEvents.add({ name: 'Another guild' });
  const { client, close } = createClient({ apiUrl: discord.apiUrl });
  receiveInteractions({
    client,
    onInteraction: () => undefined,
    heardAt: new Map(),
    onUse: [],
    ...createWords(),
    logger: recorder(),
  });
  const ready = once(client, Events.ClientReady);
  await client.login(TOKEN);
  try {
    await ready;
    expect(client.guilds.cache.size).toBe(0);
  } finally {
    await client.destroy();
    await close();
  }
});

it('a bot that is stopped while it connects ends, and does not connect again', async () => {
  const discord = await startDiscord({ token: TOKEN });
  onTestFinished(() => discord.close());
  const logger = recorder();
  const connection = connectionTo(discord, logger);
  const started = connection.start?.();
  await discord.connected();
  await connection.stop?.();
  await started;
  await expect.poll(() => discord.gateway.sessions()).toEqual([]);
  expect(logger.lines.map(({ message }) => message)).not.toContain('connected to Discord');
});
