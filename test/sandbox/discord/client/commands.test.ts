import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DiscordStandIn, Person } from '../../../../sandbox/discord/contract.ts';
import type { Guild } from '../../../../sandbox/discord/world/guilds.ts';
import { type Frame, nextInteraction, type RawGateway, raw, rawBot } from '../support/raw.ts';

let standIn: DiscordStandIn;
let gateway: RawGateway;
let guild: Guild;

const COMMANDS = [
  { name: 'everybody', description: 'For everybody' },
  { name: 'guilds', description: 'In guilds only', contexts: [0] },
  { name: 'managers', description: 'For managers', default_member_permissions: '32' },
  { name: 'nobody', description: 'For administrators', default_member_permissions: '0' },
  {
    name: 'types',
    description: 'One option of each type',
    options: [
      { type: 3, name: 'text', description: 'x', required: true, min_length: 2, max_length: 4 },
      { type: 4, name: 'whole', description: 'x', min_value: 1, max_value: 9 },
      { type: 10, name: 'number', description: 'x' },
      { type: 5, name: 'flag', description: 'x' },
      { type: 6, name: 'user', description: 'x' },
      { type: 7, name: 'channel', description: 'x' },
      { type: 8, name: 'role', description: 'x' },
      { type: 9, name: 'anyone', description: 'x' },
      { type: 11, name: 'file', description: 'x' },
      { type: 3, name: 'pick', description: 'x', choices: [{ name: 'A', value: 'a' }] },
    ],
  },
  {
    name: 'settings',
    description: 'Has subcommands',
    options: [
      { type: 1, name: 'show', description: 'x' },
      {
        type: 2,
        name: 'log',
        description: 'x',
        options: [
          {
            type: 1,
            name: 'set',
            description: 'x',
            options: [{ type: 3, name: 'to', description: 'x', autocomplete: true }],
          },
        ],
      },
    ],
  },
  { type: 3, name: 'Read this' },
  { type: 2, name: 'Who is' },
];

beforeEach(async () => {
  ({ standIn, gateway, guild } = await rawBot(COMMANDS));
});

afterEach(() => standIn.close());

const member = (permissions = 0n, roles: readonly string[] = []): Person =>
  standIn.person({ guild, name: 'mason', permissions, roles });
const names = (person: Pick<Person, 'commands'>) => person.commands().map(({ name }) => name);
const MANAGE_GUILD = 1n << 5n;
const ADMINISTRATOR = 1n << 3n;

/** What the bot is told when somebody does this; it never answers. */
async function sent(action: Promise<unknown>): Promise<Frame['d']> {
  const { d } = await nextInteraction(gateway);
  standIn.clock.advance(3_001);
  await action;
  return d;
}
const dataOf = (d: Frame['d']) => d.data as { options: unknown[]; resolved?: Record<string, object> };

describe('rule 24: which commands a member is offered', () => {
  it('depends on the default permissions; administrators see all', () => {
    const open = ['everybody', 'guilds', 'types', 'settings', 'Read this', 'Who is'];
    expect(names(member()).toSorted()).toEqual(open.toSorted());
    expect(names(member(MANAGE_GUILD))).toContain('managers');
    expect(names(member(MANAGE_GUILD))).not.toContain('nobody');
    expect(names(member(ADMINISTRATOR))).toEqual(expect.arrayContaining(['managers', 'nobody']));
  });

  it('depends on the contexts', async () => {
    const friend = standIn.personInDirectMessages({ name: 'friend' });
    expect(names(friend)).toContain('everybody');
    expect(names(friend)).not.toContain('guilds');
    expect(await friend.slash('guilds')).toMatchObject({ kind: 'refused' });
  });

  it('depends on whether the application is installed for the guild or for the user', async () => {
    const path = `/applications/${standIn.applicationId}/commands`;
    const both = { contexts: [0, 1], description: 'x' };
    const json = [
      { ...both, name: 'of-guilds', integration_types: [0] },
      { ...both, name: 'of-users', integration_types: [1] },
    ];
    await raw(standIn, `PUT ${path}`, { json });
    expect(names(member(ADMINISTRATOR))).toEqual(['of-guilds']);
    expect(names(standIn.personInDirectMessages({ name: 'friend' }))).toEqual(['of-guilds']);
    expect(names(standIn.personInDirectMessages({ name: 'user', userInstall: true }))).toEqual(['of-users']);
  });

  it('keeps to the contexts even for administrators', async () => {
    const json = [{ name: 'private', description: 'x', contexts: [1] }];
    await raw(standIn, `PUT /applications/${standIn.applicationId}/commands`, { json });
    expect(names(member(ADMINISTRATOR))).toEqual([]);
  });

  it('adds the commands of the guild, and has none once the bot is gone', async () => {
    const path = `/applications/${standIn.applicationId}/guilds/${guild.id}/commands`;
    await raw(standIn, `PUT ${path}`, { json: [{ name: 'here', description: 'Only here' }] });
    expect(names(member())).toContain('here');
    const [, other] = standIn.guilds;
    if (other === undefined) throw new Error('one guild');
    expect(names(standIn.person({ guild: other, name: 'else', permissions: 0n }))).not.toContain('here');
    standIn.guildEvents.remove(guild);
    expect(names(member())).toEqual([]);
    expect(await member().slash('everybody')).toMatchObject({ kind: 'refused' });
  });

  it('follows the Integrations page: member before role before everyone, command before application', () => {
    const role = standIn.guildEvents.addRole(guild, { name: 'helpers' });
    const person = member(0n, [role]);
    const id = standIn.commands().find(({ name }) => name === 'managers')?.id ?? '';
    const sees = () => names(person).includes('managers');
    expect(sees()).toBe(false);
    standIn.setIntegrations(guild, id, [{ id: role, type: 'role', allow: true }]);
    expect(sees()).toBe(true);
    standIn.setIntegrations(guild, id, [
      { id: role, type: 'role', allow: true },
      { id: person.userId, type: 'user', allow: false },
    ]);
    expect(sees()).toBe(false);
    standIn.setIntegrations(guild, id, [
      { id: guild.id, type: 'role', allow: false },
      { id: role, type: 'role', allow: true },
    ]);
    expect(sees()).toBe(true);
    standIn.setIntegrations(guild, standIn.applicationId, [
      { id: person.userId, type: 'user', allow: false },
    ]);
    expect(sees()).toBe(true);
    expect(names(person)).not.toContain('everybody');
  });

  it('follows the Integrations page for channels, and never shuts administrators out', () => {
    const person = member();
    const allChannels = String(BigInt(guild.id) - 1n);
    standIn.setIntegrations(guild, standIn.applicationId, [
      { id: allChannels, type: 'channel', allow: false },
    ]);
    expect(names(person)).toEqual([]);
    expect(names(member(ADMINISTRATOR))).toContain('everybody');
    const id = standIn.commands().find(({ name }) => name === 'everybody')?.id ?? '';
    standIn.setIntegrations(guild, id, [{ id: guild.channelId, type: 'channel', allow: true }]);
    expect(names(person)).toEqual(['everybody']);
  });

  it('forgets what was set for a command that is deleted or renamed', async () => {
    const command = standIn.commands().find(({ name }) => name === 'everybody');
    standIn.setIntegrations(guild, command?.id ?? '', [{ id: guild.id, type: 'role', allow: false }]);
    expect(names(member())).not.toContain('everybody');
    const path = `/applications/${standIn.applicationId}/commands/${command?.id}`;
    await raw(standIn, `PATCH ${path}`, { json: { name: 'all' } });
    expect(names(member())).toContain('all');
  });
});

describe('rule 24: what is sent of a command', () => {
  it.each([
    ['a missing required option', {}, 'text is required'],
    ['too short a text', { text: 'x' }, 'text is too short'],
    ['too long a text', { text: 'xxxxx' }, 'text is too long'],
    ['a number below the range', { text: 'xx', whole: 0 }, 'whole is too small'],
    ['a number above the range', { text: 'xx', whole: 10 }, 'whole is too large'],
    ['half a whole number', { text: 'xx', whole: 1.5 }, 'whole has a value of the wrong kind'],
    ['what is no choice', { text: 'xx', pick: 'b' }, 'pick is not one of the choices'],
    ['an unknown option', { text: 'xx', nothing: 'b' }, 'nothing is not an option of this command'],
    ...['user', 'channel', 'role', 'anyone'].map((name): [string, Record<string, string>, string] => [
      `a ${name} that is not here`,
      { text: 'xx', [name]: '123456789012345678' },
      `${name}: there is nothing like that here`,
    ]),
  ])('is nothing for %s', async (_what, options, why) => {
    expect(await member().slash('types', options)).toEqual({ kind: 'refused', why });
    expect(gateway.frames.map(({ t }) => t)).not.toContain('INTERACTION_CREATE');
  });

  it('is nothing for a channel of a type that the option does not take', async () => {
    const place = { type: 7, name: 'to', description: 'x' };
    const json = [
      { name: 'text', description: 'x', options: [{ ...place, channel_types: [0, 5] }] },
      { name: 'voice', description: 'x', options: [{ ...place, channel_types: [2] }] },
    ];
    await raw(standIn, `PUT /applications/${standIn.applicationId}/commands`, { json });
    expect(await member().slash('voice', { to: guild.channelId })).toMatchObject({ kind: 'refused' });
    await sent(member().slash('text', { to: guild.channelId }));
  });

  it('is nothing for the base of subcommands', async () => {
    expect(await member().slash('settings')).toMatchObject({ kind: 'refused' });
    expect(await member().slash('settings hide')).toMatchObject({ kind: 'refused' });
  });

  it('is every option by its type, with what ids stand for', async () => {
    const person = member();
    const options = {
      text: 'abc',
      whole: 3,
      number: 1.5,
      flag: true,
      user: person.userId,
      channel: guild.channelId,
      role: guild.id,
      anyone: standIn.applicationId,
      file: { filename: 'a.txt', bytes: Buffer.from('abc'), size: 99, contentType: 'text/plain' },
      pick: 'a',
    };
    const data = dataOf(await sent(person.slash('types', options)));
    expect(data.options).toHaveLength(10);
    expect(data.options).toContainEqual({ name: 'user', type: 6, value: person.userId });
    expect(data.resolved).toMatchObject({
      users: { [person.userId]: { username: 'mason' }, [standIn.applicationId]: { bot: true } },
      members: { [person.userId]: { permissions: '0' } },
      channels: { [guild.channelId]: { type: 0 } },
      roles: { [guild.id]: { name: '@everyone' } },
    });
    expect(data.resolved?.members).not.toHaveProperty(`${person.userId}.user`);
    expect(Object.values(data.resolved?.attachments ?? {})).toMatchObject([
      { filename: 'a.txt', size: 99, content_type: 'text/plain', ephemeral: true },
    ]);
  });

  it('is a group and a subcommand around the options', async () => {
    const data = dataOf(await sent(member().slash('settings log set', { to: 'here' })));
    expect(data.options).toEqual([
      {
        name: 'log',
        type: 2,
        options: [{ name: 'set', type: 1, options: [{ name: 'to', type: 3, value: 'here' }] }],
      },
    ]);
  });

  it('is, while typing, the focused option and no more than was typed', async () => {
    const d = await sent(member().complete('settings log set', 'to', {}));
    expect(d.type).toBe(4);
    expect(JSON.stringify(dataOf(d).options)).toContain('"value":"","focused":true');
    expect(dataOf(d).resolved).toBeUndefined();
  });

  it('is the message or the member that a context menu was opened on', async () => {
    const person = member();
    const id = standIn.say(person, 'hello there');
    const onMessage = await sent(person.useOnMessage('Read this', id));
    expect(onMessage.data).toMatchObject({
      type: 3,
      target_id: id,
      resolved: { messages: { [id]: { content: 'hello there', author: { id: person.userId } } } },
    });
    const onUser = await sent(person.useOnUser('Who is', person.userId));
    expect(onUser.data).toMatchObject({ type: 2, resolved: { users: {}, members: {} } });
    expect(await person.useOnMessage('Read this', '123456789012345678')).toMatchObject({ kind: 'refused' });
    expect(await person.useOnUser('Who is', '123456789012345678')).toMatchObject({ kind: 'refused' });
    expect(await person.useOnMessage('everybody', id)).toMatchObject({ kind: 'refused' });
  });
});

describe('rule 52: a complete payload', () => {
  it('has all that discord.js reads, in a guild', async () => {
    const person = standIn.person({ guild, name: 'mason', permissions: 32n, locale: 'de' });
    const d = await sent(person.slash('everybody'));
    expect(d).toMatchObject({
      version: 1,
      type: 2,
      application_id: standIn.applicationId,
      channel_id: guild.channelId,
      channel: { id: guild.channelId, type: 0 },
      guild_id: guild.id,
      guild: { id: guild.id, locale: 'en-US', features: [] },
      guild_locale: 'en-US',
      locale: 'de',
      member: { permissions: '32', user: { id: person.userId, username: 'mason' } },
      app_permissions: expect.stringMatching(/^\d+$/),
      entitlements: [],
      authorizing_integration_owners: { 0: guild.id },
      context: 0,
      attachment_size_limit: 10_485_760,
    });
    expect(d).not.toHaveProperty('user');
    expect(String(d.token).length).toBeGreaterThan(150);
    expect(d.token).toMatch(/^[\w-]+$/);
  });

  it('has a user and no guild in direct messages', async () => {
    const friend = standIn.personInDirectMessages({ name: 'friend' });
    const d = await sent(friend.slash('everybody'));
    expect(d).toMatchObject({ user: { id: friend.userId }, context: 1, channel: { type: 1 } });
    for (const field of ['member', 'guild', 'guild_id', 'guild_locale']) expect(d).not.toHaveProperty(field);
  });
});
