import { PermissionFlagsBits } from 'discord.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startDiscord } from '../../sandbox/discord/stand-in.ts';
import { isPublicChannel } from '../../src/discord/channel-visibility.ts';
import { openApi, TOKEN } from '../support/small-bot.ts';

const { Administrator, ViewChannel } = PermissionFlagsBits;

/** Starts a Discord stand-in with two guilds, and returns a function that checks one of the first guild's channels. */
async function open() {
  const discord = await startDiscord({ token: TOKEN });
  onTestFinished(() => discord.close());
  const [guild, other] = discord.guilds;
  if (!guild || !other) throw new Error('the stand-in has two guilds');
  const api = openApi(discord.apiUrl);
  const check = (channelId = guild.channelId) => isPublicChannel(api, guild.id, channelId);
  return { discord, guild, other, check };
}

describe('isPublicChannel', () => {
  it("checks @everyone's permissions, including channel overwrites", async () => {
    const { discord, guild, check } = await open();
    const { setOverwrite, setRolePermissions } = discord.guildEvents;
    expect(await check()).toBe(true);
    for (const [role, allow, deny, isPublic] of [
      [ViewChannel, 0n, ViewChannel, false],
      [ViewChannel, 0n, PermissionFlagsBits.SendMessages, true],
      [0n, 0n, 0n, false],
      [0n, ViewChannel, 0n, true],
      [Administrator, 0n, ViewChannel, true],
    ] as const) {
      setRolePermissions(guild, guild.id, role);
      setOverwrite(guild, guild.channelId, { allow, deny });
      expect(await check()).toBe(isPublic);
    }
    expect(discord.breaches).toEqual([]);
  });

  it("returns undefined if the channel is in another guild or the bot can't see it", async () => {
    const { discord, guild, other, check } = await open();
    expect(await check(other.channelId)).toBeUndefined();
    expect(await check(`${guild.channelId}?`)).toBeUndefined();
    discord.guildEvents.setBotPermissions(guild, guild.channelId, 0n);
    expect(await check()).toBeUndefined();
  });

  it("returns undefined if Discord hides the channel's real overwrites", async () => {
    const { discord, guild, check } = await open();
    // The response that Discord documents for channels that the bot can't view (Discord docs: Channel Flags).
    const deny = { id: guild.id, type: 0, allow: '0', deny: String(ViewChannel) };
    const channel = { id: guild.channelId, guild_id: guild.id, type: 0, flags: 1 << 17 };
    const body = { ...channel, permission_overwrites: [deny] };
    discord.faults.inject({ fault: { kind: 'status', status: 200, body }, path: /^\/channels\/\d+$/ });
    expect(await check()).toBeUndefined();
  });

  it.each([
    ['channels', { kind: 'status', status: 500 }],
    ['channels', { kind: 'hang' }],
    ['guilds', { kind: 'status', status: 403, body: { code: 50_001, message: 'Missing Access' } }],
    ['guilds', { kind: 'status', status: 200, body: { id: '1', roles: [] } }],
    ['guilds', { kind: 'rate limit', scope: 'user', retryAfterMs: 60_000 }],
  ] as const)('returns undefined if a request to /%s fails: %j', async (path, fault) => {
    const { discord, check } = await open();
    discord.faults.inject({ fault, path: new RegExp(`^/${path}/\\d+$`) });
    expect(await check()).toBeUndefined();
  });
});
