import { describe, expect } from 'vitest';
import { messageOf, ownBotTest, setKey, textOf } from '../support/bot.ts';
import { ACCEPTED, addServer, openSetting, staffChannel } from '../support/people.ts';

/** `membership.test.ts` covers every decision. These tests only check that the bot runs the checks. */
const it = ownBotTest({ env: { DEPARTURE_CHECK_SECONDS: '1', DEPARTURE_GRACE_DAYS: '1' } });

const DAY_MS = 86_400_000;

describe("a guild with the bot's commands but no bot user", () => {
  it('loses its data if no command is used during the grace period', async ({ bot }) => {
    const guild = bot.discord.guildEvents.add({ name: 'Commands only', bot: false });
    const admin = bot.discord.person({ guild, name: 'admin', permissions: 1n << 5n });
    await setKey(admin, 'sandbox-key');
    expect(textOf(await addServer(admin, 'play.example.com:1'))).toContain(ACCEPTED);
    // In a new database, the grace period starts with the first check.
    const checked = "SELECT 1 FROM keyv WHERE key = 'application:current'";
    await expect.poll(() => bot.store.rows(checked)).toHaveLength(1);
    await bot.process.stop();
    await bot.store.rows(`UPDATE guild_departures SET unused_since = unused_since - ${DAY_MS}`);
    await bot.store.rows(`UPDATE servers SET reserved_at = reserved_at - ${DAY_MS}`);
    await bot.store.rows(`UPDATE key_trials SET at = at - ${DAY_MS}`);
    await bot.start();
    await expect.poll(async () => (await bot.store.content()).includes(guild.id)).toBe(false);
  });

  it("can't have a log channel until an admin adds the bot", async ({ guild, admin, discord }) => {
    const settings = await openSetting(guild, 'Log channel');
    discord.guildEvents.keepCommandsOnly(guild);
    const answer = await admin.pick(settings, ['#staff']);
    expect(textOf(answer)).toContain("The bot isn't a member of this Discord server");
    expect(JSON.stringify(messageOf(answer).current)).toContain(
      `client_id=${discord.applicationId}&scope=bot+applications.commands&permissions=0&integration_type=0&guild_id=${guild.id}`,
    );
    expect(discord.messages({ channelId: staffChannel(guild) })).toEqual([]);
  });
});
