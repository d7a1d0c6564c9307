import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DiscordStandIn } from '../../../../sandbox/discord/contract.ts';
import type { Guild } from '../../../../sandbox/discord/world/guilds.ts';
import { identified, nextInteraction, type RawGateway, rawBot } from '../support/raw.ts';

let standIn: DiscordStandIn;
let gateway: RawGateway;
let guild: Guild;

beforeEach(async () => {
  const commands = [
    {
      name: 'ping',
      description: 'Ping',
      contexts: [0, 1],
      options: [
        { type: 7, name: 'channel', description: 'A channel', channel_types: [0, 5, 11] },
        { type: 8, name: 'role', description: 'A role' },
      ],
    },
  ];
  ({ standIn, gateway, guild } = await rawBot(commands));
});
afterEach(() => standIn.close());

const SNOWFLAKE = expect.stringMatching(/^\d{17,19}$/);
const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/);
const channelId = (name: string) =>
  standIn.channels(guild).find((channel) => channel.name === name)?.id ?? '';
const mason = (where = 'general') =>
  standIn.person({ guild, name: 'mason', permissions: 1n << 5n, channelId: channelId(where) });

/** What Discord says of every user. */
const user = (id: unknown, name: string) => ({
  id,
  username: name,
  discriminator: expect.stringMatching(/^(0|\d{4})$/),
  avatar: null,
  public_flags: 0,
  flags: 0,
  primary_guild: null,
});

describe('rules 49 and 52: the payloads of the gateway, field by field as documented', () => {
  it('READY', async () => {
    standIn.clock.advance(5_000);
    const session = await identified(standIn);
    const ready = session.frames.find(({ t }) => t === 'READY');
    expect(ready).toMatchObject({ op: 0, s: 1 });
    expect(ready?.d).toMatchObject({
      v: 10,
      user: {
        ...user(standIn.applicationId, 'Test Bot'),
        bot: true,
        verified: true,
        mfa_enabled: false,
        email: null,
      },
      guilds: standIn.guilds.map(({ id }) => ({ id, unavailable: true })),
      session_id: expect.any(String),
      resume_gateway_url: expect.stringMatching(/^ws/),
      shard: [0, 1],
      application: { id: standIn.applicationId, flags: 0 },
    });
  });

  it('INTERACTION_CREATE of a command in a text channel', async () => {
    const person = mason();
    const last = standIn.say(person, 'the last message');
    const role = standIn.guildEvents.addRole(guild, { name: 'players' });
    void person.slash('ping', { channel: channelId('news'), role });
    const interaction = await nextInteraction(gateway);
    expect(interaction.d).toEqual({
      id: SNOWFLAKE,
      application_id: standIn.applicationId,
      type: 2,
      token: expect.any(String),
      version: 1,
      locale: 'en-US',
      guild_locale: 'en-US',
      guild_id: guild.id,
      guild: { id: guild.id, locale: 'en-US', features: [] },
      channel_id: guild.channelId,
      channel: {
        id: guild.channelId,
        type: 0,
        name: 'general',
        guild_id: guild.id,
        parent_id: SNOWFLAKE,
        position: 0,
        topic: null,
        nsfw: false,
        flags: 0,
        rate_limit_per_user: 0,
        last_message_id: last,
        last_pin_timestamp: null,
        permissions: '32',
        app_permissions: expect.stringMatching(/^\d+$/),
      },
      member: expect.objectContaining({
        user: expect.objectContaining(user(person.userId, 'mason')),
        roles: [],
        permissions: '32',
        joined_at: TIMESTAMP,
        premium_since: null,
        pending: false,
        nick: null,
        avatar: null,
        flags: 0,
        communication_disabled_until: null,
        mute: false,
        deaf: false,
      }),
      app_permissions: expect.stringMatching(/^\d+$/),
      entitlements: [],
      entitlement_sku_ids: [],
      authorizing_integration_owners: { 0: guild.id },
      context: 0,
      attachment_size_limit: 10 * 1024 * 1024,
      data: {
        id: SNOWFLAKE,
        name: 'ping',
        type: 1,
        options: [
          { name: 'channel', type: 7, value: channelId('news') },
          { name: 'role', type: 8, value: role },
        ],
        resolved: {
          channels: {
            [channelId('news')]: expect.objectContaining({
              type: 5,
              name: 'news',
              topic: null,
              last_message_id: null,
              parent_id: SNOWFLAKE,
              permissions: '32',
              app_permissions: expect.any(String),
            }),
          },
          roles: {
            [role]: expect.objectContaining({
              name: 'players',
              permissions: '0',
              colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
              hoist: false,
              managed: false,
              mentionable: false,
              flags: 0,
            }),
          },
        },
      },
    });
  });

  it('INTERACTION_CREATE of a command in a thread and in an announcement channel', async () => {
    void mason('questions').slash('ping');
    const inThread = await nextInteraction(gateway);
    expect(inThread.d.channel).toMatchObject({
      id: channelId('questions'),
      type: 11,
      parent_id: guild.channelId,
      owner_id: SNOWFLAKE,
      message_count: 0,
      member_count: 1,
      total_message_sent: 0,
      thread_metadata: {
        archived: false,
        auto_archive_duration: 4320,
        archive_timestamp: TIMESTAMP,
        locked: false,
      },
    });
    void mason('news').slash('ping');
    const inNews = await nextInteraction(gateway);
    expect(inNews.d.channel).toMatchObject({ id: channelId('news'), type: 5, topic: null });
  });

  it('INTERACTION_CREATE in direct messages', async () => {
    const person = standIn.personInDirectMessages({ name: 'mason' });
    void person.slash('ping');
    const { d } = await nextInteraction(gateway);
    expect(d).toMatchObject({
      channel: { id: person.channelId, type: 1, flags: 0, last_message_id: null },
      user: user(person.userId, 'mason'),
      context: 1,
      authorizing_integration_owners: { 0: '0' },
    });
    expect(d).not.toHaveProperty('member');
    expect(d).not.toHaveProperty('guild_id');
  });
});
