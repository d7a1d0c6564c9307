import { describe, expect, it } from 'vitest';
import { type Bot, oneBot } from '../support/bot.ts';

async function reportOf(bot: Bot): Promise<Readonly<Record<string, unknown>>> {
  const entry = () => bot.log().find(({ msg }) => msg === 'ready');
  await expect.poll(entry).toBeDefined();
  return entry() ?? {};
}

describe('the startup report', () => {
  it('shows the version, keys, commands and disabled features', async () => {
    const bot = await oneBot({ env: { EXIT_WHEN_SILENT_SECONDS: '600' } });
    const report = await reportOf(bot);
    expect(report).toMatchObject({
      level: 'info',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      listing: bot.listing.url,
      listingState: 'not tried yet',
      gamesKey: expect.stringContaining('not set'),
      commands: bot.discord.commands().length,
      allowedGuilds: 'all',
      blockedGuilds: 0,
      blockedUsers: 0,
      public: true,
      serverLookup: 'off',
      store: expect.stringMatching(/^sqlite:.*bot\.sqlite$/),
      encryptionKey: 'in a file next to the database',
    });
    const invites = bot
      .log()
      .filter(({ msg }) => String(msg).startsWith('invite the bot: https://discord.com/'));
    expect(invites.map(({ msg }) => msg)).toEqual([
      expect.stringContaining(`client_id=${bot.discord.applicationId}&`),
    ]);
    for (const variable of [
      'OPERATOR_WEBHOOK_URL',
      'HEARTBEAT_URL',
      'HTTP_PORT',
      'BACKUP_EVERY_HOURS',
      'SERVER_LOOKUP',
      'LISTING_URL',
      'SUPPORT_URL',
      'PRIVACY_URL',
    ]) {
      expect(String(report.off)).toContain(variable);
    }
    expect(String(report.off)).not.toContain('EXIT_WHEN_SILENT_SECONDS');
    expect(bot.listing.requests).toEqual([]);
  });

  it('warns about Developer Portal settings that differ from the README', async () => {
    const application = { bot_require_code_grant: true, name: 'My Discord Bot', approximate_guild_count: 75 };
    const bot = await oneBot({ discord: { application } });
    await reportOf(bot);
    const warnings = bot.log().filter(({ level }) => level === 'warn');
    expect(warnings.map(({ msg }) => msg)).toEqual([
      expect.stringContaining('"Requires OAuth2 Code Grant" is on'),
      expect.stringContaining('"discord" in its name'),
      expect.stringContaining('About 75 Discord servers have the bot'),
    ]);
  });

  it('shows the enabled features, but no secrets', async () => {
    const env = {
      LISTING_API_KEY: 'the-operators-own-key-98765',
      ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
      SERVER_LOOKUP: 'on',
      SUPPORT_URL: 'https://example.com/support',
      EXIT_WHEN_SILENT_SECONDS: '0',
      ALLOWED_GUILDS: '123456789012345671,123456789012345672,123456789012345673',
      BLOCKED_GUILDS: '123456789012345673',
      BLOCKED_USERS: '123456789012345674,123456789012345675',
    };
    const bot = await oneBot({ env });
    const report = await reportOf(bot);
    expect(report).toMatchObject({
      gamesKey: 'LISTING_API_KEY',
      allowedGuilds: 3,
      blockedGuilds: 1,
      blockedUsers: 2,
      serverLookup: expect.stringMatching(/^sends addresses to http:.* and DNS$/),
      encryptionKey: 'ENCRYPTION_KEY',
    });
    expect(String(report.off)).toContain('EXIT_WHEN_SILENT_SECONDS');
    expect(String(report.off)).not.toContain('SUPPORT_URL');
    for (const secret of [env.LISTING_API_KEY, env.ENCRYPTION_KEY])
      expect(bot.output()).not.toContain(secret);
  });
});
