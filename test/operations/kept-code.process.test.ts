import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { oneBot } from '../support/bot.ts';
import { folder, runFile } from '../support/machine.ts';

it('the compile cache survives a kill -9 immediately after startup', async () => {
  const { token, discord, listing } = await oneBot();
  const kept = folder();
  const env = {
    DISCORD_TOKEN: token,
    DISCORD_API_URL: discord.apiUrl,
    LISTING_API_URL: listing.url,
    STORE_URL: `sqlite://${join(folder(), 'bot.sqlite')}`,
    NODE_COMPILE_CACHE: kept,
    BACKUP_EVERY_HOURS: '0',
  };
  const ended = runFile(['src/start.js'], {
    env,
    onStart: (bot) => onTestFinished(() => void bot.kill('SIGKILL')),
  });
  await Promise.race([
    expect
      .poll(() => readdirSync(kept, { recursive: true }).length, { timeout: 60_000 })
      .toBeGreaterThan(100),
    ended.then(({ stderr }) => expect(stderr).toBe('still running')),
  ]);
});
