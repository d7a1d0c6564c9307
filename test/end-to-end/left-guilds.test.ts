import { afterEach, describe, expect, it } from 'vitest';
import { ACCEPTED, addServer, openSettings, pick, press } from '../support/actions.ts';
import { staffChannel } from '../support/guild-log.ts';
import {
  type AppSceneOptions,
  messageOf,
  openAppScene,
  type Scene,
  setKey,
  textOf,
} from '../support/scene.ts';

/** What each check decides is tested with the module; here that the bot checks, and with what it keeps. */
let scene: Scene;
afterEach(() => scene.close());

const onDisk = () => scene.store.content();
const said = (words: string) => scene.log().some(({ msg }) => String(msg).includes(words));
function firstGuild() {
  const [guild] = scene.discord.guilds;
  if (!guild) throw new Error('there is no guild');
  return guild;
}
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

/** One check: the bot makes it when it starts. */
async function check(): Promise<void> {
  await scene.bot.stop();
  const before = lists();
  await scene.startBot();
  await expect.poll(lists).toBeGreaterThan(before);
}

/** Makes every absence and every use older than the time of grace. */
async function letGracePass(): Promise<void> {
  await scene.bot.stop();
  const month = 31 * 86_400_000;
  await scene.store.rows(
    `UPDATE presence SET absent_since = absent_since - ${month}, used_at = used_at - ${month}`,
  );
  await scene.startBot();
}

describe('a guild that removes the bot', () => {
  it('loses its key at the second check, and everything else after the grace', async () => {
    await open({ key: 'sandbox-key' });
    const guild = firstGuild();
    await press(scene.admin, await openSettings(scene), 'Announce submissions');
    scene.discord.guildEvents.remove(guild);
    await check();
    expect(await onDisk()).toContain(`api-key:${guild.id}`);
    await check();
    await expect.poll(() => said('no longer in a guild: its API key was deleted')).toBe(true);
    expect(await onDisk()).toContain(`settings:${guild.id}`);
    await letGracePass();
    await expect.poll(() => said('all its data was deleted')).toBe(true);
    expect(await onDisk()).not.toContain(guild.id);
  });

  it('is looked for all the time, as often as DEPARTURE_CHECK_SECONDS says', async () => {
    const env = { DEPARTURE_CHECK_SECONDS: '1', DEPARTURE_GRACE_DAYS: '0' };
    await open({ key: 'sandbox-key', env });
    const guild = firstGuild();
    scene.discord.guildEvents.remove(guild);
    await expect.poll(async () => (await onDisk()).includes(guild.id)).toBe(false);
  });
});

describe('a guild that has the commands without the bot user', () => {
  it('keeps its key while it is used, and loses everything after the grace of silence', async () => {
    await open();
    const guild = scene.discord.guildEvents.add({ name: 'Commands only', bot: false });
    const admin = scene.discord.person({ guild, name: 'admin', permissions: 1n << 5n });
    await setKey(admin, 'sandbox-key');
    for (const port of [1, 2, 3]) {
      await check();
      expect(textOf(await addServer(admin, `play.example.com:${port}`))).toContain(ACCEPTED);
    }
    await letGracePass();
    await check();
    await check();
    await expect.poll(async () => (await onDisk()).includes(guild.id)).toBe(false);
  });

  it('is told that it needs the bot itself when an admin chooses a log channel', async () => {
    await open({ key: 'sandbox-key' });
    const settings = await openSettings(scene);
    const guild = firstGuild();
    scene.discord.guildEvents.keepCommandsOnly(guild);
    const answer = await pick(scene.admin, settings, ['#staff']);
    expect(textOf(answer)).toContain('The bot itself is not in this Discord server');
    expect(JSON.stringify(messageOf(answer).current)).toContain(
      `client_id=${scene.discord.applicationId}&scope=bot+applications.commands&permissions=0&integration_type=0&guild_id=${guild.id}`,
    );
    expect(scene.discord.messages({ channelId: staffChannel(scene) })).toEqual([]);
  });
});
