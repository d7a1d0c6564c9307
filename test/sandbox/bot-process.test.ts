import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Exit } from '../../sandbox/bot-process.ts';
import type { Person } from '../../sandbox/discord/contract.ts';
import { openSandbox, type Sandbox } from '../../sandbox/sandbox.ts';

describe('the bot process of the sandbox', () => {
  let sandbox: Sandbox;
  const crashes: Exit[] = [];
  beforeAll(async () => {
    const surroundings = { ...process.env, LISTING_API_KEY: 'the-operators-own', LOG_LEVEL: 'nonsense' };
    sandbox = await openSandbox({ surroundings });
    sandbox.watch((event) => {
      if (event.kind === 'bot' && event.state === 'crashed') crashes.push(event.exit);
    });
    await sandbox.startBot();
  });
  afterAll(() => sandbox.close());

  function member(): Person {
    const [guild] = sandbox.discord.guilds;
    if (!guild) throw new Error('there is no guild');
    return sandbox.discord.person({ guild, name: 'member', permissions: 0n });
  }

  it("gets nothing of the operator's own configuration", async () => {
    await member().slash('games');
    expect(sandbox.listing.requests.map(({ key }) => key)).not.toContain('the-operators-own');
  });

  it('is told to have ended by itself, with its status and last words, and starts again', async () => {
    expect(sandbox.bot.running).toBe(true);
    // 4004, authentication failed: nothing a bot could recover from.
    sandbox.discord.gateway.close(4004);
    await expect.poll(() => crashes).toHaveLength(1);
    const [exit] = crashes.splice(0);
    expect(exit).toMatchObject({ status: 1, signal: null, wanted: false });
    // All that is no JSON, for a person at a terminal.
    expect(exit?.lastWords.filter((line) => !line.startsWith('{'))).toEqual([
      expect.stringMatching(/^server-listing-bot: .*4004.*the bot token is not valid/),
    ]);
    expect(sandbox.bot.running).toBe(false);
    await sandbox.startBot();
    expect(sandbox.bot.running).toBe(true);
    expect(await member().slash('games')).toMatchObject({ kind: 'message' });
  });

  it('is told to stop without being called a crash', async () => {
    expect(await sandbox.bot.stop()).toMatchObject({ status: 0, wanted: true });
    expect(crashes).toEqual([]);
  });
});
