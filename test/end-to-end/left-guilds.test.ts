import { describe, expect } from 'vitest';
import { type Bot, messageOf, ownBotTest, setKey, textOf } from '../support/bot.ts';
import { ACCEPTED, addServer, openSetting, staffChannel } from '../support/people.ts';

/** What each check decides is tested with the module; here that the bot checks, and with what it keeps. */
const it = ownBotTest({ env: { DEPARTURE_CHECK_SECONDS: '1', DEPARTURE_GRACE_DAYS: '1' } });

const DAY_MS = 86_400_000;

/** Lists of guilds that were read to their end, which is an empty page. */
const lists = ({ discord }: Bot) => discord.requests.filter(({ path }) => path.includes('&after=')).length;

describe('a guild that has the commands without the bot user', () => {
  it('keeps its key while it is used, and loses everything after the grace of silence', async ({ bot }) => {
    const guild = bot.discord.guildEvents.add({ name: 'Commands only', bot: false });
    const admin = bot.discord.person({ guild, name: 'admin', permissions: 1n << 5n });
    await setKey(admin, 'sandbox-key');
    const before = lists(bot);
    await expect.poll(() => lists(bot)).toBeGreaterThan(before + 2);
    expect(textOf(await addServer(admin, 'play.example.com:1'))).toContain(ACCEPTED);
    await bot.process.stop();
    await bot.store.rows(
      `UPDATE presence SET absent_since = absent_since - ${DAY_MS}, used_at = used_at - ${DAY_MS}`,
    );
    await bot.store.rows(`UPDATE servers SET reserved_at = reserved_at - ${DAY_MS}`);
    await bot.start();
    await expect.poll(async () => (await bot.store.content()).includes(guild.id)).toBe(false);
  });

  it('is told at the choice of a log channel that it needs the bot', async ({ guild, admin, discord }) => {
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
