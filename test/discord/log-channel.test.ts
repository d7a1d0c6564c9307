import { PermissionFlagsBits } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { permissionsOf } from '../../src/discord/log-channel.ts';

const { Administrator, EmbedLinks, MentionEveryone, SendMessages, ViewChannel } = PermissionFlagsBits;
const USUAL = ViewChannel | SendMessages | EmbedLinks;

const [GUILD, BOT, HELPERS, STAFF] = ['1', '2', '3', '4'];
const guild = (everyone: bigint, helpers = 0n, staff = 0n) => ({
  id: GUILD,
  roles: [
    { id: GUILD, permissions: String(everyone) },
    { id: HELPERS, permissions: String(helpers) },
    { id: STAFF, permissions: String(staff) },
  ],
});
const change = (id: string, { allow = 0n, deny = 0n }) => ({
  id,
  type: id === BOT ? 1 : 0,
  allow: String(allow),
  deny: String(deny),
});
const both = { id: BOT, roles: [HELPERS, STAFF] };
const none = { id: BOT, roles: [] };

describe('what the bot may do in a channel (Discord docs: Permissions, Permission Overwrites)', () => {
  it.each([
    ['is what @everyone may', guild(USUAL), none, [], USUAL],
    ['is what its roles add', guild(ViewChannel, SendMessages, EmbedLinks), both, [], USUAL],
    ['is nothing of roles that it has not', guild(ViewChannel, SendMessages), none, [], ViewChannel],
    [
      'is everything for an administrator',
      guild(0n, Administrator),
      both,
      [change(GUILD, { deny: USUAL })],
      USUAL | MentionEveryone,
    ],
    [
      'is less where @everyone is denied',
      guild(USUAL),
      none,
      [change(GUILD, { deny: SendMessages })],
      ViewChannel | EmbedLinks,
    ],
    [
      'is more where a role is allowed what @everyone is denied',
      guild(USUAL),
      both,
      [change(STAFF, { allow: SendMessages }), change(GUILD, { deny: SendMessages })],
      USUAL,
    ],
    [
      'is what one role allows though another is denied it',
      guild(USUAL),
      both,
      [change(STAFF, { allow: EmbedLinks }), change(HELPERS, { deny: EmbedLinks })],
      USUAL,
    ],
    [
      'is what the bot itself is allowed, after all roles',
      guild(USUAL),
      both,
      [change(BOT, { allow: SendMessages }), change(HELPERS, { deny: SendMessages })],
      USUAL,
    ],
    [
      'is what the bot itself is denied, after all roles',
      guild(USUAL),
      both,
      [change(BOT, { deny: SendMessages }), change(HELPERS, { allow: SendMessages })],
      ViewChannel | EmbedLinks,
    ],
    [
      'is nothing in a channel that it does not see',
      guild(USUAL),
      none,
      [change(GUILD, { deny: ViewChannel })],
      0n,
    ],
    [
      'is not what others are allowed',
      guild(ViewChannel),
      none,
      [change('9', { allow: USUAL })],
      ViewChannel,
    ],
  ])('%s', (_what, there, member, overwrites, expected) => {
    expect(permissionsOf(there, member, overwrites).bitfield & (USUAL | MentionEveryone)).toBe(expected);
  });

  it('is without a channel what its roles allow, whether or not that lets it see any', () => {
    expect(permissionsOf(guild(MentionEveryone), none).bitfield).toBe(MentionEveryone);
    expect(permissionsOf(guild(MentionEveryone), none, []).bitfield).toBe(0n);
  });
});
