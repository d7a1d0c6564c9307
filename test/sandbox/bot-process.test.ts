import { describe, expect, it } from 'vitest';
import type { Exit } from '../../sandbox/bot-process.ts';
import { openSandbox } from '../../sandbox/sandbox.ts';

describe('the bot process of the sandbox', () => {
  it('is told to have ended by itself, with its status and last words, and starts again', async () => {
    const crashed = Promise.withResolvers<Exit>();
    const sandbox = await openSandbox({ surroundings: process.env });
    sandbox.watch((event) => {
      if (event.kind === 'bot' && event.state === 'crashed') crashed.resolve(event.exit);
    });
    try {
      await sandbox.startBot();
      expect(sandbox.bot.running).toBe(true);
      // 4004, authentication failed: nothing a bot could recover from.
      sandbox.discord.gateway.close(4004);
      const exit = await crashed.promise;
      expect(exit).toMatchObject({ status: 1, signal: null, wanted: false });
      expect(exit.lastWords.join('\n')).toContain('4004');
      expect(sandbox.bot.running).toBe(false);
      await sandbox.startBot();
      expect(sandbox.bot.running).toBe(true);
    } finally {
      await sandbox.close();
    }
  });

  it('is told to stop without being called a crash', async () => {
    const crashes: Exit[] = [];
    const sandbox = await openSandbox({ surroundings: process.env });
    sandbox.watch((event) => {
      if (event.kind === 'bot' && event.state === 'crashed') crashes.push(event.exit);
    });
    try {
      await sandbox.startBot();
      expect(await sandbox.bot.stop()).toMatchObject({ status: 0, wanted: true });
      expect(crashes).toEqual([]);
    } finally {
      await sandbox.close();
    }
  });

  it("gets nothing of the operator's own configuration", async () => {
    const surroundings = { ...process.env, LISTING_API_KEY: 'the-operators-own', LOG_LEVEL: 'nonsense' };
    const sandbox = await openSandbox({ surroundings });
    try {
      await sandbox.startBot();
      const [guild] = sandbox.discord.guilds;
      if (!guild) throw new Error('there is no guild');
      await sandbox.discord.person({ guild, name: 'member', permissions: 0n }).slash('games');
      expect(sandbox.listing.requests.map(({ key }) => key)).not.toContain('the-operators-own');
    } finally {
      await sandbox.close();
    }
  });
});
