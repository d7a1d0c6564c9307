import {
  GuildChannelResponseSchema,
  MessageResponseSchema,
  ThreadResponseSchema,
} from 'discord-api-spec/zod';
import { union } from 'zod/mini';
import { CATEGORY, type Channel, channelObject, PUBLIC_THREAD } from '../world/channels.ts';
import type { Clock } from '../world/clock.ts';
import { type GuildState, isMember } from '../world/guilds.ts';
import type { StoredMessage } from '../world/messages.ts';
import type { World } from '../world/world.ts';
import { type Denial, missingAccess, missingPermissions } from './denial.ts';
import type { MessageBody } from './message-form.ts';
import { filesOf, type Outgoing } from './outgoing.ts';
import { ok, type Route } from './route.ts';
import { PINGED_BY_CHANNEL_MESSAGES, type RolesThere } from './rules/mentions.ts';
import { checkMessage } from './rules/messages.ts';

/** Discord docs: Permissions. */
const VIEW_CHANNEL = 1n << 10n;
const SEND_MESSAGES = 1n << 11n;
const SEND_MESSAGES_IN_THREADS = 1n << 38n;
const EMBED_LINKS = 1n << 14n;
const MENTION_EVERYONE = 1n << 17n;

const hasEmbeds = (json: unknown): boolean => ((json as MessageBody | undefined)?.embeds ?? []).length > 0;

/** What a message in a channel may say besides, so that it can be posted once more without being there twice. */
interface Nonce {
  readonly nonce?: string | number | null;
  readonly enforce_nonce?: boolean | null;
}

/** "The past few minutes" (Discord docs: Message, Create Message, `enforce_nonce`). */
const NONCE_MS = 3 * 60_000;

/** Rule 60: the messages with a nonce that was enforced. All of them are the bot's. */
function createNonces(clock: Pick<Clock, 'now'>) {
  const sent = new Map<string | number, { readonly at: number; readonly message: StoredMessage }>();
  return {
    /** The message with this nonce, or the one that is made now. */
    once({ nonce, enforce_nonce }: Nonce, make: () => StoredMessage): StoredMessage {
      if (!enforce_nonce || nonce === undefined || nonce === null) return make();
      for (const [old, { at }] of sent) if (clock.now() - at > NONCE_MS) sent.delete(old);
      const known = sent.get(nonce);
      if (known) return known.message;
      const message = make();
      sent.set(nonce, { at: clock.now(), message });
      return message;
    },
  };
}

/** Rules 30 to 36, 44 and 60 for messages that a bot posts in a channel of a guild it is in, without being asked. */
export function channelRoutes(world: World, outgoing: Outgoing): readonly Route[] {
  const nonces = createNonces(world.clock);
  const unknownChannel: Denial = {
    blameless: true,
    rule: 1,
    status: 404,
    code: 10003,
    message: 'Unknown Channel',
  };
  const notText: Denial = {
    rule: 1,
    status: 400,
    code: 50008,
    message: 'Cannot send messages in a non-text channel',
  };
  return [
    {
      // To ask is the only way to know, so a refusal breaks no rule.
      method: 'GET',
      path: '/channels/:channel',
      auth: 'bot',
      answers: union([GuildChannelResponseSchema, ThreadResponseSchema]),
      handle({ params }) {
        const guild = world.guilds.withChannel(params.channel ?? '');
        const channel = guild?.channels.get(params.channel ?? '');
        if (guild === undefined || channel === undefined) return unknownChannel;
        if (!isMember(guild) || (channel.botPermissions & VIEW_CHANNEL) === 0n)
          return { ...missingAccess, blameless: true };
        const lastMessageId = world.messages.lastIn(channel.id);
        return ok(channelObject(channel, { guild, lastMessageId, botId: world.bot.id }));
      },
    },
    {
      method: 'POST',
      path: '/channels/:channel/messages',
      auth: 'bot',
      answers: MessageResponseSchema,
      bucket: { name: 'channel messages', limit: 5, windowMs: 5_000, major: 'channel' },
      handle({ params, json, files }) {
        const channelId = params.channel ?? '';
        const guild = world.guilds.withChannel(channelId);
        if (guild === undefined) return unknownChannel;
        const channel = guild.channels.get(channelId);
        const may = channel?.botPermissions ?? 0n;
        if (!isMember(guild) || (may & VIEW_CHANNEL) === 0n) return { ...missingAccess, blameless: true };
        if (channel?.type === CATEGORY) return notText;
        const send = channel?.type === PUBLIC_THREAD ? SEND_MESSAGES_IN_THREADS : SEND_MESSAGES;
        const needed = hasEmbeds(json) ? send | EMBED_LINKS : send;
        if ((may & needed) !== needed) return missingPermissions;
        const refusal = checkMessage(json, { for: 'channel', files: filesOf(files) });
        if (refusal !== undefined) return refusal;
        const body = json as MessageBody & Nonce;
        const { nonce } = body;
        const message = nonces.once(body, () =>
          outgoing.send({ channel_id: channelId, type: 0, ...(nonce && { nonce }) }, body, {
            files,
            flags: body.flags ?? 0,
            onlyFor: undefined,
            pings: PINGED_BY_CHANNEL_MESSAGES,
            roles: rolesThere(guild, channel),
          }),
        );
        return ok(message.current);
      },
    },
  ];
}

/** What there is in a channel to be mentioned, and what of it the bot may. */
const rolesThere = ({ id, roles }: GuildState, channel: Channel | undefined): RolesThere => ({
  everyoneId: id,
  isMentionable: (roleId) =>
    roles.has(roleId) &&
    (roles.get(roleId)?.mentionable === true || ((channel?.botPermissions ?? 0n) & MENTION_EVERYONE) !== 0n),
});
