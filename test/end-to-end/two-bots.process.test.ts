import { chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { type Bot, BREACHES, createBotInProcess, OVER_HTTP, ownBotTest, textOf } from '../support/bot.ts';
import { isOnPostgres } from '../support/database.ts';
import { folder, type ProgramOptions, runFile } from '../support/machine.ts';
import { addServer } from '../support/people.ts';

const it = ownBotTest();
const processIt = ownBotTest({ asProcess: true });
/** For tests whose bot doesn't run or receive interactions. */
const idleIt = ownBotTest({ start: false, http: false });

/** Starts a second bot with the same token, the way an operator would, and waits until it exits. */
const another = (bot: Bot, storeUrl: string, options: Partial<ProgramOptions> = {}) =>
  runFile(['src/start.js'], { env: envOf(bot, storeUrl), ...options });

const envOf = ({ token, discord, listing }: Bot, storeUrl: string) => ({
  DISCORD_TOKEN: token,
  DISCORD_API_URL: discord.apiUrl,
  LISTING_API_URL: listing.url,
  STORE_URL: storeUrl,
});

describe('a second bot with the same database', () => {
  processIt.skipIf(isOnPostgres)(
    'exits with an explanation while the first bot is running',
    async ({ bot, member }) => {
      const path = join(bot.data, 'bot.sqlite');
      const says =
        `server-listing-bot: another bot is running on the database ${path} (it has locked ${path}.lock). ` +
        'Only one can use it: stop that one first, or give this one a STORE_URL of its own.\n';
      expect(await another(bot, `sqlite://${path}`)).toEqual({
        status: 1,
        stdout: expect.stringMatching(/^\{.*"msg":"starting server-listing-bot [\d.]+"\}\n$/),
        stderr: says,
      });
      await bot.kill();
      await bot.start();
      const said = await addServer(member, 'a.example.com:1');
      expect(textOf(said)).toContain('Servers have been added for review.');
    },
  );
});

describe('two bots with the same token but different databases', () => {
  it('log a warning', async ({ bot, discord, member, skip }) => {
    skip(OVER_HTTP, 'Discord posts to one address, and sends to every session');
    const printed: string[] = [];
    const other = createBotInProcess({
      env: envOf(bot, `sqlite://${join(folder(), 'bot.sqlite')}`),
      surroundings: {},
      onLine: (line) => printed.push(line),
      onExit: () => undefined,
    });
    // Discord allows one IDENTIFY per shard in five seconds.
    discord.clock.advance(5_000);
    other.start();
    await expect.poll(() => discord.gateway.sessions().length).toBe(2);
    bot.mayBreak(BREACHES.twice, 10);
    for (let asked = 0; asked < 10; asked += 1) await member.slash('help');
    await other.stop();
    const warnings = [bot.output(), ...printed]
      .join('\n')
      .split('\n')
      .filter((line) => line.includes('another bot is running on this token'));
    expect(warnings.length).toBeGreaterThanOrEqual(1);
    expect(warnings.length).toBeLessThanOrEqual(2);
  });
});

describe("a data folder that the bot can't write to", () => {
  idleIt.skipIf(process.getuid?.() !== 0)(
    'is reported with the chown command that fixes it',
    async ({ bot }) => {
      const data = join(folder(), 'with space');
      mkdirSync(data, { mode: 0o755 });
      chownSync(data, 1000, 1000);
      const { status, stderr } = await another(bot, `sqlite://${data}/bot.sqlite`, { isOrdinary: true });
      expect(status).toBe(1);
      expect(stderr).toContain(
        `this process runs as user 0, and ${data} belongs to user 1000. Run: sudo chown -R 0:0 '${data}'`,
      );
    },
  );
});
