import { ChannelType, OverwriteType, PermissionFlagsBits } from 'discord.js';
import {
  GuildChannelResponseSchema,
  MessageResponseSchema,
  PrivateChannelResponseSchema,
} from 'discord-api-spec/zod';
import type { Mentions } from '../../markdown.ts';
import type { Channel } from '../world/channels.ts';
import type { DirectChannel } from '../world/direct-messages.ts';
import { type GuildState, isMember } from '../world/guilds.ts';
import type { SeenMessage } from '../world/messages.ts';
import { userObject } from '../world/users.ts';
import type { World } from '../world/world.ts';
import {
  type Denial,
  deletedMessage,
  directMessagesOff,
  flaggedAsSpam,
  invalidRecipient,
  isDenial,
  missingAccess,
  missingPermissions,
  noMutualGuild,
  openedTooFast,
  othersMessage,
  tooManyOldEdits,
  unknownChannel,
} from './denial.ts';
import { mentionsIn, type Outgoing } from './outgoing.ts';
import { ok, type Route } from './route.ts';
import { checkMessage, checkRecipient, type MessageBody } from './rules.ts';

/**
 * How long a nonce prevents a second message. The docs say "the past few minutes" (Discord docs: Message, Create Message,
 * `enforce_nonce`).
 */
const NONCE_MS = 3 * 60_000;

/** The age at which Discord starts to limit edits of messages in a channel (see denial.ts). */
const OLD_MS = 3_600_000;
const OLD_EDITS = { most: 3, windowMs: 6_000 };

/** Routes that post and edit messages in a channel without an interaction. */
export function channelRoutes(world: World, outgoing: Outgoing): readonly Route[] {
  const { guilds, clock, messages, directMessages } = world;
  const nonces = new Map<string, { readonly at: number; readonly id: string }>();

  /** Returns a channel and its guild's roles, or a denial if the bot can't see the channel. */
  function placeOf(channelId = '') {
    const direct = directMessages.get(channelId);
    if (direct !== undefined) return { channel: direct, guild: NOWHERE, denied: denialFor(direct) };
    const guild = guilds.withChannel(channelId);
    const channel = guild?.channels.get(channelId);
    if (guild === undefined || channel === undefined) return unknownChannel;
    const isSeen = isMember(guild) && (channel.botPermissions & PermissionFlagsBits.ViewChannel) !== 0n;
    return isSeen ? { guild, channel, denied: undefined } : missingAccess;
  }

  /** Returns the reason why a user can't receive the bot's direct messages, or `undefined` if they can. */
  function denialFor({ userId }: DirectChannel): Denial | undefined {
    if (!guilds.joined().some(({ members }) => members.has(userId))) return noMutualGuild;
    return directMessages.rejecting.has(userId) ? directMessagesOff : undefined;
  }

  /** The times of recent edits of old messages, by channel. */
  const oldEdits = new Map<string, readonly number[]>();

  /** Counts an edit if the message is old. @returns a denial if the bot has edited too many old messages */
  function tooOften({ channelId, first }: SeenMessage): Denial | undefined {
    const now = clock.now();
    if (now - Date.parse(first.timestamp) < OLD_MS) return undefined;
    const recent = (oldEdits.get(channelId) ?? []).filter((at) => now - at < OLD_EDITS.windowMs);
    const [oldest = now] = recent;
    if (recent.length >= OLD_EDITS.most) return tooManyOldEdits(oldest + OLD_EDITS.windowMs - now);
    oldEdits.set(channelId, [...recent, now]);
    return undefined;
  }

  /** Returns the recent message that has this nonce. */
  function postedBefore(nonce: string): SeenMessage | undefined {
    const known = nonces.get(nonce);
    return known && clock.now() - known.at <= NONCE_MS ? messages.get(known.id) : undefined;
  }

  return [
    {
      // If the bot already has a channel with this user, returns that channel (Discord docs: User, Create DM).
      method: 'POST',
      path: '/users/@me/channels',
      auth: 'bot',
      answers: PrivateChannelResponseSchema,
      handle({ json }) {
        const denial = checkRecipient(json) ?? STOPS[directMessages.stop() ?? 'none'];
        if (denial !== undefined) return denial;
        const member = guilds.member(Object(json).recipient_id);
        if (member === undefined) return invalidRecipient;
        const { userId, name } = member;
        const { id, type } = directMessages.with(userId);
        const recipients = [userObject({ id: userId, name })];
        return ok({ id, type, flags: 0, last_message_id: null, recipients });
      },
    },
    {
      method: 'GET',
      path: '/channels/:channel',
      auth: 'bot',
      answers: GuildChannelResponseSchema,
      handle({ params }) {
        const place = placeOf(params.channel);
        if (isDenial(place)) return place;
        const { guild, channel } = place;
        const { id, name, type, everyone } = channel;
        return ok({
          id,
          name,
          type,
          guild_id: guild.id,
          position: 0,
          flags: 0,
          permission_overwrites: everyone ? [overwriteObject(guild.id, everyone)] : [],
        });
      },
    },
    {
      method: 'POST',
      path: '/channels/:channel/messages',
      auth: 'bot',
      answers: MessageResponseSchema,
      bucket: { name: 'channel messages', limit: 5, windowMs: 5_000, major: 'channel' },
      handle({ params, json, files }) {
        const place = placeOf(params.channel);
        if (isDenial(place)) return place;
        const { guild, channel, denied } = place;
        if (denied !== undefined) return denied;
        const body: MessageBody & { readonly nonce?: string; readonly enforce_nonce?: boolean } =
          Object(json);
        const needed = neededFor(channel, body);
        if ((channel.botPermissions & needed) !== needed) return missingPermissions;
        const denial = checkMessage({ request: 'post', body, files, current: undefined });
        if (denial !== undefined) return denial;

        const { nonce, enforce_nonce: isEnforced } = body;
        const posted = isEnforced && nonce !== undefined ? postedBefore(nonce) : undefined;
        if (posted !== undefined) return ok(posted.current);
        const mentions = mentionsThere(mentionsIn(body), guild, channel);
        const message = outgoing.post(channel.id, { body, files }, mentions);
        if (nonce !== undefined) nonces.set(nonce, { at: clock.now(), id: message.id });
        return ok(message.current);
      },
    },
    {
      method: 'GET',
      path: '/channels/:channel/messages/:message',
      auth: 'bot',
      answers: MessageResponseSchema,
      handle({ params }) {
        const place = placeOf(params.channel);
        if (isDenial(place)) return place;
        if ((place.channel.botPermissions & PermissionFlagsBits.ReadMessageHistory) === 0n)
          return missingPermissions;
        const message = messages.get(params.message ?? '');
        if (message?.channelId !== place.channel.id || message.ephemeral) return deletedMessage;
        return ok(message.current);
      },
    },
    {
      method: 'PATCH',
      path: '/channels/:channel/messages/:message',
      auth: 'bot',
      answers: MessageResponseSchema,
      bucket: { name: 'edited channel messages', limit: 5, windowMs: 5_000, major: 'channel' },
      handle({ params, json, files }) {
        const place = placeOf(params.channel);
        if (isDenial(place)) return place;
        const message = messages.get(params.message ?? '');
        if (message?.channelId !== place.channel.id || message.ephemeral) return deletedMessage;
        if (message.current.author.id !== world.bot.id) return othersMessage;
        const body: MessageBody = Object(json);
        const denial = checkMessage({ request: 'edit', body, files, current: message.current });
        if (denial !== undefined) return denial;
        const limited = tooOften(message);
        if (limited !== undefined) return limited;
        outgoing.edit(message, { body, files });
        return ok(message.current);
      },
    },
  ];
}

/** Converts a role's permission overwrite to Discord's format (Discord docs: Channel, Overwrite Object). */
const overwriteObject = (roleId: string, { allow, deny }: NonNullable<Channel['everyone']>) => ({
  id: roleId,
  type: OverwriteType.Role,
  allow: String(allow),
  deny: String(deny),
});

const STOPS = { 'opened too fast': openedTooFast, 'flagged as spam': flaggedAsSpam, none: undefined };

/** Stands in for the guild in direct messages, where roles can't be mentioned. */
const NOWHERE: Pick<GuildState, 'id' | 'roles'> = { id: '', roles: new Map() };

function neededFor({ type }: Channel, { embeds }: MessageBody): bigint {
  const send =
    type === ChannelType.PublicThread
      ? PermissionFlagsBits.SendMessagesInThreads
      : PermissionFlagsBits.SendMessages;
  return (embeds ?? []).length > 0 ? send | PermissionFlagsBits.EmbedLinks : send;
}

/**
 * Removes the roles that a message can't ping. Without the permission to ping all roles in this channel, a bot can only
 * ping mentionable roles (Discord docs: Permissions, MENTION_EVERYONE; discord-api-docs#1604).
 */
function mentionsThere(
  mentions: Mentions,
  { id, roles }: typeof NOWHERE,
  { botPermissions }: Channel,
): Mentions {
  const mayAll = (botPermissions & PermissionFlagsBits.MentionEveryone) !== 0n;
  const isPinged = (roleId: string) =>
    roleId !== id && roles.has(roleId) && (mayAll || roles.get(roleId)?.mentionable === true);
  return { ...mentions, roles: mentions.roles.filter(isPinged) };
}
