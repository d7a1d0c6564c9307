import { describe, expect, it, onTestFinished } from 'vitest';
import { startDiscord } from '../../sandbox/discord/stand-in.ts';
import { isForeign } from '../../src/discord/bot-guilds.ts';
import { openApi, TOKEN } from '../support/small-bot.ts';

/** Starts a Discord stand-in with two guilds, and creates an API client for it. */
async function open() {
  const discord = await startDiscord({ token: TOKEN });
  onTestFinished(() => discord.close());
  return {
    discord,
    api: openApi(discord.apiUrl),
    /** Sets how Discord responds to the next request. */
    answer: (status: number, body: unknown) =>
      discord.faults.inject({ fault: { kind: 'status', status, body } }),
  };
}

describe('isForeign', () => {
  it("returns true if the bot isn't in the guild", async () => {
    const { discord, api } = await open();
    const [removed, present] = discord.guilds;
    if (!removed || !present) throw new Error('the stand-in has two guilds');
    discord.guildEvents.remove(removed);
    const { id } = discord.guildEvents.add({ name: 'Commands only', bot: false });
    for (const foreign of [removed.id, '123456789012345678', id]) {
      expect(await isForeign(api, foreign)).toBe(true);
    }
    expect(await isForeign(api, present.id)).toBe(false);
    expect(discord.breaches).toEqual([]);
  });

  it.each<[string, number, unknown]>([
    ['Discord has an outage', 503, { code: 0 }],
    ['Discord rejects the bot', 403, { code: 40333, message: 'internal network error' }],
    ['Discord rejects the token', 401, { code: 0, message: '401: Unauthorized' }],
    ['a proxy rejects the request', 403, 'Forbidden'],
  ])('throws if %s', async (_what, status, body) => {
    const { api, answer } = await open();
    answer(status, body);
    await expect(isForeign(api, '1')).rejects.toThrow();
  });
});
