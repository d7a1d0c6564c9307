import { calculateShardId } from 'discord.js';
import { expect, it, onTestFinished } from 'vitest';
import { createConnection } from '../../src/discord/connection.ts';
import { startDiscord } from '../../src/sandbox/stand-in.ts';
import { Secret } from '../../src/secret.ts';
import { recorder } from '../storage/temporary.ts';

const TOKEN = 'MTExMTExMTExMTExMTExMTEx.shards.a-token-of-the-connection-tests-123456';

it('a process with all shards looks after every guild, and knows them all once it has started', async () => {
  const discord = await startDiscord({ token: TOKEN, shards: 4, maxConcurrency: 4 });
  onTestFinished(() => discord.close());
  for (let i = 0; i < 8; i++) discord.guildEvents.add({ name: `Guild ${i}` });
  const connection = createConnection({
    apiUrl: discord.apiUrl,
    token: new Secret(TOKEN),
    commands: [],
    logger: recorder(),
    onReady: async () => undefined,
    onInteraction: async () => undefined,
    onUse: () => undefined,
    drain: async () => undefined,
    onFatal: () => undefined,
  });
  await connection.start?.();
  try {
    const ids = discord.guilds.map(({ id }) => id);
    expect(new Set(ids.map((id) => calculateShardId(id, 4))).size).toBe(4);
    expect(ids.map(connection.isOurs)).toEqual(ids.map(() => true));
    expect(await connection.listGuilds()).toEqual(ids);
  } finally {
    await connection.stop?.();
  }
});
