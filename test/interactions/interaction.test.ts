import {
  ApplicationCommandOptionType,
  ChannelType,
  ComponentType,
  InteractionType,
  PermissionFlagsBits,
} from 'discord.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readInteraction } from '../../src/interactions/interaction.ts';
import { openRawBot } from '../sandbox/support/raw.ts';

const PAYLOAD = {
  id: '1',
  application_id: '2',
  token: 'token',
  type: InteractionType.ApplicationCommand as number,
  guild_id: '3',
  channel: { id: '4' } as object | null,
  member: { user: { id: '5', username: 'mia' }, permissions: '0' } as object,
  app_permissions: '0',
  locale: 'de',
  guild_locale: 'fr' as string | null,
  authorizing_integration_owners: { 0: '3' } as object | null,
  data: { type: 1, name: 'echo' } as object,
};
const read = (changes: object = {}) => readInteraction({ ...PAYLOAD, ...changes }, 7_000);
const withPermissions = (permissions: unknown) => read({ member: { ...PAYLOAD.member, permissions } });

describe('an interaction', () => {
  it('is parsed into plain data', () => {
    const { token, request, ...others } = read();
    expect(token.reveal()).toBe('token');
    expect(request.kind).toBe('command');
    expect(others).toEqual({
      id: '1',
      applicationId: '2',
      receivedAt: 7_000,
      guildId: '3',
      channelId: '4',
      isInThread: false,
      botPermissions: 0n,
      user: { id: '5', name: 'mia' },
      isAdmin: false,
      isAdministrator: false,
      roleIds: [],
      locale: 'de',
      guildLocale: 'fr',
      isInstalledInGuild: true,
    });
  });

  it("contains the user's name without hidden characters or line breaks", () => {
    const user = { id: '5', username: ' \u202emi\u200ba\n=1' };
    expect(read({ member: { user, permissions: '0' } })).toMatchObject({ user: { name: 'mia =1' } });
  });

  it('is marked as coming from an admin if the user has Manage Server or Administrator', () => {
    expect(withPermissions(String(PermissionFlagsBits.ManageGuild)).isAdmin).toBe(true);
    expect(withPermissions(String(PermissionFlagsBits.Administrator | 1n)).isAdmin).toBe(true);
    expect(withPermissions(String(PermissionFlagsBits.ManageRoles)).isAdmin).toBe(false);
    expect(withPermissions(undefined).isAdmin).toBe(false);
  });

  it('records whether it came from a thread', () => {
    const isInThread = (type: ChannelType) => read({ channel: { id: '4', type } }).isInThread;
    const { PublicThread, PrivateThread, AnnouncementThread, GuildText, GuildVoice } = ChannelType;
    expect([PublicThread, PrivateThread, AnnouncementThread].map(isInThread)).toEqual([true, true, true]);
    expect([GuildText, GuildVoice].map(isInThread)).toEqual([false, false]);
  });

  it('can be parsed even if optional fields are missing or null', () => {
    const user = { id: '6', username: 'bob' };
    const outside = read({ guild_id: undefined, member: undefined, user });
    expect(outside).toMatchObject({ guildId: '', user: { id: '6', name: 'bob' }, isInstalledInGuild: false });
    expect(read({ channel: null }).channelId).toBe('');
    expect(read({ guild_locale: null }).guildLocale).toBe('de');
    expect(read({ authorizing_integration_owners: null }).isInstalledInGuild).toBe(false);
    expect(read({ authorizing_integration_owners: { 1: '5' } }).isInstalledInGuild).toBe(false);
    const { locale: _locale, ...withoutLocale } = PAYLOAD;
    expect(readInteraction(withoutLocale, 0).locale).toBe('en-US');
  });

  it.each([
    { token: null },
    { id: 5 },
    { guild_id: 5 },
    { locale: null },
    { member: { user: null } },
    { member: { ...PAYLOAD.member, permissions: 'all' } },
    { data: undefined },
    { data: { type: 1, name: null } },
    { data: { type: 1, name: 'echo', options: null } },
  ])("can't be parsed if it contains %j", (changes) => {
    expect(() => read(changes)).toThrow();
  });
});

describe('a realistic Discord payload', () => {
  /** Returns a command as the stand-in sends it, with fields that this bot doesn't read. */
  async function sent() {
    const { standIn, person, guild, nextInteraction } = await openRawBot();
    onTestFinished(() => standIn.close());
    void person.slash('read', { what: 'words', count: 2 });
    return { person, guild, payload: await nextInteraction() };
  }

  it('can be parsed', async () => {
    const { person, guild, payload } = await sent();
    expect(readInteraction(payload, 0)).toMatchObject({
      guildId: guild.id,
      channelId: guild.channelId,
      user: { id: person.userId },
      isInstalledInGuild: true,
      request: { kind: 'command', name: 'read', fields: { what: 'words', count: '2' } },
    });
  });

  it('can be parsed even if its message is incomplete', async () => {
    const { payload } = await sent();
    // Recorded by another project (Chat SDK: integration-tests/fixtures/replay/discord.json).
    const channel = { id: '8', type: 11, parent_id: '3', owner_id: '1', member: { flags: 0, muted: false } };
    const data = { id: 2, custom_id: 'addserver:send:1', component_type: 2 };
    const message = { id: '9', channel_id: '8', type: 0 };
    expect(readInteraction({ ...payload, type: 3, channel, data, message }, 0)).toMatchObject({
      channelId: '8',
      request: { kind: 'button', customId: 'addserver:send:1' },
    });
  });

  it('can be a modal submission with a select menu and a text field', async () => {
    const { guild, payload } = await sent();
    // Recorded by another project, for an application that the member has also installed (nyxx:
    // interaction_manager_test.dart).
    const components = [
      { type: 18, id: 1, component: { type: 3, id: 4, custom_id: 'game', values: ['cs2'] } },
      { type: 1, id: 2, components: [{ type: 4, id: 3, custom_id: 'port', value: '27015' }] },
      { type: 10, id: 5 },
    ];
    const data = { custom_id: 'addservers:game:1', components };
    const authorizing_integration_owners = { 1: '555555555555555555', 0: guild.id };
    expect(readInteraction({ ...payload, type: 5, data, authorizing_integration_owners }, 0)).toMatchObject({
      isInstalledInGuild: true,
      request: { kind: 'modal', customId: 'addservers:game:1', fields: { game: 'cs2', port: '27015' } },
    });
  });
});

describe('the parsed request', () => {
  const command = (options: readonly object[], resolved?: object) =>
    read({ data: { type: 1, name: 'echo', options, resolved } }).request;

  it('contains a command with its options', () => {
    const options = [
      { name: 'text', value: 'a' },
      { name: 'number', value: 0 },
      { name: 'group', options: [] },
    ];
    const fields = { text: 'a', number: '0' };
    expect(command(options)).toEqual({ kind: 'command', name: 'echo', fields, files: {} });
  });

  it('contains the files and users resolved by Discord', () => {
    const type = ApplicationCommandOptionType.User;
    const options = [
      { name: 'file', value: '8' },
      { name: 'lost', value: 'constructor' },
      { name: 'user', value: '9', type },
      { name: 'forged', value: 'constructor', type },
    ];
    const resolved = { attachments: { 8: { filename: 'a.csv', url: 'https://a' } }, users: { 9: {} } };
    expect(command(options, resolved)).toMatchObject({
      fields: { file: '8', lost: 'constructor', user: '9' },
      files: { file: { name: 'a.csv', url: 'https://a', size: Number.NaN } },
    });
    expect(command(options, resolved)).not.toMatchObject({ fields: { forged: 'constructor' } });
    expect(command(options)).toMatchObject({ fields: { file: '8', lost: 'constructor' }, files: {} });
    expect(command(options)).not.toMatchObject({ fields: { user: '9' } });
  });

  it('contains the focused autocomplete option and its text', () => {
    const typing = (options: readonly object[]) =>
      read({ type: InteractionType.ApplicationCommandAutocomplete, data: { name: 'echo', options } }).request;
    const game = { name: 'game', value: 'cs', focused: true };
    expect(typing([{ name: 'server', value: 'a' }, game])).toMatchObject({ option: 'game', typed: 'cs' });
    expect(typing([{ name: 'server', value: 'a' }])).toMatchObject({ option: '', typed: '' });
  });

  const component = (data: object, message: object = {}, app_permissions = '0') =>
    read({ type: InteractionType.MessageComponent, data, message, app_permissions }).request;

  it('contains the pressed button and its message', () => {
    const data = { custom_id: 'a:b:c', component_type: ComponentType.Button };
    const none = { madeBy: undefined, shown: { content: '', embeds: [], components: [] } };
    expect(component(data)).toMatchObject({ kind: 'button', customId: 'a:b:c', values: [], message: none });
    const interaction_metadata = { id: '8' };
    const shown = { content: 'a', embeds: [{ title: 'b' }], components: [{ type: 1 }] };
    const message = { interaction_metadata, ...shown };
    const whole = { madeBy: '8', shown };
    expect(component(data, message)).toMatchObject({ message: whole });
  });

  it('contains the selected channels and roles as resolved by Discord', () => {
    const values = ['8', 'constructor'];
    const chosen = (component_type: ComponentType, resolved?: object) =>
      component({ custom_id: 'a', component_type, values, resolved });
    expect(chosen(ComponentType.StringSelect)).toMatchObject({ kind: 'select', values });
    expect(chosen(ComponentType.ChannelSelect, { channels: { 8: {} } })).toMatchObject({ values: ['8'] });
    expect(chosen(ComponentType.RoleSelect, { roles: { 8: {} } })).toMatchObject({ values: ['8'] });
  });

  it("contains the selected member's permissions and roles", () => {
    const chosen = (members?: object) =>
      component({
        custom_id: 'a',
        component_type: ComponentType.UserSelect,
        values: ['8', '9'],
        resolved: { users: { 8: {} }, members },
      });
    expect(chosen({ 8: { permissions: '32', roles: ['5'] } })).toMatchObject({
      values: ['8'],
      chosenMember: { isAdmin: true, roleIds: ['5'] },
    });
    expect(chosen({ 8: { permissions: '0', roles: [] } })).toMatchObject({
      chosenMember: { isAdmin: false },
    });
    expect(chosen()).toMatchObject({ values: ['8'], chosenMember: undefined });
  });

  it.each([true, false])('records whether the selected role is mentionable: %s', (mentionable) => {
    const resolved = { roles: { 8: { mentionable } } };
    const data = { custom_id: 'a', component_type: ComponentType.RoleSelect, values: ['8'], resolved };
    expect(component(data)).toMatchObject({ isRoleMentionable: mentionable });
  });

  it.each([
    [{ app_permissions: '2048' }, 2048n],
    [{}, undefined],
  ])("contains the bot's permissions in the selected channel: %j", (channel, channelPermissions) => {
    const resolved = { channels: { 8: channel } };
    const data = { custom_id: 'a', component_type: ComponentType.ChannelSelect, values: ['8'], resolved };
    expect(component(data)).toMatchObject({ channelPermissions });
  });

  it("contains all of a modal's fields, however deeply nested", () => {
    const components = [
      { component: { custom_id: 'label', value: 'a' } },
      { components: [{ custom_id: 'row', value: 'b' }] },
      { custom_id: 'plain', value: 'c' },
      { custom_id: 'odd', value: 5 },
      { component: { custom_id: 'chosen', values: ['d'] } },
      { component: { custom_id: 'none', values: [] } },
      { component: { custom_id: 'file', values: ['7'] } },
      { component: { custom_id: 'lost', values: ['constructor'] } },
      null,
    ];
    const attachments = { 7: { id: '7', filename: 'a.csv', url: 'https://example.com/a.csv', size: 3 } };
    const data = { custom_id: 'a', components, resolved: { attachments } };
    const modal = read({ type: InteractionType.ModalSubmit, data }).request;
    const fields = {
      label: 'a',
      row: 'b',
      plain: 'c',
      chosen: 'd',
      none: '',
      file: '7',
      lost: 'constructor',
    };
    const files = { file: { name: 'a.csv', url: 'https://example.com/a.csv', size: 3 } };
    expect(modal).toEqual({ kind: 'modal', customId: 'a', fields, files });
  });

  it.each([
    { type: 77 },
    { data: { type: 2, name: 'User command' } },
    { type: InteractionType.MessageComponent, message: {}, data: { custom_id: 'a', component_type: 99 } },
    { type: InteractionType.MessageComponent, message: {}, data: { custom_id: 'a', component_type: 7 } },
  ])('has the kind "unknown" for %j', (changes) => {
    expect(read(changes).request).toEqual({ kind: 'unknown' });
  });
});
