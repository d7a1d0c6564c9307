import { ApplicationCommandPermissionType, PermissionFlagsBits } from 'discord.js';
import { describe, expect } from 'vitest';
import { modalFields, modalTexts } from '../../sandbox/discord/client/modal-form.ts';
import type { Answer, Person } from '../../sandbox/discord/contract.ts';
import { USUAL_BOT_PERMISSIONS } from '../../sandbox/discord/world/channels.ts';
import { inStaff, turnApprovalOn, waitingIn } from '../support/approval.ts';
import { botTest, messageOf, modalOf, setKey, type TestGuild, textOf } from '../support/bot.ts';
import { createTestClock } from '../support/machine.ts';
import {
  ACCEPTED,
  addServer,
  allowGames,
  chooseLogChannel,
  componentsOf,
  edit,
  labelsOf,
  lines,
  logMessages,
  openModal,
  openSetting,
  openSettings,
  paste,
  pickSetting,
  postPanel,
  pressSetting,
  pressSubmit,
  staffChannel,
  stopManaging,
} from '../support/people.ts';

const optionsOf = (answer: Answer): readonly string[] =>
  componentsOf(answer).flatMap(({ options = [] }) => options.map(({ value }) => value));

const DENIED = /This Discord server's admins don't allow you to do this here\./;

const it = botTest({ key: null });
const withKeyIt = botTest();

const inGeneral = ({ discord, admin }: TestGuild) => discord.messages({ channelId: admin.channelId });
const contentsIn = (guild: TestGuild) => inGeneral(guild).map(({ current }) => current?.content);

/** Returns one of the guild's admins in another channel. */
function inChannel(guild: TestGuild, name: string): Person {
  const { discord, id, channelId, admin } = guild;
  const channel = discord.channels(guild).find((each) => each.name === name);
  return discord.person({
    guild: { id, name: '', channelId },
    name: 'admin',
    permissions: PermissionFlagsBits.ManageGuild,
    userId: admin.userId,
    channelId: channel?.id ?? '',
  });
}

describe('a panel', () => {
  it("is a public message that doesn't ping anyone", async ({ bot, guild, discord }) => {
    const german = await bot.newGuild({ locale: 'de' });
    const from = discord.requests.length;
    const text = '# Rules\n**Be kind** @everyone <@1> [a link](https://example.com/) play.example.com:1';
    const panel = await postPanel(german, text);
    expect(panel.ephemeral).toBe(false);
    // The heading is in the content, because users can hide embeds.
    expect(panel.current.content).toMatch(/^### Spielserver einreichen\n/);
    expect(panel.current.content.endsWith(`\n\n${text}`)).toBe(true);
    expect(panel.current.embeds).toEqual([]);
    expect(panel.current).not.toHaveProperty('interaction_metadata');
    const sent = discord.requests.slice(from).find(({ body }) => body.includes('Be kind'));
    expect(JSON.parse(sent?.body ?? '')).toMatchObject({ allowed_mentions: { parse: [] } });
    const english = await postPanel(guild, ' ');
    expect(labelsOf(english)).toEqual(['Submit a game server', 'Submit a list', 'My submissions']);
    // The modal uses the user's language and doesn't contain the panel's text.
    await setKey(german.admin, 'sandbox-key');
    const button = JSON.stringify(panel.current).match(/addservers:new:/)?.[0] ?? '';
    const { data } = modalOf(await german.member.press(panel, button));
    expect(data.title).toBe('Submit many game servers');
    expect(modalFields(data).map(({ value }) => value ?? '')).toEqual(['', '', '']);
  });

  it("can't be posted in a thread", async ({ guild, admin }) => {
    const said = textOf(await inChannel(guild, 'questions').slash('panel'));
    expect(said).toMatch(
      /A panel stops working when its thread or forum post is archived\. Use \/panel in a channel instead\./,
    );
    const everyone = "Anyone who can see a panel's channel can use its buttons";
    expect(modalTexts(modalOf(await admin.slash('panel')).data).join()).toContain(everyone);
    expect(textOf(await openSetting(guild, 'Who can submit'))).not.toContain(everyone);
    await postPanel(guild);
    expect(textOf(await openSetting(guild, 'Who can submit'))).toContain(everyone);
  });

  withKeyIt(
    "is posted as a reply to the admin if the bot can't post in the channel",
    async ({ guild, discord, member }) => {
      const { guildEvents } = discord;
      for (const [lacking, name] of [
        [PermissionFlagsBits.SendMessages, 'Send Messages'],
        [PermissionFlagsBits.ViewChannel, 'View Channel'],
      ] as const) {
        guildEvents.setBotPermissions(guild, guild.channelId, USUAL_BOT_PERMISSIONS & ~lacking);
        const { admin } = guild;
        const said = textOf(await admin.submit(modalOf(await admin.slash('panel')), { text: name }));
        expect(said).toContain(`it's missing a permission: ${name}.`);
        await expect.poll(() => contentsIn(guild).at(-1)).toContain(`\n\n${name}`);
        const panel = inGeneral(guild).at(-1);
        expect(panel && modalOf(await member.press(panel, 'Submit a game server')).data.title).toBe(
          'Submit a game server',
        );
      }
      expect(textOf(await openSetting(guild, 'Panels'))).toContain('Panels: none');
    },
  );

  withKeyIt('is posted without a game if the game is unknown', async ({ guild, admin }) => {
    const modal = modalOf(await admin.slash('panel'));
    const said = textOf(await admin.submit(modal, { text: 'Ours', game: 'no such game' }));
    expect(said).toMatch(/✅ Panel posted: .*\n⚠️ Not used: .*no such game/);
    expect(JSON.stringify(inGeneral(guild))).toContain('addserver:new:"');
  });

  it("isn't posted if Discord rejects one of its links", async ({ guild, admin, discord }) => {
    const body = { code: 240000, message: 'Message blocked by harmful links filter' };
    const path = new RegExp(`channels/${guild.channelId}/messages`);
    discord.faults.inject({ fault: { kind: 'status', status: 400, body }, method: 'POST', path, times: 1 });
    const said = textOf(await admin.submit(modalOf(await admin.slash('panel')), { text: 'evil.example' }));
    expect(said).toContain('Discord rejected this text because of a link in it. Nothing was changed.');
    expect(said).not.toContain('submitted');
    expect(contentsIn(guild)).toEqual([]);
  });

  withKeyIt('is suggested in /settings if none has been posted yet', async ({ guild }) => {
    const next = 'Post buttons for your members with /panel.';
    expect(textOf(await openSettings(guild))).toContain(next);
    await chooseLogChannel(guild);
    expect(textOf(await openSettings(guild))).toContain(next);
    await postPanel(guild);
    expect(textOf(await openSettings(guild))).not.toContain(next);
  });

  it('opens a form only once the guild has an API key', async ({ guild, admin, member }) => {
    const said = await admin.submit(modalOf(await admin.slash('panel')), {});
    expect(textOf(said)).toMatch(/✅ Panel posted: .*\n⚠️ This Discord server has no API key/);
    expect(labelsOf(said)).toEqual(['Enter an API key']);
    const [panel] = inGeneral(guild);
    if (panel === undefined) throw new Error('no panel');
    const asked = await member.press(panel, 'Submit a game server');
    expect(textOf(asked)).toMatch(/no API key .*Ask someone with/s);
    expect(labelsOf(asked)).toEqual([]);
    const { modal } = await openModal(admin, await admin.press(panel, 'Submit a list'), 'Enter an API key');
    expect(textOf(await admin.submit(modal, { key: 'sandbox-key' }))).toContain('works and has been saved');
    expect(modalOf(await member.press(panel, 'Submit a list')).data.title).toBe('Submit many game servers');
  });

  withKeyIt(
    'respects the permissions set on the Integrations page',
    async ({ guild, discord, member, listing }) => {
      const clock = createTestClock();
      const panel = await postPanel(guild);
      const list = await paste(member, lines(2));
      const everyone = (permission: boolean) => ({
        id: guild.id,
        type: ApplicationCommandPermissionType.Role,
        permission,
      });
      clock.advance(6 * 60_000);
      for (const command of ['addserver', 'addservers']) {
        discord.guildEvents.setIntegrations(guild, command, [everyone(false)]);
      }
      // Nothing is asked before a form opens, so the first press only knows the default.
      const opened = modalOf(await member.press(panel, 'Submit a game server'));
      const typed = { game: 'cs2', server: 'play.example.com:1' };
      expect(textOf(await member.submit(opened, typed))).toMatch(DENIED);
      for (const label of ['Submit a game server', 'Submit a list']) {
        await expect.poll(async () => textOf(await member.press(panel, label))).toMatch(DENIED);
      }
      expect(textOf(await pressSubmit(member, list))).toMatch(DENIED);
      expect(listing.submitted).toEqual([]);
      const help = await member.slash('help');
      expect(textOf(help)).not.toContain('/addservers');
      expect(labelsOf(help)).toEqual(['My submissions']);
      expect(textOf(await member.press(panel, 'My submissions'))).not.toMatch(DENIED);

      clock.advance(6 * 60_000);
      discord.guildEvents.setIntegrations(guild, 'addserver', [everyone(true)]);
      await expect
        .poll(
          async () => 'modal' in (await openModal(member, panel, 'Submit a game server').catch(() => ({}))),
        )
        .toBe(true);
    },
  );

  withKeyIt('opens a modal that lists the allowed games', async ({ guild, admin, member }) => {
    const panel = await postPanel(guild);
    const draftModal = async () => modalOf(await member.press(panel, 'Submit a game server')).data;
    await allowGames(guild, ['ark', 'cs2']);
    const [game] = modalFields(await draftModal());
    expect(game).toMatchObject({ kind: 'select', offers: [{ value: 'ark' }, { value: 'cs2' }] });
    // Allows more games than a select menu holds, but not all games.
    let page: Answer = await openSetting(guild, 'Games');
    await admin.pick(page, optionsOf(page));
    page = await admin.press(page, 'Next');
    await admin.pick(page, optionsOf(page).slice(0, 1));
    const many = await draftModal();
    expect(modalFields(many)[0]).toMatchObject({ kind: 'text' });
    expect(modalTexts(many).join()).toMatch(
      /Only game servers for these games can be submitted here: .*, and 16 more\./,
    );
    expect(textOf(await member.press(panel, 'My submissions'))).toContain('nothing here under your name');
    expect(JSON.stringify(panel.current)).not.toMatch(/API key|ARK/);
  });

  withKeyIt('opens a modal that explains approval and announcements', async ({ guild, admin, member }) => {
    const panel = await postPanel(guild);
    const draftModal = async (who: Person) =>
      modalTexts(modalOf(await who.press(panel, 'Submit a list')).data).join();
    const previewOf = async (who: Person) =>
      textOf(await paste(who, 'preview.example.com:1 cs2\nb.example.com:1 cs2'));
    const moderator = "A moderator reviews submissions before they're sent.";
    const announced = /Submissions sent for review are announced in #/;
    await pressSetting(guild, 'Announcements', 'Announce submissions');
    expect(await draftModal(member)).toBe('');
    expect(await previewOf(member)).toMatch(announced);
    await turnApprovalOn(guild);
    expect(await draftModal(member)).toBe(moderator);
    expect(await previewOf(member)).toContain(moderator);
    expect(await previewOf(member)).not.toMatch(announced);
    await pickSetting(guild, 'Announcements', '#news');
    expect(await draftModal(member)).toMatch(
      /before they're sent\. Submissions sent for review are announced in <#/,
    );
    expect(await draftModal(admin)).toMatch(/^Submissions sent for review/);
  });

  withKeyIt('shows moderators their own submissions first', async ({ guild, admin, member }) => {
    await turnApprovalOn(guild);
    const panel = await postPanel(guild);
    const mine = (who: Person) => who.press(panel, 'My submissions');
    expect(labelsOf(await mine(admin))).toEqual(['Submit a game server']);
    await addServer(member, 'a.example.com:1');
    await addServer(member, 'b.example.com:1');
    const nothing = await mine(admin);
    expect(textOf(nothing)).toContain('nothing here under your name');
    expect(labelsOf(nothing)).toEqual(['Submit a game server', 'Approve or decline (2)']);
    await addServer(admin, 'own.example.com:1');
    const own = await mine(admin);
    expect(textOf(own)).toContain('own.example.com');
    expect(textOf(own)).not.toContain('a.example.com');
    expect(labelsOf(own)).toEqual(['Export', 'Approve or decline (2)']);
    const decided = await admin.press(own, 'Approve or decline (2)');
    // Moderators start at different submissions.
    expect(textOf(decided)).toMatch(/2 submissions are waiting.*[ab]\.example\.com/s);
    expect(labelsOf(decided)).toContain('Approve');
    // Members only see their own waiting submissions.
    const others = await mine(member);
    expect(textOf(others)).toContain('2 submissions are waiting');
    expect(textOf(await member.press(others, 'Next waiting'))).toContain('b.example.com');
    expect(labelsOf(others)).not.toContain('Approve');
    expect(labelsOf(others).join()).not.toContain('refuse');
  });
});

describe("a guild's panels", () => {
  withKeyIt('are listed with links, and can be changed separately', async ({ guild, admin, member }) => {
    const first = await postPanel(guild, 'The first');
    const second = await postPanel(guild, 'The *second*');
    const page = await openSetting(guild, 'Panels');
    const link = (id: string) => `https://discord.com/channels/${guild.id}/${admin.channelId}/${id}`;
    const listed = messageOf(page).current?.content ?? '';
    expect(listed).toContain(`▸ [1](<${link(first.id)}>) <#${admin.channelId}> The first\n`);
    expect(listed).toContain(`- [2](<${link(second.id)}>) <#${admin.channelId}> The \\*secon…`);
    await admin.press(page, 'Next');
    await admin.pick(page, ['Submit a game server']);
    expect(labelsOf(second)).toEqual(['Submit a game server']);
    expect(labelsOf(first)).toHaveLength(3);

    const { modal, typed } = await openModal(admin, page);
    expect(typed).toEqual({ text: 'The *second*', game: '' });
    expect(textOf(await admin.submit(modal, { text: 'For Rust', game: 'Rust' }))).toMatch(/▸ .*2.*For Rust/);
    expect(second.current.content).toMatch(/\n\nFor Rust$/);
    expect(first.current.content).toMatch(/\n\nThe first$/);
    const begun = await openModal(member, second, 'Submit a game server');
    expect(begun.typed).toMatchObject({ game: 'rust' });
    expect(begun.modal.data.title).toBe('Submit a game server');
    expect((await openModal(member, first, 'Submit a game server')).typed).toMatchObject({ game: '' });

    // If the game is unknown, the new text is saved and the panel keeps its previous game.
    const unknown = await edit(admin, page, { text: 'For all', game: 'no such game' });
    expect(textOf(unknown)).toContain(
      '✅ The text was saved.\n⚠️ Not used: unknown game no such game. /games shows all games.',
    );
    expect((await openModal(admin, unknown)).typed).toEqual({ text: 'For all', game: 'no such game' });
    const sameText = textOf(await edit(admin, unknown, { game: 'nor this' }));
    expect(sameText).toMatch(/^.*⚠️ Not used: unknown game nor this/);
    expect(sameText).not.toContain('saved');
    expect(second.current.content).toMatch(/\n\nFor all$/);
    const gameOf = async () => (await openModal(member, second, 'Submit a game server')).typed.game;
    expect(await gameOf()).toBe('rust');
    await edit(admin, page, { text: 'For all', game: '' });
    expect(await gameOf()).toBe('');

    await admin.press(page, 'Stop managing');
    expect(textOf(await admin.press(page, 'Stop managing'))).toMatch(/Panels: 1\n/);
    expect(textOf(await edit(admin, page, { text: '' }))).toContain('Panels: 1\n');
    expect(first.current.content).not.toContain('The first');
    expect(labelsOf(second)).toEqual(['Submit a game server']);
    await admin.press(page, 'Stop managing');
    const end = textOf(await admin.press(page, 'Stop managing'));
    expect(end).toContain('Panels: none');
    expect(labelsOf(page)).toEqual(['Post a panel here', 'All settings']);
  });

  withKeyIt('stop being managed only after a confirmation that names the panel', async ({ guild, admin }) => {
    const first = await postPanel(guild, 'The first');
    const second = await postPanel(guild, 'The second');
    const page = await openSetting(guild, 'Panels');
    await admin.press(page, 'Next');
    const question = await admin.press(page, 'Stop managing');
    const link = `https://discord.com/channels/${guild.id}/${admin.channelId}/${second.id}`;
    const asked = `Stop managing panel [2](<${link}>) <#${admin.channelId}>? It keeps working`;
    expect(messageOf(question).current?.content).toContain(asked);
    expect(textOf(question)).toContain('Panels: 2\n');
    const onlyButtons = (answer: Answer) => labelsOf(answer).filter((label) => !label.includes('Choose'));
    expect(onlyButtons(question)).toEqual(['Stop managing', 'Cancel', 'All settings']);
    const back = await admin.press(page, 'Cancel');
    expect(textOf(back)).toMatch(/Panels: 2\n.*▸ .*2.*The second/s);
    expect(onlyButtons(back)).toEqual(['Edit', 'Stop managing', 'Previous', 'All settings']);

    // Another admin answers the same question first.
    await admin.press(page, 'Stop managing');
    const others = await openSetting(guild, 'Panels');
    await admin.press(others, 'Next');
    await admin.press(others, 'Stop managing');
    expect(textOf(await admin.press(others, 'Stop managing'))).toContain('Panels: 1\n');
    const late = textOf(await admin.press(page, 'Stop managing'));
    expect(late).toContain('That panel is no longer listed here. Nothing was changed.');
    expect(late).toContain('Panels: 1\n');
    await edit(admin, page, { text: 'Still managed' });
    expect(first.current.content).toMatch(/\n\nStill managed$/);
  });

  withKeyIt('keep a game that is no longer allowed, until an admin removes it', async ({ guild, admin }) => {
    const panel = await postPanel(guild, 'Rust only');
    await edit(admin, await openSetting(guild, 'Panels'), { game: 'rust' });
    await allowGames(guild, ['ark', 'cs2']);
    const page = await openSetting(guild, 'Panels');
    const shown = 'Rust (not allowed here)';
    expect(textOf(page)).toContain(`Rust only · ${shown}`);
    expect(textOf(await openSettings(guild))).toContain('⚠️ Panels: posted\n');
    await postPanel(guild, 'Any game');
    const second = await admin.press(await openSetting(guild, 'Panels'), 'Next');
    expect(textOf(second)).toMatch(/⚠️ Panels: 2\n• ⚠️ 1 .*Rust only\n▸ .*Any game/s);
    const { modal, typed } = await openModal(admin, page);
    expect(modalFields(modal.data)[1]).toMatchObject({
      kind: 'select',
      value: 'rust',
      offers: [{ value: 'ark' }, { value: 'cs2' }, { value: 'rust', label: shown }],
    });
    await admin.submit(modal, { ...typed, text: 'Still Rust' });
    expect(panel.current.content).toMatch(/\n\nStill Rust$/);
    expect(JSON.stringify(panel.current)).toContain('addserver:new:rust');
    await edit(admin, page, { game: '' });
    expect(JSON.stringify(panel.current)).not.toContain('rust');
    expect(labelsOf(panel)).toHaveLength(3);
  });
});

it('a panel deleted in Discord is removed from the list when an admin edits it', async ({
  bot,
  guild,
  admin,
  discord,
}) => {
  const panel = await postPanel(guild, 'Ours');
  const page = await openSetting(guild, 'Panels');
  discord.guildEvents.setBotPermissions(guild, guild.channelId, 0n);
  expect(textOf(await edit(admin, page, { text: 'Theirs', game: 'Rust' }))).toMatch(
    /Discord rejected the change.*Panels: 1\n/s,
  );
  // The form keeps what the admin typed.
  expect((await openModal(admin, page)).typed).toEqual({ text: 'Theirs', game: 'Rust' });
  expect(textOf(await edit(admin, page, {}))).toContain('Discord rejected the change');
  expect((await openModal(admin, page)).typed).toEqual({ text: 'Theirs', game: 'Rust' });
  const body = { code: 240_000, message: 'Blocked' };
  discord.guildEvents.setBotPermissions(guild, guild.channelId, USUAL_BOT_PERMISSIONS);
  discord.faults.inject({
    fault: { kind: 'status', status: 400, body },
    method: 'PATCH',
    path: /channels/,
  });
  expect(textOf(await edit(admin, page, { text: 'https://bad.example' }))).toContain(
    'because of a link in it. Nothing was changed.',
  );
  expect(messageOf(page).current?.embeds).toEqual([]);
  expect(panel.current.content).toContain('Ours');
  discord.deleteMessage(panel);
  expect(textOf(await edit(admin, page, { text: 'Gone' }))).toMatch(
    /panel was deleted in Discord.*Panels: none/s,
  );
  expect((await openModal(admin, page, 'Post a panel here')).typed).toEqual({ text: 'Gone', game: '' });
  expect(await bot.store.rows('SELECT value FROM keyv WHERE key = ?', `panels:${guild.id}`)).toMatchObject([
    { value: expect.not.stringContaining(panel.id) },
  ]);
});

it('the panel list is checked against Discord before it is shown or changed', async ({
  guild,
  admin,
  discord,
}) => {
  await chooseLogChannel(guild);
  const [first, second, third] = [
    await postPanel(guild, 'One'),
    await postPanel(guild, 'Two'),
    await postPanel(guild, 'Three'),
  ];
  if (first === undefined || second === undefined || third === undefined) throw new Error('no panel');
  discord.deleteMessage(second);
  // The overview doesn't look them up, so it must not say how many there are.
  expect(textOf(await openSettings(guild))).toContain('✅ Panels: posted\n');
  const page = await openSetting(guild, 'Panels');
  expect(textOf(page)).toMatch(/Panels: 2\n.*One.*Three/s);
  discord.deleteMessage(first);
  const said = textOf(await admin.press(page, 'Stop managing'));
  expect(said).toMatch(/That panel was deleted in Discord.*Panels: 1\n.*Three/s);
  await expect.poll(() => logMessages(guild).join()).toMatch(/➖ \*\*Panel\*\* \[1\].*: deleted in Discord/);

  // Without this permission, Discord doesn't say whether the message still exists.
  discord.guildEvents.setBotPermissions(
    guild,
    guild.channelId,
    USUAL_BOT_PERMISSIONS & ~PermissionFlagsBits.ReadMessageHistory,
  );
  discord.deleteMessage(third);
  expect(textOf(await openSetting(guild, 'Panels'))).toContain('Panels: 1\n');
});

it('a guild can have up to ten panels, not counting deleted ones', async ({ bot, guild, admin, discord }) => {
  const inStaffChannel = { discord, admin: inStaff(guild, 'admin') };
  await postPanel(inStaffChannel, 'In #staff');
  discord.guildEvents.removeChannel(guild, staffChannel(guild));
  expect(textOf(await openSetting(guild, 'Panels'))).toContain('Panels: none');
  const other = await bot.newGuild();
  const theirs = await postPanel(other, 'Theirs');
  await postPanel(guild, 'Ours');
  const { modal } = await openModal(admin, await openSetting(guild, 'Panels'));
  const gateway = discord.gateway;
  gateway.disturbDispatch({
    alter(payload) {
      const { data } = Object(payload);
      return { ...payload, data: { ...data, custom_id: `settings:type:1:panels:${theirs.id}` } };
    },
  });
  expect(textOf(await admin.submit(modal, { text: 'Stolen' }))).toContain('That panel is no longer listed');
  gateway.disturbDispatch({});
  expect(theirs.current.content).toContain('Theirs');
  for (let n = 2; n <= 10; n += 1) {
    discord.clock.advance(1_000);
    await postPanel(guild, `${n}`);
  }
  expect(textOf(await admin.slash('panel'))).toContain('You can have up to 10 panels.');

  for (const panel of inGeneral(guild).slice(0, 2)) discord.deleteMessage(panel);
  await postPanel(guild, 'Instead of a deleted one');
  expect(textOf(await openSetting(guild, 'Panels'))).toContain('Panels: 9');
});

it('an admin can post a new panel with the input from a failed edit', async ({ guild, admin }) => {
  await postPanel(guild, 'Ours');
  const page = await openSetting(guild, 'Panels');
  const { modal } = await openModal(admin, page);
  await stopManaging(guild);
  const said = await admin.submit(modal, { text: 'Typed', game: 'Rust' });
  expect(textOf(said)).toMatch(/That panel is no longer listed here\. Nothing was changed\..*Typed/s);
  const again = await openModal(admin, page, 'Post a panel here');
  expect(again.typed).toEqual({ text: 'Typed', game: 'Rust' });
  expect(textOf(await admin.submit(again.modal, again.typed))).toContain('Panel posted');
  expect(contentsIn(guild).at(-1)).toMatch(/\n\nTyped$/);
});

it('an admin can post a rejected eleventh panel once another is removed', async ({
  guild,
  admin,
  discord,
}) => {
  for (let n = 1; n <= 9; n += 1) {
    discord.clock.advance(1_000);
    await postPanel(guild, `${n}`);
  }
  const modal = modalOf(await admin.slash('panel'));
  await postPanel(guild, '10');
  const said = await admin.submit(modal, { text: 'Eleventh', game: 'Rust' });
  expect(textOf(said)).toMatch(/You can have up to 10 panels\..*Eleventh/s);
  expect(contentsIn(guild).at(-1)).toMatch(/\n\n10$/);
  expect(textOf(await openSetting(guild, 'Panels'))).toContain('Panels: 10');
  await stopManaging(guild);
  const again = await openModal(admin, said, 'Post a panel here');
  expect(again.typed).toEqual({ text: 'Eleventh', game: 'Rust' });
  expect(textOf(await admin.submit(again.modal, again.typed))).toContain('Panel posted');
});

it('a panel form keeps its input if the panel might not have been posted', async ({
  guild,
  admin,
  discord,
}) => {
  const path = new RegExp(`channels/${guild.channelId}/messages`);
  const fault = { kind: 'status', status: 400 } as const;
  discord.faults.inject({ fault, method: 'POST', path, times: 1 });
  const said = await admin.submit(modalOf(await admin.slash('panel')), { text: 'Typed' });
  expect(textOf(said)).toContain('The panel might not have been posted.');
  expect((await openModal(admin, said, 'Post a panel here')).typed).toMatchObject({ text: 'Typed' });
});

it("two panel forms open at the same time don't overwrite each other's changes", async ({ guild, admin }) => {
  const panel = await postPanel(guild, 'Before');
  const text = await openModal(admin, await openSetting(guild, 'Panels'));
  const game = await openModal(admin, await openSetting(guild, 'Panels'));
  await admin.submit(text.modal, { text: 'After', game: '' });
  await admin.submit(game.modal, { text: 'Before', game: 'rust' });
  const page = await openSetting(guild, 'Panels');
  expect((await openModal(admin, page)).typed).toEqual({ text: 'After', game: 'rust' });
  expect(panel.current.content).toMatch(/\n\nAfter$/);
  expect(JSON.stringify(panel.current)).toContain('addserver:new:rust');
});

it('a panel shows both changes if two are made at the same time', async ({ guild, admin, discord }) => {
  const panel = await postPanel(guild, 'Before');
  const page = await openSetting(guild, 'Panels');
  const { modal } = await openModal(admin, page);
  discord.faults.inject({
    fault: { kind: 'delay', ms: 500 },
    method: 'PATCH',
    path: new RegExp(`channels/${guild.channelId}/messages`),
    times: 2,
  });
  const other = await openSetting(guild, 'Panels');
  await Promise.all([admin.submit(modal, { text: 'After', game: '' }), admin.pick(other, ['Submit a list'])]);
  await expect.poll(() => panel.current.content).toMatch(/\n\nAfter$/);
  await expect.poll(() => labelsOf(panel)).toEqual(['Submit a list']);
});

it('selecting a language again updates only the panels that Discord failed to change', async ({
  guild,
  admin,
  discord,
}) => {
  const panels = [await postPanel(guild, 'One'), await postPanel(guild, 'Two')];
  const [first, second] = panels;
  discord.faults.inject({
    fault: { kind: 'status', status: 500 },
    method: 'PATCH',
    path: new RegExp(`messages/${second?.id}`),
    times: 1,
  });
  const from = discord.requests.length;
  const page = await pickSetting(guild, 'Language for everyone', 'Deutsch');
  const said = messageOf(page).current?.content;
  expect(said).toContain(`Discord rejected the change to these panels: [2](`);
  expect(said).toContain(`/${second?.id}>) <#${admin.channelId}>`);
  expect(said).not.toContain(`/${first?.id}>`);
  expect(
    discord.requests
      .slice(from)
      .map(({ body }) => body)
      .join(),
  ).toContain('Changing panels: 2…');
  expect(first?.current.content).toContain('Spielserver einreichen');
  expect(second?.current.content).not.toContain('Spielserver einreichen');

  const between = discord.requests.length;
  expect(textOf(await admin.pick(page, ['Deutsch']))).not.toContain('Discord rejected');
  expect(second?.current.content).toContain('Spielserver einreichen');
  const changed = discord.requests
    .slice(between)
    .filter(({ path }) => path.includes(`channels/${guild.channelId}/`));
  expect(changed).toHaveLength(1);
});

it("a guild's panels switch languages when an admin changes the language for everyone", async ({
  bot,
  discord,
}) => {
  const guild = await bot.newGuild({ key: 'sandbox-key', locale: 'de' });
  const panels = [await postPanel(guild, 'Eins'), await postPanel(guild, 'Zwei')];
  const gone = await postPanel(guild, 'Drei');
  discord.deleteMessage(gone);
  await pickSetting(guild, 'Language for everyone', '日本語');
  for (const panel of panels) {
    expect(panel.current.content).toMatch(/[ぁ-ん].*\n\n(Eins|Zwei)$/s);
    expect(labelsOf(panel).join()).toMatch(/[ぁ-ん]/);
  }
  expect(textOf(await openSetting(guild, 'Panels'))).toContain('Panels: 2');
  await pickSetting(guild, 'Language for everyone', 'Same as Discord (German)');
  expect(panels[0]?.current.content).toContain('Spielserver einreichen');
  const [press] = labelsOf(panels[0] ?? gone);
  const answer = await guild.member.press(panels[0] ?? gone, press ?? '');
  expect(modalOf(answer).data.title).toBe('Submit a game server');
});

describe('a submission from a panel', () => {
  withKeyIt("isn't announced in the panel's own channel", async ({ guild, member, listing }) => {
    const panel = await postPanel(guild);
    await pressSetting(guild, 'Announcements', 'Announce submissions');
    const fillIn = async (server: string) =>
      member.submit(modalOf(await member.press(panel, 'Submit a game server')), { game: 'cs2', server });
    const sendList = async (servers: string) =>
      member.submit(modalOf(await member.press(panel, 'Submit a list')), { servers });
    const one = await fillIn('one.example.com:1');
    expect(textOf(one)).toContain(ACCEPTED);
    await edit(member, one, { server: 'another.example.com:1' }, 'Submit another');
    await pressSubmit(member, await sendList('two.example.com:1 cs2\nthree.example.com:1 cs2'));
    const wrong = await fillIn('four.example.com');
    expect(textOf(await edit(member, wrong, { server: 'four.example.com:1' }))).toContain(ACCEPTED);
    const unreadable = await sendList('[');
    await pressSubmit(member, await edit(member, unreadable, { servers: 'five.example.com:1 cs2' }));
    expect(textOf(await addServer(member, 'six.example.com:1'))).toContain(ACCEPTED);
    expect(listing.submitted).toHaveLength(7);
    const announced = () => contentsIn(guild).filter((text) => text?.includes('for review'));
    await expect.poll(() => announced().length).toBe(1);
    const last = inGeneral(guild).at(-1)?.current.embeds[0]?.description;
    expect(last).toContain('six.example.com');

    await pickSetting(guild, 'Announcements', '#staff');
    const inStaffChannel = () => guild.discord.messages({ channelId: staffChannel(guild) });
    await fillIn('seven.example.com:1');
    await expect.poll(() => inStaffChannel().length).toBe(1);
    await addServer(member, 'eight.example.com:1');
    await expect.poll(() => inStaffChannel().length).toBe(2);
    expect(announced()).toHaveLength(1);
  });

  withKeyIt('is announced in the chosen channel after approval', async ({ guild, admin, member }) => {
    await turnApprovalOn(guild);
    await pressSetting(guild, 'Announcements', 'Announce submissions');
    const moderator = inStaff(guild, 'admin');
    await addServer(member, 'a.example.com:1');
    await moderator.press(await waitingIn(guild), 'Approve');
    await pickSetting(guild, 'Announcements', '#news');
    await addServer(member, 'b.example.com:1');
    await moderator.press(await waitingIn(guild), 'Approve');
    const news = inChannel(guild, 'news');
    const inNews = () => guild.discord.messages(news).map(({ current }) => current);
    await expect.poll(() => inNews().length).toBe(1);
    expect(inNews()[0]?.content).toBe('\\@member submitted a game server for review.');
    expect(inNews()[0]?.embeds[0]?.description).toContain('b.example.com');
    expect(contentsIn(guild)).toEqual([]);
    const page = await openSetting(guild, 'Announcements');
    expect(textOf(page)).toContain('Announcements: on, in #');
    expect(textOf(await admin.press(page, 'Announce where they were submitted'))).toContain(
      'Announcements: on; approved ones need a channel',
    );
  });
});
