import { describe, expect, it, onTestFinished } from 'vitest';
import { startDiscord } from '../../sandbox/discord/stand-in.ts';
import { isForeign } from '../../src/discord/bot-guilds.ts';
import { openApi, TOKEN } from '../support/small-bot.ts';

/** A Discord with two guilds, and the bot's requests to it. */
async function open() {
  const discord = await startDiscord({ token: TOKEN });
  onTestFinished(() => discord.close());
  return {
    discord,
    api: openApi(discord.apiUrl),
    /** Discord answers the next request so. */
    answer: (status: number, body: unknown) =>
      discord.faults.inject({ fault: { kind: 'status', status, body } }),
  };
}

describe('a guild that Discord is asked about', () => {
  it('is foreign when the bot was removed, never was there, or has the commands alone there', async () => {
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
    ['it has an outage', 503, { code: 0 }],
    ['the bot is refused', 403, { code: 40333, message: 'internal network error' }],
    ['the token is refused', 401, { code: 0, message: '401: Unauthorized' }],
    ['a proxy refuses it', 403, 'Forbidden'],
  ])('is neither foreign nor its own when %s', async (_what, status, body) => {
    const { api, answer } = await open();
    answer(status, body);
    await expect(isForeign(api, '1')).rejects.toThrow();
  });
});
