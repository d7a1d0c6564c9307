import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PermissionFlagsBits } from 'discord.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Answer, Person } from '../../sandbox/discord/contract.ts';
import { USUAL_BOT_PERMISSIONS } from '../../sandbox/discord/world/channels.ts';
import { chooseLogChannel, logLines, logMessages, staffChannel } from '../support/guild-log.ts';
import {
  inAppScene,
  inNewGuild,
  messageOf,
  modalOf,
  openAppScene,
  type Scene,
  setKey,
  textOf,
} from '../support/scene.ts';

/** One bot for all tests, and a guild of its own for each. */
let bot: Scene;
let scene: Scene;
/** How many servers the service held before the test, and how many requests Discord had got. */
let earlier: { readonly held: number; readonly requests: number };
beforeAll(async () => {
  bot = await openAppScene();
});
beforeEach(async () => {
  await bot.listing.behave({ kind: 'ok' });
  bot.discord.faults.clear();
  bot.discord.gateway.disturbDispatch({});
  scene = await inNewGuild(bot, { key: 'sandbox-key' });
  earlier = { held: bot.listing.submitted.length, requests: bot.discord.requests.length };
});
afterAll(() => bot.close());

function settings(who = scene.admin): Promise<Answer> {
  // Each time it asks Discord three things, of the 50 a second that a bot may ask: for people, a second has gone by.
  bot.discord.clock.advance(1_000);
  return who.slash('settings');
}
const press = async (answer: Answer, button: string, who = scene.admin) =>
  who.press(messageOf(answer), button);
const pick = async (answer: Answer, values: readonly string[], who = scene.admin) =>
  who.pick(messageOf(answer), values);
const INVALID_KEY = { status: 'error', message: 'Invalid API key.' };
let port = 1000;
const submit = (game = 'cs2', who = scene.member) => {
  port += 1;
  return who.slash('addserver', { game, server: `play.example.com:${port}` });
};
async function setQuota(quota: string): Promise<string> {
  const modal = modalOf(await press(await settings(), 'Daily quota …'));
  return textOf(await scene.admin.submit(modal, { quota }));
}
const inGeneral = () =>
  scene.discord.messages({ channelId: scene.member.channelId }).map(({ current }) => current);
const sent = () => scene.listing.submitted.slice(earlier.held);
const guild = () => ({ id: scene.admin.guildId, name: '', channelId: '' });
/** Requests about channels, but for those of other tests' guilds. */
function channelRequests() {
  const others = scene.discord.guilds.filter(({ id }) => id !== guild().id);
  const elsewhere = others.flatMap((other) =>
    scene.discord.channels(other).map(({ id }) => `/channels/${id}`),
  );
  return scene.discord.requests
    .slice(earlier.requests)
    .map(({ path }) => path)
    .filter((path) => path.includes('/channels/') && !elsewhere.some((each) => path.includes(each)));
}
function allowBot(permissions: bigint): void {
  scene.discord.guildEvents.setBotPermissions(guild(), staffChannel(scene), permissions);
}
/** Lets somebody use a command whatever Discord shows by default. */
function giveCommand(name: string, person: Person): void {
  const id = scene.discord.commands().find((command) => command.name === name)?.id ?? '';
  scene.discord.setIntegrations(guild(), id, [{ id: person.userId, type: 'user', allow: true }]);
}

describe('/settings', () => {
  it('shows every setting with its component, and says where commands are given to members', async () => {
    const said = textOf(await settings());
    expect(said).toContain('(only you can see this)');
    expect(said).toMatch(
      /API key: last worked .*Log channel: none.*Role to notify: none.*Games: all.*Daily quota: none.*Announcements: off/s,
    );
    expect(said).toContain('Server Settings → Integrations');
    expect(said).toContain('[ Who may use a command → https://support-apps.discord.com/');
    expect(said).toContain('▾ Choose a log channel');
    expect(said).toContain(
      '[ Games … ]  [ Daily quota … ]  [ Announce submissions ]\n[ No log channel · disabled ]  [ Notify no role · disabled ]',
    );
  });

  it('is kept over a restart, and so are its components', async () => {
    const message = await settings();
    await pick(message, ['#staff']);
    await press(message, 'Announce submissions');
    await setQuota('7');
    await scene.restart();
    const said = textOf(await settings());
    expect(said).toContain(`✅ Log channel: #${staffChannel(scene)}.`);
    expect(said).toContain('Announcements: on');
    expect(said).toContain('Daily quota: 7 game servers for each member');
    expect(textOf(await press(message, 'Do not announce'))).toContain('Announcements: off');
    expect(textOf(await press(message, 'No log channel'))).toContain('Log channel: none');
  });

  it('speaks German', async () => {
    const german = scene.person({ role: 'admin', locale: 'de' });
    expect(textOf(await settings(german))).toMatch(
      /API-Schlüssel: galt zuletzt .*Protokollkanal: keiner.*Servereinstellungen → Integrationen/s,
    );
  });

  it('is for members who may manage the server, at every press and however it was shown', async () => {
    expect(await settings(scene.member)).toMatchObject({ kind: 'refused' });
    giveCommand('settings', scene.member);
    expect(textOf(await settings(scene.member))).toContain('This takes the permission “Manage Server”.');

    const other = scene.person({ role: 'other' });
    scene.discord.guildEvents.setPermissions(other, PermissionFlagsBits.ManageGuild);
    giveCommand('settings', other);
    const shown = await settings(other);
    const modal = modalOf(await press(shown, 'Daily quota …', other));
    scene.discord.guildEvents.setPermissions(other, PermissionFlagsBits.ViewChannel);
    const refused = 'This takes the permission “Manage Server”.';
    expect(textOf(await press(shown, 'Announce submissions', other))).toContain(refused);
    expect(textOf(await pick(shown, ['#staff'], other))).toContain(refused);
    expect(textOf(await press(shown, 'Daily quota …', other))).toContain(refused);
    expect(textOf(await other.submit(modal, { quota: '1' }))).toContain(refused);
    expect(textOf(await settings())).toMatch(/Log channel: none.*Daily quota: none.*Announcements: off/s);
  });
});

describe('the log channel', () => {
  it('is checked when it is chosen, and what the bot may not do there is named', async () => {
    const message = await settings();
    allowBot(USUAL_BOT_PERMISSIONS & ~PermissionFlagsBits.SendMessages);
    expect(textOf(await pick(message, ['#staff']))).toMatch(/the bot lacks this permission: Send Messages\./);
    allowBot(USUAL_BOT_PERMISSIONS & ~(PermissionFlagsBits.SendMessages | PermissionFlagsBits.EmbedLinks));
    expect(textOf(await pick(message, ['#staff']))).toContain(
      'these permissions: Send Messages, Embed Links.',
    );
    allowBot(0n);
    const german = scene.person({ role: 'admin', locale: 'de' });
    expect(textOf(await pick(await settings(german), ['#staff'], german))).toContain(
      'diese Berechtigungen: Kanal ansehen, Nachrichten senden, Links einbetten.',
    );
    expect(textOf(await settings())).toContain('Log channel: none');
    expect(logMessages(scene)).toEqual([]);
    allowBot(USUAL_BOT_PERMISSIONS);
    expect(textOf(await pick(message, ['#staff']))).toContain('✅ Log channel: #');
    expect(logMessages(scene)).toEqual([
      expect.stringMatching(/log of this bot.*Chosen by <@\d+> \(admin\)/),
    ]);
  });

  it('is not taken when its first message cannot be posted', async () => {
    const post = { method: 'POST', path: /\/channels\/\d+\/messages/ };
    const message = await settings();
    scene.discord.faults.inject({ ...post, times: 1, fault: { kind: 'status', status: 500 } });
    expect(textOf(await pick(message, ['#staff']))).toMatch(/Discord could not be asked.*try again/);
    expect(textOf(await settings())).toContain('Log channel: none');
    expect(textOf(await pick(message, ['#staff']))).toContain('✅ Log channel: #');
  });

  it('is told of every submission: who, what and the answer', async () => {
    await chooseLogChannel(scene);
    await submit();
    const body = { status: 'error', message: 'No such luck.' };
    await scene.listing.behave({ kind: 'json', status: 400, body }, 1);
    await submit('rust');
    await scene.listing.behave({ kind: 'reset' }, 1);
    await submit('minecraft');
    await scene.listing.behave({ kind: 'down' });
    await submit('ark');
    const member = `<@${scene.member.userId}> (member)`;
    await expect.poll(() => logLines(scene).length).toBe(4);
    const [accepted, rejected, unknown, notSent] = logLines(scene);
    expect(accepted).toContain(`${member} submitted **Counter-Strike 2** — \`play.example.com:`);
    expect(accepted).toContain(
      'Sent for review; the listing service said: Servers have been added for review.',
    );
    expect(rejected).toMatch(/\*\*Rust\*\*.* Refused; the listing service said: No such luck\./);
    expect(unknown).toMatch(/\*\*Minecraft\*\*.*Unknown: it may have been received\. /);
    expect(notSent).toMatch(/wanted to submit .*\. Not sent: The listing service could not be reached\./);
  });

  it('shows a game server as the answer to its member does, in the same colour', async () => {
    await chooseLogChannel(scene);
    const options = { game: 'cs2', server: 'play.example.com:27015', query_port: 27016 };
    const answer = await scene.member.slash('addserver', options);
    await expect.poll(() => logLines(scene).length).toBe(1);
    const [shown] = messageOf(answer).current?.embeds ?? [];
    const entry = scene.discord.messages({ channelId: staffChannel(scene) }).at(-1)?.current?.embeds[0];
    expect(shown?.description).toContain('27016');
    expect(entry?.description).toContain(`submitted ${shown?.description}. Sent for review;`);
    expect(entry?.color).toBe(shown?.color);
    const again = await submit('cs2');
    expect(textOf(again)).toContain('for review');
    await scene.listing.behave({ kind: 'down' });
    await submit('ark');
    await expect.poll(() => logLines(scene).length).toBe(3);
    expect(logLines(scene).map((line) => [...line][0])).toEqual(['✅', '✅', '⚠']);
  });

  it('is told of changes of the key and of refused attempts, without a key and without a ping', async () => {
    await chooseLogChannel(scene);
    await setKey(scene.admin, 'sandbox-key');
    giveCommand('setkey', scene.member);
    await scene.member.slash('setkey');
    await setQuota('1');
    await submit();
    await submit();
    await expect.poll(() => logLines(scene).length).toBe(4);
    const [key, attempt, , refused] = logLines(scene);
    expect(key).toContain(`<@${scene.admin.userId}> (admin) replaced the API key.`);
    expect(attempt).toMatch(/\(member\) tried to use <\/setkey:\d+> without the permission “Manage Server”/);
    expect(refused).toMatch(
      /could not submit .*Not sent: that would be more than the daily quota of 1 game server/,
    );
    const posts = scene.discord.requests.filter(({ path }) => path.endsWith('/messages'));
    for (const { body } of posts) expect(JSON.parse(body)).toMatchObject({ allowed_mentions: { parse: [] } });
  });

  it('gets one message for many entries, in the language of the guild, also when the bot is stopped', () =>
    inAppScene({ timing: { guildLog: { collectMs: 60_000, gapMs: 60_000 } } }, async (own) => {
      const guild = own.discord.guildEvents.add({ name: 'Deutsch', locale: 'de' });
      const index = own.discord.guilds.findIndex(({ id }) => id === guild.id);
      const [admin, member] = [own.person({ role: 'admin', guild: index }), own.person({ guild: index })];
      await setKey(admin, 'sandbox-key');
      await admin.pick(messageOf(await admin.slash('settings')), ['#staff']);
      for (const game of ['cs2', 'rust', 'ark']) await submit(game, member);
      await own.restart();
      const staff = own.discord.channels(guild).find(({ name }) => name === 'staff')?.id ?? '';
      const entries = own.discord.messages({ channelId: staff }).slice(1);
      const texts = entries.map(({ current }) => current?.embeds[0]?.description ?? '');
      expect(texts.join('\n').match(/Zur Prüfung gesendet/g)).toHaveLength(3);
      expect(texts).toHaveLength(1);
    }));

  it('that forbids posting is shown also where the database takes nothing', () =>
    inAppScene({}, async (own) => {
      await chooseLogChannel(own);
      const guildOfOwn = own.discord.guilds[0];
      if (!guildOfOwn) throw new Error('there is no guild');
      const permissions = USUAL_BOT_PERMISSIONS & ~PermissionFlagsBits.SendMessages;
      own.discord.guildEvents.setBotPermissions(guildOfOwn, staffChannel(own), permissions);
      const other = new DatabaseSync(join(own.data, 'bot.sqlite'), { timeout: 5_000 });
      other.exec('BEGIN IMMEDIATE');
      const shown = await own.admin.slash('settings');
      other.close();
      expect(textOf(shown)).toContain('❌ Log channel: the bot may not write in #');
    }));

  it('that forbids posting is found out when /settings is opened, before any entry is lost', async () => {
    await chooseLogChannel(scene);
    const german = scene.person({ role: 'admin', locale: 'de' });
    const log = async (who = scene.admin) =>
      textOf(await settings(who))
        .split('\n')
        .filter((line) => /Log channel:|Protokollkanal:|lacks|fehlen dem Bot/.test(line))
        .join('\n');
    const { EmbedLinks, SendMessages, ViewChannel } = PermissionFlagsBits;
    allowBot(USUAL_BOT_PERMISSIONS & ~EmbedLinks);
    expect(await log()).toMatch(
      /^❌ .*may not write in #\d+\.\nIn #\d+ the bot lacks Embed Links, so entries are lost\. Allow it/,
    );
    allowBot(USUAL_BOT_PERMISSIONS & ~(EmbedLinks | SendMessages));
    expect(await log()).toContain('the bot lacks Send Messages, Embed Links, so entries are lost');
    expect(await log(german)).toContain('fehlen dem Bot Nachrichten senden, Links einbetten');
    allowBot(USUAL_BOT_PERMISSIONS & ~ViewChannel);
    expect(await log()).toContain('the bot lacks View Channel');
    expect(logMessages(scene)).toHaveLength(1);
    allowBot(USUAL_BOT_PERMISSIONS);
    expect(await log()).toMatch(/^✅ /);
    scene.discord.guildEvents.removeChannel(guild(), staffChannel(scene));
    expect(await log()).toBe('❌ Log channel: deleted. Choose another one below.');
    expect(await log(german)).toContain('gelöscht');
  });

  it('is shown as it was last met while Discord cannot be asked, and /settings opens all the same', async () => {
    await chooseLogChannel(scene);
    allowBot(USUAL_BOT_PERMISSIONS & ~PermissionFlagsBits.SendMessages);
    expect(textOf(await settings())).toContain('the bot lacks Send Messages');
    allowBot(USUAL_BOT_PERMISSIONS);
    const fault = { kind: 'status', status: 500 } as const;
    scene.discord.faults.inject({ method: 'GET', path: /\/channels\/\d+$/, fault });
    await scene.restart();
    expect(textOf(await settings())).toMatch(/Announcements: off.*the bot lacks Send Messages/s);
    scene.discord.faults.clear();
    scene.discord.faults.inject({
      method: 'GET',
      path: /\/guilds\/\d+/,
      fault: { kind: 'delay', ms: 20_000 },
    });
    expect(textOf(await settings())).toMatch(/Announcements: off.*the bot lacks Send Messages/s);
    scene.discord.faults.clear();
    expect(textOf(await settings())).toContain('✅ Log channel: #');
  });

  it('that forbids posting never gets in the way', async () => {
    await chooseLogChannel(scene);
    allowBot(USUAL_BOT_PERMISSIONS & ~PermissionFlagsBits.EmbedLinks);
    expect(textOf(await submit())).toContain('Servers have been added for review.');
    scene.discord.guildEvents.removeChannel(guild(), staffChannel(scene));
    expect(textOf(await submit())).toContain('Servers have been added for review.');
  });

  it('that was deleted a second ago does not keep /settings from opening', async () => {
    await chooseLogChannel(scene);
    scene.discord.guildEvents.removeChannel(guild(), staffChannel(scene));
    expect(textOf(await settings())).toMatch(/Log channel: deleted.*Announcements: off/s);
    expect(textOf(await press(await settings(), 'Announce submissions'))).toContain('Announcements: on');
  });

  it('works again once it is open again', async () => {
    await chooseLogChannel(scene);
    allowBot(0n);
    await submit();
    const [post] = [/\/channels\/\d+\/messages/];
    await expect
      .poll(
        () => scene.discord.requests.filter(({ path, status }) => post.test(path) && status === 403).length,
      )
      .toBeGreaterThan(0);
    expect(textOf(await settings())).toContain('the bot lacks View Channel');
    allowBot(USUAL_BOT_PERMISSIONS);
    expect(textOf(await settings())).toContain('✅ Log channel: #');
    await submit('rust');
    await expect.poll(() => logMessages(scene).join('\n')).toContain('**Rust**');
  });

  it('is left alone where none was chosen', async () => {
    await submit();
    await scene.restart();
    expect(channelRequests()).toEqual([]);
  });
});

describe('the role to notify', () => {
  const role = (name: string, mentionable = true) =>
    scene.discord.guildEvents.addRole(guild(), { name, mentionable });
  const line = async (who = scene.admin) =>
    textOf(await settings(who))
      .split('\n')
      .find((text) => /Role to notify:|Benachrichtigte Rolle:/.test(text));
  const staff = () => staffChannel(scene);
  const mentionAll = USUAL_BOT_PERMISSIONS | PermissionFlagsBits.MentionEveryone;
  const alerts = () =>
    scene.discord
      .messages({ channelId: staff() })
      .flatMap(({ current }) => (current?.content ? [current] : []));

  it('is chosen, said in the log without a ping, kept over a restart, and taken back', async () => {
    await chooseLogChannel(scene);
    const id = role('staff');
    expect(textOf(await pick(await settings(), ['@staff']))).toMatch(/✅ Role to notify: @/);
    await expect.poll(() => logLines(scene).join()).toMatch(`(admin) chose <@&${id}> to be notified`);
    await scene.restart();
    expect(await line()).toMatch(/^✅ /);
    expect(await line(scene.person({ role: 'admin', locale: 'de' }))).toMatch(/^✅ Benachrichtigte Rolle: @/);
    expect(textOf(await press(await settings(), 'Notify no role'))).toContain('Role to notify: none');
    await expect.poll(() => logLines(scene).join()).toContain('(admin) chose that no role is notified.');
    const seen = scene.discord.messages({ channelId: staff() });
    expect(seen.flatMap(({ current }) => current?.mention_roles ?? [])).toEqual([]);
  });

  it('alone is mentioned when the service refuses the key: in red, in the text, on top', async () => {
    await chooseLogChannel(scene);
    const id = role('staff');
    await pick(await settings(), ['@staff']);
    await scene.listing.behave({ kind: 'json', status: 401, body: INVALID_KEY }, 1);
    await submit();
    await expect.poll(() => alerts().length).toBe(1);
    const [alert] = alerts();
    expect(alert).toMatchObject({ mention_roles: [id], mentions: [], mention_everyone: false });
    expect(alert?.content).toMatch(
      new RegExp(`^<@&${id}>\\n❌ The listing service refuses this Discord server's API key`),
    );
    expect(alert?.embeds[0]).toMatchObject({ color: 0xed4245 });
    expect(alert?.embeds[0]?.description).toMatch(
      /^Is the key right\?.*\nIt was set by <@\d+> on <t:\d+:f>\./,
    );
    const posted = scene.discord.requests.filter(({ body }) => body.includes('The listing service refuses'));
    expect(posted.map(({ body }) => JSON.parse(body).allowed_mentions)).toEqual([{ parse: [], roles: [id] }]);
  });

  it('is mentioned once, also when Discord has posted the message without saying so', async () => {
    await chooseLogChannel(scene);
    role('staff');
    await pick(await settings(), ['@staff']);
    await expect.poll(() => logLines(scene).join()).toContain('to be notified');
    scene.discord.faults.inject({ fault: { kind: 'answer lost' }, path: /\/channels\/\d+\/messages/ });
    await scene.listing.behave({ kind: 'json', status: 401, body: INVALID_KEY }, 1);
    await submit();
    const tries = () =>
      scene.discord.requests.filter(
        ({ path, body }) => path.includes(staff()) && body.includes('refuses this Discord'),
      );
    await expect.poll(() => tries().length).toBe(2);
    await expect.poll(() => tries().every(({ status }) => status === 200)).toBe(true);
    expect(alerts()).toHaveLength(1);
  });

  it('is @everyone never', async () => {
    expect(textOf(await pick(await settings(), ['@everyone']))).toContain('@everyone is never notified');
    const german = scene.person({ role: 'admin', locale: 'de' });
    expect(textOf(await pick(await settings(german), ['@everyone'], german))).toContain(
      '@everyone benachrichtigt dieser Bot nie',
    );
    expect(await line()).toContain('none');
  });

  it('is none that the bot may not mention, which is named as such, before it is chosen and later', async () => {
    await chooseLogChannel(scene);
    const id = role('closed', false);
    const refused =
      /cannot be mentioned by the bot\. Let anyone mention it .*Mention @everyone, @here and All Roles.*stays as it was/;
    expect(textOf(await pick(await settings(), ['@closed']))).toMatch(refused);
    expect(await line()).toContain('none');
    allowBot(mentionAll);
    expect(textOf(await pick(await settings(), ['@closed']))).toContain('Role to notify: @');
    allowBot(USUAL_BOT_PERMISSIONS);
    const mend = /^❌ Role .*\n.*cannot be mentioned by the bot, so nobody is notified\. Let anyone/ms;
    expect(textOf(await settings())).toMatch(mend);
    expect(await line(scene.person({ role: 'admin', locale: 'de' }))).toContain('ist nicht erwähnbar');
    scene.discord.guildEvents.setMentionable(guild(), id, true);
    expect(await line()).toMatch(/^✅ /);
  });

  it('that is gone is said when /settings is opened', async () => {
    await chooseLogChannel(scene);
    const id = role('staff');
    const shown = await settings();
    await pick(shown, ['@staff']);
    scene.discord.guildEvents.removeRole(guild(), id);
    expect(await line()).toBe('❌ Role to notify: deleted. Choose another one below.');
    expect(await line(scene.person({ role: 'admin', locale: 'de' }))).toContain('gelöscht');
  });

  it('can be chosen before a log channel is, which is then asked for', async () => {
    role('staff');
    expect(textOf(await pick(await settings(), ['@staff']))).toMatch(
      /⚠️ Role to notify: @.*but no log channel/,
    );
  });

  it('stays as it was while Discord cannot be asked, or does not say that it is one', async () => {
    role('staff');
    const shown = await settings();
    const fault = { kind: 'status', status: 500 } as const;
    scene.discord.faults.inject({ method: 'GET', path: /\/members\/\d+$/, fault });
    expect(textOf(await pick(shown, ['@staff']))).toContain(
      'Discord could not be asked whether the bot may mention',
    );
    scene.discord.faults.clear();
    scene.discord.gateway.disturbDispatch({
      alter: (payload) => ({ ...payload, data: { ...Object(payload).data, resolved: {} } }),
    });
    expect(textOf(await pick(shown, ['@staff']))).toContain('That role no longer exists.');
    scene.discord.gateway.disturbDispatch({});
    expect(await line()).toContain('none');
  });
});

describe('a channel that Discord does not say is one', () => {
  it.each([
    ['is named without what it is', ({ resolved: _none, ...data }: Chosen) => data],
    ['is named beside another', (data: Chosen) => ({ ...data, values: ['123456789012345678', '1'] })],
    ['is another one than was resolved', (data: Chosen) => ({ ...data, values: ['123456789012345678'] })],
    ['belongs to what every object has', (data: Chosen) => ({ ...data, values: ['constructor'] })],
  ])('is not taken for the log when it %s', async (_what, forge) => {
    const message = await settings();
    scene.discord.gateway.disturbDispatch({
      alter: (payload) => ({ ...payload, data: forge(Object(payload).data) }),
    });
    const said = textOf(await pick(message, ['#staff']));
    scene.discord.gateway.disturbDispatch({});
    expect(said).toContain('The log channel stays as it was');
    expect(textOf(await settings())).toContain('Log channel: none');
    expect(logMessages(scene)).toEqual([]);
    expect(channelRequests()).toEqual([]);
  });
});

/** The data of a component's interaction. */
interface Chosen {
  readonly resolved?: object;
  readonly values: readonly string[];
}

describe('announcements', () => {
  it('tell everybody in the channel of what was sent for review, if they are on', async () => {
    await submit();
    expect(inGeneral()).toEqual([]);
    await press(await settings(), 'Announce submissions');
    const said = await submit();
    expect(messageOf(said).ephemeral).toBe(true);
    await expect.poll(() => inGeneral().length).toBe(1);
    const [announced] = inGeneral();
    expect(announced?.content).toMatch(/^<@\d+> has submitted 1 game server, and it was sent for review\.$/);
    expect(announced?.embeds).toMatchObject([
      { color: 0x57f287, description: expect.stringMatching(/^\*\*Counter-Strike 2\*\* — `.*`$/) },
    ]);
    expect(announced?.mentions).toEqual([]);
  });

  it('say nothing of what was refused, not sent, or not answered', async () => {
    await press(await settings(), 'Announce submissions');
    await scene.listing.behave({ kind: 'json', status: 400, body: { status: 'error', message: 'No.' } }, 1);
    await submit();
    await scene.listing.behave({ kind: 'reset' }, 1);
    await submit();
    await scene.listing.behave({ kind: 'down' });
    await submit();
    await submit('no-such-game');
    await scene.restart();
    expect(inGeneral()).toEqual([]);
  });
});

describe('the games of a guild', () => {
  it('are all of them, or those that were chosen, page by page', async () => {
    const page = await press(await settings(), 'Games …');
    expect(textOf(page)).toMatch(/All games.*Games, page 1 of 3/s);
    expect(textOf(await pick(page, ['Counter-Strike 2', 'Factorio']))).toContain(
      'Only 2 games may be submitted: Counter-Strike 2, Factorio',
    );
    const second = await press(page, 'Next');
    expect(textOf(await pick(second, ['Rust']))).toContain('Only 3 games may be submitted');
    await press(page, 'Previous');
    expect(textOf(await pick(page, ['Factorio']))).toContain('Only 2 games may be submitted: Rust, Factorio');
    expect(textOf(await press(page, 'Back'))).toContain('Games: only Rust, Factorio\n');
    await press(page, 'Games …');
    expect(textOf(await press(page, 'Allow all games'))).toContain('Games: all of them');
  });

  it('are allowed again when the last one is taken back', async () => {
    const page = await press(await settings(), 'Games …');
    await pick(page, ['Factorio']);
    const [row] = messageOf(page).current?.components ?? [];
    expect(JSON.stringify(row)).toContain('"value":"factorio","default":true');
    expect(textOf(await pick(page, []))).toContain('All games of the listing service');
  });

  it('are the only ones that can be submitted, and the only ones suggested, over a restart too', async () => {
    await pick(await press(await settings(), 'Games …'), ['Counter-Strike 2', 'Factorio']);
    for (let run = 0; run < 2; run += 1) {
      const choices = await scene.member.complete('addserver', 'game', { game: '' });
      expect(choices).toMatchObject([{ value: 'cs2' }, { value: 'factorio' }]);
      expect(await scene.member.complete('addserver', 'game', { game: 'rust' })).toEqual([]);
      expect(await scene.member.complete('games', 'search', { search: 'rust' })).toEqual([]);
      expect(textOf(await scene.member.slash('games'))).toMatch(
        /2 games\n.*Counter-Strike 2.*Factorio.*Only the games that the admins/s,
      );
      expect(textOf(await scene.member.slash('games', { search: 'rust' }))).toContain('No game matches');
      const before = sent().length;
      expect(textOf(await submit('rust'))).toContain('⚠️ Not sent: servers of Rust cannot be submitted here');
      expect(sent()).toHaveLength(before);
      expect(textOf(await submit('cs2'))).toContain('Servers have been added for review.');
      await scene.restart();
    }
    const elsewhere = scene.person({ guild: 1 });
    expect(await elsewhere.complete('addserver', 'game', { game: '' })).toHaveLength(25);
  });

  it('are not changed when the list has changed since they were shown', () =>
    // For every guild: in a bot of its own.
    inAppScene({ key: 'sandbox-key' }, async ({ admin, listing }) => {
      const page = await press(await settings(admin), 'Games …', admin);
      const games = [{ name: 'Factorio', alias: 'factorio' }];
      await listing.behave({ kind: 'json', status: 200, body: games }, 1);
      await setKey(admin, 'sandbox-key');
      const said = textOf(await pick(page, ['Factorio'], admin));
      expect(said).toContain('The list of games has changed meanwhile');
      expect(textOf(await settings(admin))).toContain('Games: all of them');
    }));
});

describe('the daily quota', () => {
  it('is a whole number, and shown in the window that changes it', async () => {
    for (const wrong of ['0', '-1', '1.5', 'ten']) {
      expect(await setQuota(wrong)).toContain('The quota must be a whole number from 1 to 9999');
    }
    expect(await setQuota('3')).toContain('Daily quota: 3 game servers for each');
    expect(textOf(await press(await settings(), 'Daily quota …'))).toContain('now: 3');
    expect(await setQuota('')).toContain('Daily quota: none');
  });

  it('counts what each member has submitted, over a restart too', async () => {
    await setQuota('2');
    await submit();
    await scene.restart();
    await submit();
    expect(textOf(await submit())).toContain(
      'on this Discord server you may submit 2 game servers a day, and you have 0 left today',
    );
    expect(textOf(await submit('cs2', scene.person({ role: 'other' })))).toContain('added for review');
    expect(sent()).toHaveLength(3);
  });

  it('does not count what the service refused or what was not sent, but what may have arrived', async () => {
    await setQuota('1');
    await scene.listing.behave({ kind: 'json', status: 400, body: { status: 'error', message: 'No.' } }, 1);
    await submit();
    await scene.listing.behave({ kind: 'down' });
    await submit();
    await scene.listing.behave({ kind: 'ok' });
    await scene.listing.behave({ kind: 'reset' }, 1);
    expect(textOf(await submit())).toContain('may have been received');
    expect(textOf(await submit())).toContain('you have 0 left today');
  });

  it('is not overrun by submissions at the same moment', async () => {
    await setQuota('2');
    await Promise.all([submit(), submit(), submit(), submit(), submit()]);
    expect(sent()).toHaveLength(2);
  });
});
