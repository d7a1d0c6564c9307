import { Client, type ClientOptions, Events } from 'discord.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DiscordStandIn } from '../../../../sandbox/discord/contract.ts';
import { startDiscord } from '../../../../sandbox/discord/stand-in.ts';
import { TOKEN } from '../support/small-bot.ts';

let standIn: DiscordStandIn;
let client: Client | undefined;

beforeEach(async () => {
  standIn = await startDiscord({ token: TOKEN });
});

afterEach(async () => {
  await client?.destroy();
  await standIn.close();
});

function bot(options: Partial<ClientOptions> = {}): Client {
  client = new Client({ intents: [], ...options, rest: { api: standIn.apiUrl } });
  client.on(Events.Error, () => {});
  return client;
}

const broken = () => standIn.breaches.map(({ rule, code }) => [rule, code]);

describe('rules 2, 47 and 48 through discord.js', () => {
  it('refuses a wrong token before the gateway', async () => {
    await expect(bot().login('ddd.eee.fff')).rejects.toThrow('An invalid token was provided.');
    expect(broken()).toEqual([[2, 0]]);
  });

  it('refuses a token that was replaced in between', async () => {
    const login = bot().login(TOKEN);
    await expect.poll(() => standIn.requests.length, { interval: 1 }).toBe(1);
    standIn.gateway.replaceToken('ddd.eee.fff');
    await expect(login).rejects.toThrow('Authentication failed');
    expect(broken()).toEqual([[47, 4004]]);
  });

  it.each([
    [4014, 'Used disallowed intents', { intents: ['MessageContent'] }],
    [4013, 'Used invalid intents', { intents: 1 << 17 }],
    [4012, 'Used an invalid API version', { ws: { version: 8 } }],
  ] as const)('closes with %i: %s', async (code, words, options) => {
    await expect(bot(options as Partial<ClientOptions>).login(TOKEN)).rejects.toThrow(words);
    expect(broken()).toEqual([[47, code]]);
  });

  it('closes with 4010 for a shard that cannot be', async () => {
    await expect(bot({ shards: [2], shardCount: 2 }).login(TOKEN)).rejects.toThrow('Invalid shard');
    expect(broken()).toEqual([[47, 4010]]);
  });

  it('closes with 4011 for more than 2500 guilds on a shard', async () => {
    for (let n = 0; n < 2500; n += 1) standIn.guildEvents.add({ name: `guild ${n}` });
    await expect(bot().login(TOKEN)).rejects.toThrow('Sharding is required');
    expect(broken()).toEqual([[47, 4011]]);
  });

  it('begins none when the day has not enough sessions left (rule 48)', async () => {
    await standIn.close();
    standIn = await startDiscord({ token: TOKEN, shards: 1001 });
    await expect(bot({ shards: 'auto' }).login(TOKEN)).rejects.toThrow('Not enough sessions remaining');
  });
});
