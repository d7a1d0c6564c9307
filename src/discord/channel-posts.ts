import { hash, randomUUID } from 'node:crypto';
import {
  type APIActionRowComponent,
  type APIComponentInMessageActionRow,
  type APIEmbed,
  RESTJSONErrorCodes,
  Routes,
} from 'discord.js';
import type { Logger } from '../logger.ts';
import { createBoundedMap } from '../pacing/bounded-map.ts';
import { createSparingLog } from '../pacing/sparing-log.ts';
import { type DiscordApi, discordCodeOf, hasCode, StoppedError } from './api.ts';
import { fitTexts } from './limits.ts';
import { createRejections } from './rejections.ts';

/**
 * - `gone`: the channel no longer exists.
 * - `no-access`: the bot can't see the channel.
 * - `no-permission`: the bot can't send messages or embed links in the channel.
 * - `failed`: posting failed for another reason, which may be temporary.
 */
export type PostResult = 'posted' | 'gone' | 'no-access' | 'no-permission' | 'failed';

export interface ChannelMessage {
  /** Identifies the message across attempts, so it only appears once. Without a nonce, the bot tries only once. */
  readonly nonce?: string;
  readonly content?: string;
  readonly embed?: APIEmbed | undefined;
  readonly components?: readonly APIActionRowComponent<APIComponentInMessageActionRow>[];
  readonly pingableRoleId?: string;
}

/** Hashes a name into a 25-character nonce, the longest that Discord accepts (Discord docs: Message, Create Message). */
export const nonceOf = (name: string): string => hash('sha256', name, 'base64url').slice(0, 25);

/** Error codes for permanent reasons to reject a message (Discord docs: JSON Error Codes). */
const REJECTIONS: Readonly<Record<number, PostResult>> = {
  [RESTJSONErrorCodes.UnknownChannel]: 'gone',
  [RESTJSONErrorCodes.UnknownGuild]: 'gone',
  [RESTJSONErrorCodes.MissingAccess]: 'no-access',
  [RESTJSONErrorCodes.MissingPermissions]: 'no-permission',
};

/** Omits the nonce. */
export const messageBody = ({ content, embed, components = [], pingableRoleId }: ChannelMessage) => ({
  ...fitTexts({ ...(content !== undefined && { content }), embeds: embed ? [embed] : [] }),
  components: [...components],
  allowed_mentions: { parse: [], ...(pingableRoleId !== undefined && { roles: [pingableRoleId] }) },
});

/**
 * Builds a message that replaces an existing message. If the new message has an embed, this also restores embeds that a
 * moderator removed. Otherwise, the only embeds to restore would be link previews that an admin removed.
 */
export const replacingBody = (message: ChannelMessage) => ({
  ...messageBody(message),
  ...(message.embed && { flags: 0 }),
});

/**
 * Error codes for a message that the bot can no longer edit. The message was deleted, its thread is archived or locked, or
 * it belongs to another application that previously used the same database.
 */
const MESSAGE_GONE: readonly number[] = [
  RESTJSONErrorCodes.UnknownMessage,
  RESTJSONErrorCodes.CannotEditMessageAuthoredByAnotherUser,
  50_083,
  160_005,
];

/** How long to wait for Discord to report whether a message was deleted (ms). Discord allows 3 seconds for a reply. */
const LOOKUP_TIMEOUT_MS = 1_500;

/** `message-gone`: the message can no longer be edited. `harmful-link`: Discord rejected a link in the text. */
type PutResult = PostResult | 'message-gone' | 'harmful-link';

const MAX_CHANNELS = 10_000;

export interface ChannelPostsDeps {
  readonly api: Pick<DiscordApi, 'get' | 'post' | 'patch'>;
  readonly logger: Logger;
}

export type ChannelPosts = ReturnType<typeof createChannelPosts>;

/**
 * Creates a poster for messages that aren't replies. It requires the View Channel and Send Messages permissions, and Embed
 * Links for embeds.
 */
export function createChannelPosts({ api, logger }: ChannelPostsDeps) {
  const quietly = createSparingLog(logger);
  /** Channels where Discord rejected a message and hasn't accepted a new one since. */
  const rejections = createRejections();
  const latest = createBoundedMap<string>(MAX_CHANNELS);

  /**
   * Posts a message that can be edited later, or replaces a message. Never throws.
   * @param messageId the message to replace completely; if absent, a new message is posted
   * @returns the result, and the id of the posted or edited message
   */
  async function put(
    channelId: string,
    { nonce = randomUUID(), ...message }: ChannelMessage,
    messageId?: string,
  ): Promise<{ readonly result: PutResult; readonly messageId?: string }> {
    try {
      if (messageId !== undefined) {
        await api.patch(Routes.channelMessage(channelId, messageId), { body: replacingBody(message) });
        return { result: 'posted', messageId };
      }
      const posted = await api.post(Routes.channelMessages(channelId), {
        // Within a few minutes, Discord posts only the first message with a given nonce (docs: Create Message).
        body: { ...messageBody(message), nonce: nonceOf(nonce), enforce_nonce: true },
      });
      rejections.delete(channelId);
      const id = String(Object(posted).id);
      latest.set(channelId, id);
      return { result: 'posted', messageId: id };
    } catch (error) {
      const code = discordCodeOf(error);
      const rejection = REJECTIONS[code];
      if (rejection !== undefined) {
        rejections.note(channelId);
        return { result: rejection };
      }
      if (messageId !== undefined && MESSAGE_GONE.includes(code)) return { result: 'message-gone' };
      if (code === RESTJSONErrorCodes.MessageBlockedByHarmfulLinksFilter) return { result: 'harmful-link' };
      if (error instanceof StoppedError)
        quietly.info({}, 'could not post messages to channels, because the bot is stopping');
      else logger.warn({ err: error, channelId }, 'could not post a message to a channel');
      return { result: 'failed' };
    }
  }

  return {
    put,
    isLatest: (channelId: string, messageId: string): boolean => latest.get(channelId) === messageId,
    wasRejected: rejections.wasRejected,
    /**
     * Whether Discord confirms that a message was deleted, alone or with its channel. `false` if the bot can't read the
     * channel's message history, or if Discord doesn't respond in time. Never throws.
     */
    async isDeleted(channelId: string, messageId: string): Promise<boolean> {
      try {
        const signal = AbortSignal.timeout(LOOKUP_TIMEOUT_MS);
        await api.get(Routes.channelMessage(channelId, messageId), { signal });
        return false;
      } catch (error) {
        return (
          hasCode(error, RESTJSONErrorCodes.UnknownMessage) ||
          hasCode(error, RESTJSONErrorCodes.UnknownChannel)
        );
      }
    },
    /** Posts a message that won't be edited later. Never throws. */
    async post(channelId: string, message: ChannelMessage): Promise<PostResult> {
      const { result } = await put(channelId, message);
      return result === 'message-gone' || result === 'harmful-link' ? 'failed' : result;
    },
  };
}
