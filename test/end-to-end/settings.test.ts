import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { PermissionFlagsBits } from 'discord.js';
import { describe, expect } from 'vitest';
import { modalFields } from '../../sandbox/discord/client/modal-form.ts';
import type { Answer } from '../../sandbox/discord/contract.ts';
import { USUAL_BOT_PERMISSIONS } from '../../sandbox/discord/world/channels.ts';
import { inStaff, turnApprovalOn, waitingIn } from '../support/approval.ts';
import { botTest, messageOf, ownBotTest, setKey, type TestGuild, textOf } from '../support/bot.ts';
import {
  ACCEPTED,
  addServer,
  allowGames,
  chooseLogChannel,
  componentsOf,
  edit,
  giveCommand,
  idOf,
  labelsOf,
  logLines,
  logMessages,
  openModal,
  openSetting,
  openSettings,
  pickSetting,
  postComponents,
  postPanel,
  pressSetting,
  removeKey,
  setQuota,
  staffChannel,
} from '../support/people.ts';

const it = botTest();
/** For tests that affect all of a bot's guilds. */
const ownIt = ownBotTest();

const allowBot = (guild: TestGuild, permissions: bigint) =>
  guild.discord.guildEvents.setBotPermissions(guild, staffChannel(guild), permissions);
const answerWith = ({ listing }: TestGuild, status: 'success' | 'error', message: string) =>
  listing.behave({ kind: 'json', status: 200, body: { status, message } }, 1);
/** Submits a new server, because a repeated one would cause a warning. */
const addOne = ({ member }: TestGuild, game = 'cs2', who = member) =>
  addServer(who, `${randomUUID()}.example.com:1`, { game });

/** Returns the changes in the log channel. On a slow machine, they are in several messages that repeat the heading. */
const changesIn = (guild: TestGuild): readonly string[] =>
  logLines(guild).filter((line, at, all) => !line.endsWith('changed a setting:') || all.indexOf(line) === at);

describe('/settings', () => {
  it('lists all settings, with a menu to change them', async ({ guild }) => {
    const said = textOf(await openSettings(guild));
    expect(said).toContain('(only you can see this)');
    expect(said).toMatch(
      /API key: last worked .*Games: all.*Language for everyone: same as Discord \(English\).*Who can submit: everyone/s,
    );
    expect(said).not.toContain('waiting');
    expect(said).toMatch(
      /Not in use: Log channel, Role for key problems, Daily quota, Approval, Trusted role, Blocked here, Announcements, and Panels\n.*▾ Change…/s,
    );
    expect(textOf(await openSetting(guild, 'Who can submit'))).toContain(
      '[ Command Permissions → https://support-apps',
    );
  });

  it('has an "Enter an API key" button if the key is missing', async ({ guild, admin }) => {
    expect(labelsOf(await openSettings(guild))).not.toContain('Enter an API key');
    await removeKey(admin);
    const without = await openSettings(guild);
    expect(textOf(without)).toContain('⚠️ API key: none');
    const { modal } = await openModal(admin, without, 'Enter an API key');
    expect(textOf(await admin.submit(modal, { key: 'sandbox-key' }))).toContain('works and has been saved');
  });

  it('lets admins check, replace and remove the API key', async ({ guild, admin, listing }) => {
    const page = await openSetting(guild, 'API key');
    expect(textOf(page)).toMatch(/✅ API key: last worked.*Set by @/s);
    expect(labelsOf(page)).toEqual(['Check now', 'Replace the API key', 'Remove key', 'All settings']);
    listing.allow('second-key-1234');
    const { modal } = await openModal(admin, page, 'Replace the API key');
    expect(textOf(await admin.submit(modal, { key: 'second-key-1234' }))).toContain('has been saved');
    const checked = await admin.press(page, 'Check now');
    expect(textOf(checked)).toMatch(/The key works\..*…1234/s);
    expect(textOf(await admin.press(checked, 'Remove key'))).toContain('Remove the API key …1234?');
    expect(textOf(await admin.press(checked, 'Remove key'))).toContain('API key removed');
    expect(labelsOf(await openSetting(guild, 'API key'))).toEqual(['Enter an API key', 'All settings']);
  });

  it('warns that announcements of approved submissions need a channel', async ({ guild, admin }) => {
    const page = await openSetting(guild, 'Announcements');
    expect(textOf(await admin.press(page, 'Announce submissions'))).toContain('✅ Announcements: on');
    await chooseLogChannel(guild);
    await pressSetting(guild, 'Approval', 'Turn approval on');
    expect(textOf(await openSettings(guild))).toContain('⚠️ Announcements: on; approved ones need a channel');
    expect(textOf(await pickSetting(guild, 'Announcements', '#general'))).toMatch(
      /✅ Announcements: on, in #/,
    );
    expect(textOf(await pressSetting(guild, 'Announcements', "Don't announce submissions"))).toMatch(
      /➖ Announcements: off, but #\d+ is still chosen/,
    );
  });

  it('has a page for each setting, with an explanation and the current value', async ({ guild }) => {
    for (const [name, said] of [
      ['Log channel', /Shows submissions.*➖ Log channel: none.*▾ Choose a log channel/s],
      [
        'Role for key problems',
        /Mentioned in the log channel.*➖ Role for key problems: none.*▾ Choose a role for key problems/s,
      ],
      ['Games', /Once you choose any, only those are allowed\..*✅ Games: all.*▾ Games, page 1 of/s],
      ['Daily quota', /each member can submit.*➖ Daily quota: none.*\[ Change the quota \]/s],
      ['Approval', /When approval is on.*➖ Approval: off/s],
      [
        'Trusted role',
        /submit without approval, just like members.*➖ Trusted role: none.*▾ Choose a trusted role/s,
      ],
      [
        'Announcements',
        /Everyone sees which game servers.*➖ Announcements: off.*\[ Announce submissions \]/s,
      ],
      ['Language for everyone', /posts for everyone.*✅ Language for everyone: same as Discord \(English\)/s],
    ] as const) {
      const page = await openSetting(guild, name);
      expect(textOf(page)).toMatch(said);
      expect(labelsOf(page)).toContain('All settings');
    }
  });

  it('shows a role menu once a log channel has been selected', async ({ guild, admin, discord }) => {
    discord.guildEvents.addRole(guild, { name: 'staff', mentionable: true });
    expect(textOf(await pickSetting(guild, 'Log channel', '#staff'))).toMatch(
      /Nobody is mentioned yet.*▾ Choose another channel.*▾ Choose a role for key problems/s,
    );
    const page = await openSetting(guild, 'Log channel');
    expect(textOf(await admin.pick(page, ['@staff']))).toMatch(
      /✅ Role for key problems: @.*▾ Choose another role/s,
    );
  });
});

/** The labels that these tests use, in three languages. */
const IN_LANGUAGES = [
  {
    locale: 'en-US',
    panels: 'Panels',
    games: 'Games',
    only: 'Allow only games submitted so far',
    log: 'Log channel',
    approval: 'Approval',
    isPublic: /^⚠️ Everyone can read <#\d+>, .*declined or rejected submissions would be public\./,
    anyway: 'Use it anyway',
    unchecked: /^⚠️ Couldn't check whether everyone can read <#\d+>\./,
  },
  {
    locale: 'de',
    panels: 'Panels',
    games: 'Spiele',
    only: 'Nur bisher eingereichte Spiele erlauben',
    log: 'Protokollkanal',
    approval: 'Freigabe',
    isPublic:
      /^⚠️ Alle können <#\d+> lesen\. .*abgelehnten oder zurückgewiesenen Einreichungen wären also öffentlich\./,
    anyway: 'Trotzdem verwenden',
    unchecked: /^⚠️ Es ließ sich nicht prüfen, ob alle <#\d+> lesen können\./,
  },
  {
    locale: 'ja',
    panels: 'パネル',
    games: 'ゲーム',
    only: 'これまでに申請されたゲームだけを許可',
    log: 'ログチャンネル',
    approval: '承認',
    isPublic: /^⚠️ <#\d+>は誰でも読めるため、.*却下または拒否された申請が公開されてしまいます。/,
    anyway: 'それでも使用',
    unchecked: /^⚠️ <#\d+>を誰でも読めるか確認できませんでした。/,
  },
] as const;

describe.for(IN_LANGUAGES)('/settings in $locale', ({ locale, panels, games, only, ...words }) => {
  const inLocale = (guild: TestGuild) => ({ ...guild, admin: guild.person({ role: 'admin', locale }) });
  const contentOf = (answer: Answer) => messageOf(answer).current?.content ?? '';

  it('lists all disabled settings on a single line', async ({ guild }) => {
    const mine = inLocale(guild);
    const overview = await openSettings(mine);
    expect(contentOf(overview).length).toBeLessThan(700);
    expect(contentOf(overview).match(/^➖/gm)).toHaveLength(1);
    const names = componentsOf(overview).flatMap(({ options = [] }) => options.map(({ label }) => label));
    expect(names).toHaveLength(12);
    for (const name of names) {
      expect(contentOf(await openSetting(mine, name))).toMatch(new RegExp(`^\\*\\*${name}\\*\\*`));
    }
  });

  it('lets an admin post a panel for a game', async ({ guild }) => {
    const mine = inLocale(guild);
    await allowGames(guild, ['ark', 'cs2']);
    const page = await openSetting(mine, panels);
    const [post = ''] = labelsOf(page);
    const { modal } = await openModal(mine.admin, page, post);
    expect(modalFields(modal.data)).toMatchObject([{ kind: 'text' }, { kind: 'select', required: false }]);
    await mine.admin.submit(modal, { text: 'Be kind.', game: 'ark' });
    const [panel] = guild.discord.messages({ channelId: guild.admin.channelId });
    expect(panel?.current.content).toMatch(/\n\nBe kind\.$/);
    expect(JSON.stringify(panel?.current)).toContain('addserver:new:ark');
    expect(contentOf(await openSetting(mine, panels))).toContain('▸ [1](');
  });

  it('warns if everyone can read the selected log channel', async ({ guild }) => {
    const mine = inLocale(guild);
    const { admin } = mine;
    await removeKey(guild.admin);
    const pages = [
      await setKey(admin, 'sandbox-key'),
      await openSetting(mine, words.approval),
      await openSetting(mine, words.log),
    ];
    for (const page of pages) {
      expect(contentOf(await admin.pick(page, ['#general']))).toMatch(words.isPublic);
      expect(contentOf(await openSettings(mine))).not.toContain(`<#${guild.channelId}>`);
    }
    const inGeneral = () => guild.discord.messages({ channelId: guild.channelId });
    expect(inGeneral()).toEqual([]);
    for (const page of pages) {
      expect(contentOf(await admin.press(page, words.anyway))).not.toMatch(words.isPublic);
    }
    expect(inGeneral()).toHaveLength(3);
    expect(contentOf(await openSettings(mine))).toContain(`<#${guild.channelId}>`);
    const staff = await admin.pick(await openSetting(mine, words.log), ['#staff']);
    expect(contentOf(staff).startsWith(`**${words.log}**\n`)).toBe(true);
    expect(labelsOf(staff)).not.toContain(words.anyway);
  });

  it("rejects a log channel if the bot can't check who can read it", async ({ guild }) => {
    const mine = inLocale(guild);
    const page = await openSetting(mine, words.log);
    const body = { code: 50_001, message: 'Missing Access' };
    guild.discord.faults.inject({
      fault: { kind: 'status', status: 403, body },
      method: 'GET',
      path: /^\/channels\/\d+$/,
    });
    expect(contentOf(await mine.admin.pick(page, ['#general']))).toMatch(words.unchecked);
    expect(labelsOf(page)).not.toContain(words.anyway);
    expect(contentOf(await openSettings(mine))).not.toContain(`<#${guild.channelId}>`);
  });

  it('lets an admin restrict games to those submitted so far', async ({ guild }) => {
    const mine = inLocale(guild);
    await answerWith(guild, 'error', 'No.');
    await addOne(guild, 'rust');
    const page = await openSetting(mine, games);
    expect(contentOf(await mine.admin.press(page, only))).toMatch(/^⚠️ /);
    await addOne(guild, 'ark');
    await addOne(guild, 'cs2');
    expect(contentOf(await mine.admin.press(page, only))).toMatch(
      /Counter-Strike 2.*ARK|ARK.*Counter-Strike 2/,
    );
    expect(textOf(await addOne(guild, 'rust'))).toContain("the game rust isn't allowed here");
  });
});

it('/settings keeps invalid input and shows an error next to the current value', async ({ guild, admin }) => {
  const view = await openSetting(guild, 'Daily quota');
  const { modal } = await openModal(admin, view, 'Change the quota');
  await setQuota(guild, '8');
  const refused = await admin.submit(modal, { quota: 'many' });
  expect(textOf(refused)).toMatch(/⚠️ Enter a whole number .*Daily quota: 8 game servers/s);
  expect(labelsOf(refused)).toEqual(['Change the quota', 'All settings']);
  const { modal: again, typed } = await openModal(admin, refused, 'Change the quota');
  expect(typed).toEqual({ quota: 'many' });
  expect(textOf(await admin.submit(again, { quota: '9' }))).toContain('Daily quota: 9 game servers');
});

describe('the log channel', () => {
  it('shows every submission with its member, server and outcome', async ({ guild, member, listing }) => {
    await chooseLogChannel(guild);
    const answer = await addServer(member, 'play.example.com:1');
    await addServer(member, 'play.example.com:1');
    await answerWith(guild, 'error', 'No such luck.');
    await addOne(guild, 'rust');
    await listing.behave({ kind: 'reset' }, 1);
    await addOne(guild, 'minecraft');
    await listing.behave({ kind: 'down' });
    await addOne(guild, 'ark');
    await expect.poll(() => logLines(guild).length).toBe(5);
    const [shown] = messageOf(answer).current?.embeds ?? [];
    const by = '\\@member';
    expect(logLines(guild)).toEqual([
      `${by}: ${shown?.description} · ✅ Sent for review. “${ACCEPTED}”`,
      expect.stringMatching(/@member: \*\*Counter-Strike 2.* · ⚠️ Not sent: already submitted here\.$/),
      expect.stringMatching(/\*\*Rust\*\*.* · ❌ Rejected\. No such luck\.$/),
      expect.stringMatching(/\*\*Minecraft\*\*.* · ❓ Unconfirmed\. /),
      expect.stringMatching(/\*\*ARK.* · ⚠️ Not sent\. The listing service couldn't be reached\.$/),
    ]);
  });

  it('shows key changes and denied admin commands', async ({ bot, guild, admin, member }) => {
    await chooseLogChannel(guild);
    expect(logMessages(guild)).toEqual([expect.stringMatching(/bot's log channel.*Chosen by \\@admin/)]);
    await setKey(admin, 'sandbox-key');
    giveCommand(bot, 'setkey', member);
    await member.slash('setkey');
    // The bot only shows this button to admins, but everyone can use /privacy.
    const erase = { type: 2, style: 4, label: 'Delete', custom_id: 'privacy:erase' };
    const forged = await postComponents(bot, admin.channelId, [{ type: 1, components: [erase] }]);
    assert(forged);
    await member.press(forged, 'Delete');
    await expect.poll(() => logLines(guild).length).toBe(3);
    expect(logLines(guild)).toEqual([
      expect.stringContaining('\\@admin set the API key'),
      expect.stringMatching(/@member tried to use <\/setkey:\d+> without the “Manage Server” permission/),
      expect.stringMatching(/@member tried to use an admin button of <\/privacy:\d+> without/),
    ]);
  });

  it('shows every change to a setting', async ({ guild, admin }) => {
    await chooseLogChannel(guild);
    const announcing = await pressSetting(guild, 'Announcements', 'Announce submissions');
    await admin.press(announcing, "Don't announce submissions");
    await setQuota(guild, '3');
    await setQuota(guild, '3');
    await setQuota(guild, '');
    const games = await allowGames(guild, ['Factorio']);
    await admin.pick(games, ['Counter-Strike 2', 'ARK: Survival Evolved']);
    await admin.press(games, 'Allow all games');
    await expect.poll(() => logLines(guild).length).toBe(9);
    const log = await pickSetting(guild, 'Log channel', '#general');
    await admin.press(log, 'Use it anyway');
    await admin.pick(log, ['#staff']);
    await admin.press(log, 'Turn off the log channel');
    await expect.poll(() => logLines(guild).length).toBe(12);
    expect(logLines(guild)).toEqual([
      '⚙️ \\@admin changed a setting:',
      '✅ **Announcements**: on',
      '➖ **Announcements**: off',
      '✅ **Daily quota**: 3 game servers per member',
      '➖ **Daily quota**: none',
      '✅ **Games**: only Factorio',
      expect.stringMatching(/^✅ \*\*Games\*\*: newly allowed: .*Counter-Strike 2/),
      '✅ **Games**: no longer allowed: Factorio',
      '✅ **Games**: all',
      `⚙️ \\@admin moved the log channel to <#${admin.channelId}>.`,
      expect.stringContaining("This is now the bot's log channel"),
      '🔕 \\@admin turned this log channel off.',
    ]);
  });

  it('shows only the approval settings that changed', async ({ guild, admin, discord }) => {
    const id = discord.guildEvents.addRole(guild, { name: 'staff', mentionable: true });
    await turnApprovalOn(guild);
    const page = await pickSetting(guild, 'Approval', '@staff');
    const options = idOf(page, 'settings:change:1:approval:approval:options');
    await admin.pick(page, ['Require a reason to decline'], options);
    await expect.poll(() => changesIn(guild).length).toBe(5);
    expect(changesIn(guild)).toEqual([
      '⚙️ \\@admin changed a setting:',
      '✅ **Approval**: on',
      `✅ **Approval**: on; <@&${id}> can approve too`,
      '➖ **Direct messages about decisions**: off',
      '✅ **Reason to decline**: required',
    ]);
  });

  it('shows which panel was changed and how', async ({ guild, admin }) => {
    await chooseLogChannel(guild);
    const panel = await postPanel(guild, 'Before');
    const page = await openSetting(guild, 'Panels');
    await edit(admin, page, { text: 'After', game: 'rust' });
    await edit(admin, page, {});
    await admin.pick(page, ['Submit a list', 'My submissions']);
    await edit(admin, page, { text: '', game: '' });
    await admin.press(page, 'Stop managing');
    await admin.press(page, 'Stop managing');
    const link = `https://discord.com/channels/${guild.id}/${panel.channelId}/${panel.id}`;
    const item = `**Panel** [1](<${link}>) <#${panel.channelId}>`;
    await expect.poll(() => changesIn(guild).length).toBe(8);
    expect(changesIn(guild)).toEqual([
      `⚙️ \\@admin posted a panel in <#${panel.channelId}>.`,
      '⚙️ \\@admin changed a setting:',
      `✅ ${item}: new text “After”`,
      `✅ ${item}: default game Rust`,
      `✅ ${item}: buttons Submit a list and My submissions`,
      `✅ ${item}: no text`,
      `✅ ${item}: no default game`,
      `➖ ${item}: no longer managed`,
    ]);
  });
});

it('/settings shows an error if the bot can no longer post in the log channel', async ({
  guild,
  discord,
}) => {
  await chooseLogChannel(guild);
  allowBot(guild, 0n);
  expect(textOf(await addOne(guild))).toContain(ACCEPTED);
  await expect
    .poll(async () => textOf(await openSettings(guild)))
    .toMatch(/❌ Log channel: can't post in #\d+/);
  allowBot(guild, USUAL_BOT_PERMISSIONS);
  expect(textOf(await pickSetting(guild, 'Log channel', '#staff'))).toContain('✅ Log channel: #');
  await addOne(guild, 'rust');
  await expect.poll(() => logMessages(guild).join('\n')).toContain('**Rust**');
  discord.guildEvents.addRole(guild, { name: 'staff', mentionable: true });
  expect(textOf(await pickSetting(guild, 'Role for key problems', '@staff'))).toContain(
    '✅ Role for key problems: @',
  );
  discord.guildEvents.removeChannel(guild, staffChannel(guild));
  expect(textOf(await addOne(guild))).toContain(ACCEPTED);
  await expect
    .poll(async () => textOf(await openSettings(guild)))
    .toMatch(/❌ Log channel: deleted\n⚠️ Role for key problems: @\d+\n/);
});

it('/settings shows an error if the bot can no longer post announcements', async ({ guild }) => {
  const { discord } = guild;
  await pickSetting(guild, 'Announcements', '#staff');
  allowBot(guild, 0n);
  await addOne(guild);
  await expect
    .poll(async () => textOf(await openSettings(guild)))
    .toMatch(/❌ Announcements: can't post in #\d+/);
  expect(textOf(await openSetting(guild, 'Announcements'))).toMatch(
    /The bot lacks View Channel, Send Messages, and Embed Links in #\d+\. Add the bot itself/,
  );
  allowBot(guild, USUAL_BOT_PERMISSIONS);
  expect(textOf(await pickSetting(guild, 'Announcements', '#staff'))).toContain('✅ Announcements: on, in #');
  await addOne(guild, 'rust');
  await expect.poll(() => discord.messages({ channelId: staffChannel(guild) })).toHaveLength(1);
  discord.guildEvents.removeChannel(guild, staffChannel(guild));
  await addOne(guild);
  await expect
    .poll(async () => textOf(await openSettings(guild)))
    .toContain('❌ Announcements: channel deleted');
});

it('/settings warns against using an announcement channel as the log channel', async ({ guild }) => {
  const { channels, guildEvents } = guild.discord;
  const news = channels(guild).find(({ name }) => name === 'news')?.id ?? '';
  const asked = await pickSetting(guild, 'Log channel', '#news');
  expect(textOf(asked)).toMatch(/⚠️ Everyone can read #\d+.*\n⚠️ #\d+ is an announcement channel/);
  guildEvents.setOverwrite(guild, news, { allow: 0n, deny: PermissionFlagsBits.ViewChannel });
  expect(textOf(await pickSetting(guild, 'Log channel', '#news'))).toMatch(
    /⚠️ #\d+ is an announcement channel: Publish .*✅ Log channel: #/s,
  );
  expect(textOf(await pickSetting(guild, 'Log channel', '#staff'))).not.toContain('Publish');
});

it('/settings rejects a log channel from another Discord server', async ({ bot, guild, admin }) => {
  const other = await bot.newGuild();
  const asked = await pickSetting(guild, 'Log channel', '#general');
  bot.discord.gateway.disturbDispatch({
    alter(payload) {
      const { data } = Object(payload);
      const custom_id = String(data.custom_id).replace(guild.channelId, other.channelId);
      return { ...payload, data: { ...data, custom_id } };
    },
  });
  const said = textOf(await admin.press(asked, 'Use it anyway'));
  bot.discord.gateway.disturbDispatch({});
  expect(said).toMatch(/⚠️ Couldn't check.*Log channel: none/s);
  expect(bot.discord.messages({ channelId: other.channelId })).toEqual([]);
});

describe('a channel where the bot lacks permissions', () => {
  const lacks = (answer: Answer) => textOf(answer).match(/The bot lacks (.*?) in #\d+\. Add the bot/)?.[1];
  const posts = (guild: TestGuild) =>
    guild.discord.requests.filter(({ path }) => path.endsWith(`/${staffChannel(guild)}/messages`));

  it("can't be selected as the log channel", async ({ guild, admin }) => {
    const view = await openSetting(guild, 'Log channel');
    allowBot(guild, USUAL_BOT_PERMISSIONS & ~PermissionFlagsBits.EmbedLinks);
    const refused = await admin.pick(view, ['#staff']);
    expect(lacks(refused)).toBe('Embed Links');
    expect(textOf(refused)).toMatch(/Log channel: none.*▾ Choose a log channel/s);
    allowBot(guild, 0n);
    expect(lacks(await admin.pick(view, ['#staff']))).toBe('View Channel, Send Messages, and Embed Links');
    expect(posts(guild)).toEqual([]);
    allowBot(guild, USUAL_BOT_PERMISSIONS);
    expect(textOf(await admin.pick(view, ['#staff']))).toContain('✅ Log channel: #');
  });

  it("can't be selected for announcements", async ({ guild, admin }) => {
    allowBot(guild, USUAL_BOT_PERMISSIONS & ~PermissionFlagsBits.SendMessages);
    const view = await openSetting(guild, 'Announcements');
    const refused = await admin.pick(view, ['#staff']);
    expect(lacks(refused)).toBe('Send Messages');
    expect(textOf(refused)).toContain('Announcements: off');
    allowBot(guild, USUAL_BOT_PERMISSIONS);
    expect(textOf(await admin.pick(view, ['#staff']))).toContain('✅ Announcements: on, in #');
    expect(posts(guild)).toEqual([]);
  });

  it('is reported if an admin opens /settings in it', async ({ guild }) => {
    await pickSetting(guild, 'Announcements', '#staff');
    await chooseLogChannel(guild);
    const inStaffChannel = { ...guild, admin: inStaff(guild, 'admin') };
    expect(textOf(await openSettings(inStaffChannel))).toContain('✅ Log channel: #');
    allowBot(guild, USUAL_BOT_PERMISSIONS & ~PermissionFlagsBits.EmbedLinks);
    expect(textOf(await openSettings(inStaffChannel))).toMatch(
      /❌ Log channel: can't post in #.*❌ Announcements: can't post in #/s,
    );
    expect(textOf(await openSetting(inStaffChannel, 'Announcements'))).toMatch(
      /The bot lacks Send Messages and Embed Links/,
    );
  });

  it('fails the log channel test', async ({ guild, admin }) => {
    await chooseLogChannel(guild);
    const view = await openSetting(guild, 'Log channel');
    allowBot(guild, 0n);
    expect(textOf(await admin.press(view, 'Test the log channel'))).toMatch(
      /The test message couldn't be posted.*❌ Log channel: can't post in/s,
    );
    expect(textOf(view)).toContain('The bot lacks View Channel, Send Messages, and Embed Links in #');
    allowBot(guild, USUAL_BOT_PERMISSIONS);
    expect(textOf(await openSettings(guild))).toContain('✅ Log channel');
    expect(logMessages(guild).at(-1)).toBe('⚙️ The bot can post in this log channel again.');
    expect(textOf(await admin.press(view, 'Test the log channel'))).toMatch(
      /A test message was posted in.*✅ Log channel/s,
    );
    expect(logMessages(guild).at(-1)).toContain('@admin tested the log channel');
  });
});

describe('pressing "Test the log channel"', () => {
  it('reports a deleted channel and removes the button', async ({ guild, admin, discord }) => {
    await chooseLogChannel(guild);
    const view = await openSetting(guild, 'Log channel');
    discord.guildEvents.removeChannel(guild, staffChannel(guild));
    expect(textOf(await admin.press(view, 'Test the log channel'))).toMatch(
      /^\(.*\) The log channel was deleted\. Choose another one\..*❌ Log channel: deleted/s,
    );
    expect(labelsOf(view)).not.toContain('Test the log channel');
  });

  it('shows a warning if another admin has turned the log off', async ({ guild, admin }) => {
    await chooseLogChannel(guild);
    const view = await openSetting(guild, 'Log channel');
    await pressSetting(guild, 'Log channel', 'Turn off the log channel');
    expect(textOf(await admin.press(view, 'Test the log channel'))).toContain(
      "⚠️ The log channel was turned off, so it wasn't tested.",
    );
  });
});

describe('the role to notify', () => {
  const role = (guild: TestGuild, name: string, mentionable = true) =>
    guild.discord.guildEvents.addRole(guild, { name, mentionable });
  const line = async (guild: TestGuild) =>
    textOf(await openSettings(guild)).match(/^.*Role for key problems: .*$/m)?.[0];
  const posted = (guild: TestGuild) => guild.discord.messages({ channelId: staffChannel(guild) });
  const alerts = (guild: TestGuild) =>
    posted(guild).flatMap(({ current }) => (current?.content ? [current] : []));

  it('can be set and removed', async ({ guild }) => {
    role(guild, 'helpers');
    expect(textOf(await pickSetting(guild, 'Role for key problems', '@helpers'))).toMatch(
      /⚠️ Role for key problems: @\d+\n➖ Log channel: none/,
    );
    await chooseLogChannel(guild);
    const id = role(guild, 'staff');
    await pickSetting(guild, 'Role for key problems', '@staff');
    await expect.poll(() => logLines(guild).join()).toContain(`✅ **Role for key problems**: <@&${id}>`);
    expect(await line(guild)).toMatch(/^✅ /);
    expect(textOf(await pressSetting(guild, 'Role for key problems', 'Stop mentioning this role'))).toContain(
      'Role for key problems: none',
    );
    await expect.poll(() => logLines(guild).join()).toContain('➖ **Role for key problems**: none');
    expect(posted(guild).flatMap(({ current }) => current?.mention_roles ?? [])).toEqual([]);
  });

  it('is the only role mentioned when the service rejects the key', async ({ guild }) => {
    await chooseLogChannel(guild);
    const id = role(guild, 'staff');
    await pickSetting(guild, 'Role for key problems', '@staff');
    await answerWith(guild, 'error', 'Invalid API key.');
    await addOne(guild);
    await expect
      .poll(() => alerts(guild))
      .toMatchObject([{ mention_roles: [id], mentions: [], mention_everyone: false }]);
    const [alert] = alerts(guild);
    expect(alert?.content).toMatch(
      new RegExp(`^<@&${id}>\\n❌ The listing service rejects this Discord server's API key`),
    );
    // On Android, commands in an embed can't be tapped.
    expect(alert?.content).toMatch(/<\/setkey:\d+>.*If you think the key is right.*<\/keystatus:\d+>/);
    expect(alert?.embeds[0]?.description).toMatch(/^Set by \\@admin .*\(<t:\d+:f>\)/);
  });

  it("can't be @everyone or a role that the bot isn't allowed to mention", async ({ guild }) => {
    await chooseLogChannel(guild);
    expect(textOf(await pickSetting(guild, 'Role for key problems', '@everyone'))).toContain(
      'This bot never notifies @everyone',
    );
    role(guild, 'closed', false);
    expect(textOf(await pickSetting(guild, 'Role for key problems', '@closed'))).toMatch(
      /Not changed: the bot can't mention @\d+\. Turn on “Allow anyone to @mention this role” under/,
    );
    expect(await line(guild)).toBeUndefined();
    // The bot checks its permissions whenever an admin chooses a log channel.
    allowBot(guild, USUAL_BOT_PERMISSIONS | PermissionFlagsBits.MentionEveryone);
    await pickSetting(guild, 'Log channel', '#staff');
    await pickSetting(guild, 'Role for key problems', '@closed');
    expect(await line(guild)).toMatch(/✅ Role for key problems: @/);
  });
});

it('announcements list only servers that were sent for review', async ({ guild, member, discord }) => {
  const inGeneral = () => discord.messages({ channelId: member.channelId }).map(({ current }) => current);
  await addOne(guild);
  await pressSetting(guild, 'Announcements', 'Announce submissions');
  await answerWith(guild, 'error', 'No.');
  await addOne(guild);
  await addOne(guild, 'no-such-game');
  expect(inGeneral()).toEqual([]);
  expect(messageOf(await addOne(guild)).ephemeral).toBe(true);
  await expect.poll(() => inGeneral().length).toBe(1);
  const [announced] = inGeneral();
  expect(announced?.content).toMatch(/^\\@member submitted a game server for review\.$/);
  expect(announced?.embeds).toMatchObject([
    { color: 0x57f287, description: expect.stringMatching(/^\*\*Counter-Strike 2\*\* `.*`$/) },
  ]);
  expect(announced?.mentions).toEqual([]);
});

describe('the allowed games', () => {
  it('can be selected across several pages', async ({ guild, admin }) => {
    const page = await openSetting(guild, 'Games');
    expect(textOf(page)).toMatch(/Games: all\n.*Games, page 1 of 3/s);
    expect(textOf(await admin.pick(page, ['Counter-Strike 2', 'Factorio']))).toContain(
      'Games: only Counter-Strike 2 and Factorio\n',
    );
    const second = await admin.press(page, 'Next');
    expect(textOf(await admin.pick(second, ['Rust']))).toContain(
      'Games: only Counter-Strike 2, Factorio, and 1 more\n',
    );
    await admin.press(page, 'Previous');
    expect(textOf(await admin.pick(page, ['Factorio']))).toContain('Games: only Factorio and Rust\n');
    expect(textOf(await admin.press(page, 'All settings'))).toContain('Games: only Factorio and Rust\n');
    await admin.pick(page, ['Games']);
    expect(textOf(await admin.press(page, 'Allow all games'))).toContain('Games: all\n');
    await admin.pick(page, ['Factorio']);
    expect(textOf(await admin.pick(page, []))).toContain('Games: all\n');
  });

  it('restrict both suggestions and submissions', async ({ guild, member }) => {
    const list = await member.slash('games');
    await allowGames(guild, ['Counter-Strike 2', 'Factorio']);
    const only = /2 games\n.*Counter-Strike 2.*Factorio.*Chosen by the admins/s;
    expect(textOf(await member.press(list, 'Next'))).toMatch(only);
    const choices = await member.complete('addserver', 'game', { game: '' });
    expect(choices).toMatchObject([{ value: 'cs2' }, { value: 'factorio' }]);
    expect(textOf(await member.slash('games'))).toMatch(only);
    expect(textOf(await member.slash('games', { search: 'rust' }))).toContain(
      'Not allowed in this Discord server: Rust.',
    );
    expect(textOf(await addOne(guild, 'rust'))).toContain("⚠️ Not sent: the game rust isn't allowed here");
    expect(textOf(await addOne(guild, 'cs2'))).toContain(ACCEPTED);
  });

  ownIt('no longer include removed games after a change', async ({ guild, admin, listing }) => {
    await allowGames(guild, ['Factorio']);
    const body = [{ name: 'Factorio 2', alias: 'factorio2' }];
    await listing.behave({ kind: 'json', status: 200, body }, 1);
    await setKey(admin, 'sandbox-key');
    const chosen = await allowGames(guild, ['Factorio 2']);
    expect(textOf(chosen)).toContain('Factorio 2');
    expect(textOf(await openSettings(guild))).toMatch(/Games: only Factorio 2\n/);
  });
});

describe('the daily quota setting', () => {
  it('accepts only whole numbers', async ({ guild, admin }) => {
    for (const wrong of ['0', '-1', '1.5', 'ten'])
      expect(textOf(await setQuota(guild, wrong))).toContain('Enter a whole number from 1 to 9999');
    expect(textOf(await setQuota(guild, '3'))).toContain('Daily quota: 3 game servers per member');
    const { typed } = await openModal(admin, await openSetting(guild, 'Daily quota'), 'Change the quota');
    expect(typed).toEqual({ quota: '3' });
    expect(textOf(await setQuota(guild, ''))).toContain('Daily quota: none');
  });
});

describe('the "Language for everyone" setting', () => {
  it("follows the guild's Discord language until an admin chooses another", async ({ bot }) => {
    const guild = await bot.newGuild({ key: 'sandbox-key', locale: 'de' });
    const { admin } = guild;
    const panel = async () => textOf(await postPanel(guild));
    await chooseLogChannel(guild);
    expect(logMessages(guild)[0]).toContain('Protokollkanal');
    expect(await panel()).toContain('Spielserver einreichen');
    const page = await openSetting(guild, 'Language for everyone');
    expect(textOf(page)).toContain('same as Discord (German)');
    expect(textOf(await admin.pick(page, ['日本語']))).toContain('✅ Language for everyone: Japanese');
    await expect.poll(() => logLines(guild).join()).toMatch(/✅ \*\*全員向けの言語\*\*：日本語/);
    expect(await panel()).toMatch(/[ぁ-ん]/);
    expect(textOf(await admin.pick(page, ['Same as Discord (German)']))).toContain(
      'same as Discord (German)',
    );
    expect(await panel()).toContain('Spielserver einreichen');
  });

  it('also applies to submissions that are already waiting', async ({ guild, member }) => {
    await turnApprovalOn(guild);
    await addServer(member, 'play.example.com:1');
    const message = await waitingIn(guild);
    await pickSetting(guild, 'Language for everyone', 'Deutsch');
    await expect.poll(() => textOf(message)).toContain('Freigeben?');
  });

  it("follows changes to the guild's Discord language", async ({ bot }) => {
    const guild = await bot.newGuild({ key: 'sandbox-key', locale: 'de' });
    const { admin, member, discord } = guild;
    await turnApprovalOn(guild);
    discord.guildEvents.setLocale(guild, 'fr');
    await addServer(member, 'play.example.com:1');
    const message = await waitingIn(guild);
    expect(textOf(message)).toContain('Approuver\u00A0?');
    await addServer(admin, 'play.example.com:2');
    await expect.poll(() => logLines(guild).at(-1)).toContain('✅ Envoyé pour vérification.');
    discord.guildEvents.setLocale(guild, 'it');
    await removeKey(admin);
    await expect.poll(() => logLines(guild).at(-1)).toContain('ha rimosso la chiave API');
    discord.guildEvents.setLocale(guild, 'fr');
    const question = await admin.press(
      await admin.slash('privacy'),
      'Delete all data for this Discord server',
    );
    await admin.press(question, 'Delete everything');
    await expect.poll(() => textOf(message)).toContain('n’existe plus');
  });
});
