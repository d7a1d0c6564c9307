import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openBot } from './bot.ts';

describe('closing a test bot', () => {
  it("fails if the bot unexpectedly violated Discord's rules", async () => {
    for (const wanted of ['by none', 'by the test before', 'by this test']) {
      const bot = await openBot({ start: false });
      if (wanted !== 'by none') bot.mayBreak('401: Unauthorized', 1);
      if (wanted === 'by the test before') bot.mayBreakNoMore();
      await fetch(`${bot.discord.apiUrl}/v10/gateway/bot`, {
        headers: { 'user-agent': 'DiscordBot (x, 1)' },
      });
      const end = bot.close();
      if (wanted === 'by this test') await end;
      else await expect(end).rejects.toThrow('rules of Discord were broken');
    }
  });

  it('fails if an initial response took more than three seconds', async () => {
    let now = 0;
    const botTime = () => {
      now += 3_001;
      return now;
    };
    const bot = await openBot({ discord: { botTime } });
    await bot.person({}).slash('help');
    await expect(bot.close()).rejects.toThrow('rules of Discord were broken');
  });

  it('fails if the listing service received anything other than POST /api', async () => {
    const bot = await openBot({ start: false });
    await fetch(`${bot.listing.url}/`);
    await expect(bot.close()).rejects.toThrow('the listing service received an unknown request');
  });

  it('fails if a file contains an API key in plain text', async () => {
    const bot = await openBot();
    await bot.newGuild({ key: 'sandbox-key' });
    await writeFile(join(bot.data, 'notes'), 'it is sandbox-key');
    await expect(bot.close()).rejects.toThrow('an API key is in clear in');
  });

  // The first key appears in the bot's normal log. The second key is also the name of a command.
  it.each([
    ['prints a key', 'connected to Discord', 'the bot printed an API key'],
    ['sends a key to Discord', 'addservers', 'an API key was sent to Discord'],
  ])('fails if the bot %s', async (_what, key, why) => {
    const bot = await openBot({ listing: { keys: [key] } });
    await bot.newGuild({ key });
    await expect(bot.close()).rejects.toThrow(why);
  });

  // Both cases are tested, because the bot's last output arrives differently if the bot runs in its own process.
  it.each([
    { asProcess: true, crash: false },
    { asProcess: false, crash: false },
    { asProcess: false, crash: true },
  ])('fails if the bot exited unexpectedly (%o)', async ({ asProcess, crash }) => {
    const bot = await openBot({ asProcess });
    bot.discord.gateway.close(4013);
    const { status, wanted, lastWords } = await bot.process.exited();
    expect({ status, wanted }).toEqual({ status: 1, wanted: false });
    expect(lastWords.join()).toContain('with code 4013');
    if (crash) await bot.close({ crash });
    else await expect(bot.close()).rejects.toThrow('the bot ended unexpectedly');
  });
});
