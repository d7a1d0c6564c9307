import { afterEach, describe, expect, it } from 'vitest';
import { type AppSceneOptions, messageOf, openAppScene, type Scene, setKey, textOf } from '../support/bot.ts';
import { ACCEPTED, addServer, openSettings, staffChannel } from '../support/people.ts';

/** What each check decides is tested with the module; here that the bot checks, and with what it keeps. */
let scene: Scene;
afterEach(() => scene.close());

const DAY_MS = 86_400_000;

/** Lists of guilds that were read to their end, which is an empty page. */
function lists(): number {
  const last = scene.discord.guilds.length > 0 ? '&after=' : '/users/@me/guilds';
  return scene.discord.requests.filter(({ path }) => path.includes(last)).length;
}

/** A scene whose bot has made its first check, so that a later one finds what has changed since. */
async function open(options: AppSceneOptions = {}): Promise<void> {
  scene = await openAppScene(options);
  await expect.poll(lists).toBeGreaterThan(0);
}

describe('a guild that has the commands without the bot user', () => {
  it('keeps its key while it is used, and loses everything after the grace of silence', async () => {
    await open({ env: { DEPARTURE_CHECK_SECONDS: '1', DEPARTURE_GRACE_DAYS: '1' } });
    const guild = scene.discord.guildEvents.add({ name: 'Commands only', bot: false });
    const admin = scene.discord.person({ guild, name: 'admin', permissions: 1n << 5n });
    await setKey(admin, 'sandbox-key');
    const before = lists();
    await expect.poll(lists).toBeGreaterThan(before + 2);
    expect(textOf(await addServer(admin, 'play.example.com:1'))).toContain(ACCEPTED);
    await scene.bot.stop();
    await scene.store.rows(
      `UPDATE presence SET absent_since = absent_since - ${DAY_MS}, used_at = used_at - ${DAY_MS}`,
    );
    await scene.startBot();
    await expect.poll(async () => (await scene.store.content()).includes(guild.id)).toBe(false);
  });

  it('is told that it needs the bot itself when an admin chooses a log channel', async () => {
    await open({ key: 'sandbox-key' });
    const settings = await openSettings(scene);
    const [guild] = scene.discord.guilds;
    if (!guild) throw new Error('there is no guild');
    scene.discord.guildEvents.keepCommandsOnly(guild);
    const answer = await scene.admin.pick(settings, ['#staff']);
    expect(textOf(answer)).toContain("The bot isn't a member of this Discord server");
    expect(JSON.stringify(messageOf(answer).current)).toContain(
      `client_id=${scene.discord.applicationId}&scope=bot+applications.commands&permissions=0&integration_type=0&guild_id=${guild.id}`,
    );
    expect(scene.discord.messages({ channelId: staffChannel(scene) })).toEqual([]);
  });
});
