import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Person } from '../../sandbox/discord/contract.ts';
import { bytesOnDisk, collect, openStore } from '../storage/temporary.ts';
import { staffChannel } from '../support/guild-log.ts';
import {
  type AppSceneOptions,
  messageOf,
  openAppScene,
  type Scene,
  setKey,
  textOf,
} from '../support/scene.ts';

let scene: Scene;
afterEach(() => scene.close());

const file = () => join(scene.data, 'bot.sqlite');
const first = () => {
  const [guild] = scene.discord.guilds;
  if (!guild) throw new Error('there is no guild');
  return guild;
};
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

/** What the stopped bot has in its store, or is given there. */
async function withStore<Result>(
  use: (store: Awaited<ReturnType<typeof openStore>>) => Promise<Result>,
): Promise<Result> {
  await scene.bot.stop();
  const store = await openStore(file());
  const result = await use(store);
  await store.stop();
  return result;
}

describe('a server that removes the bot', () => {
  it('loses its key at the second check, and the rest after the grace', async () => {
    await open({ key: 'sandbox-key' });
    const guild = first();
    await withStore((store) => store.set(`settings:${guild.id}`, { v: 1 }));
    await check();
    scene.discord.guildEvents.remove(guild);
    await check();
    expect(bytesOnDisk(file())).toContain(`api-key:${guild.id}`);
    await check();
    const said = (words: string) => scene.log().some(({ msg }) => String(msg).includes(words));
    await expect.poll(() => said('no longer in a guild: its API key was deleted')).toBe(true);
    expect(bytesOnDisk(file())).not.toContain(`api-key:${guild.id}`);

    await withStore(async (store) => {
      expect(await store.get(`settings:${guild.id}`)).toEqual({ v: 1 });
      const absence = Object(await store.get(`absence:${guild.id}`));
      await store.set(`absence:${guild.id}`, { ...absence, since: absence.since - 31 * 86_400_000 });
    });
    await scene.startBot();
    await expect.poll(() => said('all its data was deleted')).toBe(true);
    expect(bytesOnDisk(file())).not.toContain(guild.id);
  });

  it('is checked on all the time, not only at the start', async () => {
    const env = { DEPARTURE_CHECK_SECONDS: '1', DEPARTURE_GRACE_DAYS: '0' };
    await open({ key: 'sandbox-key', env });
    const guild = first();
    expect(bytesOnDisk(file())).toContain(guild.id);
    scene.discord.guildEvents.remove(guild);
    await expect.poll(() => bytesOnDisk(file()).includes(guild.id)).toBe(false);
  });

  it('finds its key where it was when it is back before the second check', async () => {
    await open({ key: 'sandbox-key' });
    const guild = first();
    scene.discord.guildEvents.remove(guild);
    await check();
    scene.discord.guildEvents.recover(guild);
    await check();
    scene.discord.guildEvents.remove(guild);
    await check();
    scene.discord.guildEvents.recover(guild);
    const said = textOf(
      await scene.member.slash('addserver', { game: 'cs2', server: 'play.example.com:27015' }),
    );
    expect(said).toContain('Servers have been added for review.');
  });
});

describe('a server that has the commands without the bot user', () => {
  const submit = async (who: Person) =>
    textOf(await who.slash('addserver', { game: 'cs2', server: `play${++submitted}.example.com:27015` }));
  let submitted = 0;

  it('keeps its key while it is used, and loses it after the grace of silence', async () => {
    await open();
    const guild = scene.discord.guildEvents.add({ name: 'Commands only', bot: false });
    expect(scene.discord.guilds).not.toContainEqual(guild);
    const at = { guild, permissions: 0n };
    const admin = scene.discord.person({ ...at, name: 'admin', permissions: 1n << 5n });
    const member = scene.discord.person({ ...at, name: 'member' });
    await setKey(admin, 'sandbox-key');
    for (let run = 0; run < 3; run++) {
      await check();
      expect(await submit(member)).toContain('Servers have been added for review.');
    }
    const used = await withStore(async (store) => {
      const used = Object(await store.get(`used:${guild.id}`));
      const absence = Object(await store.get(`absence:${guild.id}`));
      const earlier = 31 * 86_400_000;
      await store.set(`used:${guild.id}`, { ...used, at: used.at - earlier });
      await store.set(`absence:${guild.id}`, { ...absence, since: absence.since - earlier });
      return used.at;
    });
    expect(Math.abs(Date.now() - used)).toBeLessThan(3_600_000);
    // The last use is news to the first check, and the second finds the silence too long.
    await check();
    await check();
    await expect.poll(() => bytesOnDisk(file()).includes(guild.id)).toBe(false);
  });

  it('loses its key like any other when it is used no more, and the bot was in it', async () => {
    await open({ key: 'sandbox-key' });
    const guild = first();
    scene.discord.guildEvents.keepCommandsOnly(guild);
    await check();
    await check();
    await expect.poll(() => bytesOnDisk(file()).includes(`api-key:${guild.id}`)).toBe(false);
  });

  it('keeps the key that it had with the bot user when it is used in between', async () => {
    await open({ key: 'sandbox-key' });
    scene.discord.guildEvents.keepCommandsOnly(first());
    for (let run = 0; run < 3; run++) {
      await check();
      expect(await submit(scene.member)).toContain('Servers have been added for review.');
    }
  });
});

describe('nothing is deleted', () => {
  it('of 240 servers behind a page that is not full', async () => {
    await open();
    for (let i = 0; i < 238; i++) scene.discord.guildEvents.add({ name: `Guild ${i}` });
    scene.discord.guildEvents.shortenPages(199);
    const guilds = scene.discord.guilds.map(({ id }) => id);
    await withStore(async (store) => {
      for (const guild of guilds) await store.set(`api-key:${guild}`, { v: 1 });
    });
    await check();
    await check();
    await check();
    await withStore(async (store) => expect(await collect(store.keys('api-key:'))).toHaveLength(240));
  });

  it.each([
    { what: 'an outage', fault: { kind: 'status', status: 503 } as const },
    { what: 'no answer', fault: { kind: 'reset' } as const },
    { what: 'a rate limit', fault: { kind: 'rate limit', scope: 'user', retryAfterMs: 100 } as const },
  ])('when Discord, asked about the server itself, has $what', async ({ fault }) => {
    await open({ key: 'sandbox-key' });
    scene.discord.faults.inject({ fault, method: 'GET', path: /^\/guilds\/\d+$/, times: 3 });
    const { id } = first();
    scene.discord.guildEvents.remove(first());
    const said = () => scene.log().filter(({ msg }) => String(msg).includes('does not say whether'));
    await check();
    for (let run = 1; run <= 3; run++) {
      await check();
      await expect.poll(() => said().length).toBe(run);
    }
    expect(bytesOnDisk(file())).toContain(`api-key:${id}`);
    await check();
    await expect.poll(() => bytesOnDisk(file()).includes(`api-key:${id}`)).toBe(false);
  });

  const stillThere = async (guild: number) => {
    const who = scene.person({ role: 'member', guild });
    expect(textOf(await who.slash('addserver', { game: 'cs2', server: 'play.example.com:27015' }))).toContain(
      'Servers have been added for review.',
    );
  };

  it('while a server has an outage', async () => {
    await open({ key: 'sandbox-key' });
    const guild = first();
    scene.discord.guildEvents.outage(guild);
    await check();
    await check();
    await check();
    scene.discord.guildEvents.recover(guild);
    await stillThere(0);
  });

  it('when Discord fails to list the servers, or lists none', async () => {
    await open({ key: 'sandbox-key' });
    await setKey(scene.person({ role: 'admin', guild: 1 }), 'sandbox-key');
    const [one, two] = scene.discord.guilds;
    if (!one || !two) throw new Error('the stand-in has two guilds');
    for (const guild of [one, two]) scene.discord.guildEvents.remove(guild);
    await check();
    await check();
    const empty = () => scene.log().filter(({ msg }) => String(msg).includes('lists no guild')).length;
    await expect.poll(empty).toBe(2);

    scene.discord.guildEvents.recover(two);
    const failures = () =>
      scene.log().filter(({ msg }) => String(msg).includes('could not be read from Discord')).length;
    for (let run = 1; run <= 3; run++) {
      // Each page is tried four times.
      const fault = { kind: 'status', status: 503 } as const;
      scene.discord.faults.inject({ fault, path: /\/users\/@me\/guilds/, times: 4 });
      await scene.restart();
      await expect.poll(failures).toBe(run);
    }
    scene.discord.guildEvents.recover(one);
    await stillThere(0);
    await stillThere(1);
  });

  it('when more than ten servers and a fifth of all are missing at once', async () => {
    await open({ key: 'sandbox-key' });
    const gone = Array.from({ length: 11 }, (_, i) => `98765432101234${String(i).padStart(4, '0')}`);
    await withStore(async (store) => {
      for (const guild of gone) await store.set(`settings:${guild}`, { v: 1 });
    });
    await check();
    await check();
    const refusals = () => scene.log().filter(({ msg }) => String(msg).includes('token of another bot'));
    await expect.poll(() => refusals().length).toBeGreaterThan(1);
    expect(refusals()[0]).toMatchObject({ level: 'error', vanished: 11, of: 12, refusals: 1 });
    await withStore(async (store) => {
      expect(await collect(store.keys('settings:'))).toHaveLength(11);
      expect(await collect(store.keys('absence:'))).toEqual([]);
    });
  });
});

it('a server without the bot user is told in /settings that it can have no log channel', async () => {
  await open({ key: 'sandbox-key' });
  const view = messageOf(await scene.admin.slash('settings'));
  expect(JSON.stringify(view.current)).not.toContain('not the bot itself');
  const first0 = first();
  scene.discord.guildEvents.keepCommandsOnly(first0);
  const link = `client_id=${scene.discord.applicationId}&scope=bot+applications.commands&permissions=0&integration_type=0&guild_id=${first0.id}`;
  const shown = messageOf(await scene.admin.slash('settings'));
  expect(JSON.stringify(shown.current)).toContain(link);
  expect(textOf(await scene.admin.pick(shown, ['#staff']))).toContain('not the bot itself');
  expect(scene.discord.messages({ channelId: staffChannel(scene) })).toEqual([]);
  const german = scene.discord.person({
    ...{ guild: first0, name: 'Anna', permissions: 1n << 5n, locale: 'de' },
  });
  expect(textOf(await german.slash('settings'))).toContain('nicht den Bot selbst');

  // Nothing is claimed while Discord does not say.
  const fault = { kind: 'status', status: 503 } as const;
  scene.discord.faults.inject({ fault, method: 'GET', path: /^\/guilds\/\d+$/ });
  expect(textOf(await scene.admin.slash('settings'))).not.toContain('not the bot itself');
});
